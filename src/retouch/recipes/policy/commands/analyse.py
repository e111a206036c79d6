"""`retouch policy analyse`, `diff` and `explain`: the effect of a policy's rules on all calls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.commands import Option, Verb, as_json_option, counted, print_json, print_table, printable
from retouch.recipes.policy.commands.inputs import (
    common_option,
    home_option,
    load_policy,
    load_scenarios,
    policy_argument,
    read_utf8,
    scenarios_option,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy import Change, Complaint, Coverage, Difference, Explanation


@click.command(cls=Verb)
@policy_argument
@scenarios_option
@click.option(
    "--text",
    cls=Option,
    old=["--source"],
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The text that every rule must quote in its principle.",
)
@common_option
@home_option
@as_json_option
def analyse(
    policy: Path,
    *,
    scenarios: Path | None,
    text: Path | None,
    common: Path | None,
    home: str | None,
    as_json: bool,
) -> int:
    """Find rules that are wrong, dead or not covered by a scenario. Exit with 1 if there are errors.

    \b
      retouch policy analyse policy
      retouch policy analyse policy --json

    Gaps in coverage are shown but do not change the exit status. The analysis is exact for calls with one value per
    argument. It does not follow symbolic links.

    With --json: {"complaints": [{"code", "subject", "severity", "message", "fix"}], "coverage": {"rulesNotAnswering",
    "rulesNotReported", "regions", "regionsReached", "gaps": [{"server", "tool", "decision", "rule", "regions",
    "example"}], ...}}. If there are no scenarios, coverage is null.
    """
    from retouch.recipes.policy import measure_coverage, validate_policy

    loaded = load_policy(policy, common=common, home=home)
    quoted = None if text is None else read_utf8(text)
    found = load_scenarios(scenarios, policy=policy, needed=False)
    complaints = validate_policy(loaded, source_text=quoted)
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
        click.echo("no issues in the rules")


def _print_coverage(found: Coverage) -> None:
    click.echo(f"scenarios cover {found.regions_reached:,} of {found.regions:,} regions")
    for name in found.unanswering:
        click.echo(printable(f"no scenario reaches rule {name!r}"))
    rows = [
        (f"{gap.server}/{gap.tool}", gap.decision, gap.rule, gap.regions, gap.example.words.partition(" ")[2])
        for gap in found.gaps
    ]
    if rows:
        print_table(("not covered", "decides", "rule", "regions", "for example"), rows)


@click.command(cls=Verb)
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@click.option("--all", "every", is_flag=True, help="Show every call, not only the smallest of each group.")
@common_option
@home_option
@as_json_option
def diff(before: Path, after: Path, *, every: bool, common: Path | None, home: str | None, as_json: bool) -> int:
    """Show the calls that two policies decide differently, the smallest first, grouped by deciding rules.

    \b
      retouch policy diff before after
      retouch policy diff before after --json

    Exit with 0 if there are none, otherwise with 1. One call represents all calls that both policies treat alike. +
    marks calls that became less strict, - those that became stricter.

    With --json: {"calls", "changes": [{"request", "before", "after", "loosens"}], "groups": [{"before", "after",
    "calls", "example"}]}, where calls is the number of calls compared.
    """
    from retouch.recipes.policy import compare_policies

    first, second = (load_policy(path, common=common, home=home) for path in (before, after))
    found = compare_policies(first, second)
    if as_json:
        print_json(found.as_json())
    else:
        _print_difference(found, every=every)
    return 1 if found.changes else 0


def _print_difference(found: Difference, *, every: bool) -> None:
    for (old, new), changes in found.by_rules.items():
        click.secho(printable(f"{old} -> {new}: {counted(len(changes), 'kind')} of calls"), bold=True)
        for one in changes if every else changes[:1]:
            click.secho(f"  {'+' if one.loosens else '-'} ", fg="red" if one.loosens else "green", nl=False)
            click.echo(printable(_change_in_words(one)))
    click.echo(f"{len(found.changes):,} of {found.calls:,} kinds of calls are decided differently")


def _change_in_words(one: Change) -> str:
    return f"{one.request.words}: {one.before.decision} -> {one.after.decision}"


@click.command(cls=Verb)
@policy_argument
@click.argument("rules", nargs=-1, metavar="[RULE]...")
@scenarios_option
@common_option
@home_option
@as_json_option
def explain(
    policy: Path,
    rules: tuple[str, ...],
    *,
    scenarios: Path | None,
    common: Path | None,
    home: str | None,
    as_json: bool,
) -> int:
    """Explain rules by their clause and by example calls. Without names all rules are explained.

    \b
      retouch policy explain policy
      retouch policy explain policy filesystem-never-delete-anything-outside-the-sandbox --json

    With --json: {"rules": [{"rule", "then", "description", "principle", "reason", "condition", "examples", "helps",
    "scenarios"}]}. In helps are calls of which the rule decides a part and another rule decides the call.
    """
    from retouch.recipes.policy import explain as explained

    loaded = load_policy(policy, common=common, home=home)
    found = explained(loaded, rules, scenarios=load_scenarios(scenarios, policy=policy, needed=False))
    if as_json:
        print_json({"rules": [one.as_json() for one in found]})
    else:
        for one in found:
            _print_explanation(one)
    return 0


def _print_explanation(one: Explanation) -> None:
    rule = one.rule
    click.secho(printable(f"{rule.name}: {rule.then}"), bold=True)
    for name, text in (("clause", rule.principle), ("when", one.condition), ("because", rule.reason)):
        if text:
            click.echo(printable(f"  {name}: {text}"))
    for name, calls in (("decides", one.examples), ("helps with", one.helps)):
        for call in calls:
            click.echo(printable(f"  {name}: {call.words}"))
    if not one.examples and not one.helps:
        click.echo("  it answers for no call")
    for scenario in one.scenarios:
        click.echo(printable(f"  reached by: {scenario.id} {scenario.description}"))
