"""Sizes of texts and lists, and whether an argument is given, in `where` and `unless`."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retouch.errors import BadInput
from retouch.recipes.policy import Policy, analyse, evaluate
from retouch.recipes.policy.analysing.idle_rules import decided_regions
from retouch.recipes.policy.deciding.evaluation import LEXICAL

if TYPE_CHECKING:
    from datetime import datetime

    from retouch._lib.json_text import JSON

TOOLS: dict[str, Any] = {
    "toot": {"text": ["none"], "media": ["none"]},
    "mail": {"to": ["email-address"], "cc": ["email-address"], "body": ["none"]},
    "push": {"force": ["none"]},
}


def policy(*rules: tuple[str, str, dict[str, Any]]) -> Policy:
    """Return a policy with rules (outcome, tool, conditions)."""
    stored = [
        {"name": f"r{number}", "if": {"server": ["s"], "tool": [tool], **when}, "then": then}
        for number, (then, tool, when) in enumerate(rules)
    ]
    tools = [{"toolName": name, "args": args} for name, args in TOOLS.items()]
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": stored, "servers": {}}
    return Policy.of_json(value | {"annotations": {"servers": {"s": {"tools": tools}}}})


def decided(of: Policy, tool: str, **arguments: JSON) -> str:
    call: Any = {"serverName": "s", "toolName": tool, "arguments": arguments}
    return evaluate(of, call, surroundings=LEXICAL).decision


LONG = policy(("deny", "toot", {"where": [{"arg": "text", "count": "characters", "above": 5}]}), ("allow", "toot", {}))
SHORT = policy(("allow", "toot", {"where": [{"arg": "text", "count": "characters", "atMost": 5}]}))


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("hello", "allow"), ("hello!", "deny"), ("", "allow"), ("\U0001f600" * 5, "allow"), ("e\u0301" * 3, "deny"),
        (["hello", "ada"], "allow"), (["hello", "longer"], "deny"), (7, "deny"), (None, "deny"), ({"a": "b"}, "deny"),
    ],
)  # fmt: skip
def test_a_text_is_as_long_as_its_code_points_and_anything_else_is_in_doubt(text: JSON, decision: str):
    assert (decision, decision) == (decided(LONG, "toot", text=text), decided(SHORT, "toot", text=text))


MANY = policy(("deny", "toot", {"where": [{"arg": "media", "count": "items", "above": 2}]}), ("allow", "toot", {}))
FEW = policy(("allow", "toot", {"where": [{"arg": "media", "count": "items", "atMost": 2}]}))


@pytest.mark.parametrize(
    ("media", "decision"),
    [
        (["a", "b"], "allow"), (["a", "b", "c"], "deny"), (["a, b, c"], "allow"), ([], "allow"), ("", "allow"),
        ("a", "allow"), ("a b", "allow"), ("a,b,c", "deny"), ("[1, 2, 3]", "deny"), (4, "allow"), (True, "deny"),
        ({"a": 1}, "deny"), (None, "deny"), ([["a", "b", "c"], {"d": 1}], "allow"),
    ],
)  # fmt: skip
def test_a_list_has_its_items_and_a_text_as_many_as_a_program_may_split_it_into(media: JSON, decision: str):
    assert (decision, decision) == (decided(MANY, "toot", media=media), decided(FEW, "toot", media=media))


PEOPLE: dict[str, Any] = {"role": "email-address", "count": "items"}
CROWD = policy(("deny", "mail", {"where": [{**PEOPLE, "above": 3}]}), ("allow", "mail", {}))
A, B = "a@x.example", "Bob <b@x.example>"


@pytest.mark.parametrize(
    ("arguments", "decision"),
    [
        ({"to": A}, "allow"), ({"to": [A, B], "cc": A}, "allow"), ({"to": [A, B], "cc": [A, B]}, "deny"),
        ({"to": f"{A}, {B}; {A}", "cc": []}, "allow"), ({"to": f"{A},{B},{A},{B}"}, "deny"),
        ({"to": [f"{A},{B}", f"{A},{B}"]}, "deny"), ({"to": f"{A}\n{B}\n{A}\n{B}"}, "deny"),
        ({"to": "all (everybody)"}, "deny"),
    ],
)  # fmt: skip
def test_the_recipients_of_all_arguments_are_counted_together(arguments: dict[str, JSON], decision: str):
    assert decision == decided(CROWD, "mail", **arguments)


GIVEN: dict[str, Any] = {"arg": "force", "is": "present"}
FORCED = policy(("deny", "push", {"where": [{"arg": "force", "in": [True]}, GIVEN]}), ("allow", "push", {}))
NEEDED = policy(("deny", "toot", {"where": [{"arg": "text", "is": "absent"}]}), ("allow", "toot", {}))


def test_an_argument_that_is_left_out_can_be_told_from_one_that_is_given():
    assert ["allow", "allow", "deny", "allow", "deny"] == [
        decided(FORCED, "push"),
        *(decided(FORCED, "push", force=force) for force in (None, True, False, "")),
    ]
    assert ["deny", "deny", "deny", "allow"] == [
        decided(NEEDED, "toot"),
        *(decided(NEEDED, "toot", text=text) for text in (None, "", "hello")),
    ]


@pytest.mark.parametrize(
    ("test", "why"),
    [
        ({"arg": "text", "count": "characters"}, "exactly one of 'within'"),
        ({"arg": "text", "count": "words", "above": 3}, "'characters', 'items' or 'minutes'"),
        ({"arg": "text", "count": "items", "above": 2.5}, "whole number from 0"),
        ({"arg": "text", "count": "items", "above": -1}, "whole number from 0"),
        ({"count": "items", "above": 3}, "exactly one of 'role' and 'arg'"),
        ({"count": "items", "sum": "text", "per": "day", "above": 3}, "counted in one call"),
        ({"arg": "text", "count": "items", "per": "day", "above": 3}, "counted in one call"),
        ({"arg": "text", "count": "items", "in": ["a"]}, "counted in one call"),
        ({"count": "items", "days": ["mon"]}, "only 'hours' and 'days'"),
        ({"role": "email-address", "is": "present"}, "needs 'arg'"),
        ({"arg": "force", "is": "truthy"}, "'present' or 'absent'"),
        ({"arg": "force", "is": "present", "in": [True]}, "exactly one of 'within'"),
    ],
)
def test_a_size_that_no_value_can_be_tested_for_is_refused(test: dict[str, Any], why: str):
    with pytest.raises(BadInput, match=why):
        policy(("deny", "toot", {"where": [test]}))


def test_a_stored_policy_keeps_its_sizes_and_says_them_in_words():
    assert CROWD.rules == Policy.of_json(CROWD.as_json()).rules
    tests = (*CROWD.rules[0].when.where, *NEEDED.rules[0].when.where, *LONG.rules[0].when.where)
    words = ("the number of items of email-address > 3", "text is left out", "the number of characters of text > 5")
    assert words == tuple(one.words for one in tests)


def test_a_rule_behind_a_wider_size_is_dead():
    size = {"arg": "media", "count": "items"}
    found = analyse(
        policy(
            ("deny", "toot", {"where": [{**size, "above": 2}]}),
            ("escalate", "toot", {"where": [{**size, "above": 3}, {"arg": "media", "is": "present"}]}),
            ("allow", "toot", {"where": [{**size, "atMost": 2}]}),
        )
    )
    assert ("r1",) == found.dead


def test_a_total_that_only_several_arguments_reach_together_is_found():
    each: list[dict[str, Any]] = [{"arg": name, "count": "items", "above": 3} for name in ("to", "cc")]
    known = policy(
        *(("deny", "mail", {"where": [one]}) for one in each),
        (
            "escalate",
            "mail",
            {"where": [{**PEOPLE, "above": 5}, *({"arg": name, "is": "present"} for name in ("to", "cc"))]},
        ),
        ("allow", "mail", {}),
    )
    assert () == analyse(known).dead


BOUND = st.sampled_from((0, 1, 3, 4))
SIZES: list[dict[str, Any]] = [{"arg": "to", "count": "items"}, PEOPLE, {"arg": "body", "count": "characters"}]
OTHERS: dict[str, list[Any]] = {
    "items": [{"role": "email-address", "emails": ["*@x.example"]}, {"arg": "cc", "is": "absent"}, None],
    "characters": [{"arg": "body", "like": ["a*"]}, {"arg": "body", "in": ["aa", "b"]}, None],
}


@st.composite
def rules_with_sizes(draw: st.DrawFn) -> tuple[str, str, dict[str, Any]]:
    one, low, high = draw(st.sampled_from(SIZES)), draw(BOUND), draw(BOUND)
    bounds = draw(st.sampled_from(({"atLeast": low, "atMost": high}, {"above": low}, {"below": high})))
    more = draw(st.sampled_from(OTHERS[one["count"]]))
    key = draw(st.sampled_from(("where", "unless")))
    tests = [{**one, **bounds}, *([more] if more else [])]
    return draw(st.sampled_from(("allow", "escalate", "deny"))), "mail", {key: tests}


RECIPIENTS: list[Any] = [None, *([f"a@{host}.example"] * count for host in "xy" for count in range(6))]
BODIES: list[Any] = [None, *("a" * length for length in range(6)), *("b" * length for length in range(1, 6))]


SHORT_BODY: dict[str, Any] = {"arg": "body", "count": "characters", "atMost": 1}
STARTS_WITH_A: dict[str, Any] = {"arg": "body", "like": ["a*"]}


@settings(max_examples=40, deadline=None)
@example([("escalate", "mail", {"where": [SHORT_BODY, STARTS_WITH_A]}), ("allow", "mail", {"where": [SHORT_BODY]})])
@given(st.lists(rules_with_sizes(), min_size=1, max_size=3))
def test_one_call_of_every_kind_stands_for_all_sizes(rules: list[Any]):
    known = policy(*rules)
    kinds = {(was.decision, was.rule) for call, was in decided_regions(known) if call.tool == "mail"}
    for to, cc, body in (*product(RECIPIENTS, RECIPIENTS, BODIES[:1]), *product(RECIPIENTS[:3], [None], BODIES)):
        arguments = {name: one for name, one in (("to", to), ("cc", cc), ("body", body)) if one is not None}
        call: Any = {"serverName": "s", "toolName": "mail", "arguments": arguments}
        was = evaluate(known, call, surroundings=LEXICAL)
        assert (was.decision, was.rule) in kinds, arguments


def timed(*rules: tuple[str, dict[str, Any]]) -> Policy:
    """Return a policy of one zone with rules (outcome, conditions) about a tool with two times."""
    stored = [
        {"name": f"r{number}", "if": {"tool": ["book"], **when}, "then": then}
        for number, (then, when) in enumerate(rules)
    ]
    tools: Any = {"s": {"tools": [{"toolName": "book", "args": {"start": ["none"], "end": ["none"]}}]}}
    value: Any = {"semantics": 3, "home": "/h", "timeZone": "Etc/GMT-2", "rules": stored, "servers": {}}
    return Policy.of_json(value | {"annotations": {"servers": tools}})


WEEKEND: dict[str, Any] = {"arg": "start", "days": ["sat", "sun"]}
OFFICE: dict[str, Any] = {"arg": "start", "hours": ["09:00-17:00"]}


@pytest.mark.parametrize(
    ("start", "weekend", "office"),
    [
        ("2025-06-07", "deny", "deny"), ("2025-06-06", "allow", "deny"), ("2025-06-06T09:00", "allow", "allow"),
        ("2025-06-06T17:00:00", "allow", "deny"), ("2025-06-08 12:00:00.500", "deny", "allow"),
        ("2025-06-06T09:00:00+02:00", "allow", "allow"), ("2025-06-06T07:30:00Z", "allow", "deny"),
        ("2025-06-06T23:30:00Z", "deny", "deny"), ("2025-06-07T00:30:00+05:00", "deny", "deny"),
        ("2025-06-31", "deny", "deny"), ("next Friday", "deny", "deny"), ("20250606T100000", "deny", "deny"),
        ("09:00", "deny", "allow"), ("17:00:00", "deny", "deny"), ("9:00", "deny", "deny"), ("24:00", "deny", "deny"),
        ("2025-06-06T24:00", "deny", "deny"), (20250606, "deny", "deny"), (None, "deny", "deny"),
        ("0001-01-01T00:00:00+14:00", "deny", "deny"), ("\u0662025-06-06T09:00", "deny", "deny"),
    ],
)  # fmt: skip
def test_the_time_of_a_thing_is_the_one_that_its_argument_names(start: JSON, weekend: str, office: str):
    keeps_free = timed(("deny", {"where": [WEEKEND]}), ("allow", {}))
    by_day = timed(("allow", {"where": [OFFICE]}))
    assert (weekend, office) == (decided(keeps_free, "book", start=start), decided(by_day, "book", start=start))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(("allow", "escalate", "deny")),
            st.sampled_from(("where", "unless")),
            st.lists(
                st.sampled_from((WEEKEND, OFFICE, {**WEEKEND, **OFFICE}, {"arg": "end", "hours": ["22:00-06:00"]})),
                min_size=1,
                max_size=2,
            ),
        ),
        min_size=1,
        max_size=3,
    ),
    st.datetimes(),
)
def test_one_call_of_every_kind_stands_for_all_written_times(rules: list[Any], at: datetime):
    known = timed(*((then, {key: tests}) for then, key, tests in rules))
    kinds = {(was.decision, was.rule) for _, was in decided_regions(known)}
    for start, end in product(
        (at.isoformat()[:19], at.date().isoformat(), at.isoformat()[11:16], "soon"), (at.isoformat()[:16], None)
    ):
        arguments = {"start": start, **({"end": end} if end else {})}
        call: Any = {"serverName": "s", "toolName": "book", "arguments": arguments}
        was = evaluate(known, call, surroundings=LEXICAL)
        assert (was.decision, was.rule) in kinds, arguments
