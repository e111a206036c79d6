"""The end of a command: prints the result as text or JSON, sets the exit status, and handles Ctrl-C."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from shlex import join, quote
from typing import TYPE_CHECKING

import click

from retouch.cli.failure import Interrupted, printable
from retouch.cli.options import STRICT
from retouch.cli.output import print_issues, print_json
from retouch.errors import RetouchError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from retouch.engine.overview import RunResult
    from retouch.engine.tiers import TierSummary
    from retouch.engine.types import Issue

COLOURS = {"verified": "green", "unverified": "yellow", "issues": "yellow", "incomplete": "yellow", "exhausted": "red"}


def show_result(
    result: RunResult,
    *,
    as_json: bool,
    by_unit: bool = False,
    more: Mapping[str, Sequence[str]] | None = None,
    print_findings: Callable[[Sequence[Issue]], None] | None = None,
) -> int:
    """Print the result of a run, and `more` lists of the recipe's own, and return the exit status.

    The first line of standard output is the status, with its reason if it is `unverified`. With `--strict` an
    `unverified` run makes the exit status 1. The last lines are the cost and the next command. `print_findings` prints
    the issues in another form.
    """
    lists = {name: list(items) for name, items in (more or {}).items()}
    exit_status = 1 if result.status == "unverified" and is_strict() else result.exit_status
    if as_json:
        print_json({**result.as_json(), **lists})
        return exit_status
    print_status(result.status, result.reason, str(result.run))
    usage = result.usage
    states = Counter(state for _, state in result.states)
    rows = {
        "files": ", ".join(result.files),
        "units": ", ".join(f"{count} {state}" for state, count in states.items()),
        "tiers": tiers_in_words(result.tiers),
        "calls": f"{result.calls:,}",
        "tokens": f"{usage.tokens:,} ({usage.input_tokens:,} in, of them {usage.cached_tokens:,} cached; "
        f"{usage.output_tokens:,} out)",
        **{name: ", ".join(items) for name, items in lists.items()},
    }
    for name, text in rows.items():
        if text:
            click.echo(f"  {name:7} {printable(text)}")
    (print_findings or partial(print_issues, by_unit=by_unit))(result.issues)
    for note in (result.lost_ledger, *result.notes) if result.lost_ledger else result.notes:
        click.echo(f"note: {printable(note)}")
    _explain_next(result)
    print_cost_and_next(usage.price, next_of(result))
    return exit_status


def print_status(status: str, reason: str, run: str, more: str = "") -> None:
    """Print the first line of a result, for example `verified, 2 clauses waived  DIR` or `unverified: REASON  DIR`."""
    click.secho(status, fg=COLOURS[status], bold=True, nl=False)
    between = ", " if status == "verified" else ": "
    click.echo(f"{between if reason else ''}{printable(reason)}  {printable(run)}{more}")


def tiers_in_words(tiers: Sequence[TierSummary]) -> str:
    """Return how many units passed each tier, failed it, or were not run, for example "1 syntax: 3 passed"."""
    return "; ".join(_tier_in_words(tier) for tier in tiers) or "none"


def _tier_in_words(tier: TierSummary) -> str:
    counts = {"passed": tier.passed, "failed": tier.failed, "not run": tier.not_run}
    return f"{tier.tier} {tier.name}: " + ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def is_strict() -> bool:
    """Return whether `--strict` (or its setting) makes an unverified run exit 1."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(STRICT))


def print_cost_and_next(cost: str, step: str) -> None:
    """Print the last two lines of a summary: what the work cost, and the one command to run next."""
    click.echo(f"  cost    {cost}")
    if step:
        click.echo(f"  next    {printable(step)}")


def this_command() -> str:
    """Return the command that was given, ready to be given again."""
    return join(["retouch", *click.get_current_context().find_root().obj])


def next_of(result: RunResult) -> str:
    """Return the one command to run next after a verb."""
    return next_command(result.run, result.status, result.tiers, result.issues, result.states)


def next_command(
    run: Path | str,
    status: str,
    tiers: Sequence[TierSummary],
    issues: Sequence[Issue],
    states: Sequence[tuple[str, str]],
) -> str:
    """Return the one command to run next, for a run with this status. TEXT in it is for the user to replace."""
    folder = quote(str(run))
    codes = {one.code for one in issues}
    if codes & {"FILE_MISSING", "FILE_CHANGED"}:  # answers cannot be inserted into such a file
        return f"retouch assemble {folder} --force"
    if status in ("issues", "exhausted") and "MANUAL_EDIT" in codes:
        return f"retouch adopt {folder}"
    if status == "exhausted" or (status == "issues" and any(state == "disputed" for _, state in states)):
        return f"retouch regenerate {folder} --from-errors --correction TEXT"
    if status == "unverified":
        steps = (tier.next for tier in tiers if tier.not_run and tier.next.startswith("retouch "))
        return next(steps, f"retouch report {folder}")
    steps = {"issues": "regenerate {} --from-errors", "incomplete": "resume {}", "verified": "report {}"}
    return f"retouch {steps[status].format(folder)}"


def _explain_next(result: RunResult) -> None:
    """Print why the next command is what it is, if that is not plain, and what else may be done."""
    folder = printable(quote(str(result.run)))
    codes = {one.code for one in result.issues}
    if codes & {"FILE_MISSING", "FILE_CHANGED"} or result.status not in ("issues", "exhausted"):
        return
    if "MANUAL_EDIT" in codes:
        click.echo("  why     a file was edited since it was written: keep the edit, or overwrite it")
        click.echo(f"  or      retouch regenerate {folder} --from-errors --force")
    elif result.status == "exhausted" or any(state == "disputed" for _, state in result.states):
        if result.status == "issues":
            click.echo("  why     the same answer came twice, and a check refuses it: asking alike again will not help")
        click.echo(f"  or      use another model (--model SPEC), or edit the file and: retouch adopt {folder}")


@contextmanager
def keeping(folder: Path | str, *, hint: str = "Give the same command again.") -> Generator[None]:
    """Turn Ctrl-C into a message with the data kept in `folder` and the way to continue.

    Raises:
        Interrupted: the user stopped the command.
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
