"""How a command ends: the result of a run in words or JSON, its exit status, and what is kept after Ctrl-C."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from retouch.cli.failure import Interrupted, printable
from retouch.cli.output import print_issues, print_json
from retouch.errors import RetouchError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from retouch.engine.overview import RunResult

COLOURS = {"clean": "green", "issues": "yellow", "incomplete": "yellow", "exhausted": "red"}


def show_result(
    result: RunResult, *, as_json: bool, by_unit: bool = False, more: Mapping[str, Sequence[str]] | None = None
) -> int:
    """Print what a run came to, and `more` lists of a job's own, and return the exit status."""
    lists = {name: list(items) for name, items in (more or {}).items()}
    if as_json:
        print_json({**result.as_json(), **lists})
        return result.exit_status
    print_issues(result.issues, by_unit=by_unit)
    for note in result.notes:
        click.echo(f"note: {printable(note)}")
    click.secho(result.status, fg=COLOURS[result.status], bold=True, nl=False)
    click.echo(f"  {printable(str(result.run))}")
    usage = result.usage
    states = Counter(state for _, state in result.states)
    rows = {
        "files": ", ".join(result.files),
        "units": ", ".join(f"{count} {state}" for state, count in states.items()),
        "calls": f"{result.calls:,}",
        "tokens": f"{usage.tokens:,} ({usage.input_tokens:,} in, of them {usage.cached_tokens:,} cached; "
        f"{usage.output_tokens:,} out)",
        **{name: ", ".join(items) for name, items in lists.items()},
    }
    for name, text in rows.items():
        if text:
            click.echo(f"  {name:7} {printable(text)}")
    _next_step(result)
    return result.exit_status


def _next_step(result: RunResult) -> None:
    folder = printable(quote(str(result.run)))
    by_hand = (
        f"retouch regenerate {folder} --from-errors --correction TEXT (or --model SPEC), "
        f"or edit the file and: retouch adopt {folder}"
    )
    disputed = result.status == "issues" and any(state == "disputed" for _, state in result.states)
    steps = {
        "issues": by_hand if disputed else f"retouch regenerate {folder} --from-errors",
        "incomplete": f"retouch resume {folder}: only what is missing is asked; or retouch show {folder}",
        "exhausted": by_hand,
    }
    if disputed:
        click.echo("  why     the same answer came twice, and a check refuses it: asking alike again will not help")
    if result.status in steps:
        click.echo(f"  next    {steps[result.status]}")


@contextmanager
def keeping(folder: Path | str, *, hint: str = "Give the same command again.") -> Generator[None]:
    """Turn Ctrl-C into a sentence: what is kept in `folder`, and how to go on.

    Raises:
        Interrupted: the person stopped the command.
    """
    try:
        yield
    except KeyboardInterrupt:
        message = f"Stopped. Every answer that arrived is kept in {str(folder)!r}."
        if _batch_goes_on(Path(folder)):
            message += " The batch goes on at the provider."
            hint = f"'retouch resume {folder}' collects what it answers."
        raise Interrupted(message, hint=hint) from None


def _batch_goes_on(folder: Path) -> bool:
    from retouch.engine.batches import pending_in_batches
    from retouch.engine.history import read_history
    from retouch.engine.ledger import LEDGER

    with suppress(RetouchError):
        return bool(pending_in_batches(read_history(folder / LEDGER)))
    return False
