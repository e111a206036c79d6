"""The views of a run: files, `pages.json`, and the summary of issues in `ir.json`."""

from __future__ import annotations

import posixpath
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from retouch._lib.disk import holds, read_text, write_changed
from retouch.engine.directory import IR, PAGES, PROMPTS, ir_text
from retouch.engine.files import blocks_of, find_manual_edits, refuse_foreign_files, written_row
from retouch.engine.ledger import HOLDER, LEDGER, LOCK
from retouch.engine.overview import unit_state
from retouch.engine.pages import pages_text
from retouch.engine.recipe import Unread
from retouch.engine.types import issues_to_json
from retouch.engine.unit import unanswered
from retouch.errors import RecipeBug

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.history import History
    from retouch.engine.recipe import Recipe
    from retouch.engine.round import Round
    from retouch.engine.types import Issue
    from retouch.engine.unit import Unit

V = TypeVar("V")
OWN_FILES = (IR, PROMPTS, PAGES, LEDGER, LOCK, HOLDER)  # and what SQLite puts beside the ledger


def state_of(unit: Unit[Any], history: History) -> str:
    """Return how a unit stands: unanswered, answered, failing, exhausted, disputed or adopted."""
    return unit_state(
        adopted=history.adopted(unit.name) is not None,
        failing=bool(unit.verdict.errors if unit.verdict is not None else ()),
        ended=unit.state,
        complete=unit.texts(history) is not None,
    )


def validation(work: Round[Any, Any]) -> dict[str, JSON]:
    """Return the summary that `ir.json` holds: per unit its state, and its issues by tier."""
    return {name: _unit_summary(unit, work.record.history) for name, unit in work.units.items()}


def issues_of(unit: Unit[Any], history: History) -> tuple[Issue, ...]:
    """Return what stands against a unit; a page that was never answered is an issue of the engine's own."""
    if unit.verdict is not None:
        return unit.verdict.issues
    standing = unit.standing(history)
    return tuple(unanswered(unit.name, page, None) for page in unit.pages if page not in standing)


def _unit_summary(unit: Unit[Any], history: History) -> dict[str, JSON]:
    issues = issues_of(unit, history)
    tiers: dict[str, JSON] = {
        str(tier): issues_to_json([issue for issue in issues if issue.tier == tier])
        for tier in sorted({int(issue.tier) for issue in issues})
    }
    return {"state": state_of(unit, history), "issues": tiers}


def standing_values(work: Round[Any, V]) -> dict[str, V | Unread]:
    """Return what every unit's standing answers are read as; `Unread` for one that cannot be read."""
    values: dict[str, V | Unread] = {}
    for name, unit in work.units.items():
        value = unit.reading.value if unit.reading is not None else None
        values[name] = value if value is not None else Unread(_text_of(unit, work.record.history))
    return values


def assembled(work: Round[Any, V]) -> dict[str, str]:
    """Return the files as the recipe assembles them from what stands.

    Raises:
        RecipeBug: a file has the name of one of the run folder's own.
    """
    files = dict(work.recipe.assemble(work.source, standing_values(work)))
    taken = sorted(name for name in files if posixpath.normpath(name).startswith(OWN_FILES))
    if taken:
        raise RecipeBug(f"recipe {work.recipe.name!r} assembles {taken}, which the run folder needs itself")
    return files


def _text_of(unit: Unit[Any], history: History) -> str:
    adopted = history.adopted(unit.name)
    standing = unit.standing(history)
    texts = [adopted] if adopted is not None else [standing[page] for page in sorted(standing)]
    return "\n".join(answer.text for answer in texts)


def publish(
    work: Round[Any, Any], folder: Path, *, force: bool = False, overwrite: Container[str] | None = None
) -> tuple[list[str], list[str]]:
    """Write files, `pages.json` and `ir.json`; return the names of the files and notes for the person.

    A file that a person find_manual_edits keeps the edit: changed blocks are spliced in around it, and so are those of the units
    to `overwrite`. `force` writes over strange files, and files anew when no units are named.

    Raises:
        EditedByHand: a file lies there that this run has not written; the views are written all the same.
    """
    files = assembled(work)
    publish_views(work, folder)
    if not force:
        refuse_foreign_files(folder, files, work.record.history)
    found = find_manual_edits(folder, work.recipe, work.record.history)
    notes: list[str] = []
    texts = dict(files)
    for name in () if force and overwrite is None else found.files:
        if name in files:
            kept = {unit for unit in found.units if unit not in (overwrite or ())}
            texts[name] = _spliced(work.recipe, name, files[name], read_text(folder / name), kept)
            notes += _kept_notes(work.recipe, name, (files[name], texts[name]), kept, folder)
    left = [name for name in work.record.history.written if name not in files and (folder / name).exists()]
    notes += [
        f"{name} was written by this run before; now no unit belongs there, and it was left as it is" for name in left
    ]
    rows: dict[str, JSON] = {name: written_row(work.recipe, name, text) for name, text in files.items()}
    if any(not holds(folder / name, text) for name, text in texts.items()):
        work.record.commit_now("writing", {"files": rows})
        write_changed(folder, texts)
    work.record.append("written", {"files": rows})
    return list(files), notes


def publish_views(work: Round[Any, Any], folder: Path) -> None:
    """Write `pages.json` and `ir.json` as the ledger has them now."""
    ir = ir_text(work.recipe, work.source, validation(work))
    write_changed(folder, {PAGES: partial(pages_text, work), IR: ir})


def _spliced(recipe: Recipe[Any, Any], name: str, text: str, present: str, kept: Container[str]) -> str:
    """Return `present`, a file that a person find_manual_edits, with the blocks of all units but the `kept` taken from `text`."""
    wanted = blocks_of(recipe, name, text)
    parts: list[str] = []
    position = 0
    for block in sorted(recipe.blocks(name, present), key=lambda block: block.start):
        if block.unit in wanted and block.unit not in kept:
            parts += [present[position : block.start], wanted[block.unit]]
            position = block.end
    return "".join((*parts, present[position:]))


def _kept_notes(
    recipe: Recipe[Any, Any], name: str, texts: tuple[str, str], kept: Container[str], folder: Path
) -> list[str]:
    """Return what a person should know of an find_manual_edits file; `texts` are the file as assembled and as it will be."""
    wanted, present = (blocks_of(recipe, name, text) for text in texts)
    if texts[0] == texts[1]:
        return []
    again = f"'retouch assemble {folder} --force' writes the file anew"
    units = ", ".join(repr(unit) for unit in wanted if unit in kept and unit in present)
    adopt = (
        f"kept the blocks of {units} in {name}, find_manual_edits by hand: 'retouch adopt {folder}' makes it the answer"
    )
    notes = [adopt if units else f"kept what was written by hand outside the blocks of {name}: {again}"]
    lost = [unit for unit in wanted if unit not in present]
    if lost:
        notes.append(f"{name} has no block for {', '.join(map(repr, lost))} any more: {again}")
    return notes
