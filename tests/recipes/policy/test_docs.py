"""The page about policies names all commands, and functions that exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import retouch.recipes.policy as package
from retouch.recipes.policy.commands import commands

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def page(project: Path) -> str:
    return (project / "docs" / "reference" / "policy.md").read_text(encoding="utf-8")


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
