"""In place: the new code is put into the workspace itself, and is gone afterwards, whatever happens."""

from __future__ import annotations

import secrets
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from retouch.edits import DirectoryError, take_back, tried_in_folder
from tests.lib.process.machines import PROJECT
from tests.lib.process.scenes import Bench, living
from tests.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path


def in_place(bench: Bench, command: str, **more: Any) -> Any:
    return bench.judge(command, in_place=True, in_place_by=tried_in_folder, **more)


@pytest.mark.parametrize(("command", "outcome"), [("grep -q new a.txt", "passed"), ("grep -q old a.txt", "failed")])
def test_the_new_code_is_there_while_the_command_runs_and_gone_after(bench: Bench, command: str, outcome: str) -> None:
    verdict = in_place(bench, f"{command} && test ! -e b/c.txt || {command}", texts={"a.txt": "new\n", "b/c.txt": "c"})
    assert (outcome, "in place") == (verdict.outcome, verdict.where)
    assert {"a.txt": "old\n"} == bench.tree()
    assert not (bench.workspace / "b").exists()


def test_what_the_command_wrote_over_the_new_code_is_gone_too(bench: Bench) -> None:
    in_place(bench, "cat a.txt; echo formatted > a.txt; touch product")
    assert {"a.txt": "old\n", "product": ""} == bench.tree()


def test_the_command_is_confined_all_the_same(bench: Bench) -> None:
    outside = bench.root / "outside.txt"
    verdict = in_place(bench, f"cat a.txt; touch product {outside}")
    assert (True, False, True) == (verdict.confined, outside.exists(), (bench.workspace / "product").exists())


HOLD = """
import sys, time
from pathlib import Path
from retouch.edits import tried_in_folder
with tried_in_folder(Path(sys.argv[1]), {"a.txt": b"new\\n", "b/c.txt": b"c"}):
    print("begun", flush=True)
    time.sleep(600)
"""


def killed_while_trying(bench: Bench) -> None:
    child = subprocess.Popen([sys.executable, "-c", HOLD, str(bench.workspace)], stdout=subprocess.PIPE, cwd=PROJECT)
    with child:
        assert child.stdout is not None
        assert b"begun\n" == child.stdout.readline()
        assert "new\n" == bench.tree()["a.txt"]
        child.send_signal(signal.SIGKILL)


def test_a_crash_is_undone_by_the_next_command(bench: Bench) -> None:
    killed_while_trying(bench)
    assert ["a.txt", "b/c.txt"] == take_back(bench.workspace)
    assert {"a.txt": "old\n"} == bench.tree()
    assert [] == take_back(bench.workspace)


def test_a_crash_is_undone_before_anything_is_judged(bench: Bench) -> None:
    killed_while_trying(bench)
    assert "failed" == in_place(bench, "grep -q new a.txt", texts={}).outcome
    assert {"a.txt": "old\n"} == bench.tree()


def test_what_somebody_wrote_after_a_crash_is_kept_under_another_name(bench: Bench) -> None:
    killed_while_trying(bench)
    bench.write({"a.txt": "mine\n"})
    take_back(bench.workspace)
    assert {"a.txt": "old\n", "a.txt.changed-during-check": "mine\n"} == bench.tree()


def test_a_link_is_not_followed(bench: Bench) -> None:
    (bench.workspace / "link").symlink_to(bench.root)
    with pytest.raises(DirectoryError, match="symbolic link"), tried_in_folder(bench.workspace, {"link/x": b"x"}):
        pass


def test_a_command_that_hangs_is_undone_when_the_process_that_asked_is_ended(bench: Bench) -> None:
    seconds = f"600.{secrets.randbelow(10**12):012}"  # no other process on the machine sleeps so long
    code = (
        "import sys; from pathlib import Path; from tests.lib.process.scenes import Bench; "
        "from retouch.edits import tried_in_folder; b = Bench.__new__(Bench); b.root = Path(sys.argv[1]); "
        "b.workspace = b.root / 'project'; "
        f"b.judge('if grep -q new a.txt; then sleep {seconds}; fi', in_place=True, in_place_by=tried_in_folder)"
    )
    asker = subprocess.Popen([sys.executable, "-c", code, str(bench.root)], cwd=PROJECT, stderr=subprocess.DEVNULL)
    wait_until(lambda: (living(f"{seconds}\0") and "new\n" == bench.tree()["a.txt"]) or asker.poll() is not None)
    assert asker.poll() is None
    asker.send_signal(signal.SIGINT)
    asker.wait()
    assert {"a.txt": "old\n"} == bench.tree()
    assert [] == living(f"{seconds}\0")


def test_only_the_workspace_of_the_question_is_written(bench: Bench, tmp_path: Path) -> None:
    before = sorted(path for path in tmp_path.iterdir() if path.name != "cache")
    in_place(bench, "cat a.txt")
    assert before == sorted(path for path in tmp_path.iterdir() if path.name != "cache")
