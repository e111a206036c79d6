"""`retouch rule watch`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch._lib.disk import write_files
from retouch._lib.locks import locked
from retouch.commands import Verb, as_json_option, counted, print_json, printable
from retouch.errors import BadInput, FolderBusy
from retouch.recipes.rule.commands.apply import share_of
from retouch.recipes.rule.commands.edit import read_one_rule
from retouch.recipes.rule.commands.paths import given_paths

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from retouch.recipes.rule.drift import Drift, WatchState

MOST_SHOWN = 10
LOCK_LIMIT_S = 60.0


@click.command(cls=Verb)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...|DIR|@FILE|-")
@click.option(
    "--rule", required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The file of the rule."
)
@click.option(
    "--state", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The file that remembers the paths."
)
@click.option("--max-unmatched", metavar="NUMBER|SHARE%", default="0", help="How many new paths may match no rule.")
@click.option("--max-broken", metavar="NUMBER|SHARE%", default="0", help="How many new paths may lack a field.")
@click.option("--max-new-values", type=click.IntRange(0), help="How many values may be new. Default: any number.")
@click.option("--accept", is_flag=True, help="Remember the paths and values although a limit is exceeded.")
@as_json_option
@click.pass_context
def command(  # noqa: PLR0913 - one parameter per option
    ctx: click.Context,
    /,
    *,
    paths: tuple[str, ...],
    rule: Path,
    state: Path,
    max_unmatched: str,
    max_broken: str,
    max_new_values: int | None,
    accept: bool,
    as_json: bool,
) -> None:
    """Report how new paths differ from what a rule took before.

    \b
      retouch rule watch @listing.txt --rule rules/mission.yaml --state mission.state.json
      retouch rule watch @paths.txt --rule rule.yaml --state seen.json --accept

    Only paths that the state does not know are read. Reported are the paths that the rule does not match, by shape,
    with a proposed extension of the rule; fields that cannot be taken, also optional ones whose text cannot be read;
    and values that were never seen, of fields with at most 200 different values. If the rule changes, all paths are
    new.

    The exit status is 1 if a limit is exceeded. Then the state stays as it was, so that the next run reports the same,
    unless --accept is given. The state is written after the report: if that cannot be printed, the next run reports the
    same. Runs with the same state wait for each other. An empty listing, and a damaged or foreign state, are errors.

    With --json: {"new", "counts", "unmatched", "broken", "values", "extension", "exceeded", "recorded"}.
    """
    limits = share_of(max_unmatched, "--max-unmatched"), share_of(max_broken, "--max-broken")
    listed = _listed(paths)
    with _only_writer(state):
        drift = _drift(listed, rule, state)
        exceeded = _exceeded(drift, *limits, max_new_values)
        _print(drift, exceeded, recorded=accept or not exceeded, as_json=as_json)
        if accept or not exceeded:
            write_files(state.parent, {state.name: json.dumps(drift.after.as_json()) + "\n"})
    if exceeded and not accept:
        ctx.exit(1)


def _drift(listed: list[str], rule: Path, state: Path) -> Drift:
    from retouch.recipes.rule.drift import drift_of

    return drift_of(read_one_rule(rule), listed, _read(state))


def _listed(paths: tuple[str, ...]) -> list[str]:
    listed = [given.path for given in given_paths(paths, root=None)]
    if not listed:
        hint = "Check the command that writes the listing: an empty one shows nothing."
        raise BadInput("there are no paths to compare", hint=hint)
    return listed


def _only_writer(state: Path) -> AbstractContextManager[None]:
    """Lock a state, so that two runs cannot forget what the other one recorded."""
    state.parent.mkdir(parents=True, exist_ok=True)
    hint = "Wait for it to end, or give --state another file."
    busy = FolderBusy(f"another run of 'retouch rule watch' uses {str(state)!r}", hint=hint)
    return locked(state.with_name(f"{state.name}.lock"), busy, wait_s=LOCK_LIMIT_S)


def _read(file: Path) -> WatchState:
    from retouch.recipes.rule.drift import WatchState

    if not file.exists():
        return WatchState()
    try:
        data = json.loads(file.read_text(encoding="utf-8", errors="surrogateescape"))
    except ValueError as error:
        raise BadInput(f"{str(file)!r} is no JSON: {error}", hint="Give --state another file.") from error
    return WatchState.from_json(data)


def _exceeded(drift: Drift, unmatched: float, broken: float, new_values: int | None) -> list[str]:
    """Return the names of the limits that are exceeded."""
    total = sum(count for name, count in drift.counts.items() if name != "noise")
    found: list[str] = []
    for name, count, most in (
        ("unmatched", drift.counts.get("UNMATCHED", 0), unmatched),
        ("broken", drift.broken_paths, broken),
    ):
        if count > (most * total if isinstance(most, float) else most):
            found.append(name)
    if new_values is not None and sum(map(len, drift.values.values())) > new_values:
        found.append("new values")
    return found


def _print(drift: Drift, exceeded: list[str], *, recorded: bool, as_json: bool) -> None:
    if as_json:
        print_json({**drift.as_json(), "exceeded": exceeded, "recorded": recorded})
    else:
        _print_lines(drift, exceeded, recorded=recorded)
    sys.stdout.flush()  # what is recorded is not reported again: so it must have been


def _print_lines(drift: Drift, exceeded: list[str], *, recorded: bool) -> None:
    new = sum(drift.counts.values())
    counts = ", ".join(f"{count:,} {name.lower()}" for name, count in sorted(drift.counts.items()))
    click.echo(f"{counted(new, 'new path')}{f': {counts}' if counts else ''}")
    for one in drift.unmatched[:MOST_SHOWN]:
        click.echo(printable(f"  not matched: {one.count:,} of {one.shape}, for example {one.example}: {one.why}"))
    for name, (count, path) in list(drift.broken.items())[:MOST_SHOWN]:
        click.echo(printable(f"  broken: {name} on {counted(count, 'path')}, for example {path}"))
    for name, found in drift.values.items():
        click.echo(printable(f"  new values of {name}: {', '.join(found[:MOST_SHOWN])}"))
    if drift.extension:
        click.echo(printable(drift.extension))
    if exceeded:
        after = "recorded" if recorded else "nothing was recorded; change the rule, or give --accept"
        click.echo(f"exceeded: {', '.join(exceeded)}; {after}", err=True)
