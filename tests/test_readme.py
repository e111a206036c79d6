"""The pages say what is true: their commands and programs run."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.docs.links import dead_links
from tests.docs.page_programs import blocks, run, run_program
from tests.docs.page_steps import shows, steps
from tests.installed import recipes_of_others

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def readme(project: Path) -> str:
    """The text of the front page."""
    return (project / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path, project: Path) -> Path:
    """A folder with the document that the front page works on."""
    shutil.copy(project / "examples" / "csharp" / "depot.yaml", tmp_path)
    return tmp_path


def test_the_session_on_the_front_page_says_what_happens(readme: str, desk: Path):
    commands = [step for step in steps(readme) if step.kind == "command"]
    assert 6 == len(commands)
    for step in commands:
        ended = run(["sh", "-c", f"({step.name}) 2>&1"], desk)
        assert (0, True) == (ended.returncode, shows(step.text, ended.stdout)), f"{step.name}\n{ended.stdout}"


def test_the_programs_on_the_front_page_run(readme: str, desk: Path):
    programs = blocks(readme, "python")
    assert 2 <= len(programs)
    for program in programs:
        ended = run_program(program, desk)
        assert 0 == ended.returncode, ended.stderr


def test_every_command_is_on_the_front_page_and_no_other(readme: str, tmp_path: Path):
    listed = run(["retouch", "--help"], tmp_path).stdout.partition("\nRuns:\n")[2].partition("Begin with")[0]
    there = set(re.findall(r"^  ([a-z]+)  ", listed, re.MULTILINE)) - recipes_of_others()
    assert {"generate", "show"} <= there
    assert there == set(re.findall(r"`retouch ([a-z]+)", readme))


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(project: Path, page: str):
    assert [] == dead_links(project / page)


def test_every_decision_is_listed_and_has_its_four_parts(project: Path):
    folder = project / "docs" / "decisions"
    contents = (folder / "README.md").read_text(encoding="utf-8")
    pages = sorted(folder.glob("[0-9]*.md"))
    assert [page.name for page in pages] == re.findall(r"\]\(([^)]+)\)", contents)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert ["Context", "Decision", "Why", "Cost"] == re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE)
