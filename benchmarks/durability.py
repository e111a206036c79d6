"""What is lost if a command is killed, or its disk fails, at any of its system calls.

    python benchmarks/durability.py [--way strace|python] [--only WORDS ...] [--kinds] [--share 1.0] [--seed 0]

For every scene of tests/durability, each system call on the directory is found. At each one the command is interrupted
once by SIGKILL, once by a full disk, and once by a disk that cannot be read or written. Then the run is shown and
validated, and the command is run again. A point fails if a file is incomplete, a received reply is paid for again, the
user gets a traceback or no next step, a command exits with 0 without having done its work, or the final state differs
from that of an undisturbed run.

With strace, the power is also cut after each sync, so that only synced data exists.

`--kinds` tests one call of each kind (the same call for the same file) instead of all. `--share` tests a random share.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # scenes and their checks are part of the tests
from tables import announce, table
from tests.durability.exploring import Exploration
from tests.durability.scenes import SCENES
from tests.durability.seam import BySeam
from tests.durability.template import Template, quick_folder
from tests.durability.tracing import ByStrace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.durability.exploring import Strike
    from tests.durability.points import Point
    from tests.durability.scenes import Scene

WAYS = {"strace": ByStrace, "python": BySeam}
HEADS = ("scene", "calls", "kinds", "killed", "full disk", "broken disk", "elsewhere", "power cut", "bad", "s")


def chosen(
    strikes: Sequence[tuple[Point, str]], arguments: argparse.Namespace, chance: random.Random
) -> list[tuple[Point, str]]:
    """Return the selected interruptions."""
    mixed = list(strikes)
    chance.shuffle(mixed)
    if arguments.kinds:
        mixed = list({(str(point), fault): (point, fault) for point, fault in mixed}.values())
    return mixed[: round(len(mixed) * arguments.share)]


def explored(template: Template, scene: Scene, folder: Path, arguments: argparse.Namespace) -> list[object]:
    """Return the row of one scene. Failures are printed to stderr."""
    began = time.perf_counter()
    exploration = Exploration(template, scene, folder / "scene")
    way = WAYS[arguments.way](folder / "trace")
    all_of_them = exploration.strikes(way)
    struck: list[Strike] = []
    for point, fault in chosen(all_of_them, arguments, random.Random(arguments.seed)):
        struck.append(exploration.strike(way, point, fault))
        if struck[-1].wrong:
            print(f"{scene.name}: {struck[-1]}", file=sys.stderr, flush=True)
    cut = cuts(exploration, folder) if arguments.way == "strace" else []
    points = {(point.call, point.path, point.number) for point, _ in all_of_them}
    there = [one for one in struck if one.hit is not None and one.hit.path]
    counts = [sum(one.fault == fault for one in there) for fault in ("kill", "ENOSPC", "EIO")]
    kinds = len({str(point) for point, _ in all_of_them})
    bad = sum(bool(one.wrong) for one in struck) + sum(map(bool, cut))
    elsewhere = len(struck) - len(there)
    return [scene.name, len(points), kinds, *counts, elsewhere, len(cut), bad, time.perf_counter() - began]


def cuts(exploration: Exploration, folder: Path) -> list[list[str]]:
    """Return the failures after each power cut. They are also printed to stderr."""
    found = [exploration.cut(*each) for each in exploration.cuts(folder / "written")]
    for number, wrong in enumerate(found):
        if wrong:
            print(f"{exploration.scene.name}: cut after sync {number}: {'; '.join(wrong)}", file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--way", choices=WAYS, default="strace")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--kinds", action="store_true")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    announce("Struck at any call")
    rows: list[list[object]] = []
    for scene in SCENES:
        if not arguments.only or any(words in scene.name for words in arguments.only):
            with TemporaryDirectory(dir=quick_folder()) as folder, Template(Path(folder)) as template:
                rows.append(explored(template, scene, Path(folder), arguments))
                print(rows[-1], file=sys.stderr, flush=True)
    print(table(HEADS, rows))


if __name__ == "__main__":
    main()
