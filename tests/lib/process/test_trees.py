"""The content of a workspace, as .gitignore and the user divide it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from retouch._lib.process.trees import scan

if TYPE_CHECKING:
    from pathlib import Path


def write(root: Path, *names: str, text: str = "x") -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_ignored_files_are_told_from_others_as_git_does(tmp_path: Path) -> None:
    write(
        tmp_path, "a.py", "b.log", "logs/keep.log", "deep/c.py", "deep/d.tmp", "deep/e.tmp", "target/x", "sub/target/y"
    )
    write(tmp_path, ".gitignore", text="*.log\n!logs/keep.log\n/target/\n")
    write(tmp_path, "deep/.gitignore", text="*.tmp\n!e.tmp\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    words = ["git", "ls-files", "--others", "--exclude-standard"]
    known = subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.split()
    assert set(known) == set(scan(tmp_path).files)


def test_caches_version_control_and_runs_are_not_looked_at(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "__pycache__/a.pyc", ".git/config", "output/run/ledger.db", "output/run/prompts.json")
    assert ["a.py"] == list(scan(tmp_path).files)


def test_a_change_of_an_ignored_file_is_a_change_and_an_excluded_one_is_none(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "venv/lib.py", "data/x.bin")
    first = scan(tmp_path, exclude=["data/"]).key({})
    write(tmp_path, "data/x.bin", text="longer")
    assert first == scan(tmp_path, exclude=["data/"]).key({})
    write(tmp_path, "venv/lib.py", text="longer")
    assert first != scan(tmp_path, exclude=["data/"]).key({})


def test_the_key_of_a_changed_tree_is_that_of_the_tree_with_the_change(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b.py")
    changed = scan(tmp_path).key({"a.py": scan(tmp_path).files["b.py"].sha[:-1] + "?"})
    assert changed != scan(tmp_path).key({})
    write(tmp_path, "c.py", text="new")
    sha = scan(tmp_path).files["c.py"].sha
    (tmp_path / "c.py").unlink()
    expected = scan(tmp_path).key({"a.py": sha})
    write(tmp_path, "a.py", text="new")
    assert expected == scan(tmp_path).key({})


def test_a_file_is_read_again_only_if_its_size_or_time_changed(tmp_path: Path) -> None:
    write(tmp_path, "a.py", text="one")
    os.utime(tmp_path / "a.py", (1_000_000_000, 1_000_000_000))
    known = scan(tmp_path)
    write(tmp_path, "a.py", text="two")
    os.utime(tmp_path / "a.py", (1_000_000_000, 1_000_000_000))
    assert known.files == scan(tmp_path, known=known).files  # which shows that it was not read
    os.utime(tmp_path / "a.py", (1_000_000_001, 1_000_000_001))
    assert known.files["a.py"].sha != scan(tmp_path, known=known).files["a.py"].sha


def test_a_file_that_was_written_just_before_is_always_read_again(tmp_path: Path) -> None:
    write(tmp_path, "a.py", text="one")
    status = (tmp_path / "a.py").stat()
    known = scan(tmp_path)
    write(tmp_path, "a.py", text="two")
    os.utime(tmp_path / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert known.files["a.py"].sha != scan(tmp_path, known=known).files["a.py"].sha


def test_links_and_unreadable_files_are_part_of_the_content(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    first = scan(tmp_path)
    assert {"link": "link nowhere", "pipe": "special"} == {name: one.sha for name, one in first.files.items()}
