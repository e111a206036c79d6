"""The page about policies says what is true: its policy loads and its program runs."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import retouch.recipes.policy as package
from retouch.recipes.policy import Policy
from retouch.recipes.policy.commands import commands

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def page(project: Path) -> str:
    return (project / "docs" / "policy.md").read_text(encoding="utf-8")


def block(text: str, language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return found


def test_the_policy_on_the_page_decides_as_the_page_says(page: str, tmp_path: Path):
    (tmp_path / "policy.json").write_text(block(page, "json"), encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    command = [sys.executable, "-W", "error", "-c", code]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = ended.stdout.splitlines()
    assert ("", "allow allow-read-documents") == (ended.stderr, lines[0])
    assert "True {'path': '/home/ada/Documents/a'}" == lines[-1]
    assert 2 == Policy.load(tmp_path).semantics


def test_every_command_is_on_the_page_and_every_function_there_exists(page: str):
    assert [] == [name for name in commands.commands if f"`retouch policy {name} " not in page]
    named = ("prepare_arguments", "analyse", "measure_coverage", "compare_policies", "explain", "why_not")
    for name in (*named, "filter_scenarios", "refuse_handwritten"):
        assert f"`{name}`" in page
        assert callable(getattr(package, name))


def test_all_public_names_can_be_had():
    assert [] == [name for name in package.__all__ if getattr(package, name, None) is None]
    with pytest.raises(AttributeError, match="has no attribute 'allow'"):
        _ = package.allow  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
