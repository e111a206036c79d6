"""No flipped bit that changes what is read of a run goes unnoticed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.durability.flipping import FILES, flips, outcome, read_of
from tests.engine.conftest import Scene, wrong_first

if TYPE_CHECKING:
    from pathlib import Path

FLIPS = 500


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a rejected answer, a repair and a manual edit that was adopted."""
    scene = Scene(tmp_path_factory.mktemp("flips") / "run")
    scene.generate(wrong_first({("tools", 1): ["nonsense"]}))
    scene.edit("eel=EEL", "eel=Aal")
    scene.adopt()
    assert "verified" == scene.validate().status
    return scene.folder


@pytest.mark.slow
def test_no_flipped_bit_that_changes_what_is_read_goes_unnoticed(finished: Path) -> None:
    expected = read_of(finished)
    found = {flip: outcome(finished, flip, expected) for flip in flips(finished, FLIPS, 0)}
    assert [] == [f"{flip}: {what}" for flip, what in found.items() if what.startswith("MISSED")]
    by_file = {name: Counter(what for flip, what in found.items() if flip.name == name) for name in FILES}
    assert all(counts["noticed"] for counts in by_file.values()), by_file
    assert read_of(finished) == expected
