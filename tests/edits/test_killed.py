"""What a process that was killed while it replaced several files leaves, and what the next one makes of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from retouch.edits import DirectoryError, DirectoryFailure, EditResult, apply_to_folder, take_back
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from pathlib import Path

OLD = {"a.py": "a\n", "b.py": "b\n", "sub/c.py": "c\n"}
NEW = {"a.py": "A\n", "b.py": None, "new/d.py": "D\n", "sub/c.py": "C\n"}
AFTER = {"a.py": "A\n", "new/d.py": "D\n", "sub/c.py": "C\n"}
KILLED = """
import json, os, sys
from pathlib import Path
from retouch.edits import EditResult, apply_to_folder

left = int(sys.argv[2])

def dying(call):
    def called(*args, **named):
        global left
        left -= 1
        if left < 0:
            os._exit(9)
        return call(*args, **named)
    return called

Path.replace, os.fsync, os.link = dying(Path.replace), dying(os.fsync), dying(os.link)
apply_to_folder(EditResult(outcome="applied", files=json.loads(sys.argv[3])), Path(sys.argv[1]))
"""
CALLS = 18  # so often are fsync, link and rename called when nobody is killed


def killed(root: Path, after: int, files: object = NEW) -> int:
    """Apply the new texts in a process that dies after so many calls; return its exit status."""
    command = [sys.executable, "-c", KILLED, str(root), str(after), json.dumps(files)]
    return subprocess.run(command, check=False, timeout=MOST_S).returncode


def texts(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in OLD.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("after", [0, 1, 3, 6, 9, 11, 12, 13, 14, 15, 17, CALLS])
def test_files_of_a_killed_process_are_all_new_or_put_back_by_the_next(root: Path, after: int):
    assert (0 if after == CALLS else 9) == killed(root, after)
    found = {name: text for name, text in texts(root).items() if "/." not in f"/{name}"}
    assert all(text in {OLD.get(name), AFTER.get(name)} for name, text in found.items())
    back = take_back(root)
    assert (AFTER if found == AFTER else OLD) == texts(root)
    assert (root / "new").exists() == (found == AFTER)
    assert set(back) == {name for name in NEW if found.get(name) != texts(root).get(name)}
    assert [] == take_back(root)


def test_the_next_application_takes_back_first(root: Path):
    killed(root, CALLS - 4)
    assert texts(root).items() & AFTER.items()
    assert ["a.py"] == apply_to_folder(EditResult(outcome="applied", files={"a.py": "AA\n"}), root)
    assert {**OLD, "a.py": "AA\n"} == texts(root)


def test_what_a_person_changed_after_the_kill_stays_and_so_does_the_rest(root: Path):
    killed(root, CALLS - 5)
    before = {name: text for name, text in texts(root).items() if "/." not in f"/{name}"}
    assert "A\n" == before["a.py"]
    assert "c\n" == before["sub/c.py"]
    (root / "a.py").write_text("mine\n")
    assert [] == take_back(root)
    assert {**before, "a.py": "mine\n"} == texts(root)


def test_a_journal_that_names_a_file_outside_is_refused(root: Path):
    (root.parent / "outside").mkdir()
    steps = [["../outside/x", "0" * 12, None, "0" * 64]]
    (root / ".retouch-apply.json").write_text(json.dumps({"steps": steps, "folders": []}) + "\nprepared\n")
    with pytest.raises(DirectoryError, match="is not inside"):
        take_back(root)


def test_a_journal_that_is_not_whole_tells_of_no_step(root: Path):
    (root / ".retouch-apply.json").write_text('{"steps": [["a.py", "0000')
    assert [] == take_back(root)
    assert OLD == texts(root)


@pytest.mark.skipif(sys.platform == "win32", reason="a folder cannot be held there")
def test_a_folder_that_another_process_writes_is_waited_for(root: Path, monkeypatch: pytest.MonkeyPatch):
    import fcntl

    monkeypatch.setattr("retouch.edits.holding.BUSY_LIMIT_S", 0.1)
    other = os.open(root, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    result = EditResult(outcome="applied", files={"a.py": "A\n"})
    with pytest.raises(DirectoryFailure, match="another process is writing"):
        apply_to_folder(result, root)
    os.close(other)
    assert ["a.py"] == apply_to_folder(result, root)
