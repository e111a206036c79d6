"""A disk whose power is cut right after a sync: what was promised is on it, and the next command goes on from there."""

from __future__ import annotations

import subprocess
import sys
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.durability import power
from tests.durability.power import Disk
from tests.durability.scenes import SCENES
from tests.durability.tracing import can_trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.durability.exploring import Exploration
    from tests.durability.scenes import Scene

pytestmark = pytest.mark.skipif(
    not can_trace(), reason="needs strace, allowed to trace (Debian: apt install strace), which is not on this machine"
)
CUTS = 2
CUT = [scene for scene in SCENES if scene.name in {"generate", "edit that writes originals", "apply", "adopt"}]
CARELESS = """
import os, sys
def put(name, text, *, synced):
    with open(name, "w") as file:
        file.write(text)
        file.flush()
        if synced:
            os.fsync(file.fileno())
def sync():
    folder = os.open(".", os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
put("old", "new", synced=False)
put("beside", "whole", synced=True)
sync()
os.rename("beside", "place")
put("other", "text", synced=True)
"""


def _name(scene: Scene) -> str:
    return scene.name


@pytest.mark.parametrize("scene", CUT, ids=_name)
def test_nothing_that_was_promised_is_lost_when_the_power_is_cut(
    scene: Scene, explored: Callable[[Scene], Exploration], quick: Path
):
    exploration = explored(scene)
    cuts = exploration.cuts(quick / "trace")
    for number in Random(scene.name).sample(range(len(cuts)), CUTS):
        assert [] == exploration.cut(*cuts[number]), f"cut after sync {number}"


def test_a_careless_program_loses_what_it_did_not_sync(tmp_path: Path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "old").write_text("old")
    disk = Disk(folder)
    command = ["strace", "-f", "-y", "-xx", "-s", "1000", "-o", str(tmp_path / "trace"), "-e", f"trace={power.CALLS}"]
    subprocess.run([*command, sys.executable, "-c", CARELESS], cwd=folder, check=True)
    cuts = [files for files, _ in disk.cuts((tmp_path / "trace").read_text())]
    assert {"old": b"new", "place": b"whole", "other": b"text"} == disk.seen()
    assert [{"old": b"old"}, {"old": b"old", "beside": b"whole"}, {"old": b"old", "beside": b"whole"}] == cuts
