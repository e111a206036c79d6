from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.recipes.rule.rounds_scene import Scene

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's data folder of this test's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "data"


@pytest.fixture
def scene(tmp_path: Path, data_folder: Path) -> Scene:
    """A run directory, and the rounds in it."""
    assert not data_folder.exists()
    return Scene(tmp_path)
