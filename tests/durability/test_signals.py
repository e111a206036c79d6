"""Commands that get a signal at a moment picked by chance: nothing is lost, at most the calls under way are paid twice.

`benchmarks/durability.py --signals 100` sends many more.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.durability.scenes import SCENES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.durability.exploring import Exploration
    from tests.durability.scenes import Scene

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
SIGNALS = ("SIGINT", "SIGTERM", "SIGKILL")
NUMBER = 1  # of each signal, in each scene


def _name(scene: Scene) -> str:
    return scene.name


@pytest.mark.parametrize("scene", SCENES, ids=_name)
def test_a_command_that_gets_a_signal_loses_nothing_and_the_next_one_goes_on(
    scene: Scene, explored: Callable[[Scene], Exploration]
):
    exploration, chance = explored(scene), Random(scene.name)
    for name in SIGNALS * NUMBER:
        share = chance.random()
        assert [] == exploration.signalled(name, share), f"{name} after {share:.0%} of the time"
