"""The views of a run: files with their issues beside them, `pages.json`, and the summary in `ir.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from retouch.engine.disk import read_text, write_files
from retouch.engine.errors import EditedByHand, RecipeBug
from retouch.engine.hashing import prompt_hash, text_hash
from retouch.engine.history import issues_to_json
from retouch.engine.ledger import now
from retouch.engine.recipe import Unread
from retouch.engine.run import IR, LEDGER, PAGES, PROMPTS, VERSION, ir_text, source_hash
from retouch.engine.units import unanswered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from retouch.engine.core import JSON, Issue, Prompt
    from retouch.engine.history import Answer, History
    from retouch.engine.recipe import Recipe
    from retouch.engine.round import Round
    from retouch.engine.units import Unit

V = TypeVar("V")
OWN_FILES = frozenset({IR, PROMPTS, PAGES, LEDGER})


def state_of(unit: Unit[Any], history: History) -> str:
    """Return how a unit stands: unanswered, answered, failing, exhausted, disputed or adopted."""
    if history.adopted(unit.name) is not None:
        return "adopted"
    errors = unit.verdict.errors if unit.verdict is not None else ()
    if errors and unit.state:
        return unit.state
    if unit.texts(history) is None:
        return "unanswered"
    return "failing" if errors else "answered"


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


def assembled(work: Round[Any, V]) -> dict[str, str]:
    """Return the files as the recipe assembles them from what stands.

    Raises:
        RecipeBug: a file has the name of one of the run folder's own.
    """
    values: dict[str, V | Unread] = {}
    for name, unit in work.units.items():
        value = unit.reading.value if unit.reading is not None else None
        values[name] = value if value is not None else Unread(_text_of(unit, work.record.history))
    files = dict(work.recipe.assemble(work.source, values))
    taken = OWN_FILES & files.keys()
    if taken:
        raise RecipeBug(f"recipe {work.recipe.name!r} assembles {sorted(taken)}, which the run folder needs itself")
    return files


def _text_of(unit: Unit[Any], history: History) -> str:
    adopted = history.adopted(unit.name)
    standing = unit.standing(history)
    texts = [adopted] if adopted is not None else [standing[page] for page in sorted(standing)]
    return "\n".join(answer.text for answer in texts)


@dataclass(frozen=True, kw_only=True)
class OnDisk:
    """What a person did to the files since they were last written: `units` whose blocks differ, `files` that do."""

    units: Mapping[str, str]
    files: tuple[str, ...]


def edited(folder: Path, recipe: Recipe[Any, Any], history: History) -> OnDisk:
    """Return the blocks on disk that differ from what was last written there, by unit, and the files that differ."""
    units: dict[str, str] = {}
    files: list[str] = []
    for name, written in history.written.items():
        path = folder / name
        if not path.exists() or text_hash(text := read_text(path)) == written["hash"]:
            continue
        files.append(name)
        blocks = blocks_of(recipe, name, text)
        units |= {unit: block for unit, block in blocks.items() if written["blocks"].get(unit) != text_hash(block)}
    return OnDisk(units=units, files=tuple(files))


def blocks_of(recipe: Recipe[Any, Any], name: str, text: str) -> dict[str, str]:
    """Return the text of each unit's block in an assembled file."""
    return {block.unit: text[block.start : block.end] for block in recipe.blocks(name, text)}


def refuse_edited(found: OnDisk, units: Iterable[str], folder: Path) -> None:
    """Refuse to go on when a block of one of `units` was edited by hand.

    Raises:
        EditedByHand: with the units and what can be done.
    """
    clashes = sorted(set(found.units) & set(units))
    if clashes:
        hint = f"Keep the edit with 'retouch adopt {folder}', or overwrite it with --force."
        raise EditedByHand(f"edited by hand since it was written: {', '.join(map(repr, clashes))}", hint=hint)


def publish(work: Round[Any, Any], folder: Path, *, force: bool = False) -> tuple[list[str], list[str]]:
    """Write files, `pages.json` and `ir.json`; return the names of the files and notes for the person.

    A file that a person edited keeps the edit: changed blocks are spliced in around it; `force` overwrites.
    """
    files = assembled(work)
    found = edited(folder, work.recipe, work.record.history)
    texts: dict[str, str] = {}
    notes: list[str] = []
    rows: dict[str, JSON] = {}
    for name, text in files.items():
        kept = text if force else _spliced(work, folder, name, text, found, notes)
        texts[name] = kept
        rows[name] = written_row(work.recipe, name, text)
    _write_changed(folder, texts)
    work.record.append("written", {"files": rows})
    publish_views(work, folder)
    return list(files), notes


def publish_views(work: Round[Any, Any], folder: Path) -> None:
    """Write `pages.json` and `ir.json` as the ledger has them now."""
    ir = ir_text(work.recipe, work.source, validation(work))
    _write_changed(folder, {PAGES: pages_text(work), IR: ir})


def written_row(recipe: Recipe[Any, Any], name: str, text: str) -> dict[str, JSON]:
    """Return what to remember of a file as it was assembled: a block on disk that differs was edited by hand."""
    blocks: dict[str, JSON] = {unit: text_hash(block) for unit, block in blocks_of(recipe, name, text).items()}
    return {"hash": text_hash(text), "blocks": blocks}


def _write_changed(folder: Path, texts: Mapping[str, str]) -> None:
    write_files(folder, {name: text for name, text in texts.items() if not _stands(folder / name, text)})


def _stands(path: Path, text: str) -> bool:
    return path.exists() and read_text(path) == text


def _spliced(work: Round[Any, Any], folder: Path, name: str, text: str, found: OnDisk, notes: list[str]) -> str:
    """Return the file with new blocks put into what is on disk, when a person edited that; else `text`."""
    path = folder / name
    if not path.exists():
        return text
    present = read_text(path)
    if name not in work.record.history.written and present != text:
        hint = "Move it away, name another folder with -o, or overwrite it with --force."
        raise EditedByHand(f"{str(path)!r} was not written by this run", hint=hint)
    if name not in found.files:
        return text
    wanted = blocks_of(work.recipe, name, text)
    for block in sorted(work.recipe.blocks(name, present), key=lambda block: -block.start):
        if block.unit in wanted and block.unit not in found.units:
            present = present[: block.start] + wanted[block.unit] + present[block.end :]
    kept = [unit for unit in found.units if unit in wanted]
    what = f"the blocks of {', '.join(map(repr, kept))}" if kept else "text outside the units"
    notes.append(f"kept {what} in {name}, edited by hand: 'retouch adopt {folder}' makes it the answer")
    return present


def pages_text(work: Round[Any, Any]) -> str:
    """Return the text of `pages.json`: the seed's keys in the seed's order, parallel to `prompts.json`."""
    history = work.record.history
    planned = [p for name in work.units for p in work.units[name].prompts if name in work.planned]
    pages = [_page(index, prompt, work.units[prompt.type_name], history) for index, prompt in enumerate(planned)]
    models = [page["model"] for page in sorted(pages, key=lambda page: str(page["generated_at"])) if page["model"]]
    content: dict[str, Any] = {
        "version": VERSION,
        **work.recipe.heading(work.source),
        "ir_hash": source_hash(work.recipe, work.source),
        "generated_at": max((str(page["generated_at"]) for page in pages if page["generated_at"]), default=now()),
        "model": models[-1] if models else None,
        "pages": pages,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _page(index: int, prompt: Prompt, unit: Unit[Any], history: History) -> dict[str, JSON]:
    answer = _answer(prompt, history)
    attempt = history.attempts.get(answer.attempt) if answer is not None and answer.attempt is not None else None
    reply = attempt.reply if attempt is not None else None
    return {
        "index": index,
        "type_name": prompt.type_name,
        "is_root": prompt.is_root,
        "page": prompt.page,
        "total_pages": prompt.total_pages,
        "model": reply.model if reply is not None else "person" if answer is not None else None,
        "generated_at": answer.at if answer is not None else None,
        "input_tokens": reply.input_tokens if reply is not None else None,
        "output_tokens": reply.output_tokens if reply is not None else None,
        "output": answer.text if answer is not None else None,
        "cached_tokens": reply.cached_tokens if reply is not None else None,
        "prompt_hash": prompt_hash(prompt),
        "state": state_of(unit, history) if answer is not None or unit.state else "unanswered",
    }


def _answer(prompt: Prompt, history: History) -> Answer | None:
    """Return what stands for a page; a person's text for the whole unit stands at its first page."""
    adopted = history.adopted(prompt.type_name)
    if adopted is not None:
        return adopted if prompt.page == 1 else None
    return history.answer_to(prompt)
