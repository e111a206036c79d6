"""What `retouch generate edit` does around writing the user's files: preview, the last check, undo, a commit."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import (
    UndoPlan,
    allowed_patterns,
    holds_text,
    permitted,
    printable,
    put_back_texts,
    write_originals,
)
from retouch.engine.types import Issue, Tier
from retouch.errors import BadInput
from retouch.recipes.edit.commands.repository import commit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.commands import CommandRunner
    from retouch.engine.directory import RunView
    from retouch.engine.history import History
    from retouch.engine.overview import RunResult
    from retouch.recipes.edit import EditJob

NOT_CONFIRMED = "nothing was written: confirm in a terminal, or give the command again with --yes"
DECLINED = "nothing was written: you declined"
UNFINISHED = "the command ended while it wrote and checked your files"
FAILED_AFTERWARDS = "the check did not pass after your files were written"


@dataclass(frozen=True, kw_only=True)
class PendingChange:
    """The files that a run would write: their new content, and the old content on disk, None if there is none."""

    root: Path
    new: Mapping[str, str]
    old: Mapping[str, str | None]


@dataclass(frozen=True, kw_only=True)
class WritingResult:
    """What became of the user's files: the result of the run, the paths that were written, and notes about them."""

    result: RunResult
    applied: Sequence[str] = ()
    notes: Sequence[str] = ()


def write_and_check(runner: CommandRunner, result: RunResult) -> WritingResult:
    """Write the user's files, run the check once more on them, and commit them if the command wants that.

    If that check does not pass, the files' old content is restored, and the result has an issue. The record of the run
    knows from before the first file is written until the last step is done that this is unfinished. If the process is
    killed in between, `put_back_unfinished` restores the old content.
    """
    from retouch._lib.run_sync import run_sync

    change = _change(runner, result)
    missing = [name for name, text in change.new.items() if not holds_text(change.root, name, text)]
    if not missing:
        return WritingResult(result=result)
    allowed = permitted(missing, allowed_patterns(runner.ending))  # asks before the event loop delays Ctrl-C
    return run_sync(_written(runner, result, change, allowed))


async def _written(
    runner: CommandRunner, result: RunResult, change: PendingChange, allowed: Sequence[str]
) -> WritingResult:
    from retouch.engine.events import NoteAdded
    from retouch.engine.overview import AFTER_WRITING
    from retouch.engine.record import recording

    job: EditJob = runner.source
    shown = {file.path: file.text for file in (*job.files, *job.others) if file.exists}
    message = str(runner.ending.get("commit") or "")
    async with recording(runner.folder, wait=runner.options.wait) as record:
        files: dict[str, JSON] = {name: _hash_of(text) for name, text in change.new.items()}
        unfinished: dict[str, JSON] = {"why": UNFINISHED, "files": files, "commit": bool(message)}
        record.commit_now(NoteAdded(name=AFTER_WRITING, data=unfinished))
        try:
            written = write_originals(change.root, change.new, before=shown, allow_executable=allowed)
        except Exception:
            record.note(AFTER_WRITING, {"why": ""})
            raise
        issue = await _last_check(runner, change, written) if written and job.check else None
        if issue is not None:
            record.note(AFTER_WRITING, {"why": FAILED_AFTERWARDS})
            return WritingResult(result=replace(result, status="issues", issues=(*result.issues, issue)))
        try:
            notes = [f"committed as {commit(change.root, written, message)}"] if written and message else []
        except BadInput:  # the files stay, and are the user's to commit
            record.note(AFTER_WRITING, {"why": ""})
            raise
        record.note(AFTER_WRITING, {"why": ""})
        return WritingResult(result=result, applied=written, notes=notes)


async def _last_check(runner: CommandRunner, change: PendingChange, written: Sequence[str]) -> Issue | None:
    """Run the check on the written files. If it does not pass, restore their old content and return the issue."""
    from retouch.recipes.edit.command import check_written

    def put_back() -> None:
        put_back_texts(
            change.root, {name: change.old[name] for name in written}, before=_read_all(change.root, written)
        )

    try:
        verdict = await check_written(runner.source, runner.options)
    except BaseException:  # Ctrl-C among others
        put_back()
        raise
    if verdict.outcome == "passed":
        return None
    put_back()
    message = f"the check passed before your files were written, and not after: {verdict.why}; they were put back"
    detail = {"output": verdict.output} if verdict.output.strip() else {}
    code = "CHECK_FAILED" if verdict.outcome == "failed" else "CHECK_INCONCLUSIVE"
    fix = "Run the check yourself. It may depend on more than the files, for example on the time."
    return Issue(code=code, message=message, tier=Tier.SEMANTIC, unit=written[0], detail=detail, fix=fix)


def put_back_unfinished(run: Path, *, wait: bool) -> bool:
    """Restore the old content of files if a command of the run ended while it wrote and checked them.

    The answers of the run are kept, so that the command can do the same again without a call. Return whether it would
    have committed the files, and may have done so.

    Raises:
        BadInput: a file was changed since.
        FolderBusy: that command is still running.
    """
    from retouch._lib.run_sync import run_sync
    from retouch.engine.history import read_history
    from retouch.engine.ledger import LEDGER

    if not (run / LEDGER).exists() or not _unfinished(read_history(run / LEDGER)):
        return False
    return run_sync(_put_back(run, wait=wait))


async def _put_back(run: Path, *, wait: bool) -> bool:
    from retouch.engine.directory import load_ir
    from retouch.engine.overview import AFTER_WRITING
    from retouch.engine.record import last_options, recording
    from retouch.recipes.edit import recipe

    async with recording(run, wait=wait) as record:
        noted = _unfinished(record.history)
        job, root = load_ir(run, recipe).source, Path(last_options(record.history).options.workspace)
        hashes: Mapping[str, str] = noted.get("files", {})
        present = _read_all(root, list(hashes))
        old = {name: job.file(name).text if job.file(name).exists else None for name in hashes}
        new = [name for name, text in present.items() if _hash_of(text) == hashes[name]]
        changed = [name for name in hashes if name not in new and not holds_text(root, name, old[name])]
        if changed:
            what = f"{', '.join(map(repr, changed))} was changed after a command of {str(run)!r} was interrupted"
            hint = "It had written your files, and not finished its check. Go on with -o and another directory."
            raise BadInput(what, hint=hint)
        if new:
            put_back_texts(root, {name: old[name] for name in new}, before=present)
            names = printable(", ".join(new))
            click.echo(f"note: an earlier command was interrupted during its last check; put back {names}", err=True)
        record.note(AFTER_WRITING, {"why": ""})
        return bool(noted.get("commit"))


def _unfinished(history: History) -> Mapping[str, Any]:
    """Return the note of a command that wrote files and has not finished its last step, or {}."""
    from retouch.engine.overview import AFTER_WRITING

    notes = [note.data for note in history.notes if note.kind == AFTER_WRITING]
    return notes[-1] if notes and notes[-1].get("files") else {}


def _hash_of(text: str) -> str:
    """Return the hash of a file's text, with placeholders for secrets as in the run's files."""
    from retouch._lib.hashing import text_hash
    from retouch._lib.redaction import redactor

    return text_hash(redactor().text(text))


def note_after_writing(run: Path, why: str) -> None:
    """Record why the result is not verified although it passed the check before it was written; "" takes it back."""
    from retouch._lib.run_sync import run_sync
    from retouch.engine.overview import AFTER_WRITING
    from retouch.engine.record import recording

    async def note() -> None:
        async with recording(run) as record:
            found = [note.data.get("why") for note in record.history.notes if note.kind == AFTER_WRITING]
            if (found or [""])[-1] != why:
                record.note(AFTER_WRITING, {"why": why})

    run_sync(note())


def confirmed(runner: CommandRunner, result: RunResult) -> str:
    """Show the change if the command wants a preview, and return "" if it may be written, else the reason."""
    if not runner.ending.get("preview"):
        return ""
    change = _change(runner, result)
    from retouch.edits import unified_diff

    lines = [line for name, text in change.new.items() for line in unified_diff(name, change.old[name], text)]
    for line in lines:
        click.secho(printable(line), fg=_colour(line), err=True)
    if not lines or runner.ending.get("yes"):
        return ""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return NOT_CONFIRMED
    return "" if click.confirm("Write this change?", default=True, err=True) else DECLINED


def _colour(line: str) -> str | None:
    colours = {"+": "green", "-": "red", "@": "cyan"}
    return colours.get(line[:1])


def undo_plan(view: RunView) -> UndoPlan:
    """Return the content that the run's files had before, and the content that the run has written."""
    from retouch._lib.disk import read_text
    from retouch.engine.directory import load_ir
    from retouch.engine.record import last_options
    from retouch.recipes.edit import recipe
    from retouch.recipes.edit.assembly import project_paths

    job = load_ir(view.directory, recipe).source
    new = {path: read_text(view.directory / name) for path, name in project_paths(view.history.written).items()}
    old = {path: job.file(path).text if job.file(path).exists else None for path in new}
    return UndoPlan(root=last_options(view.history).options.workspace, old=old, new=new)


def _change(runner: CommandRunner, result: RunResult) -> PendingChange:
    from retouch._lib.disk import read_text
    from retouch.recipes.edit.assembly import project_paths

    root = Path(runner.options.workspace)
    new = {path: read_text(result.run / name) for path, name in project_paths(result.files).items()}
    known = _read_all(root, list(new))
    return PendingChange(root=root, new=new, old={name: known.get(name) for name in new})


def _read_all(root: Path, names: Sequence[str]) -> dict[str, str]:
    from retouch._lib.disk import read_text

    return {name: read_text(root / name) for name in names if (root / name).is_file()}
