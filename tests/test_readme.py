"""The front page names every command, and every decision is listed."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.docs.page_programs import run
from tests.installed import recipes_of_others

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def readme(project: Path) -> str:
    """The text of the front page."""
    return (project / "README.md").read_text(encoding="utf-8")


def test_every_command_is_on_the_front_page_and_no_other(readme: str, tmp_path: Path):
    listed = run(["retouch", "--help"], tmp_path).stdout.partition("\nRuns:\n")[2].partition("Start with")[0]
    there = set(re.findall(r"^  ([a-z]+)  ", listed, re.MULTILINE)) - recipes_of_others()
    assert {"generate", "show"} <= there
    assert there == set(re.findall(r"`retouch ([a-z]+)", readme))


def test_every_decision_is_listed_and_has_its_four_parts(project: Path):
    folder = project / "docs" / "decisions"
    contents = (folder / "README.md").read_text(encoding="utf-8")
    pages = sorted(folder.glob("[0-9]*.md"))
    assert [page.name for page in pages] == re.findall(r"\]\(([^)]+)\)", contents)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert ["Context", "Decision", "Why", "Cost"] == re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE)


def test_continuous_integration_runs_the_test_command_of_the_readme(project: Path) -> None:
    lines = (project / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert "make test" in (project / "README.md").read_text(encoding="utf-8")
    assert "make test" == lines[-1]
    assert os.access(project / ".ci" / "run", os.X_OK)
