"""`retouch policy analyse`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.cli.failure import printable
from retouch.cli.options import as_json_option
from retouch.cli.output import print_json, print_table
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
    from collections.abc import Sequence

    from retouch.recipes.policy import Complaint, Coverage


@click.command(cls=Verb)
@policy_argument
@scenarios_option
@click.option(
    "--source",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The text that every rule must quote in its principle.",
)
@common_option
@home_option
@as_json_option
def command(
    policy: Path,
    *,
    scenarios: Path | None,
    source: Path | None,
    common: Path | None,
    home: str | None,
    as_json: bool,
) -> int:
    """Find rules that are wrong, dead or reached by no scenario. Exit with 1 when something is wrong.

    What no scenario reaches is shown and changes no exit status. The analysis is exact for calls with one value per
    argument; it looks at no symbolic links.

    With --json: {"complaints": [{"code", "subject", "severity", "message", "fix"}], "coverage": {"rulesNotAnswering",
    "rulesNotReported", "regions", "regionsReached", "gaps": [{"server", "tool", "decision", "rule", "regions",
    "example"}], ...}}; coverage is null without scenarios.
    """
    from retouch.recipes.policy import measure_coverage, validate_policy

    loaded = load_policy(policy, common=common, home=home)
    text = None if source is None else source.read_text(encoding="utf-8")
    found = load_scenarios(scenarios, policy=policy, needed=False)
    complaints = validate_policy(loaded, source_text=text)
    reached = measure_coverage(loaded, found) if found else None
    if as_json:
        words = [one.as_json() for one in complaints]
        print_json({"complaints": words, "coverage": None if reached is None else reached.as_json()})
    else:
        _print_complaints(complaints)
        if reached is not None:
            _print_coverage(reached)
    return 1 if any(one.severity == "error" for one in complaints) else 0


def _print_complaints(complaints: Sequence[Complaint]) -> None:
    for one in sorted(complaints, key=lambda one: one.severity != "error"):
        click.secho(one.severity, fg="red" if one.severity == "error" else "yellow", nl=False)
        click.echo(printable(f" [{one.code}] {one.message}"))
        click.echo(f"    next: {printable(one.fix)}")
    if not complaints:
        click.echo("nothing is wrong with the rules", err=True)


def _print_coverage(found: Coverage) -> None:
    click.echo(f"{found.regions_reached:,} of {found.regions:,} regions are reached by a scenario")
    for name in found.unanswering:
        click.echo(printable(f"no scenario reaches rule {name!r}"))
    rows = [
        (f"{gap.server}/{gap.tool}", gap.decision, gap.rule, gap.regions, json.dumps(dict(gap.example.arguments)))
        for gap in found.gaps
    ]
    if rows:
        print_table(("not reached", "decides", "rule", "regions", "for example"), rows)
