"""Analyses of tests of what was called before: as exact as trying out all small histories."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retouch.recipes.policy import Policy, Scenario, analyse, compare_policies, evaluate, explain, measure_coverage
from retouch.recipes.policy.analysing.completing import completed
from retouch.recipes.policy.analysing.echo import echo_of
from retouch.recipes.policy.analysing.idle_rules import decided_regions
from retouch.recipes.policy.analysing.states import shown
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.language.values import CallState, EarlierCall, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

NOON = datetime(2026, 11, 23, 12, tzinfo=ZoneInfo("UTC"))
TOOLS: dict[str, Any] = {
    "cordon": {"node": ["none"], "mode": ["none"]},
    "drain": {"node": ["none"]},
    "pay": {"to": ["none"], "amount": ["none"]},
}


def policy(*rules: tuple[str, Any, dict[str, Any]]) -> Policy:
    stored = [
        {"name": f"r{number}", "if": {"server": ["s"], "tool": tool, **when}, "then": then}
        for number, (then, tool, when) in enumerate(rules)
    ]
    tools = [{"toolName": name, "args": args} for name, args in TOOLS.items()]
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": stored, "servers": {}}
    return Policy.of_json(value | {"annotations": {"servers": {"s": {"tools": tools}}}})


def call(tool: str, **arguments: Any) -> ToolCall:
    return ToolCall(server="s", tool=tool, arguments=arguments)


def earlier(minutes: int, tool: str, **arguments: Any) -> EarlierCall:
    return EarlierCall(call=call(tool, **arguments), at=NOON - timedelta(minutes=minutes))


SINGLE = [
    *(earlier(age, "cordon", **given) for age in (1, 61) for given in ({}, {"node": "a"}, {"node": "b"})),
    *(
        earlier(age, "cordon", node=node, mode=mode)
        for age in (1, 61, 60 * 25)
        for node in ("a", "A")
        for mode in ("soft", "hard")
    ),
    *(earlier(age, "drain", **given) for age in (1, 61) for given in ({"node": "a"}, {"node": "b"})),
]
ASKED = [call("drain", node="a"), call("drain"), call("drain", node=["a"])]


def small_histories() -> Iterator[ToolCall]:
    """Yield calls after every history of at most two calls."""
    for one, made in product(ASKED, [(), *((each,) for each in SINGLE), *product(SINGLE, SINGLE)]):
        yield replace(one, state=CallState(at=NOON, earlier=made))


def decision(of: Policy, one: ToolCall) -> str:
    return evaluate(of, one, surroundings=LEXICAL).decision


TESTS = st.fixed_dictionaries(
    {"after": st.sampled_from([["cordon"], ["drain"], ["cordon", "drain"]])},
    optional={"per": st.sampled_from(["hour", "day"]), "same": st.just("node"), "soft": st.just(True)},
)
RULES = st.tuples(
    st.sampled_from(["allow", "escalate", "deny"]),
    st.just("drain"),
    st.fixed_dictionaries({}, optional={"where": st.lists(TESTS, max_size=2), "unless": st.lists(TESTS, max_size=2)}),
)


def usable(rule: tuple[str, str, dict[str, Any]]) -> tuple[str, str, dict[str, Any]]:
    """Return a rule whose tests of `mode` are about tools that have it."""
    then, tool, when = rule
    soft = [{"arg": "mode", "in": ["soft"]}]
    tests = {
        side: [
            {key: value for key, value in one.items() if key != "soft"}
            | ({"where": soft} if "soft" in one and one["after"] == ["cordon"] else {})
            for one in found
        ]
        for side, found in when.items()
        if found
    }
    return then, tool, tests


@settings(max_examples=40, deadline=None)
@given(before=st.lists(RULES, min_size=1, max_size=3), after=st.lists(RULES, min_size=1, max_size=3))
def test_two_policies_differ_exactly_if_some_small_history_tells_them_apart(before: Any, after: Any):
    old, new = policy(*map(usable, before)), policy(*map(usable, after))
    found = compare_policies(old, new)
    for one in found.changes:  # what is shown can be executed
        assert (one.before.decision, one.after.decision) == (decision(old, one.request), decision(new, one.request))
    seen = {(one.before.decision, one.after.decision) for one in found.changes if one.request.tool == "drain"}
    tried = {(decision(old, one), decision(new, one)) for one in small_histories()}
    assert {pair for pair in tried if pair[0] != pair[1]} <= seen


@settings(max_examples=40, deadline=None)
@given(rules=st.lists(RULES, min_size=1, max_size=3))
def test_a_rule_is_dead_only_if_it_answers_after_no_small_history(rules: Any):
    of = policy(*map(usable, rules))
    answering = {name for one in small_histories() for name in evaluate(of, one, surroundings=LEXICAL).discharging}
    assert answering.isdisjoint(analyse(of).dead)
    for one, was in decided_regions(of):
        assert was.decision == decision(of, shown(one))


CORDON: dict[str, Any] = {"after": "cordon", "same": "node"}
MUST = policy(("deny", "drain", {"unless": [CORDON]}), ("allow", "drain", {}))


def test_a_difference_shows_the_earlier_call():
    found = compare_policies(MUST, policy(("allow", "drain", {})))
    assert {("deny", "allow")} == {(one.before.decision, one.after.decision) for one in found.changes}
    looser = compare_policies(
        MUST, policy(("deny", "drain", {"unless": [{"after": "cordon"}]}), ("allow", "drain", {}))
    )
    shows = [one.request for one in looser.changes if one.request.arguments]
    assert shows
    for one in shows:
        assert one.state is not None
        assert ["cordon"] == [each.call.tool for each in one.state.earlier]
        assert one.arguments["node"] not in [each.call.arguments.get("node") for each in one.state.earlier]
        assert 's/drain {"node": "example"} at ' in one.words
        assert " after s/cordon {" in one.words
    assert () == compare_policies(MUST, MUST).changes


def test_a_call_for_another_thing_is_told_apart_from_one_that_may_be_for_the_same():
    of = policy(("allow", "drain", {"where": [{"after": "cordon"}], "unless": [CORDON]}))
    assert "allow" in {was.decision for one, was in decided_regions(of) if one.tool == "drain"}


def test_a_test_in_the_last_hour_is_stricter_than_one_at_any_time():
    hourly = policy(("deny", "drain", {"unless": [{**CORDON, "per": "hour"}]}), ("allow", "drain", {}))
    found = compare_policies(MUST, hourly)
    assert {("allow", "deny")} == {(one.before.decision, one.after.decision) for one in found.changes}
    assert all(one.state is not None and one.state.earlier for one in (each.request for each in found.changes))


def test_a_rule_that_repeats_a_test_has_no_effect():
    again = policy(
        ("deny", "drain", {"unless": [{"after": "cordon"}]}), ("deny", "drain", {"unless": [CORDON]}), *MAY_DRAIN
    )
    assert ("r0",) == analyse(again).ineffective
    never = policy(("deny", "drain", {}), ("allow", "drain", {"where": [CORDON]}))
    assert ("r1",) == analyse(never).dead


MAY_DRAIN: list[tuple[str, Any, dict[str, Any]]] = [("allow", "drain", {})]


def test_coverage_asks_for_a_scenario_with_and_one_without_the_earlier_call():
    gaps = measure_coverage(MUST, []).gaps
    assert {("r0", "deny"), ("r1", "allow")} <= {(one.rule, one.decision) for one in gaps if one.tool == "drain"}
    allowing = next(one.example for one in gaps if one.rule == "r1")
    scenario = Scenario(description="cordoned", request=allowing, expected="allow")
    left = measure_coverage(MUST, [scenario]).gaps
    assert "r1" not in {one.rule for one in left}


def test_a_rule_is_explained_and_echoed_with_what_was_called():
    assert ("ask before drain of s unless cordon was called before with the same node",) == echo_of(
        policy(("escalate", "drain", {"unless": [CORDON]})), ["r0"]
    )
    condition = explain(MUST, ["r0"])[0].condition
    assert "not (cordon was called before with the same node)" in condition


def test_a_counterexample_is_a_call_that_the_schema_accepts():
    schema = {"type": "object", "properties": {"node": {"type": "integer"}}, "required": ["node"]}
    tools = {key: replace(one, input_schema=schema) for key, one in MUST.tools.items()}
    calls = [completed(tools[one.server, one.tool], one) for one, _ in decided_regions(replace(MUST, tools=tools))]
    found = [one for one in calls if one is not None and one.tool == "drain"]
    decisions = {decision(replace(MUST, tools=tools), one) for one in found}
    assert {"allow", "deny"} == decisions


NEW = ("escalate", "pay", {"unless": [{"after": "pay", "same": "to"}]})


def test_a_limit_for_each_value_may_be_above_the_one_for_all():
    each: dict[str, Any] = {"count": "calls", "per": "day", "above": 2, "same": "to"}
    of = policy(
        ("deny", "pay", {"where": [each]}),
        ("escalate", "pay", {"where": [{"count": "calls", "per": "day", "above": 1}]}),
        ("allow", "pay", {}),
    )
    found = [(one, was) for one, was in decided_regions(of) if one.arguments.get("to")]
    assert {"deny", "escalate", "allow"} == {was.decision for _, was in found}
    for one, was in found:
        assert was.decision == decision(of, shown(one))


@pytest.mark.parametrize(
    "limit",
    [{"count": "calls", "per": "day", "above": 2}, {"count": "calls", "per": "day", "above": 2, "same": "to"}],
)
def test_calls_that_are_counted_too_are_shown_as_a_history_that_can_occur(limit: dict[str, Any]):
    of = policy(("deny", "pay", {"where": [limit]}), NEW, ("allow", "pay", {}))
    regions = [(one, was) for one, was in decided_regions(of) if one.tool == "pay"]
    for one, was in regions:
        assert was.decision == decision(of, shown(one))
    reached = {was.decision for one, was in regions if one.arguments.get("to")}
    assert {"deny", "escalate", "allow"} == reached
    assert () == analyse(of).dead


PAID = [earlier(age, "pay", **given) for age in (1, 61, 60 * 25) for given in ({}, {"to": "a"}, {"to": "b"})]
PAY_TESTS = st.one_of(
    st.fixed_dictionaries(
        {"count": st.just("calls"), "per": st.just("day"), "above": st.integers(1, 2)},
        optional={"same": st.just("to")},
    ),
    st.fixed_dictionaries(
        {"after": st.just(["pay"])}, optional={"per": st.sampled_from(["hour", "day"]), "same": st.just("to")}
    ),
)
PAY_RULES = st.tuples(st.sampled_from(["escalate", "deny"]), PAY_TESTS).map(
    lambda pair: (pair[0], "pay", {"where" if "count" in pair[1] else "unless": [pair[1]]})
)


DAILY: dict[str, Any] = {"count": "calls", "per": "day", "above": 1}
HOURLY: dict[str, Any] = {"after": ["pay"], "per": "hour"}


def test_the_calls_of_a_history_are_a_part_of_a_total():
    kinds = [{"after": "cordon", "where": [{"arg": "mode", "in": [number]}]} for number in (1, 2, 3)]
    of = policy(
        *(("deny", "pay", {"unless": [one]}) for one in kinds),
        ("deny", ["pay", "cordon"], {"where": [{**DAILY, "above": 5}]}),
        ("escalate", ["pay", "cordon"], {"where": [{**DAILY, "above": 4}]}),
        ("allow", "pay", {}),
    )
    assert {"r0", "r1", "r2", "r3", "r4", "r5"} == {was.rule for one, was in decided_regions(of) if one.tool == "pay"}


def test_the_calls_of_a_total_may_be_too_old_for_a_test_of_what_was_called():
    of = policy(("deny", "pay", {"where": [{**DAILY, "above": 4}], "unless": [HOURLY]}), ("allow", "pay", {}))
    assert {"deny", "allow"} == {was.decision for one, was in decided_regions(of) if one.tool == "pay"}


@example(before=[("escalate", "pay", {"where": [DAILY]})], after=[("deny", "pay", {"unless": [HOURLY]})])
@example(
    before=[("escalate", "pay", {"where": [DAILY]})],
    after=[("escalate", "pay", {"unless": [{"after": ["pay"]}]}), ("deny", "pay", {"unless": [HOURLY]})],
)
@example(
    before=[("escalate", "pay", {"unless": [{**HOURLY, "same": "to"}]})],
    after=[("deny", "pay", {"where": [{**DAILY, "above": 2, "same": "to"}]}), ("escalate", "pay", {"where": [DAILY]})],
)
@example(  # an earlier payment to nobody may have been one to the same person
    before=[
        ("escalate", "pay", {"where": [{**DAILY, "above": 2}]}),
        ("escalate", "pay", {"unless": [{"after": ["pay"], "same": "to"}]}),
    ],
    after=[("escalate", "pay", {"where": [{**DAILY, "above": 2, "same": "to"}]})],
)
@settings(max_examples=25, deadline=None)
@given(before=st.lists(PAY_RULES, min_size=1, max_size=2), after=st.lists(PAY_RULES, min_size=1, max_size=2))
def test_totals_and_what_was_called_before_are_told_apart_together(before: Any, after: Any):
    old, new = policy(*before, ("allow", "pay", {})), policy(*after, ("allow", "pay", {}))
    found = compare_policies(old, new).changes
    seen = {(one.before.decision, one.after.decision) for one in found if one.request.tool == "pay"}
    for one in found:
        assert (one.before.decision, one.after.decision) == (decision(old, one.request), decision(new, one.request))
    histories = [(), *((one,) for one in PAID), *product(PAID, PAID)]
    tried = [replace(call("pay", to="a"), state=CallState(at=NOON, earlier=made)) for made in histories]
    pairs = {(decision(old, one), decision(new, one)) for one in tried}
    assert {pair for pair in pairs if pair[0] != pair[1]} <= seen
