"""Missing or changed files of a run: they are only rewritten after the user's confirmation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import click

from retouch.cli.failure import printable
from retouch.cli.permission import can_ask
from retouch.errors import EditedByHand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from retouch.engine.options import RunOptions
    from retouch.engine.types import Issue

T = TypeVar("T")
UNUSABLE = ("FILE_MISSING", "FILE_CHANGED")


def no_issues(_result: object) -> Iterable[Issue]:
    """Return no issue, for a verb that raises whenever a file is in its way."""
    return ()


def asking_to_overwrite(
    work: Callable[[RunOptions], T],
    options: RunOptions,
    issues_of: Callable[[T], Iterable[Issue]] = no_issues,
) -> T:
    """Return the result of the verb `work`. In a terminal, ask for confirmation if files are missing or changed.

    If the user agrees, the verb runs again with `force`. Without a terminal, there is no question: the error and the
    issues of the result (`issues_of`) name `--force`.

    Raises:
        EditedByHand: a manual edit would be lost, and the user did not agree, or there is no terminal.
    """
    try:
        result = work(options)
    except EditedByHand as error:
        if options.force or not can_ask() or not _agreed(error.message):
            raise
        return work(replace(options, force=True))
    found = [issue.message for issue in issues_of(result) if issue.code in UNUSABLE]
    if not found or options.force or not can_ask() or not _agreed("; ".join(found)):
        return result
    return work(replace(options, force=True))


def _agreed(what: str) -> bool:
    return click.confirm(f"{printable(what)}. Write it again from the run's answers?", default=False, err=True)
