"""The page about trust names tests: each exists, is collected, and is not skipped without a condition."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[2]
_NAMED = re.compile(r"\[(test_\w+)\]\(\.\./\.\./(tests/[\w/]+\.py)\)")


def named() -> set[tuple[str, str]]:
    """The tests that the page names, as file and function."""
    page = (ROOT / "docs" / "explanation" / "trust.md").read_text(encoding="utf-8")
    return {(file, name) for name, file in _NAMED.findall(page)}


def items_of(lines: Iterable[str]) -> set[tuple[str, str]]:
    """Return the tests of collected items, as file and function."""
    found = (line.partition("[")[0].rpartition("::") for line in lines if "::" in line)
    return {(file.partition("::")[0], name) for file, _, name in found}


def test_every_test_that_the_page_names_is_collected(request: pytest.FixtureRequest):
    assert len(named()) > 50
    missing = named() - items_of(item.nodeid for item in request.session.items)
    if missing:  # none if the whole suite runs
        files = sorted({file for file, _ in missing})
        options = ("--collect-only", "-o", "addopts=", "--import-mode=importlib", "-q")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *files], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert set() == missing - items_of(done.stdout.splitlines()), done.stdout[-2000:]


@pytest.mark.slow
def test_no_test_that_the_page_names_is_marked_as_skipped_or_expected_to_fail():
    for file, name in sorted(named()):
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        (function,) = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name == name]
        marks = " ".join(ast.unparse(one) for one in function.decorator_list)
        assert not re.search(r"mark\.(?:skip\b|xfail)", marks), (file, name)


def test_every_gap_says_what_a_user_can_do():
    page = (ROOT / "docs" / "explanation" / "trust.md").read_text(encoding="utf-8")
    _, _, gaps = page.partition("## What is not caught yet")
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in gaps.splitlines() if line.startswith("| **")]
    assert len(rows) > 5
    assert all(len(row) == 2 and row[1].strip() for row in rows)
