"""Writes the results of a run to the user's own files, all or none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.cli.failure import printable
from retouch.cli.outcome import is_strict
from retouch.cli.permission import permitted
from retouch.engine.record import last_options
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.cli.runner import CommandRunner
    from retouch.engine.directory import RunView
    from retouch.engine.overview import RunResult

NOT_KNOWN = "whether the originals are to be written is not known here: give the command again that made the run"
NOT_VERIFIED = "nothing was written into the project: --strict wants a verified run"


def take_back_killed(root: Path) -> None:
    """Restore the files that a killed command had begun to write under `root`, and print a note.

    Raises:
        DirectoryError: a file cannot be restored.
    """
    from retouch.edits import take_back

    names = take_back(root)
    if names:
        click.echo(
            f"note: an earlier command was killed while it wrote; put back {printable(', '.join(names))}", err=True
        )


def put_back_originals(runner: CommandRunner) -> None:
    """Restore the files that a killed process had begun to write, if this command may write."""
    if runner.ending.get("apply") or runner.options.checks.in_place:
        take_back_killed(Path(runner.options.workspace))


def wants_writing(runner: CommandRunner, result: RunResult) -> tuple[bool, list[str]]:
    """Return whether the originals should be written, and a note if the run has no such setting.

    They are never written while there are errors, or with --strict while a check was not run.
    """
    wanted = runner.ending.get("apply") if runner.options.workspace else None
    if result.exit_status != 0:
        return False, []
    if result.status == "unverified" and is_strict():
        return False, [NOT_VERIFIED] if wanted else []
    return bool(wanted), [NOT_KNOWN] if wanted is None else []


def unwritten(view: RunView, result: RunResult) -> list[str]:
    """Return a note if the command that made the run would write the originals now, but this command does not."""
    if result.exit_status != 0 or not last_options(view.history).ending.get("apply"):
        return []
    return [f"the originals are as they were: 'retouch resume {result.run}' writes them"]


def with_secrets_kept(
    root: Path, texts: Mapping[str, str], before: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the new and the old content with the secrets of the user's own files, which no model has seen.

    A placeholder is only replaced in a file that contains the same secret now. So an answer cannot copy it elsewhere.
    """
    from retouch._lib.disk import read_text
    from retouch._lib.redaction import redactor, with_own_secrets

    clean = redactor()
    new, old = dict(texts), dict(before)
    for name in texts.keys() & before.keys() if clean.secrets else ():
        present = read_text(root / name) if (root / name).is_file() else ""
        if clean.text(present) == clean.text(before[name]):
            old[name] = present
        new[name] = with_own_secrets(new[name], present)
    return new, old


def holds_text(root: Path, name: str, text: str | None) -> bool:
    """Return whether a file has this text, apart from replaced secrets. None means that there is no such file."""
    from retouch._lib.disk import read_text
    from retouch._lib.redaction import redactor

    place = root / name
    if text is None or not place.is_file():
        return text is None and not place.exists()
    clean = redactor()
    return clean.text(read_text(place)) == clean.text(text)


def put_back_texts(root: Path, texts: Mapping[str, str | None], *, before: Mapping[str, str]) -> list[str]:
    """Write the old `texts` of files again, all or none, and return the paths. None deletes a file.

    Raises:
        BadInput: a file differs from its text in `before`, or cannot be written. Nothing was written.
    """
    from glob import escape

    from retouch.edits import DirectoryError, EditResult, apply_to_folder

    kept = {name: text for name, text in texts.items() if text is not None}
    seen = {name: before[name] for name in texts if name in before}
    new, old = with_secrets_kept(root, {**seen, **kept}, seen)
    files = {name: None if text is None else new[name] for name, text in texts.items()}
    allowed = [f"/{escape(name)}" for name in files]
    try:
        return apply_to_folder(EditResult(outcome="applied", files=files), root, before=old, allow_executable=allowed)
    except DirectoryError as error:
        raise BadInput(f"nothing was restored: {error.message}", hint="Change the files yourself.") from error


def write_originals(
    root: Path, texts: Mapping[str, str], *, before: Mapping[str, str], allow_executable: Sequence[str] = ()
) -> list[str]:
    """Write `texts` below `root` and return their paths. Files that already have their new text are skipped.

    Files that run commands without being started need a pattern that allows them, or the user's confirmation.

    Raises:
        BadInput: a file differs from `before`, cannot be written or is not permitted. Nothing was written.
    """
    from retouch._lib.disk import holds
    from retouch.edits import DirectoryError, EditResult, apply_to_folder

    texts, before = with_secrets_kept(root, texts, before)
    try:
        missing = {name: text for name, text in texts.items() if not holds(root / name, text)}
        allowed = permitted(sorted(missing), allow_executable)
        result = EditResult(outcome="applied", files=missing)
        return apply_to_folder(result, root, before=before, allow_executable=allowed)
    except DirectoryError as error:
        why = error.message.removeprefix("nothing was written: ")
        raise BadInput(f"nothing was written: {why}", hint=error.hint) from error
