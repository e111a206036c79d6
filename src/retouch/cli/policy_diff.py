"""`retouch policy diff`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.cli.failure import printable
from retouch.cli.options import as_json_option
from retouch.cli.output import print_json
from retouch.cli.policy_inputs import common_option, home_option, load_policy
from retouch.cli.verb import Verb

if TYPE_CHECKING:
    from retouch.recipes.policy import Change, Difference


@click.command(cls=Verb)
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option("--all", "every", is_flag=True, help="Show every call, not only the smallest of each group.")
@common_option
@home_option
@as_json_option
def command(before: Path, after: Path, *, every: bool, common: Path | None, home: str | None, as_json: bool) -> int:
    """Show the calls that two policies decide differently. The smallest come first, grouped by the rules that decide.

    Exit with 0 when there are none, with 1 when there are. One call stands for all that both policies treat alike; +
    marks calls that became less strict, - those that became stricter.

    With --json: {"calls", "changes": [{"request", "before", "after", "loosens"}], "groups": [{"before", "after",
    "calls", "example"}]}, where calls is how many were compared.
    """
    from retouch.recipes.policy import compare_policies

    first, second = (load_policy(path, common=common, home=home) for path in (before, after))
    found = compare_policies(first, second)
    if as_json:
        print_json(found.as_json())
    else:
        _print(found, every=every)
    return 1 if found.changes else 0


def _print(found: Difference, *, every: bool) -> None:
    for (old, new), changes in found.by_rules.items():
        click.secho(printable(f"{old} -> {new}: {len(changes):,} kinds of calls"), bold=True)
        for one in changes if every else changes[:1]:
            click.secho(f"  {'+' if one.loosens else '-'} ", fg="red" if one.loosens else "green", nl=False)
            click.echo(printable(_words(one)))
    click.echo(f"{len(found.changes):,} of {found.calls:,} kinds of calls are decided differently", err=True)


def _words(one: Change) -> str:
    call = f"{one.request.server}/{one.request.tool} {json.dumps(dict(one.request.arguments))}"
    return f"{call}: {one.before.decision} -> {one.after.decision}"
