"""Version 3 of the rule language: `where` and `unless` test whole calls, and are never lenient when in doubt."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retouch.errors import BadInput
from retouch.recipes.policy import Policy, analyse, evaluate, validate_policy
from retouch.recipes.policy.analysing.idle_rules import decided_regions
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.deciding.limits import fits_pattern

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

TOOLS: dict[str, Any] = {
    "upload": {"path": ["read-path"], "url": ["fetch-url"]},
    "push": {"repo": ["read-path"], "branch": ["branch-name"]},
    "pay": {"amount": ["none"], "currency": ["none"], "to": ["email-address"], "cc": ["email-address"]},
    "select": {"table": ["none"]},
}


def policy(*rules: tuple[str, str, dict[str, Any]], semantics: int = 3) -> Policy:
    """Return a policy with rules (outcome, tool, conditions)."""
    stored = [
        {"name": f"r{number}", "if": {"server": ["s"], "tool": [tool], **when}, "then": then}
        for number, (then, tool, when) in enumerate(rules)
    ]
    tools = [{"toolName": name, "args": args} for name, args in TOOLS.items()]
    value: Any = {"semantics": semantics, "home": "/home/ada", "rules": stored, "servers": {}}
    return Policy.of_json(value | {"annotations": {"servers": {"s": {"tools": tools}}}})


def decided(of: Policy, tool: str, **arguments: JSON) -> str:
    call: Any = {"serverName": "s", "toolName": tool, "arguments": arguments}
    return evaluate(of, call, surroundings=LEXICAL).decision


JOINT = policy(
    (
        "allow",
        "upload",
        {"where": [{"role": "read-path", "within": ["~/reports"]}, {"role": "fetch-url", "domains": ["a.example"]}]},
    ),
    (
        "allow",
        "upload",
        {"where": [{"role": "read-path", "within": ["~/public"]}, {"role": "fetch-url", "domains": ["b.example"]}]},
    ),
)


@pytest.mark.parametrize(
    ("path", "host", "decision"),
    [
        ("~/reports/x", "a.example", "allow"),
        ("~/public/x", "b.example", "allow"),
        ("~/reports/x", "b.example", "deny"),
        ("~/public/x", "a.example", "deny"),
        ("~/reports/../private/x", "a.example", "deny"),
        ("~/reports/x", "a.example@b.example", "deny"),
    ],
)
def test_conditions_on_two_arguments_hold_together(path: str, host: str, decision: str):
    assert decision == decided(JOINT, "upload", path=path, url=f"https://{host}/")


def test_a_list_of_values_needs_every_value():
    both: JSON = ["~/reports/x", "~/private/x"]
    assert "deny" == decided(JOINT, "upload", path=both, url="https://a.example/")
    assert "deny" == decided(JOINT, "upload", url="https://a.example/")


AMOUNTS = policy(
    ("escalate", "pay", {"where": [{"arg": "amount", "above": 50}]}),
    ("allow", "pay", {"where": [{"arg": "amount", "atLeast": 0, "atMost": 500}]}),
)


@pytest.mark.parametrize(
    ("amount", "decision"),
    [
        (0, "allow"), (50, "allow"), (50.0, "allow"), (50.01, "escalate"), (501, "escalate"), (-1, "deny"),
        ("20", "escalate"), ("", "escalate"), (None, "escalate"), (True, "escalate"), ([20], "allow"),
        ([20, 70], "escalate"), ({"value": 20}, "escalate"),
    ],
)  # fmt: skip
def test_numbers_are_compared_exactly_and_anything_else_is_in_doubt(amount: JSON, decision: str):
    assert decision == decided(AMOUNTS, "pay", amount=amount)


def test_an_argument_that_is_left_out_never_helps():
    assert "escalate" == decided(AMOUNTS, "pay")
    forbidden = policy(("deny", "select", {"where": [{"arg": "table", "in": ["salaries"]}]}), ("allow", "select", {}))
    assert ("deny", "deny") == (decided(forbidden, "select"), decided(forbidden, "select", table="PUBLIC.Salaries"))
    assert "allow" == decided(forbidden, "select", table="sales")
    only = policy(("deny", "select", {"unless": [{"arg": "table", "in": ["sales"]}]}), ("allow", "select", {}))
    assert ["deny", "deny", "allow"] == [
        decided(only, "select"),
        decided(only, "select", table="Sales"),
        decided(only, "select", table="sales"),
    ]
    except_for = policy(("allow", "select", {"unless": [{"arg": "table", "in": ["salaries"]}]}))
    assert ["deny", "deny", "allow"] == [
        decided(except_for, "select"),
        decided(except_for, "select", table="x.SALARIES"),
        decided(except_for, "select", table="sales"),
    ]


ADDRESSES = policy(("allow", "pay", {"where": [{"role": "email-address", "emails": ["*@acme.example"]}]}))


@pytest.mark.parametrize(
    ("arguments", "decision"),
    [
        ({"to": "a@acme.example"}, "allow"),
        ({"to": "A <a@acme.example>"}, "allow"),
        ({"to": "a@acme.example", "cc": "eve@evil.example"}, "deny"),
        ({"to": ["a@acme.example", "eve@evil.example"]}, "deny"),
        ({"to": "a@acme.example, eve@evil.example"}, "deny"),
        ({"to": "a@evil-acme.example"}, "deny"),
        ({"to": "a@sub.acme.example"}, "deny"),
        ({"to": "a@acme.example (eve@evil.example)"}, "deny"),
        ({}, "deny"),
    ],
)
def test_recipients_must_all_be_at_the_domain(arguments: dict[str, JSON], decision: str):
    assert decision == decided(ADDRESSES, "pay", **arguments)


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ({"where": [{"arg": "amount"}]}, "exactly one of 'within'"),
        ({"where": [{"above": 1}]}, "exactly one of 'role' and 'arg'"),
        ({"where": [{"arg": "a", "role": "read-path", "above": 1}]}, "exactly one of 'role' and 'arg'"),
        ({"where": [{"arg": "amount", "above": 1, "in": [1]}]}, "exactly one of 'within'"),
        ({"where": [{"arg": "amount", "above": 1e300}]}, "a bound must be"),
        ({"where": [{"arg": "amount", "under": 1}]}, "under"),
        ({"unless": [{"role": "fetch-url", "domains": ["@news"]}]}, "cannot use a list"),
    ],
)
def test_a_test_that_is_not_exact_is_refused(when: dict[str, Any], why: str):
    with pytest.raises(BadInput, match=why):
        policy(("allow", "pay", when))


def test_older_versions_have_no_tests_of_calls():
    with pytest.raises(BadInput, match="need 'semantics': 3"):
        policy(("allow", "pay", {"where": [{"arg": "amount", "below": 5}]}), semantics=2)


def test_a_stored_policy_keeps_its_tests():
    stored = AMOUNTS.as_json()
    assert AMOUNTS.rules == Policy.of_json(stored).rules


def test_an_unknown_argument_is_an_error():
    found = validate_policy(policy(("allow", "pay", {"where": [{"arg": "amuont", "below": 5}]})))
    assert "UNKNOWN_ARGUMENT" in {one.code for one in found}


def test_a_rule_behind_a_wider_bound_is_dead():
    found = analyse(
        policy(
            ("escalate", "pay", {"where": [{"arg": "amount", "above": 10}]}),
            ("allow", "pay", {"where": [{"arg": "amount", "above": 20}]}),
            ("allow", "pay", {"where": [{"arg": "amount", "above": 9}]}),
        )
    )
    assert ("r1",) == found.dead


BOUND = st.sampled_from((0, 1, 2.5, 10))
KEYS = st.sampled_from(("atLeast", "atMost", "above", "below"))


@st.composite
def rules_with_bounds(draw: st.DrawFn) -> tuple[str, str, dict[str, Any]]:
    test = {"arg": "amount", draw(KEYS): draw(BOUND)}
    key = draw(st.sampled_from(("where", "unless")))
    return draw(st.sampled_from(("allow", "escalate", "deny"))), "pay", {key: [test]}


@settings(max_examples=60, deadline=None)
@given(st.lists(rules_with_bounds(), min_size=1, max_size=4), st.one_of(st.integers(-2, 12), st.floats(-2, 12)))
def test_one_call_of_every_kind_stands_for_all_numbers(rules: list[Any], amount: float):
    known = policy(*rules)
    kinds = {was.decision for call, was in decided_regions(known) if call.tool == "pay"}
    assert decided(known, "pay", amount=amount) in kinds


@settings(max_examples=60, deadline=None)
@given(st.lists(rules_with_bounds(), min_size=1, max_size=4), st.sampled_from(["7", None, True, [], "x", {"a": 1}]))
def test_a_doubtful_number_is_never_allowed_by_a_test(rules: list[Any], amount: JSON):
    known = policy(*rules)
    allowing = [rule for rule in known.rules if rule.then == "allow"]
    alone = replace(known, rules=tuple(allowing))
    assert "allow" != decided(alone, "pay", amount=amount)


@settings(max_examples=500, deadline=None)
@given(st.text("a\n/", max_size=5), st.lists(st.sampled_from(["a", "*", "*a*", "/"]), max_size=4).map("".join))
@example(text="a", pattern="a*a")
def test_a_pattern_with_asterisks_fits_what_the_same_regular_expression_matches(text: str, pattern: str):
    expression = re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)
    assert (expression.fullmatch(text) is not None) == fits_pattern(text, pattern)
