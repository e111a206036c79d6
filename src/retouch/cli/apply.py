"""`retouch apply`: applies a reply of any tool to a directory."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from retouch.cli.failure import printable
from retouch.cli.options import as_json_option
from retouch.cli.output import print_json
from retouch.cli.permission import HINT, allow_executable_option, permitted
from retouch.cli.verb import Verb, with_examples
from retouch.cli.workspace import take_back_killed
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.edits import EditResult
    from retouch.edits.values import Code

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@click.command(cls=Verb)
@click.option(
    "--root",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The directory that the paths in the reply are relative to.",
)
@click.option("--target", metavar="FILE", help="The file, relative to the root, for blocks that name no file.")
@click.option(
    "--response",
    type=click.File("rb"),
    default="-",
    metavar="FILE|-",
    help="The reply. Default: standard input.",
)
@click.option(
    "--stop-reason", metavar="R", help="The provider's finish reason. If the reply was cut off, it is rejected."
)
@click.option("--dry-run", is_flag=True, help="Change nothing. Show what would change.")
@click.option("--diff", "with_diff", is_flag=True, help="Print a unified diff, even if the output is piped.")
@click.option(
    "--whole-files",
    is_flag=True,
    help="Let a whole file in the reply replace an existing file. Without it, such a reply is rejected.",
)
@click.option(
    "--no-syntax-check", is_flag=True, help="Also write a file that parsed before and does not parse any more."
)
@allow_executable_option()
@as_json_option
@with_examples(
    "retouch apply --root . --response reply.md",
    "retouch apply --root . --response reply.md --dry-run --diff",
)
def command(  # noqa: PLR0913 - one parameter per option
    *,
    root: Path,
    target: str | None,
    response: IO[bytes],
    stop_reason: str | None,
    dry_run: bool,
    with_diff: bool,
    whole_files: bool,
    no_syntax_check: bool,
    allow_executable: tuple[str, ...],
    as_json: bool,
) -> None:
    """Apply the edits of a model's reply to the files of a directory: all of them, or none.

    Reads FIND and REPLACE WITH blocks, SEARCH/REPLACE markers, apply-patch, unified diffs, tool calls in JSON and XML,
    and whole files in a fence with a path. If an edit does not match exactly one place, if a part that looks like an
    edit is not understood, or if a file would no longer parse, the whole reply is rejected with exit status 1.

    With --json: {"outcome", "error", "files", "edits", "issues", "unread", "dry_run"}; files maps each changed path to
    its new text, or null if the file is deleted; unread has the parts that were not understood.
    """
    if as_json and with_diff:
        raise click.UsageError("--json and --diff exclude each other.")
    if response.isatty():
        raise click.UsageError("There is no reply: pipe one in, or name a file with --response.")
    reply = response.read().decode("utf-8", "surrogateescape")
    if not dry_run:
        take_back_killed(root)
    before, result = _place_edits(root, reply, _relative_target(root, target), stop_reason, whole_files=whole_files)
    result = result if no_syntax_check else _with_syntax_checked(result, before)
    result = _announced(result, allow_executable) if dry_run else _write_to_disk(result, root, before, allow_executable)
    if as_json:
        print_json({**asdict(result), "files": dict(result.files), "dry_run": dry_run})
    else:
        if with_diff or sys.stdout.isatty():
            _print_diff(before, result)
        _print_edit_result(result, dry_run=dry_run)
    if result.outcome == "refused":
        click.get_current_context().exit(1)


def _place_edits(
    root: Path, reply: str, target: str | None, stop_reason: str | None, *, whole_files: bool
) -> tuple[Mapping[str, str], EditResult]:
    """Return the current files that the reply names, and the result of applying the reply to them."""
    from retouch.edits import DirectoryError, DirectoryFailure, EditResult, apply_reply, read_files

    try:
        before = read_files(root, reply, target=target)
    except DirectoryFailure:
        raise
    except DirectoryError as error:
        return {}, _refusal_of(EditResult(outcome="refused"), "path", error.message, error.hint)
    result = apply_reply(
        reply, before, target=target, stop_reason=stop_reason, whole_files=whole_files, root=str(root.resolve())
    )
    return before, result


def _with_syntax_checked(result: EditResult, before: Mapping[str, str]) -> EditResult:
    from retouch.edits import with_syntax_checked

    return with_syntax_checked(result, before)


def _write_to_disk(result: EditResult, root: Path, before: Mapping[str, str], allowed: Sequence[str]) -> EditResult:
    """Write the result to disk and return it, or return a refusal."""
    from retouch.edits import DirectoryError, DirectoryFailure, apply_to_folder

    if result.outcome != "applied":
        return result
    try:
        allowed = permitted(sorted(result.files), allowed)
    except BadInput as error:
        return _refusal_of(result, "executable", error.message, error.hint)
    try:
        apply_to_folder(result, root, before=before, allow_executable=allowed)
    except DirectoryFailure:
        raise
    except DirectoryError as error:
        return _refusal_of(result, "path", error.message, error.hint)
    return result


def _announced(result: EditResult, allowed: Sequence[str]) -> EditResult:
    """Return the result of a dry run, with a warning for each file that needs the user's confirmation."""
    from retouch.edits import EditIssue, executable_surfaces

    warnings = [
        EditIssue(
            code="executable",
            message=f"{one.path!r}: {one.runs}; a terminal would ask before it is written",
            fix=HINT.format(one.path),
            severity="warning",
            path=one.path,
        )
        for one in executable_surfaces(sorted(result.files), allowed=allowed)
    ]
    return replace(result, issues=(*result.issues, *warnings))


def _refusal_of(result: EditResult, code: Code, message: str, fix: str) -> EditResult:
    from retouch.edits import EditIssue

    issue = EditIssue(code=code, message=message, fix=fix)
    return replace(result, outcome="refused", error=code, files={}, edits=(), issues=(*result.issues, issue))


def _relative_target(root: Path, target: str | None) -> str | None:
    """The target as a path relative to the root, from any spelling."""
    if target is None:
        return None
    if Path(target).is_absolute():
        folder = root.absolute()
        if not Path(target).is_relative_to(folder):
            raise click.BadParameter(f"{target!r} does not lie inside {str(root)!r}.", param_hint="--target")
        target = str(Path(target).relative_to(folder))
    if ".." in Path(target).parts or Path(target) == Path():
        raise click.BadParameter(f"{target!r} is no file inside {str(root)!r}.", param_hint="--target")
    return Path(target).as_posix()


def _print_diff(before: Mapping[str, str], result: EditResult) -> None:
    from retouch.edits import unified_diff

    in_terminal = sys.stdout.isatty()
    sys.stdout.flush()
    piped = sys.stdout.buffer
    for path, after in sorted(result.files.items()):
        for line in unified_diff(path, before.get(path), after):
            if in_terminal:
                click.secho(printable(line), fg=_COLOURS.get(line[:1]), bold=line.startswith(("--- ", "+++ ")))
            else:
                piped.write(line.encode("utf-8", "surrogateescape") + b"\n")
    piped.flush()


def _print_edit_result(result: EditResult, *, dry_run: bool) -> None:
    for issue in result.issues:
        colour = "red" if issue.severity == "error" else "yellow"
        click.secho(issue.severity, fg=colour, nl=False, err=True)
        click.echo(f" [{issue.code}] {printable(issue.message)}", err=True)
        if issue.fix:
            click.echo(f"    next: {printable(issue.fix)}", err=True)
    if result.outcome == "refused":
        click.secho(f"refused: {result.error}; no file was changed", fg="red", err=True)
        return
    edits, files = len(result.edits), len(result.files)
    counted = f"{edits} {'edit' if edits == 1 else 'edits'} in {files} {'file' if files == 1 else 'files'}"
    click.secho(f"{'would apply' if dry_run else 'applied'}: {counted}", fg="green", err=True)
    for edit in result.edits:
        if edit.tier not in {"exact", "create", "delete", "chained"}:
            at = f"{edit.match_lines[0]}-{edit.match_lines[1]}" if edit.match_lines else "?"
            click.echo(f"  edit {edit.number} matched by {edit.tier} at {printable(edit.path)}:{at}", err=True)
