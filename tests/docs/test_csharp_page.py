"""The pages about the recipe `csharp` name its functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import retouch.recipes.csharp as package

if TYPE_CHECKING:
    from pathlib import Path


def test_all_public_names_can_be_imported_and_the_functions_are_on_the_page(project: Path):
    page = (project / "docs" / "reference" / "csharp.md").read_text(encoding="utf-8")
    assert [] == [name for name in package.__all__ if getattr(package, name, None) is None]
    assert [] == [name for name in package.__all__ if name[0].islower() and name not in page and name != "recipe"]
    with pytest.raises(AttributeError, match="has no attribute 'assemble_py'"):
        getattr(package, "assemble_py")  # noqa: B009 - the name is not there
