"""A person's command, run in a copy of their project."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import pytest

from retouch.engine.command import Outcome, project_copy, run, trimmed, words_of
from retouch.errors import BadInput

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project with what is not copied and what is linked."""
    folder = tmp_path / "project"
    for name in (".git", "node_modules", "src"):
        (folder / name).mkdir(parents=True)
    (folder / "src" / "a.txt").write_text("old\n")
    return folder


def ran(folder: Path, code: str, *, limit_s: float = 20.0, **variables: str) -> Outcome:
    return asyncio.run(run([sys.executable, "-c", code], folder, limit_s=limit_s, environment=variables))


def test_a_copy_has_the_new_texts_and_the_project_the_old(project: Path) -> None:
    async def look() -> tuple[str, str, bool, bool]:
        async with project_copy(project, {"src/a.txt": "new\n", "src/b/c.txt": "made\n"}) as copy:
            texts = [(copy / name).read_text() for name in ("src/a.txt", "src/b/c.txt")]
            return texts[0], texts[1], (copy / ".git").exists(), (copy / "node_modules").is_symlink()

    assert ("new\n", "made\n", False, True) == asyncio.run(look())
    assert "old\n" == (project / "src" / "a.txt").read_text()
    assert not (project / "src" / "b").exists()


def test_a_command_gets_the_variables_it_is_given(project: Path) -> None:
    assert Outcome(status=3, output="x\n") == ran(project, "import os; print(os.environ['SAY']); exit(3)", SAY="x")


def test_a_command_that_takes_too_long_is_ended(project: Path) -> None:
    assert Outcome(status=None, output="") == ran(project, "import time; time.sleep(60)", limit_s=0.3)


@pytest.mark.parametrize(("command", "message"), [("make 'x", "cannot be read"), ("", "no program"), ("nope", "nope")])
def test_a_command_that_cannot_run_is_named(command: str, message: str) -> None:
    with pytest.raises(BadInput, match=message) as refused:
        words_of(command, called="compile")
    assert "compile command" in refused.value.message


def test_a_long_output_is_trimmed_to_its_errors_and_its_end() -> None:
    output = "".join(f"compiling {number}\n" for number in range(500)) + "done\n"
    output = output.replace("compiling 250\n", "Alu.scala:7: error: not found: value rs1\n")
    told = trimmed(output)
    assert "Alu.scala:7: error: not found" in told
    assert told.endswith("done")
    assert len(told.splitlines()) < 20
