"""Bits of a run directory, flipped one at a time: each is noticed, or changes nothing that is read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from retouch.engine.directory import RunView, load_pages, open_run
from retouch.engine.overview import overview
from retouch.errors import BrokenFile, RetouchError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = ("ledger.db", "pages.json", "prompts.json", "ir.json")


@dataclass(frozen=True, kw_only=True)
class Flip:
    """One bit of a file of a run directory."""

    name: str
    byte: int
    bit: int

    def __str__(self) -> str:
        return f"bit {self.bit} of byte {self.byte} of {self.name}"


def flips(folder: Path, count: int, seed: object, names: tuple[str, ...] = FILES) -> Iterator[Flip]:
    """Yield bits by chance, the same number in each file: a large one does not hide the others."""
    chance = Random(str(seed))
    for number in range(count):
        name = names[number % len(names)]
        yield Flip(name=name, byte=chance.randrange((folder / name).stat().st_size), bit=chance.randrange(8))


def read_of(folder: Path) -> Any:
    """Return everything that Retouch reads of a run directory."""
    view = open_run(folder)
    plain = replace(view, history=replace(view.history, damage=None), changed=())
    return plain, load_pages(folder)


def is_noticed(view: RunView) -> bool:
    """Return whether an overview of the run shows damage, and no status that promises something."""
    seen = overview(view)
    return bool(seen.damage) and seen.status not in {"verified", "unverified"}


def outcome(folder: Path, flip: Flip, expected: Any) -> str:
    """Flip a bit, read the run, flip it back, and return what came of it: noticed, refused, unread, or MISSED."""
    path = folder / flip.name
    with path.open("rb+") as file:
        file.seek(flip.byte)
        (before,) = file.read(1)
        file.seek(flip.byte)
        file.write(bytes([before ^ (1 << flip.bit)]))
    try:
        if is_noticed(open_run(folder)):
            return "noticed"
        return "unread" if read_of(folder) == expected else "MISSED"
    except BrokenFile:
        return "refused"
    except RetouchError as error:
        return f"MISSED: {type(error).__name__}: {error}"
    finally:
        with path.open("rb+") as file:
            file.seek(flip.byte)
            file.write(bytes([before]))
