"""The files of a run directory: writes them, finds the user's later edits, and protects foreign files."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from retouch._lib.disk import holds, read_text, write_changed
from retouch._lib.hashing import text_hash
from retouch._lib.holders import HOLDER
from retouch.engine.directory import has_ir, ir_text, pages_text, source_hash
from retouch.engine.events import FilesWritten, WritingFiles, WrittenFile
from retouch.engine.ledger import LEDGER, LOCK
from retouch.engine.recipe import Unread
from retouch.engine.record import write_stored
from retouch.engine.stored_files import IR, PAGES, PROMPTS, is_latest
from retouch.engine.types import Issue, Severity, Tier, issues_to_json
from retouch.errors import EditedByHand, RecipeBug

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.history import History
    from retouch.engine.recipe import Block, Recipe
    from retouch.engine.round import Round
    from retouch.engine.unit import Unit

V = TypeVar("V")


class HasBlocks(Protocol):
    """The part of a recipe that is needed to compare files with their written versions."""

    @property
    def blocks(self) -> Callable[[str, str], Sequence[Block]]:
        """Return the position of each unit's text in a file, by its name and text."""
        ...


OWN_FILES = (IR, PROMPTS, PAGES, LEDGER, LOCK, HOLDER)  # and SQLite's files, with the ledger's name as prefix


def validation_summary(work: Round[Any, Any]) -> dict[str, JSON]:
    """Return the summary in `ir.json`: per unit its state, and its issues by tier."""
    return {name: _unit_summary(unit, work.history) for name, unit in work.units.items()}


def _unit_summary(unit: Unit[Any], history: History) -> dict[str, JSON]:
    issues = unit.issues(history)
    tiers: dict[str, JSON] = {
        str(tier): issues_to_json([issue for issue in issues if issue.tier == tier])
        for tier in sorted({int(issue.tier) for issue in issues})
    }
    return {"state": unit.status(history), "issues": tiers}


def current_values(work: Round[Any, V]) -> dict[str, V | Unread]:
    """Return the value of each unit's current answers, or `Unread` if they cannot be read."""
    values: dict[str, V | Unread] = {}
    for name, unit in work.units.items():
        value = unit.reading.value if unit.reading is not None else None
        values[name] = value if value is not None else Unread(_text_of(unit, work.history))
    return values


def _text_of(unit: Unit[Any], history: History) -> str:
    adopted = history.adopted(unit.name)
    answers = unit.current_answers(history)
    texts = [adopted] if adopted is not None else [answers[page] for page in sorted(answers)]
    return "\n".join(answer.text for answer in texts)


def assembled_files(work: Round[Any, V]) -> dict[str, str]:
    """Return the files that the recipe assembles from the current answers.

    Raises:
        RecipeBug: a file has the name of one of the run directory's own.
    """
    files = dict(work.recipe.assemble(work.source, current_values(work)))
    if work.recipe.mark is not None:
        units = work.units.items()
        found = {name: None if unit.needs_check else unit.issues(work.history) for name, unit in units}
        files = dict(work.recipe.mark(work.source, files, found))
    taken = sorted(name for name in files if posixpath.normpath(name).startswith(OWN_FILES))
    if taken:
        raise RecipeBug(f"recipe {work.recipe.name!r} assembles {taken}, which the run directory needs itself")
    return files


def write_json_files(work: Round[Any, Any], directory: Path) -> None:
    """Write `pages.json` and `ir.json` from the ledger's current content, unless they have it."""
    validation, history = validation_summary(work), work.history
    is_current = is_latest(directory, PAGES, history, since=history.answers_seq) and is_latest(directory, IR, history)
    if is_current and has_ir(directory, work.recipe, work.source, validation):
        return
    planned = [prompt for name, unit in work.units.items() if name in work.planned for prompt in unit.prompts]
    pages = partial(
        pages_text,
        planned,
        work.history,
        ir_hash=source_hash(work.recipe, work.source),
        heading=work.recipe.heading(work.source),
    )
    files = {PAGES: pages, IR: ir_text(work.recipe, work.source, validation)}
    write_stored(work.record, directory, files)


def publish(
    work: Round[Any, Any],
    directory: Path,
    *,
    force: bool = False,
    overwrite: Container[str] | None = None,
    restore: bool = False,
) -> tuple[list[str], list[str]]:
    """Write files, `pages.json` and `ir.json`. Return the names of the files, and notes for the user.

    A file with manual edits keeps them: other changed blocks, and the blocks of the units to `overwrite`, are spliced
    in around them. A file that the user removed is not restored unless `restore` or `force` is set. `force` overwrites
    foreign files and files that cannot be checked as they are. If no units are named, it rewrites all files.

    Raises:
        EditedByHand: a file that this run has not written is in the way. The JSON files are written anyway.
    """
    files = assembled_files(work)
    write_json_files(work, directory)
    if not force:
        refuse_foreign_files(directory, files, work.history)
    edits = find_manual_edits(directory, work.recipe, work.history)
    notes, texts = list[str](), dict(files)
    for name in () if force and overwrite is None else edits.files:
        is_whole = name in files and _is_whole(directory, work.recipe, work.history, name)
        if name in files and (is_whole or not force):
            kept = {unit for unit in edits.units if unit not in (overwrite or ())}
            present = read_text(directory / name)
            texts[name] = _spliced(work.recipe, name, files[name], present, kept) if is_whole else present
            notes += _kept_notes(work.recipe, name, (files[name], texts[name]), kept, directory)
    notes += _left_notes(work.history, directory, files)
    rows = {name: _written_file(work.recipe, name, text) for name, text in files.items()}
    gone = {name for name in work.history.written if not (directory / name).exists()}
    texts = {name: text for name, text in texts.items() if restore or force or name not in gone}
    if any(not holds(directory / name, text) for name, text in texts.items()):
        work.record.commit_now(WritingFiles(files=rows))
        write_changed(directory, texts)
    if work.history.writing or work.history.written != rows:
        work.record.append(FilesWritten(files=rows))
    return list(files), notes


def _left_notes(history: History, directory: Path, files: Container[str]) -> list[str]:
    """Return a note for each file on disk that the run wrote earlier and no longer assembles."""
    left = (name for name in history.written if name not in files and (directory / name).exists())
    what = "was written by this run before; now no unit belongs there, and it was left as it is"
    return [f"{name} {what}" for name in left]


def record_imported_files(work: Round[Any, Any], directory: Path) -> None:
    """Record the expected content of an imported run's files, so that edits are detected."""
    files = {name: text for name, text in assembled_files(work).items() if (directory / name).exists()}
    rows = {name: _written_file(work.recipe, name, text) for name, text in files.items()}
    work.record.append(FilesWritten(files=rows))


def _written_file(recipe: Recipe[Any, Any], name: str, text: str) -> WrittenFile:
    """Return the record of an assembled file. A block on disk that differs from it is a manual edit."""
    blocks = {unit: text_hash(block) for unit, block in blocks_of(recipe, name, text).items()}
    return WrittenFile(hash=text_hash(text), blocks=blocks, outside=outside_hash(recipe, name, text))


def outside_hash(recipe: HasBlocks, name: str, text: str) -> str:
    """Return the hash of the text outside the blocks, without white space, which a formatter may change."""
    blocks = sorted(recipe.blocks(name, text), key=lambda block: block.start)
    starts, ends = [0, *(block.end for block in blocks)], [*(block.start for block in blocks), len(text)]
    outside = "".join(text[start:end] for start, end in zip(starts, ends, strict=True))
    return text_hash("".join(outside.split()))


def blocks_of(recipe: HasBlocks, name: str, text: str) -> dict[str, str]:
    """Return the text of each unit's block in an assembled file."""
    return {block.unit: text[block.start : block.end] for block in recipe.blocks(name, text)}


def _spliced(recipe: Recipe[Any, Any], name: str, text: str, present: str, kept: Container[str]) -> str:
    """Return `present`, a file with manual edits, with the blocks of all units except `kept` from `text`."""
    wanted = blocks_of(recipe, name, text)
    parts: list[str] = []
    position = 0
    for block in sorted(recipe.blocks(name, present), key=lambda block: block.start):
        if block.unit in wanted and block.unit not in kept:
            parts += [present[position : block.start], wanted[block.unit]]
            position = block.end
    return "".join((*parts, present[position:]))


def _kept_notes(
    recipe: Recipe[Any, Any], name: str, texts: tuple[str, str], kept: Container[str], directory: Path
) -> list[str]:
    """Return notes for the user about an edited file. `texts` are the assembled and the resulting text."""
    wanted, present = (blocks_of(recipe, name, text) for text in texts)
    if texts[0] == texts[1]:
        return []
    run = shell_path(directory)
    again = f"to write it anew: retouch assemble {run} --force"
    units = ", ".join(repr(unit) for unit in wanted if unit in kept and unit in present)
    adopt = f"kept the blocks of {units} in {name}, edited by hand; to make them the answer: retouch adopt {run}"
    notes = [adopt if units else f"kept the manual edit outside the blocks of {name}; {again}"]
    lost = [unit for unit in wanted if unit not in present]
    if lost:
        notes.append(f"{name} has no block for {', '.join(map(repr, lost))} any more; {again}")
    return notes


@dataclass(frozen=True, kw_only=True)
class ManualEdits:
    """The user's changes since the files were last written: the changed blocks of `units`, and the changed `files`."""

    units: Mapping[str, str]
    files: tuple[str, ...]


def find_manual_edits(directory: Path, recipe: HasBlocks, history: History) -> ManualEdits:
    """Return the blocks on disk that differ from the written ones, by unit, and the files that differ.

    If a run was killed during a write, its files have either the old or the new content. Neither is an edit.
    """
    units: dict[str, str] = {}
    files: list[str] = []
    for name in dict.fromkeys((*history.written, *history.writing)):
        path = directory / name
        rows = [row for row in (history.written.get(name), history.writing.get(name)) if row is not None]
        if not path.exists() or text_hash(text := read_text(path)) in {row.hash for row in rows}:
            continue
        files.append(name)
        blocks = blocks_of(recipe, name, text)
        known = {unit: {row.blocks.get(unit) for row in rows} for unit in blocks}
        units |= {unit: block for unit, block in blocks.items() if text_hash(block) not in known[unit]}
    return ManualEdits(units=units, files=tuple(files))


def disk_issues(directory: Path, recipe: HasBlocks, history: History) -> list[Issue]:
    """Return an issue for each file that differs from its written version.

    A missing file is an error (`FILE_MISSING`). A changed file is a warning (`MANUAL_EDIT`) if its blocks can be
    checked as they are, else an error (`FILE_CHANGED`). No check covers changed text outside the blocks. In this case,
    the issue lists the units of the file as `unjudged` in its detail.
    """
    edits = find_manual_edits(directory, recipe, history)
    issues: list[Issue] = []
    for name, row in history.written.items():
        if not (directory / name).exists():
            issues.append(_missing_file(directory, name, row))
        elif name in edits.files and not _is_whole(directory, recipe, history, name):
            fix = f"Write it again: retouch assemble {shell_path(directory)} --force"
            message = f"{name!r} was changed since it was written, and cannot be checked as it is"
            issues.append(_disk_issue("FILE_CHANGED", message, row, "error", fix, file=name))
        elif name in edits.files:
            issues.append(_edited_file(directory, recipe, name, row, history.settled))
    return issues


def outdated_issues(recipe: Recipe[Any, Any], source: object, directory: Path) -> list[Issue]:
    """Return the recipe's warnings about files of the user that the source was made from and that differ now."""
    return [
        replace(issue, severity="warning", detail={**issue.detail, "outdated": True})
        for issue in recipe.outdated(source, directory)
    ]


def _missing_file(directory: Path, name: str, row: WrittenFile) -> Issue:
    fix = f"Write it again: retouch assemble {shell_path(directory)}; or add --force to this command"
    return _disk_issue("FILE_MISSING", f"{name!r} is missing", row, "error", fix, file=name)


def _edited_file(directory: Path, recipe: HasBlocks, name: str, row: WrittenFile, units: Container[str]) -> Issue:
    """Return the issue of a changed file. A block that belongs to none of the `units` is not checked."""
    text = read_text(directory / name)
    blocks = {unit: text_hash(block) for unit, block in blocks_of(recipe, name, text).items()}
    changed = [unit for unit, block in blocks.items() if row.blocks.get(unit) != block]
    run = shell_path(directory)
    undo = f"undo it: retouch assemble {run} --force"
    strange = next((unit for unit in changed if unit not in units), None)
    changed = [unit for unit in changed if unit in units]
    if outside_hash(recipe, name, text) != row.outside or strange is not None:
        where = "outside its blocks" if strange is None else f"in the block {strange!r}, which no answer belongs to,"
        message = f"{name!r} was edited {where} since it was written; nothing checks that text"
        fix = f"Keep the edited blocks: retouch adopt {run}; or {undo}" if changed else f"It is kept. Or {undo}"
        return _disk_issue("MANUAL_EDIT", message, row, "warning", fix, file=name, unjudged=[*row.blocks])
    if changed:
        message = f"{name!r} was edited since it was written; it is checked as it is"
        keep = f"Keep it: retouch adopt {run}; or {undo}"
        return _disk_issue("MANUAL_EDIT", message, row, "warning", keep, file=name)
    message = f"{name!r} was edited since it was written: white space outside its blocks"
    return _disk_issue("MANUAL_EDIT", message, row, "warning", f"It is kept. Or {undo}", file=name)


def _is_whole(directory: Path, recipe: HasBlocks, history: History, name: str) -> bool:
    """Return whether a changed file still has each written block exactly once."""
    row = history.written.get(name) or history.writing[name]
    present = sorted(block.unit for block in recipe.blocks(name, read_text(directory / name)))
    return bool(row.blocks) and present == sorted(row.blocks)


def _disk_issue(code: str, message: str, row: WrittenFile, severity: Severity, fix: str, **detail: JSON) -> Issue:
    unit = next(iter(row.blocks), "")
    return Issue(code=code, message=message, tier=Tier.SYNTAX, unit=unit, severity=severity, fix=fix, detail=detail)


def changed_files(directory: Path, history: History) -> dict[str, str]:
    """Return the hash of each written file that exists and differs from its written version."""
    found: dict[str, str] = {}
    for name, row in history.written.items():
        path = directory / name
        known = {row.hash, history.writing[name].hash} if name in history.writing else {row.hash}
        if path.exists() and (present := text_hash(read_text(path))) not in known:
            found[name] = present
    return found


def refuse_unusable_files(work: Round[Any, Any], directory: Path) -> None:
    """Refuse to request answers for files that are missing, or changed so that no block can be replaced.

    Raises:
        EditedByHand: names the files and the next step.
    """
    found = [one for one in disk_issues(directory, work.recipe, work.history) if one.is_failure]
    if found:
        hint = f"Write them again: retouch assemble {shell_path(directory)} --force; or add --force to this command."
        raise EditedByHand("; ".join(one.message for one in found), hint=hint)


def shell_path(directory: Path) -> str:
    """Return the path of a directory, quoted for a shell command."""
    return quote(str(directory))


def refuse_manual_edits(edits: ManualEdits, units: Iterable[str], directory: Path) -> None:
    """Refuse to continue if a block of one of `units` has a manual edit.

    Raises:
        EditedByHand: names the units and the next step.
    """
    clashes = sorted(set(edits.units) & set(units))
    if clashes:
        hint = f"Keep the edit: retouch adopt {shell_path(directory)}; or overwrite it: add --force to this command."
        raise EditedByHand(f"edited by hand since it was written: {', '.join(map(repr, clashes))}", hint=hint)


def has_other_files(directory: Path) -> bool:
    """Return whether a run directory has foreign files, which a first run must not overwrite."""
    return any(not path.name.startswith(OWN_FILES) for path in directory.iterdir())


def refuse_foreign_files(directory: Path, files: Mapping[str, str], history: History) -> None:
    """Refuse to overwrite a file that this run has not written.

    Raises:
        EditedByHand: names the file and the next step.
    """
    for name, text in files.items():
        path = directory / name
        known = name in history.written or name in history.writing
        if not known and path.exists() and read_text(path) != text:
            hint = "Move it away, choose another directory with -o, or overwrite it with --force."
            raise EditedByHand(f"{str(path)!r} was not written by this run", hint=hint)


def users_files(directory: Path, written: Collection[str]) -> list[str]:
    """Return what is in a run directory and is neither one of the files `written` nor one of the engine's."""
    return [one.name for one in directory.iterdir() if one.name not in written and not one.name.startswith(OWN_FILES)]
