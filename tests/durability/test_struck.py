"""Commands that are killed, or meet a full or broken disk, at calls picked by chance: nothing is lost, nothing is half.

`benchmarks/durability.py` strikes at all of them.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.durability.scenes import SCENES
from tests.durability.seam import BySeam
from tests.durability.tracing import ByStrace, can_trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.durability.exploring import Exploration, Way
    from tests.durability.scenes import Scene

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork"),
]
STRIKES = 2


@pytest.fixture(params=["python", "strace"])
def way(request: pytest.FixtureRequest, quick: Path) -> Way:
    if request.param == "python":
        return BySeam(quick / "asked")
    if not can_trace():
        pytest.skip("needs strace, allowed to trace (Debian: apt install strace), which is not on this machine")
    return ByStrace(quick / "trace")


def _name(scene: Scene) -> str:
    return scene.name


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES, ids=_name)
def test_a_command_that_is_struck_loses_nothing_and_the_next_one_goes_on(
    scene: Scene, way: Way, explored: Callable[[Scene], Exploration]
):
    exploration = explored(scene)
    strikes = exploration.strikes(way)
    assert len(strikes) > STRIKES
    for point, fault in Random(scene.name).sample(strikes, STRIKES):
        assert () == exploration.strike(way, point, fault).wrong, f"{fault} at {point}, number {point.number}"
