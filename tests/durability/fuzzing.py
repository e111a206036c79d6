"""Many flipped bits and many signals; the suite has a sample of both.

    python tests/durability/fuzzing.py [--flips 20000] [--signals 100] [--seed 0]

Every bit is flipped in a finished run and flipped back: it must be noticed, or change nothing that is read. Signals are
spread over the commands of `scenes.py`, at moments picked by chance. What is wrong is printed; then the exit status
is 1.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.durability.exploring import Exploration
from tests.durability.flipping import FILES, flips, outcome, read_of
from tests.durability.scenes import SCENES
from tests.durability.template import Template, quick_folder
from tests.engine.conftest import Scene, wrong_first

SIGNALS = ("SIGINT", "SIGTERM", "SIGKILL")


def flipped(folder: Path, count: int, seed: int) -> list[str]:
    """Return what is wrong after each of `count` flipped bits, and print what came of them."""
    scene = Scene(folder / "run")
    scene.generate(wrong_first({("tools", 1): ["nonsense"]}))
    scene.edit("eel=EEL", "eel=Aal")
    scene.adopt()
    expected = read_of(scene.folder)
    found = {flip: outcome(scene.folder, flip, expected) for flip in flips(scene.folder, count, seed)}
    for name in FILES:
        counts = Counter(what.partition(":")[0] for flip, what in found.items() if flip.name == name)
        print(f"{name}: " + ", ".join(f"{number} {what}" for what, number in sorted(counts.items())), flush=True)
    return [f"{flip}: {what}" for flip, what in found.items() if what.startswith("MISSED")]


def signalled(folder: Path, count: int, seed: int) -> list[str]:
    """Return what is wrong after each of `count` signals."""
    chance, wrong = Random(seed), list[str]()
    with Template(folder / "template") as template:
        for number, scene in enumerate(SCENES):
            exploration = Exploration(template, scene, folder / str(number))
            for turn in range(count * number // len(SCENES), count * (number + 1) // len(SCENES)):
                name, share = SIGNALS[turn % len(SIGNALS)], chance.random()
                found = exploration.signalled(name, share)
                wrong += [f"{scene.name}: {name} after {share:.0%} of the time: {each}" for each in found]
            print(f"{scene.name}: done", flush=True)
    return wrong


def main() -> int:
    """Flip and send, print what is wrong, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--flips", type=int, default=20_000)
    parser.add_argument("--signals", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with TemporaryDirectory(dir=quick_folder()) as folder:
        wrong = flipped(Path(folder) / "flips", given.flips, given.seed)
        wrong += signalled(Path(folder), given.signals, given.seed) if given.signals else []
    for each in wrong:
        print(each)
    print(f"{given.flips} flips and {given.signals} signals: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
