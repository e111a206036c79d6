"""`retouch policy check` and `retouch policy test`: decide about one call, or execute all scenarios."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from retouch.commands import Verb, as_json_option, counted, print_json, print_table, printable, with_examples
from retouch.recipes.policy.commands.inputs import (
    at_present,
    common_option,
    home_option,
    load_call,
    load_policy,
    load_scenarios,
    policy_argument,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.recipes.policy import Execution, Policy, Scenario
    from retouch.recipes.policy.language.values import Outcome
    from retouch.recipes.policy.scenarios.scenario import Expectation

OUTCOMES = ("allow", "escalate", "deny")
COLOURS = {"allow": "green", "escalate": "yellow", "deny": "red"}


@click.command(cls=Verb)
@policy_argument
@click.argument("request_file", metavar="REQUEST", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--expect", type=click.Choice([*OUTCOMES, "not-allow"]), help="Exit with 1 if the decision is another one."
)
@click.option(
    "--why-not", "wanted", type=click.Choice(OUTCOMES), help="Explain how the call must change to get this decision."
)
@common_option
@home_option
@as_json_option
@with_examples(
    "retouch policy check policy call.json",
    "retouch policy check policy call.json --json",
)
def check(
    policy: Path,
    request_file: Path,
    *,
    expect: str | None,
    wanted: str | None,
    common: Path | None,
    home: str | None,
    as_json: bool,
) -> int:
    """Decide about one call, and explain the decision.

    REQUEST is a JSON file, or - for stdin: {"serverName", "toolName", "arguments"}. The exit status is 0 whatever the
    decision is, unless --expect names another one. Symbolic links are followed. For rules about the time or about
    earlier calls, add "at" (default: now) and "earlier": [{"serverName", "toolName", "arguments", "at", "times"}].
    A REQUEST that is not a call is bad input (exit status 2). A guard denies it.

    With --json: {"decision", "rule", "reason", "escalatedRoles", "arguments" (as a tool should get them), "trace":
    [{"role", "values", "decision", "rule", "why", "notAnswering": [{"rule", "why"}]}]}, and "whyNot" with --why-not.
    """
    from retouch.recipes.policy import evaluate, meets, why_not
    from retouch.recipes.policy.deciding.evaluation import ON_DISK

    loaded = load_policy(policy, common=common, home=home)
    call = at_present(loaded, load_call(request_file))
    found = evaluate(loaded, call)
    answer = None if wanted is None else why_not(loaded, call, cast("Outcome", wanted), surroundings=ON_DISK)
    if as_json:
        print_json(found.as_json(trace=True) | ({} if answer is None else {"whyNot": answer.as_json()}))
    else:
        click.secho(found.decision, fg=COLOURS[found.decision], bold=True, nl=False)
        click.echo(printable(f" by {found.rule}: {found.reason}"))
        if found.escalated_roles:
            click.echo(f"the user is asked about: {', '.join(found.escalated_roles)}")
        for line in found.trace.text.splitlines():
            click.echo(f"  {printable(line)}")
        if answer is not None:
            click.echo(printable(answer.words))
    return 0 if expect is None or meets(cast("Expectation", expect), found.decision) else 1


@click.command(cls=Verb)
@policy_argument
@click.argument("scenarios", required=False, type=click.Path(path_type=Path))
@click.option(
    "--from-log",
    "log",
    type=click.Path(path_type=Path),
    metavar="LOG",
    help="Decide about the calls of a guard's audit, or of a file with one call per line, instead of scenarios.",
)
@common_option
@home_option
@as_json_option
@with_examples(
    "retouch policy test policy",
    "retouch policy test policy scenarios.json",
)
def test(
    policy: Path, scenarios: Path | None, *, log: Path | None, common: Path | None, home: str | None, as_json: bool
) -> int:
    """Execute every scenario on a policy. Exit with 1 if one gets an unexpected decision, or if two contradict.

    SCENARIOS is a file. By default the file next to the policy is used (scenarios.json or test-scenarios.json).

    --from-log shows what the policy would have decided about past calls. Exit with 1 if the log has other decisions.

    With --json: {"passed", "scenarios", "failed", "executions": [{"id", "description", "expected", "decision", "rule",
    "passed"}], "rules": [{"rule", "then", "scenarios", "failed"}], "contradictions": [[id, id]]}. With --from-log:
    {"calls", "changed", "decisions": {"allow", "escalate", "deny"}, "replayed": [{"line", "request", "was",
    "decision", "rule", "changed"}]}.
    """
    from retouch.recipes.policy import contradictions, execute

    loaded = load_policy(policy, common=common, home=home)
    if log is not None:
        if scenarios is not None:
            raise click.UsageError("--from-log and SCENARIOS cannot be used together")
        return _test_log(loaded, log, as_json=as_json)
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
        _print_executions(rows, executions, failed, clashes)
    return 1 if failed or clashes else 0


def _print_executions(
    rows: Sequence[tuple[str, str, int, int]],
    executions: Sequence[Execution],
    failed: Sequence[Execution],
    clashes: Sequence[tuple[Scenario, Scenario]],
) -> None:
    print_table(("rule", "decides", "scenarios", "failed"), rows)
    _print_failures(failed, clashes)
    click.echo(f"{len(executions) - len(failed):,} of {counted(len(executions), 'scenario')} pass")


def _test_log(policy: Policy, log: Path, *, as_json: bool) -> int:
    from retouch.recipes.policy.scenarios.logs import read_log, replay_log

    found = replay_log(policy, read_log(log))
    changed = [one for one in found if one.changed]
    counts = Counter(one.now.decision for one in found)
    if as_json:
        decisions = {name: counts[name] for name in OUTCOMES}
        rows = [one.as_json() for one in found]
        print_json({"calls": len(found), "changed": len(changed), "decisions": decisions, "replayed": rows})
        return 1 if changed else 0
    for one in changed or found:
        call, was = one.past.request, f" (was {one.past.was})" if one.changed else ""
        click.secho(f"{one.now.decision:9}", fg=COLOURS[one.now.decision], nl=False)
        arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
        click.echo(printable(f"line {one.past.line}: {call.server}/{call.tool} {arguments} by {one.now.rule}{was}"))
    shown = ", ".join(f"{counts[name]:,} {name}" for name in OUTCOMES)
    click.echo(f"{counted(len(found), 'call')}: {shown}; {len(changed):,} decided differently than in the log")
    return 1 if changed else 0


def rule_rows(policy: Policy, executions: Sequence[Execution]) -> list[tuple[str, str, int, int]]:
    """Return per rule of the policy, then per built-in decision: name, outcome, number of scenarios, number of
    failures.
    """
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
            f" {scenario.id} {scenario.description!r}: expected {scenario.expected}, got {one.decision} by {one.rule}"
        )
        click.secho("failed", fg="red", nl=False)
        click.echo(printable(words))
    for one, two in clashes:
        click.secho("contradiction", fg="red", nl=False)
        click.echo(
            printable(f" {one.id}: {one.description!r} expects {one.expected}, {two.description!r} {two.expected}")
        )
