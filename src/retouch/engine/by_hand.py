"""What a person did to files since they were last written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retouch._lib.disk import read_text
from retouch._lib.hashing import text_hash
from retouch.errors import EditedByHand

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.history import History
    from retouch.engine.recipe import Recipe


@dataclass(frozen=True, kw_only=True)
class OnDisk:
    """What a person did to the files since they were last written: `units` whose blocks differ, `files` that do."""

    units: Mapping[str, str]
    files: tuple[str, ...]


def edited(folder: Path, recipe: Recipe[Any, Any], history: History) -> OnDisk:
    """Return the blocks on disk that differ from what was last written there, by unit, and the files that differ.

    A run that was killed while it wrote leaves files as they were or as it meant them: neither is an edit.
    """
    units: dict[str, str] = {}
    files: list[str] = []
    for name in dict.fromkeys((*history.written, *history.writing)):
        path = folder / name
        rows = [row for row in (history.written.get(name), history.writing.get(name)) if row is not None]
        if not path.exists() or text_hash(text := read_text(path)) in {row["hash"] for row in rows}:
            continue
        files.append(name)
        blocks = blocks_of(recipe, name, text)
        known = {unit: {row["blocks"].get(unit) for row in rows} for unit in blocks}
        units |= {unit: block for unit, block in blocks.items() if text_hash(block) not in known[unit]}
    return OnDisk(units=units, files=tuple(files))


def blocks_of(recipe: Recipe[Any, Any], name: str, text: str) -> dict[str, str]:
    """Return the text of each unit's block in an assembled file."""
    return {block.unit: text[block.start : block.end] for block in recipe.blocks(name, text)}


def written_row(recipe: Recipe[Any, Any], name: str, text: str) -> dict[str, JSON]:
    """Return what to remember of a file as it was assembled: a block on disk that differs was edited by hand."""
    blocks: dict[str, JSON] = {unit: text_hash(block) for unit, block in blocks_of(recipe, name, text).items()}
    return {"hash": text_hash(text), "blocks": blocks}


def refuse_edited(found: OnDisk, units: Iterable[str], folder: Path) -> None:
    """Refuse to go on when a block of one of `units` was edited by hand.

    Raises:
        EditedByHand: with the units and what can be done.
    """
    clashes = sorted(set(found.units) & set(units))
    if clashes:
        hint = f"Keep the edit with 'retouch adopt {folder}', or overwrite it with --force."
        raise EditedByHand(f"edited by hand since it was written: {', '.join(map(repr, clashes))}", hint=hint)


def refuse_strange(folder: Path, files: Mapping[str, str], history: History) -> None:
    """Refuse to write where a file lies that this run has not written.

    Raises:
        EditedByHand: naming the file and what can be done.
    """
    for name, text in files.items():
        path = folder / name
        known = name in history.written or name in history.writing
        if not known and path.exists() and read_text(path) != text:
            hint = "Move it away, name another folder with -o, or overwrite it with --force."
            raise EditedByHand(f"{str(path)!r} was not written by this run", hint=hint)
