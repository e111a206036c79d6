"""Files that a killed process had begun to replace, and that somebody changed since: nothing of theirs is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from retouch.edits.placing import JOURNAL, PREPARED, FileStep, digest_of, take_back_interrupted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

OLD, NEW, THEIRS = b"old\n", b"new\n", b"theirs\n"


def prepared(root: Path, *, existing: Sequence[str], new: Sequence[str]) -> dict[str, FileStep]:
    """Files as a process leaves them that is killed before its first step, and its steps by name."""
    steps: dict[str, FileStep] = {}
    for number, name in enumerate((*existing, *new)):
        place, mode = root / name, 0o644 if name in existing else None
        if mode is not None:
            place.write_bytes(OLD)
        steps[name] = FileStep(
            name=name, place=place, token=f"{number:012x}", mode=mode, digest=digest_of(NEW), data=NEW
        )
        steps[name].prepare()
    told = {"steps": [[step.name, step.token, step.mode, step.digest] for step in steps.values()], "folders": []}
    (root / JOURNAL).write_text(f"{json.dumps(told)}\n{PREPARED}\n")
    return steps


def contents(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in root.iterdir()}


@pytest.mark.parametrize("theirs", ["a.py", "new.py"])
def test_a_file_that_somebody_changed_after_its_step_keeps_all_files_as_they_are(tmp_path: Path, theirs: str) -> None:
    steps = prepared(tmp_path, existing=["a.py", "b.py", "z.py"], new=["new.py"])
    for name in ("a.py", "b.py", "new.py"):
        steps[name].commit()
    steps[theirs].place.write_bytes(THEIRS)
    assert [] == take_back_interrupted(tmp_path)
    assert {"a.py": NEW, "b.py": NEW, "new.py": NEW, "z.py": OLD} | {theirs: THEIRS} == contents(tmp_path)


def test_files_that_nobody_changed_are_put_back(tmp_path: Path) -> None:
    steps = prepared(tmp_path, existing=["a.py", "z.py"], new=["new.py"])
    for name in ("a.py", "new.py"):
        steps[name].commit()
    assert ["a.py", "new.py"] == take_back_interrupted(tmp_path)
    assert {"a.py": OLD, "z.py": OLD} == contents(tmp_path)


@pytest.mark.parametrize("name", ["a.py", "new.py"])
def test_a_file_whose_step_was_not_taken_does_not_count_as_changed_since(tmp_path: Path, name: str) -> None:
    step = prepared(tmp_path, existing=["a.py"], new=["new.py"])[name]
    step.place.write_bytes(THEIRS)
    assert not step.was_changed_since()


def test_a_file_was_changed_since_only_after_its_step_and_with_other_bytes(tmp_path: Path) -> None:
    for step in prepared(tmp_path, existing=["a.py"], new=["new.py"]).values():
        step.commit()
        assert not step.was_changed_since()
        step.place.write_bytes(THEIRS)
        assert step.was_changed_since()
        step.place.unlink()
        assert (step.mode is not None) == step.was_changed_since()


def test_a_file_without_a_temporary_copy_was_not_replaced(tmp_path: Path) -> None:
    step = prepared(tmp_path, existing=["a.py"], new=[])["a.py"]
    step.clean_up()
    step.place.write_bytes(THEIRS)
    assert not step.was_changed_since()
