"""The public names of the recipe."""

from __future__ import annotations

import pytest

import retouch.recipes.rule as package


def test_all_public_names_can_be_had():
    assert [] == [name for name in package.__all__ if getattr(package, name, None) is None]
    with pytest.raises(AttributeError, match="has no attribute 'Rules'"):
        _ = package.Rules  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
