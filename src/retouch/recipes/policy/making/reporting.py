"""The report section of a policy: each rule with its clause, example calls, and scenarios."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from retouch.engine.recipe import CellMark, Section
from retouch.recipes.policy.analysing.explanation import explain
from retouch.recipes.policy.making.assembly import clauses_in, outcomes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch.engine.recipe import Unread
    from retouch.recipes.policy.analysing.explanation import Explanation
    from retouch.recipes.policy.language.values import ToolCall
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.making.judging.ledger import ClauseEntry
    from retouch.recipes.policy.making.judging.server_state import ServerState, Value
    from retouch.recipes.policy.scenarios.scenario import Scenario

MOST_SCENARIOS = 10


def report(job: PolicyJob, values: Mapping[str, Value | Unread]) -> Iterable[Section]:
    """Return a section about the results of the servers, and one section per rule, in order."""
    found = outcomes(job, values)
    rows = [
        (
            one.server,
            "passed" if not one.reason else one.reason,
            str(len(one.state.rules.rules)) if one.state is not None else "",
            str(len(one.state.scenarios)) if one.state is not None else "",
        )
        for one in found
    ]
    yield Section(title="Servers", heads=("server", "result", "rules", "scenarios"), rows=rows)
    calls = {each.id: each for one in found if one.state is not None for each in one.state.scenarios}
    yield Section(
        title="Clauses",
        heads=("clause", "status", "rules and scenarios", "why"),
        rows=[
            (one.clause.text, one.status.replace("_", " "), _enforced_by(one.rules, one.scenarios, calls), _why(one))
            for one in clauses_in(job, found)
        ],
    )
    for one in found:
        if one.state is not None:
            yield from _rules(one.state)


def _why(one: ClauseEntry) -> str:
    return "\n".join((one.why, *(f"It may be meant as: {line}" for line in one.nearest)))


def _enforced_by(rules: Sequence[str], scenarios: Sequence[str], calls: Mapping[str, Scenario]) -> Sequence[CellMark]:
    """Return the rules and scenarios of a clause, one a line, in their two colours: of a scenario, call and result."""
    lines = [
        *(CellMark(name, "rule") for name in rules),
        *(CellMark(_in_words(name, calls), "scenario") for name in scenarios[:MOST_SCENARIOS]),
    ]
    more = len(scenarios) - MOST_SCENARIOS
    found = [part for line in lines for part in (line, CellMark("\n"))]
    return [*found, *([CellMark(f"and {more} more scenarios")] if more > 0 else [])]


def _in_words(name: str, calls: Mapping[str, Scenario]) -> str:
    known = calls.get(name)
    return name if known is None else f"{known.expected}: {_call(known.request)}"


def _rules(state: ServerState) -> Iterator[Section]:
    for one in explain(state.policy, scenarios=state.scenarios):
        yield Section(
            title=f"{state.server}: {one.rule.name}",
            text=f"{one.rule.then}: {one.rule.reason or one.rule.description} ({one.condition})",
            quote=one.rule.principle,
            heads=("call", "what it shows"),
            rows=[*_examples(one), *_scenarios(one)],
        )


def _examples(one: Explanation) -> Iterator[tuple[str, str]]:
    yield from ((_call(call), "example") for call in one.examples)
    yield from ((_call(call), "example that another rule decides") for call in one.helps)


def _scenarios(one: Explanation) -> Iterator[tuple[str, str]]:
    for scenario in one.scenarios[:MOST_SCENARIOS]:
        yield _call(scenario.request), f"{scenario.source} scenario, expects {scenario.expected}"
    if len(one.scenarios) > MOST_SCENARIOS:
        yield "", f"and {len(one.scenarios) - MOST_SCENARIOS} more scenarios"


def _call(request: ToolCall) -> str:
    return f"{request.tool} {json.dumps(dict(request.arguments), ensure_ascii=False)}"
