"""The page about the C# job says what is true: its commands and program run, and its codes are those of the checks."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import retouch.recipes.csharp as face
from tests.docs.page_programs import blocks, run, run_program

CODE = re.compile(r'"([A-Z]+_?[A-Z]+)"')


@pytest.fixture(scope="module")
def page(project: Path) -> str:
    return (project / "docs" / "csharp.md").read_text(encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path, project: Path) -> Path:
    shutil.copy(project / "examples" / "csharp" / "depot.yaml", tmp_path)
    return tmp_path


def test_the_commands_on_the_page_run_in_their_order(page: str, desk: Path):
    lines = [line for session in blocks(page, "sh") for line in session.splitlines()]
    said: dict[str, str] = {}
    for line in lines:
        ended = run(["sh", "-c", line], desk)
        assert 0 == ended.returncode, f"{line}\n{ended.stdout}\n{ended.stderr}"
        said[line] = ended.stdout
    assert "GET     /deliveries/{deliveryId} " in said['retouch csharp endpoints depot.yaml --match "GET /deliveries*"']
    assert " correction " in said["retouch show faulty --attempts"]
    assert re.search(r"Person +1/1 +adopted", said["retouch show delivery"])
    after_the_change = said['retouch generate csharp depot.yaml "GET /deliveries/{deliveryId}" -o delivery']
    assert "calls   1\n" in after_the_change


def test_the_program_on_the_page_runs(page: str, desk: Path):
    (program,) = blocks(page, "python")
    ended = run_program(program, desk)
    assert 0 == ended.returncode, ended.stderr


def test_the_page_lists_the_codes_of_the_checks_and_no_others(page: str):
    folder = Path(face.__file__).parent
    sources = [*folder.glob("checking/*.py"), folder / "compilers" / "judge.py"]
    raised = {code for path in sources for code in CODE.findall(path.read_text(encoding="utf-8"))}
    listed = set(re.findall(r"`([A-Z]+_?[A-Z]+)`", page))
    assert raised == listed


def test_all_public_names_can_be_had_and_the_functions_are_on_the_page(page: str):
    assert [] == [name for name in face.__all__ if getattr(face, name, None) is None]
    assert [] == [name for name in face.__all__ if name[0].islower() and name not in page]
    with pytest.raises(AttributeError, match="has no attribute 'assemble_py'"):
        getattr(face, "assemble_py")  # noqa: B009 - the name is not there
