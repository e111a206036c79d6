"""The generated reference pages are up to date, and the page of issue codes is complete."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_FORM = r"[A-Z]{2,}(?:_[A-Z]+)+|[A-Z]{4,}"
CODE = re.compile(f'"({_FORM})"')
OF_SQL = {"VARCHAR", "BOOLEAN", "DOUBLE", "HUGEINT"}
OTHER_WORDS = {
    "JSON",
    "UUID",
    "URLS",
    "HTTP",
    "HTTPS",
    "GUID",
    "RETOUCH_DIFF",
    "COMPLETE",
    "PARTIAL",
    "FAILED",
    "UNMATCHED",
    *OF_SQL,
}
SOURCES = {
    "Every recipe": ["engine/files.py", "engine/repair.py", "engine/record.py", "engine/unit.py"],
    "csharp": [
        "recipes/csharp/checking/*.py",
        "recipes/csharp/compilers/check.py",
        "recipes/csharp/meaning/*.py",
        "recipes/csharp/runtime/tier.py",
    ],
    "edit": ["recipes/edit/answers.py", "recipes/edit/command.py", "recipes/edit/guard.py", "recipes/edit/language.py"],
    "extract": [f"recipes/extract/{name}.py" for name in ("answers", "checks", "whole_job")],
    "policy": [
        "recipes/policy/making/checks.py",
        "recipes/policy/analysing/validation.py",
        "recipes/policy/annotating/asking.py",
    ],
    "rule": [
        "recipes/rule/judging/*.py",
        "recipes/rule/language/*.py",
        "recipes/rule/globs/parsing.py",
        "recipes/rule/regexes/*.py",
    ],
    "chisel": ["recipes/chisel/checking.py", "recipes/chisel/answers.py", "recipes/chisel/outside.py"],
}


def test_the_generated_pages_are_up_to_date(project: Path):
    done = subprocess.run(
        [sys.executable, "scripts/reference.py", "--check"], cwd=project, capture_output=True, text=True, check=False
    )
    assert (0, "") == (done.returncode, done.stdout + done.stderr)


@pytest.mark.parametrize("heading", SOURCES)
def test_every_issue_code_of_the_source_is_on_the_page(project: Path, heading: str):
    page = (project / "docs" / "reference" / "issue-codes.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    listed = set(re.findall(f"`({_FORM})`", section))
    package = project / "src" / "retouch"
    paths = [path for pattern in SOURCES[heading] for path in package.glob(pattern)]
    raised = {code for path in paths for code in CODE.findall(path.read_text(encoding="utf-8"))} - OTHER_WORDS
    assert set() == raised - listed
    everywhere = "".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    assert [] == [code for code in listed if f'"{code}"' not in everywhere]


def test_the_pages_describe_the_commands_and_settings_of_every_built_in_recipe(project: Path):
    table = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    names = table["project"]["entry-points"]["retouch.recipes"]
    page = (project / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert [] == [name for name in names if f"## `retouch generate {name}`\n" not in page]
