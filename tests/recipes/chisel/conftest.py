from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.recipes.chisel.scenes import Project

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The example's unit and a run directory beside it."""
    return Project(tmp_path)


@pytest.fixture
def yosys() -> str:
    """The equivalence checker's program; what makes the wanted hardware is there too."""
    found = shutil.which("yosys")
    if found is None or shutil.which("patch") is None:
        pytest.skip("needs yosys and patch (Debian: apt install yosys patch), which are not on this machine")
    return found
