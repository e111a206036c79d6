"""A run folder whose ledger is gone, or never was: what its `pages.json` holds is taken over as answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.engine.directory import PAGES, load_pages
from retouch.engine.files import assembled, written_row
from retouch.engine.history import WHOLE_UNIT
from retouch.engine.pages import ORIGIN, PERSON
from retouch.engine.types import prompt_hash

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.record import Record
    from retouch.engine.round import Round
    from retouch.engine.types import Prompt


def take_over(record: Record, folder: Path, prompts: Sequence[Prompt]) -> bool:
    """Let the outputs of `pages.json` stand, when the ledger knows of no answer at all; return whether any does.

    A page without `prompt_hash` (a file of another tool with the seed's format) answers the prompt of its identity.

    Raises:
        BrokenFile: `pages.json` cannot be read, whether or not it is needed: it would be written over.
    """
    needed = not (record.history.answers or record.history.attempts)
    pages = load_pages(folder, whole=needed)
    if pages is None or not needed:
        return False
    hashes = {prompt.key: prompt_hash(prompt) for prompt in prompts}
    for page in pages["pages"]:
        key = (page["type_name"], page["page"])
        if page["output"] is None or key not in hashes:
            continue
        whole = page.get("model") == PERSON
        row: dict[str, JSON] = {
            "text": record.text(page["output"]),
            "attempt": None,
            "prompt_hash": page.get("prompt_hash") or hashes[key],
            "by": PERSON if whole else PAGES,
            "origin": {name: page.get(name) for name in ORIGIN},
        }
        empty: dict[str, JSON] = {"attempts": [], "issues": [], "rung": 0, "asked": [], "state": "", "paid": None}
        record.append("settled", {**empty, "standing": {str(WHOLE_UNIT if whole else key[1]): row}}, unit=key[0])
    return bool(record.history.answers)


def remember_files(work: Round[Any, Any], folder: Path) -> None:
    """Note what the files of a taken-over run should hold, so that edits to them are seen as edits."""
    files = {name: text for name, text in assembled(work).items() if (folder / name).exists()}
    rows: dict[str, JSON] = {name: written_row(work.recipe, name, text) for name, text in files.items()}
    work.record.append("written", {"files": rows})
