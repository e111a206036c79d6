from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.recipes.extract.scenes import Desk

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("jsonschema_rs", reason="the extra 'extract' is not installed")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A place for a job."""
    return Desk(tmp_path / "out")
