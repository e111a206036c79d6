from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.recipes.edit.scenes import Project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A small project and a run directory beside it."""
    return Project(tmp_path)
