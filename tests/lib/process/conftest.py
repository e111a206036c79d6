from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.lib.process.scenes import Bench

if TYPE_CHECKING:
    from collections.abc import Generator


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A workspace with one file, and a cache beside it."""
    return Bench(tmp_path)


@pytest.fixture
def open_place() -> Generator[Path]:
    """A directory that every user may enter."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o777)
    yield place
    shutil.rmtree(place)
