"""Turns errors into a message, a next step and an exit status."""

from __future__ import annotations

import errno
import json
import os
import sys
from dataclasses import dataclass

import click

from retouch.cli.colour import colour_choice
from retouch.errors import RetouchError

MISUSE, INTERRUPTED = 2, 130


class Interrupted(RetouchError):
    """The user stopped the command. The message lists the kept data, the hint explains how to continue."""

    exit_status = INTERRUPTED


@dataclass(frozen=True, kw_only=True)
class FailureReport:
    """The message and the exit status of an error."""

    message: str
    hint: str
    status: int


def report(error: Exception, *, as_json: bool) -> int:
    """Print the error to stderr (and, with `as_json`, to stdout) and return the exit status.

    With the environment variable RETOUCH_DEBUG=1 the traceback is printed as well.
    """
    if os.environ.get("RETOUCH_DEBUG") == "1" and not isinstance(error, click.ClickException):
        import traceback

        traceback.print_exception(error)
    failure = failure_of(error)
    try:
        if not isinstance(error, click.exceptions.NoArgsIsHelpError):  # its message is the help
            click.secho("error: ", fg="red", bold=True, nl=False, err=True, color=colour_choice())
        click.echo(printable(failure.message), err=True)
        if failure.hint:
            click.secho("  next: ", fg="green", nl=False, err=True, color=colour_choice())
            click.echo(printable(failure.hint).replace("\n", "\n        "), err=True)
        if as_json:
            click.echo(json.dumps({"error": {"message": failure.message, "hint": failure.hint}}, indent=2))
            sys.stdout.flush()
    except OSError:
        _silence()  # no output possible: the reader is gone or the disk is full, so only the status remains
    return failure.status


def failure_of(error: BaseException) -> FailureReport:
    """Return the failure that describes `error`."""
    if isinstance(error, RetouchError):
        return FailureReport(message=error.message, hint=error.hint, status=error.exit_status)
    if isinstance(error, click.ClickException):
        return _misuse(error)
    if isinstance(error, click.Abort) and isinstance(error.__cause__, KeyboardInterrupt):
        return FailureReport(message="Stopped.", hint="", status=INTERRUPTED)
    if isinstance(error, click.Abort):  # a question was answered with no
        return FailureReport(message="Stopped; nothing was started.", hint="", status=INTERRUPTED)
    if isinstance(error, OSError):
        return _system(error)
    if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):  # pathlib's, before Python 3.13
        return FailureReport(message=str(error), hint=_NEXT_STEPS[errno.ELOOP], status=MISUSE)
    if isinstance(error, (RecursionError, MemoryError)):
        what = "nested too deeply" if isinstance(error, RecursionError) else "too large for this machine's memory"
        return FailureReport(message=f"The input is {what}.", hint="Use a smaller or flatter document.", status=MISUSE)
    return _unexpected(error)


def printable(text: str) -> str:
    """Return `text` without control characters that affect a terminal. Newlines and tabs stay."""
    return "".join(one if one.isprintable() or one in "\n\t" else repr(one)[1:-1] for one in text)


def _misuse(error: click.ClickException) -> FailureReport:
    ctx = getattr(error, "ctx", None)
    hint = f"See '{ctx.command_path} --help'." if isinstance(ctx, click.Context) else ""
    return FailureReport(message=error.format_message(), hint=hint, status=error.exit_code)


_NEXT_STEPS = {
    errno.ENOSPC: "Free some space on that disk, then give the same command again: what arrived before is kept.",
    errno.EDQUOT: "Your quota is used up: free some space, then give the same command again.",
    errno.EROFS: "The file system is read-only: name another folder.",
    errno.EACCES: "Name a place that you may read and write, or change its permissions.",
    errno.EPERM: "Name a place that you may read and write, or change its permissions.",
    errno.ENOENT: "Check the path.",
    errno.ELOOP: "A symbolic link leads back to itself: name the file itself.",
    errno.ENOTDIR: "A part of the path is a file, not a folder: name another place.",
    errno.EEXIST: "A file is in the way: name another folder, for instance with -o.",
    errno.EISDIR: "It is a folder: name a file.",
    errno.ENAMETOOLONG: "Name a place with a shorter path, for instance with -o.",
    errno.EMFILE: "Too many files are open: lower --concurrency, or raise the limit with 'ulimit -n'.",
}

_SQLITE = {  # SQLite gives no number
    "disk is full": errno.ENOSPC,
    "disk I/O error": errno.ENOSPC,
    "readonly database": errno.EACCES,
    "unable to open database": errno.EACCES,
}


def _system(error: OSError) -> FailureReport:
    if error.errno == errno.EPIPE:
        _silence()
        return FailureReport(message="The reader of the output went away.", hint="", status=MISUSE)
    name = error.filename if isinstance(error.filename, str) else ""
    what = error.strerror or str(error) or type(error).__name__
    number = error.errno or next((number for words, number in _SQLITE.items() if words in what), 0)
    hint = _NEXT_STEPS.get(number, "Set RETOUCH_DEBUG=1 to see where it happened.")
    return FailureReport(message=f"{name!r}: {what}" if name else what, hint=hint, status=MISUSE)


def _unexpected(error: BaseException) -> FailureReport:
    message = f"Something unexpected happened: {type(error).__name__}: {error}"
    hint = "What was answered before is kept. Set RETOUCH_DEBUG=1 to see the traceback, and please report it."
    return FailureReport(message=message, hint=hint, status=MISUSE)


def _silence() -> None:
    """Redirect stdout to the null device, so that Python's flush at exit cannot fail again."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
    except (OSError, ValueError):
        return
