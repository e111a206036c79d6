"""What `retouch generate edit` does around writing the user's files: preview, the last check, undo, a commit."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.commands import UndoPlan, allowed_patterns, printable, put_back_texts, write_originals
from retouch.engine.types import Issue, Tier

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.commands import CommandRunner
    from retouch.engine.directory import RunView
    from retouch.engine.overview import RunResult
    from retouch.recipes.edit import EditJob

NOT_CONFIRMED = "nothing was written: confirm in a terminal, or give the command again with --yes"
DECLINED = "nothing was written: you declined"


@dataclass(frozen=True, kw_only=True)
class PendingChange:
    """The files that a run would write: their new texts, and the old ones on disk, None if there is none."""

    root: Path
    new: Mapping[str, str]
    old: Mapping[str, str | None]


def write_and_check(runner: CommandRunner, result: RunResult) -> tuple[RunResult, list[str]]:
    """Write the user's files, run the check once more on them, and return the result with the written paths.

    If that check does not pass, the files get their old texts again, and the result has an issue.
    """
    from retouch._lib.run_sync import run_sync
    from retouch.recipes.edit.command import check_written

    job: EditJob = runner.source
    change = _change(runner, result)
    shown = {file.path: file.text for file in (*job.files, *job.others) if file.exists}
    allowed = allowed_patterns(runner.ending)
    written = write_originals(change.root, change.new, before=shown, allow_executable=allowed)
    if not written or not job.check:
        return result, written
    verdict = run_sync(check_written(job, runner.options))
    if verdict.outcome == "passed":
        return result, written
    note_after_writing(runner.folder, "the check did not pass after your files were written")
    on_disk = _read_all(change.root, written)
    put_back_texts(change.root, {name: change.old[name] for name in written}, before=on_disk)
    message = f"the check passed before your files were written, and not after: {verdict.why}; they were put back"
    detail = {"output": verdict.output} if verdict.output.strip() else {}
    code = "CHECK_FAILED" if verdict.outcome == "failed" else "CHECK_INCONCLUSIVE"
    fix = "Run the check yourself. It may depend on more than the files, for example on the time."
    issue = Issue(code=code, message=message, tier=Tier.SEMANTIC, unit=written[0], detail=detail, fix=fix)
    return replace(result, status="issues", issues=(*result.issues, issue)), []


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
    """Return the texts that the run's files had before, and those that the run has written."""
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
