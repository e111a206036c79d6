"""`retouch policy explain`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from retouch.cli.failure import printable
from retouch.cli.options import as_json_option
from retouch.cli.output import print_json
from retouch.cli.policy_inputs import (
    common_option,
    home_option,
    load_policy,
    load_scenarios,
    policy_argument,
    scenarios_option,
)
from retouch.cli.verb import Verb

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.policy import Explanation


@click.command(cls=Verb)
@policy_argument
@click.argument("rules", nargs=-1, metavar="[RULE]...")
@scenarios_option
@common_option
@home_option
@as_json_option
def command(
    policy: Path,
    rules: tuple[str, ...],
    *,
    scenarios: Path | None,
    common: Path | None,
    home: str | None,
    as_json: bool,
) -> int:
    """Explain rules by their clause and by calls that they decide. Without names all rules are explained.

    With --json: {"rules": [{"rule", "then", "description", "principle", "reason", "condition", "examples", "helps",
    "scenarios"}]}; helps are calls where the rule answers for a part and another one decides.
    """
    from retouch.recipes.policy import explain

    loaded = load_policy(policy, common=common, home=home)
    found = explain(loaded, rules, scenarios=load_scenarios(scenarios, policy=policy, needed=False))
    if as_json:
        print_json({"rules": [one.as_json() for one in found]})
    else:
        for one in found:
            _print(one)
    return 0


def _print(one: Explanation) -> None:
    rule = one.rule
    click.secho(printable(f"{rule.name}: {rule.then}"), bold=True)
    for name, text in (("clause", rule.principle), ("when", one.condition), ("because", rule.reason)):
        if text:
            click.echo(printable(f"  {name}: {text}"))
    for name, calls in (("decides", one.examples), ("helps with", one.helps)):
        for call in calls:
            click.echo(printable(f"  {name}: {call.server}/{call.tool} {json.dumps(dict(call.arguments))}"))
    if not one.examples and not one.helps:
        click.echo("  it answers for no call")
    for scenario in one.scenarios:
        click.echo(printable(f"  reached by: {scenario.id} {scenario.description}"))
