"""Files that run commands without being started are only written with the user's permission."""

from __future__ import annotations

import sys
from glob import escape
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.failure import printable
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.cli.options import Decorator

ALLOWED = "allow_executable"  # the key in the ledger
HINT = "If you have read the change and want it, add --allow-executable {!r}."


def allowed_patterns(ending: Mapping[str, JSON]) -> list[str]:
    """Return the run's stored patterns of `--allow-executable`."""
    patterns = ending.get(ALLOWED)
    return [str(one) for one in patterns] if isinstance(patterns, list) else []


def allow_executable_option() -> Decorator[Any]:
    """Return the option `--allow-executable`."""
    return click.option(
        "--allow-executable",
        multiple=True,
        metavar="PATTERN",
        help="Allow writing files that run commands by themselves, such as '.github/workflows/*'. Without it you are "
        "asked about each one in a terminal; without a terminal they are rejected.",
    )


def permitted(paths: Iterable[str], allowed: Sequence[str]) -> list[str]:
    """Return patterns that allow all of `paths` to be written: `allowed`, and each path that the user agrees to.

    Raises:
        BadInput: a file runs commands without being started, and the user declined, or there is no terminal.
    """
    from retouch.edits import executable_surfaces

    agreed = list(allowed)
    for surface in executable_surfaces(paths, allowed=allowed):
        what = f"{surface.path!r}: {surface.runs}"
        if not can_ask():
            raise BadInput(f"nothing was written: {what}", hint=HINT.format(surface.path))
        if not click.confirm(printable(f"{what}. Write it?"), default=False, err=True):
            raise BadInput(f"nothing was written: you declined {surface.path!r}", hint=HINT.format(surface.path))
        agreed.append(f"/{escape(surface.path)}")
    return agreed


def expect_permission(paths: Iterable[str], allowed: Sequence[str]) -> None:
    """Check before any paid call that `paths` are allowed, or that a terminal permits a later question.

    Raises:
        BadInput: a file runs commands without being started, no pattern allows it, and there is no terminal.
    """
    if not can_ask():
        permitted(paths, allowed)


def can_ask() -> bool:
    """Return whether a user at a terminal can see and answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()
