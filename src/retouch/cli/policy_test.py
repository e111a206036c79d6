"""`retouch policy test`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.cli.failure import printable
from retouch.cli.options import as_json_option
from retouch.cli.output import print_json, print_table
from retouch.cli.policy_inputs import common_option, home_option, load_policy, load_scenarios, policy_argument
from retouch.cli.verb import Verb

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.recipes.policy import Execution, Policy, Scenario


@click.command(cls=Verb)
@policy_argument
@click.argument("scenarios", required=False, type=click.Path(path_type=Path))
@common_option
@home_option
@as_json_option
def command(policy: Path, scenarios: Path | None, *, common: Path | None, home: str | None, as_json: bool) -> int:
    """Execute every scenario on a policy. Exit with 1 when one is decided otherwise than expected, or two contradict.

    SCENARIOS is a file; without it those beside the policy are taken (scenarios.json or test-scenarios.json).

    With --json: {"passed", "scenarios", "failed", "executions": [{"id", "description", "expected", "decision", "rule",
    "passed"}], "rules": [{"rule", "then", "scenarios", "failed"}], "contradictions": [[id, id]]}.
    """
    from retouch.recipes.policy import contradictions, execute

    loaded = load_policy(policy, common=common, home=home)
    found = load_scenarios(scenarios, policy=policy, needed=True)
    executions = execute(loaded, found)
    clashes = contradictions(found)
    failed = [one for one in executions if not one.passed]
    rows = rule_rows(loaded, executions)
    if as_json:
        print_json(
            {
                "passed": not failed and not clashes,
                "scenarios": len(executions),
                "failed": len(failed),
                "executions": [one.as_json() for one in executions],
                "rules": [dict(zip(("rule", "then", "scenarios", "failed"), row, strict=True)) for row in rows],
                "contradictions": [[one.id, two.id] for one, two in clashes],
            }
        )
    else:
        print_table(("rule", "decides", "scenarios", "failed"), rows)
        _print_failures(failed, clashes)
        click.echo(f"{len(executions) - len(failed):,} of {len(executions):,} scenarios pass", err=True)
    return 1 if failed or clashes else 0


def rule_rows(policy: Policy, executions: Sequence[Execution]) -> list[tuple[str, str, int, int]]:
    """Return per rule of the policy, then per other answer: its name, what it decides, scenarios, failed ones."""
    then = {rule.name: rule.then for rule in policy.rules}
    names = dict.fromkeys((*then, *(one.rule for one in executions)))
    rows: list[tuple[str, str, int, int]] = []
    for name in names:
        own = [one for one in executions if one.rule == name]
        decides = then.get(name) or own[0].decision
        rows.append((name, decides, len(own), sum(not one.passed for one in own)))
    return rows


def _print_failures(failed: Iterable[Execution], clashes: Iterable[tuple[Scenario, Scenario]]) -> None:
    for one in failed:
        scenario = one.scenario
        words = (
            f" {scenario.id} {scenario.description!r}: expected {scenario.expected}, is {one.decision} by {one.rule}"
        )
        click.secho("failed", fg="red", nl=False)
        click.echo(printable(words))
    for one, two in clashes:
        click.secho("contradiction", fg="red", nl=False)
        click.echo(
            printable(f" {one.id}: {one.description!r} expects {one.expected}, {two.description!r} {two.expected}")
        )
