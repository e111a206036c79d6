"""A whole run directory, byte for byte but for the clock. `python -m tests.engine.test_golden` makes it again."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from retouch.engine.options import RunOptions
from tests.engine.conftest import Scene, tree_of, wrong_first

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "glossary"
CLOCK = re.compile(rb'"generated_at": "[^"]*"')
TOKENS = re.compile(rb'"(input|output)_tokens": \d+')  # estimates of the scripted model, not the engine's business


def made(folder: Path) -> dict[str, bytes]:
    """Make a run with a repair, an exhausted unit and a warning-free one; return its files without clock and ledger."""
    scene = Scene(folder / "run")
    scene.generate(
        wrong_first({("animals", 2): ["eel"], ("tools", 1): ["saw=SAW", "saw=SAW 2", "saw=SAW 3"]}),
        options=RunOptions(concurrency=1),
    )
    kept = {name: data for name, data in tree_of(scene.folder).items() if name[0] != "." and name != "ledger.db"}
    return {
        name: TOKENS.sub(rb'"\1_tokens": 0', CLOCK.sub(b'"generated_at": "CLOCK"', data)) for name, data in kept.items()
    }


def test_a_run_folder_is_what_it_was_byte_for_byte(tmp_path: Path) -> None:
    assert tree_of(GOLDEN) == made(tmp_path)


def test_the_golden_folder_can_be_worked_on_without_its_ledger(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "run")
    scene.folder.mkdir()
    for name, data in tree_of(GOLDEN).items():
        (scene.folder / name).write_bytes(data)
    result = scene.generate()
    assert (1, "verified") == (result.calls, result.status)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as fresh:
        for file, content in made(Path(fresh)).items():
            GOLDEN.mkdir(parents=True, exist_ok=True)
            (GOLDEN / file).write_bytes(content)
