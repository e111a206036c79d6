"""Rules about the time and about earlier calls: they are exact with a state, and as strict as possible without one."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.errors import BadInput
from retouch.recipes.policy import Policy, Scenario, analyse, compare_policies, evaluate, execute, measure_coverage
from retouch.recipes.policy.analysing.idle_rules import decided_regions
from retouch.recipes.policy.analysing.states import shown
from retouch.recipes.policy.cedar import export_cedar
from retouch.recipes.policy.deciding.comparing import value_compared
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.language.values import PERIOD_S, RoleSpec
from retouch.recipes.policy.scenarios.files import call_in, scenarios_in

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 23, 12, tzinfo=BERLIN)  # a Monday
TOOLS: dict[str, Any] = {
    "send_email": {"to": ["email-address"]},
    "reply": {"to": ["email-address"]},
    "pay": {"amount": ["none"], "to": ["email-address"]},
}


def policy(*rules: tuple[str, Any, dict[str, Any]], **more: Any) -> Policy:
    stored = [
        {"name": f"r{number}", "if": {"server": ["s"], "tool": tool, **when}, "then": then}
        for number, (then, tool, when) in enumerate(rules)
    ]
    tools = [{"toolName": name, "args": args} for name, args in TOOLS.items()]
    value: Any = {"semantics": 3, "home": "/home/ada", "timeZone": "Europe/Berlin", "rules": stored, "servers": {}}
    return Policy.of_json(value | {"annotations": {"servers": {"s": {"tools": tools}}}} | more)


def call(tool: str, at: datetime | None = None, earlier: list[Any] | None = None, **arguments: JSON) -> Any:
    whole: dict[str, Any] = {"serverName": "s", "toolName": tool, "arguments": arguments}
    whole |= {} if at is None else {"at": at.isoformat()}
    return call_in(whole | ({} if earlier is None else {"earlier": earlier}))


def before(tool: str, at: datetime, times: int = 1, **arguments: JSON) -> Any:
    return {"serverName": "s", "toolName": tool, "arguments": arguments, "at": at.isoformat(), "times": times}


THREE = {"where": [{"count": "calls", "per": "day", "above": 3}]}
MAIL = ["send_email", "reply"]
AT_MOST_3 = policy(("deny", MAIL, THREE), ("allow", MAIL, {}))
OFFICE = policy(("allow", "pay", {"where": [{"hours": ["09:00-17:00"], "days": ["mon", "fri"]}]}))
BUDGET = policy(
    ("deny", "pay", {"where": [{"sum": "amount", "per": "day", "above": 1000}]}),
    ("allow", "pay", {}),
)


def decided(of: Policy, one: Any) -> str:
    return evaluate(of, one, surroundings=LEXICAL).decision


@pytest.mark.parametrize(("times", "decision"), [(0, "allow"), (2, "allow"), (3, "deny"), (9, "deny")])
def test_a_limit_counts_the_calls_of_all_its_tools_in_the_last_24_hours(times: int, decision: str):
    earlier = [before("reply", NOON - timedelta(hours=1), to="a@b.example") for _ in range(times)]
    old = before("reply", NOON - timedelta(hours=24), times=50, to="a@b.example")
    assert decision == decided(AT_MOST_3, call("send_email", NOON, [*earlier, old], to="c@d.example"))


def test_a_call_that_the_rule_is_not_about_is_not_counted():
    limited = {"where": [{"role": "email-address", "emails": ["boss@b.example"]}, *THREE["where"]]}
    of = policy(("deny", "send_email", limited), ("allow", "send_email", {}))
    others = before("send_email", NOON, times=9, to="a@b.example")
    assert "allow" == decided(of, call("send_email", NOON, [others], to="boss@b.example"))
    counted = before("send_email", NOON, times=3, to="Boss <BOSS@b.example>")
    assert "deny" == decided(of, call("send_email", NOON, [counted], to="boss@b.example"))


@pytest.mark.parametrize(
    ("at", "decision"),
    [
        (NOON, "allow"),
        (NOON.replace(hour=9), "allow"),
        (NOON.replace(hour=17), "deny"),
        (NOON.replace(hour=8, minute=59), "deny"),
        (NOON + timedelta(days=1), "deny"),
        (NOON + timedelta(days=4), "allow"),
        (datetime.fromisoformat("2026-11-23T08:30:00+00:00"), "allow"),
        (datetime.fromisoformat("2026-07-06T07:30:00+00:00"), "allow"),
    ],
)
def test_hours_and_days_are_those_of_the_zone_of_the_policy(at: datetime, decision: str):
    assert decision == decided(OFFICE, call("pay", at, amount=1))


@pytest.mark.parametrize(("hour", "decision"), [(23, "deny"), (3, "deny"), (6, "allow"), (12, "allow")])
def test_a_span_may_go_over_midnight(hour: int, decision: str):
    of = policy(("deny", "pay", {"where": [{"hours": "22:00-06:00"}]}), ("allow", "pay", {}))
    assert decision == decided(of, call("pay", NOON.replace(hour=hour), amount=1))


@pytest.mark.parametrize(
    ("spent", "amount", "decision"),
    [(0, 1000, "allow"), (0, 1000.5, "deny"), (999, 1, "allow"), (1000, 1, "deny"), (1000, 0, "allow")],
)
def test_a_budget_adds_up_what_was_spent(spent: float, amount: float, decision: str):
    assert decision == decided(BUDGET, call("pay", NOON, [before("pay", NOON, amount=spent)], amount=amount))


@pytest.mark.parametrize("amount", [-5, "7", None, [5], True, 2**60])
def test_an_amount_that_cannot_be_added_up_is_never_within_a_budget(amount: Any):
    assert "deny" == decided(BUDGET, call("pay", NOON, [], amount=amount))
    assert "deny" == decided(BUDGET, call("pay", NOON, [before("pay", NOON, amount=amount)], amount=1))


def test_without_a_state_a_limit_decides_as_strictly_as_it_may():
    bare: Any = {"serverName": "s", "toolName": "send_email", "arguments": {"to": "a@b.example"}}
    assert "deny" == decided(AT_MOST_3, bare)
    assert "deny" == decided(OFFICE, {"serverName": "s", "toolName": "pay", "arguments": {"amount": 1}})
    unless = policy(("allow", MAIL, {"unless": THREE["where"]}))
    assert "deny" == decided(unless, bare)


def test_an_agent_cannot_bring_its_own_time_or_history():
    claimed: Any = {"serverName": "s", "toolName": "pay", "arguments": {"amount": 1}, "at": NOON.isoformat()}
    assert "deny" == decided(OFFICE, claimed)


@pytest.mark.parametrize(
    ("then", "when", "words"),
    [
        ("allow", {"where": [{"count": "calls", "per": "day", "above": 3}]}, "less strict with every call"),
        ("deny", {"where": [{"count": "calls", "per": "day", "atMost": 3}]}, "less strict with every call"),
        ("deny", {"unless": [{"count": "calls", "per": "day", "above": 3}]}, "less strict with every call"),
        ("deny", {"where": [{"count": "calls", "above": 3}]}, "need 'per'"),
        ("deny", {"where": [{"arg": "amount", "per": "day", "above": 3}]}, "need 'per'"),
        ("deny", {"where": [{"count": "calls", "per": "day"}]}, "exactly one of"),
        ("deny", {"where": [{"hours": ["9-17"]}]}, "not a span of hours"),
        ("deny", {"where": [{"hours": ["09:00-09:00"]}]}, "not a span of hours"),
        ("deny", {"where": [{"days": ["monday"]}]}, "no day 'monday'"),
        ("deny", {"where": [{"days": ["mon"], "role": "read-path"}]}, "exactly one of"),
        (
            "deny",
            {**THREE, "lists": [{"roles": ["email-address"], "allowed": ["a@b.c"], "matchType": "emails"}]},
            "use 'where'",
        ),
    ],
)
def test_a_limit_that_could_make_the_policy_less_strict_is_refused(then: str, when: dict[str, Any], words: str):
    with pytest.raises(BadInput, match=words):
        policy((then, "pay", when))


def test_an_unknown_zone_and_older_semantics_are_refused():
    with pytest.raises(BadInput, match="no time zone"):
        policy(timeZone="Mars/Olympus")
    with pytest.raises(BadInput, match="semantics"):
        policy(("deny", MAIL, THREE), semantics=2)


def test_a_policy_with_limits_is_stored_and_read_again():
    for of in (AT_MOST_3, OFFICE, BUDGET):
        assert of.rules == Policy.of_json(of.as_json()).rules
        assert "Europe/Berlin" == of.as_json()["timeZone"]


def test_the_analysis_finds_rules_that_no_state_reaches():
    two = policy(("deny", MAIL, THREE), ("deny", MAIL, {"where": [{"count": "calls", "per": "day", "above": 5}]}))
    assert ("r1",) == analyse(policy(*_rules_of(two), ("allow", MAIL, {}))).dead
    hour = ("deny", MAIL, {"where": [{"count": "calls", "per": "hour", "above": 3}]})
    assert () == analyse(policy(hour, ("deny", MAIL, THREE), ("allow", MAIL, {}))).dead
    assert ("r1",) == analyse(policy(("deny", MAIL, THREE), hour, ("allow", MAIL, {}))).dead


def _rules_of(of: Policy) -> list[tuple[str, Any, dict[str, Any]]]:
    stored: Any = of.as_json()["rules"]
    return [(one["then"], one["if"]["tool"], {"where": one["if"]["where"]}) for one in stored]


def test_two_policies_that_differ_only_in_a_limit_are_told_apart_with_a_history_that_can_be_executed():
    four = policy(("deny", MAIL, {"where": [{"count": "calls", "per": "day", "above": 4}]}), ("allow", MAIL, {}))
    found = compare_policies(AT_MOST_3, four)
    assert found.changes
    for change in found.changes:
        assert "deny" == decided(AT_MOST_3, change.request)
        assert "allow" == decided(four, change.request)
    assert not compare_policies(AT_MOST_3, AT_MOST_3).changes


@pytest.mark.parametrize("of", [AT_MOST_3, OFFICE, BUDGET])
def test_every_kind_of_state_can_be_shown_as_calls_and_decided_alike(of: Policy):
    for region, was in decided_regions(of):
        assert was.decision == decided(of, shown(region))


def test_scenarios_have_a_time_and_earlier_calls_and_count_for_coverage():
    rows: list[Any] = []
    for times, expected in ((2, "allow"), (3, "deny")):
        request = {"serverName": "s", "toolName": "send_email", "arguments": {"to": "a@b.example"}}
        earlier = [before("reply", NOON, times=times, to="x@y.example")]
        rows.append({"request": {**request, "at": NOON.isoformat(), "earlier": earlier}, "expectedDecision": expected})
    found = scenarios_in(rows, name="scenarios")
    assert all(one.passed for one in execute(AT_MOST_3, found))
    assert found[0].id != found[1].id
    again = scenarios_in([one.as_json() for one in found], name="again")
    assert [one.id for one in found] == [one.id for one in again]
    assert () == measure_coverage(AT_MOST_3, found).unanswering


def test_a_scenario_without_earlier_calls_is_the_first_call():
    first = Scenario(request=call("send_email", to="a@b.example"), expected="allow")
    assert execute(AT_MOST_3, [first])[0].passed


@pytest.mark.parametrize(("of", "words"), [(AT_MOST_3, "counts earlier calls"), (OFFICE, "depends on the time")])
def test_cedar_refuses_limits_by_name(of: Policy, words: str):
    with pytest.raises(BadInput, match=words):
        export_cedar(of)


@given(
    st.lists(st.tuples(st.integers(0, 200_000), st.integers(0, 700)), max_size=8),
    st.integers(0, 700),
    st.sampled_from(["minute", "hour", "day", "week", "month"]),
)
def test_totals_are_those_of_a_plain_sum(rows: list[tuple[int, int]], own: int, per: Any):
    of = policy(
        ("deny", "pay", {"where": [{"sum": "amount", "per": per, "above": 1000}]}),
        ("escalate", "pay", {"where": [{"count": "calls", "per": per, "above": 3}]}),
        ("allow", "pay", {}),
    )
    earlier = [before("pay", NOON - timedelta(seconds=age), amount=amount) for age, amount in rows]
    recent = [amount for age, amount in rows if age < PERIOD_S[per]]
    expected = "deny" if sum(recent) + own > 1000 else "escalate" if len(recent) + 1 > 3 else "allow"
    assert expected == decided(of, call("pay", NOON, earlier, amount=own))


TWICE = {"where": [{"count": "calls", "per": "day", "same": "to", "above": 2}]}
TWICE_EACH = policy(("deny", MAIL, TWICE), ("allow", MAIL, {}))


@pytest.mark.parametrize(
    ("to", "decision"),
    [("Bob <BOB@b.example>", "deny"), ("bob+x@b.example", "deny"), ("eve@b.example", "allow"), ("bob", "deny")],
)
def test_a_limit_for_each_value_counts_only_the_calls_with_the_same_value(to: str, decision: str):
    bob = before("reply", NOON - timedelta(hours=1), times=2, to="bob@b.example")
    assert decision == decided(TWICE_EACH, call("send_email", NOON, [bob], to=to))


@pytest.mark.parametrize("to", [["bob@b.example"], "bob@b.example, eve@b.example", "", None])
def test_a_call_without_one_known_value_may_be_over_each_limit(to: JSON):
    assert "deny" == decided(TWICE_EACH, call("send_email", NOON, [], to=to))
    ask = policy(("escalate", MAIL, TWICE), ("allow", MAIL, {}))
    unknown = before("reply", NOON - timedelta(hours=1), to=to)
    assert "escalate" == decided(ask, call("send_email", NOON, [unknown], to="eve@b.example"))


def test_urls_are_compared_by_their_host_and_other_texts_and_numbers_as_they_read():
    url = RoleSpec(default=("fetch-url",))
    assert "a.example" == value_compared("https://WWW.a.example:443/x?y", url)
    assert value_compared("a.example/x", url) is None
    plain = RoleSpec(default=("none",))
    assert ("p 1", "7", "7", "7.5") == tuple(value_compared(one, plain) for one in (" P  1", "7", 7.0, 7.5))
    unknown: list[JSON] = [True, None, ["a"], {"a": 1}]
    assert [None] * 4 == [value_compared(one, plain) for one in unknown]
    assert value_compared("/home/ada/x", RoleSpec(default=("read-path",))) is None


def test_a_total_for_each_value_adds_up_its_own_calls():
    of = policy(
        ("deny", "pay", {"where": [{"sum": "amount", "per": "week", "same": "to", "above": 100}]}), ("allow", "pay", {})
    )
    paid = [before("pay", NOON, amount=90, to="a@b.example"), before("pay", NOON, amount=9, to="c@b.example")]
    assert "deny" == decided(of, call("pay", NOON, paid, amount=20, to="a@b.example"))
    assert "allow" == decided(of, call("pay", NOON, paid, amount=20, to="c@b.example"))


def test_a_limit_for_each_value_is_stored_validated_and_not_exported():
    rules: Any = TWICE_EACH.as_json()["rules"]
    assert TWICE["where"] == rules[0]["if"]["where"]
    assert "the number of such calls with the same to in any 24 hours > 2" == TWICE_EACH.rules[0].when.where[0].words
    with pytest.raises(BadInput, match="counts earlier calls"):
        export_cedar(TWICE_EACH)
    with pytest.raises(BadInput, match="same"):
        policy(("deny", MAIL, {"where": [{"arg": "to", "same": "to", "like": ["a"]}]}))


def test_an_analysis_finds_the_calls_over_a_limit_for_each_value_and_shows_them_with_their_history():
    both = policy(("deny", MAIL, TWICE), ("deny", MAIL, THREE), ("allow", MAIL, {}))
    for one in (TWICE_EACH, both):
        regions = decided_regions(one)
        assert {"allow", "deny"} <= {was.decision for _, was in regions}
        for region, was in regions:
            assert was.decision == decided(one, shown(region))
