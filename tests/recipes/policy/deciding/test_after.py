"""Tests of what was called before: exact with a state, and as strict as possible without one."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

from retouch.errors import BadInput
from retouch.recipes.policy import Policy, evaluate, validate_policy
from retouch.recipes.policy.cedar import export_cedar
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.scenarios.files import call_in

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

NOON = datetime(2026, 11, 23, 12, tzinfo=ZoneInfo("UTC"))
TOOLS: dict[str, Any] = {
    "cordon": {"node": ["none"], "mode": ["none"]},
    "drain": {"node": ["none"]},
    "drop": {"name": ["none"]},
    "comment": {"owner": ["none"], "issue": ["none"]},
    "close": {"owner": ["none"], "issue": ["none"]},
    "look": {"path": ["read-path"]},
    "share": {"path": ["read-path"]},
}
CORDON: dict[str, Any] = {"after": "cordon", "same": "node"}


def policy(*rules: tuple[str, Any, dict[str, Any]], **more: Any) -> Policy:
    stored = [
        {"name": f"r{number}", "if": {"server": ["s"], "tool": tool, **when}, "then": then}
        for number, (then, tool, when) in enumerate(rules)
    ]
    tools = [{"toolName": name, "args": args} for name, args in TOOLS.items()]
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": stored, "servers": {}}
    return Policy.of_json(value | {"annotations": {"servers": {"s": {"tools": tools}}}} | more)


def before(tool: str, at: datetime = NOON - timedelta(minutes=5), **arguments: JSON) -> Any:
    return {"serverName": "s", "toolName": tool, "arguments": arguments, "at": at.isoformat()}


def decided(of: Policy, tool: str, earlier: list[Any] | None = None, **arguments: JSON) -> str:
    whole: Any = {"serverName": "s", "toolName": tool, "arguments": arguments, "at": NOON.isoformat()}
    whole |= {} if earlier is None else {"earlier": earlier}
    return evaluate(of, call_in(whole) or {}, surroundings=LEXICAL).decision


MAY = policy(("allow", "drain", {"where": [CORDON]}))
MUST = policy(("deny", "drain", {"unless": [CORDON]}), ("allow", ["drain", "cordon"], {}))
WALL = policy(("deny", "drain", {"where": [CORDON]}), ("allow", ["drain", "cordon"], {}))
FREE = policy(("allow", "drain", {"unless": [CORDON]}))


@pytest.mark.parametrize("of", [MAY, MUST])
def test_a_permission_needs_the_earlier_call_with_the_same_value(of: Policy):
    assert "deny" == decided(of, "drain", [], node="a")
    assert "allow" == decided(of, "drain", [before("cordon", node="a")], node="a")
    assert "allow" == decided(of, "drain", [before("cordon", NOON - timedelta(days=900), node="a")], node="a")
    assert "deny" == decided(of, "drain", [before("cordon", node="b"), before("drain", node="a")], node="a")


@pytest.mark.parametrize("of", [WALL, FREE])
def test_what_was_called_can_also_forbid(of: Policy):
    assert "allow" == decided(of, "drain", [], node="a")
    assert "allow" == decided(of, "drain", [before("cordon", node="b")], node="a")
    assert "deny" == decided(of, "drain", [before("cordon", node="a")], node="a")


@pytest.mark.parametrize("of", [MAY, MUST, WALL, FREE])
def test_without_known_earlier_calls_it_is_uncertain_and_decided_as_strictly_as_possible(of: Policy):
    bare: Any = {"serverName": "s", "toolName": "drain", "arguments": {"node": "a"}}
    assert "deny" == decided(MAY, "drain", None, node="a")
    assert "deny" == evaluate(of, bare, surroundings=LEXICAL).decision
    claimed: Any = {**bare, "earlier": [before("cordon", node="a")]}
    assert "deny" == evaluate(MAY, claimed, surroundings=LEXICAL).decision


@pytest.mark.parametrize(
    ("made", "asked", "surely", "possibly"),
    [
        ("a", "a", True, True),
        (7, 7.0, True, True),
        (True, True, False, True),
        ("", "", False, True),
        ("A", "a", False, True),  # some tools ignore case, others do not
        ("07", "7", False, True),
        (7, "7", False, True),
        (True, 1, False, True),
        ("a", "b", False, False),
        (None, "a", False, True),
        ("a", None, False, True),
        (["a"], "a", False, True),
        ("a", ["a"], False, True),
        (["a"], ["a"], False, True),
    ],
)
def test_values_are_the_same_only_if_no_tool_could_take_them_for_others(
    made: JSON, asked: JSON, surely: bool, possibly: bool
):
    earlier = [before("cordon", node=made)]
    assert ("allow" if surely else "deny") == decided(MAY, "drain", earlier, node=asked)
    assert ("deny" if possibly else "allow") == decided(FREE, "drain", earlier, node=asked)


def test_every_named_argument_must_be_the_same_in_one_earlier_call():
    of = policy(("allow", "close", {"where": [{"after": "comment", "same": ["owner", "issue"]}]}))
    assert "allow" == decided(of, "close", [before("comment", owner="o", issue=1)], owner="o", issue=1)
    parts = [before("comment", owner="o", issue=2), before("comment", owner="p", issue=1)]
    assert "deny" == decided(of, "close", parts, owner="o", issue=1)
    assert "deny" == decided(of, "close", [before("comment", owner="o")], owner="o", issue=1)


def test_an_argument_may_have_another_name_in_the_earlier_call():
    of = policy(("allow", "drop", {"where": [{"after": "cordon", "same": {"name": "node"}}]}))
    assert "allow" == decided(of, "drop", [before("cordon", node="a")], name="a")
    assert "deny" == decided(of, "drop", [before("cordon", node="b")], name="a")


def test_one_of_several_tools_is_enough_and_its_arguments_are_tested():
    test = {"after": ["cordon", "drop"], "where": [{"arg": "mode", "in": ["soft"]}]}
    of = policy(("allow", "drain", {"where": [{"after": ["cordon", "drop"]}]}))
    assert ["allow", "allow", "deny"] == [decided(of, "drain", [before(one)]) for one in ("cordon", "drop", "drain")]
    with pytest.raises(BadInput, match="'drop' has no argument 'mode'"):
        policy(("allow", "drain", {"where": [test]}))
    soft = policy(("allow", "drain", {"where": [{**test, "after": "cordon"}]}))
    free = policy(("allow", "drain", {"unless": [{**test, "after": "cordon"}]}))
    found = [before("cordon", mode="soft"), before("cordon", mode="hard"), before("cordon")]
    assert ["allow", "deny", "deny"] == [decided(soft, "drain", [one]) for one in found]
    assert ["deny", "allow", "deny"] == [decided(free, "drain", [one]) for one in found]


@pytest.mark.parametrize(("age", "decision"), [(59, "allow"), (60, "deny"), (61, "deny")])
def test_with_a_period_only_a_recent_call_counts(age: int, decision: str):
    of = policy(("allow", "drain", {"where": [{**CORDON, "per": "hour"}]}))
    earlier = [before("cordon", NOON - timedelta(minutes=age), node="a")]
    assert decision == decided(of, "drain", earlier, node="a")


@pytest.mark.parametrize(
    ("made", "asked", "decision"),
    [
        ("/home/ada/a", "/home/ada/a", "allow"),
        ("~/a", "/home/ada/b/../a", "allow"),
        ("/home/ada/a", "/home/ada/A", "deny"),
        ("/home/ada/*", "/home/ada/*", "deny"),  # other files by now
        ("/home/ada", "/home/ada/a", "deny"),
        ("a", "a", "deny"),  # relative to an unknown directory
    ],
)
def test_a_path_is_the_same_if_it_is_certainly_the_same_place(made: str, asked: str, decision: str):
    test = {"after": "look", "same": "path"}
    of = policy(("allow", "share", {"where": [test]}))
    assert decision == decided(of, "share", [before("look", path=made)], path=asked)
    free = policy(("allow", "share", {"unless": [test]}))
    assert "deny" == decided(free, "share", [before("look", path=made)], path=asked)


def test_a_stored_policy_keeps_the_test_and_tells_it_in_words():
    tests: list[Any] = [
        {"after": ["cordon"], "same": ["node"]},
        {"per": "hour", "after": ["cordon"], "where": [{"arg": "mode", "in": ["soft"]}], "same": {"name": "node"}},
    ]
    of = policy(("allow", "drain", {"where": tests[:1]}), ("deny", "drop", {"unless": tests[1:]}))
    rules: Any = of.as_json()["rules"]
    assert tests == [*rules[0]["if"]["where"], *rules[1]["if"]["unless"]]
    assert of.rules == Policy.of_json(of.as_json()).rules
    words = [one.words for rule in of.rules for one in rule.when.afters]
    assert "cordon was called before with the same node" == words[0]
    assert "cordon (mode is soft) was called before with the same name (as node) in the last 60 minutes" == words[1]
    asked: Any = {"serverName": "s", "toolName": "drain", "arguments": {"node": "a"}, "at": NOON.isoformat()}
    trace = evaluate(MAY, call_in(asked) or {}).trace
    assert "not cordon was called before with the same node" in trace.text


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ({"after": "cordn"}, "'cordn', which is no tool of 's'"),
        ({"after": "cordon", "same": {"nod": "node"}}, "'drain' has no argument 'nod'"),
        ({"after": "drop", "same": "node"}, "'drop' has no argument 'node'"),
        ({"after": []}, "names one tool"),
        ({"after": ["cordon", "cordon"]}, "names one tool"),
        ({"after": "cordon", "above": 1}, "has only 'where', 'same' and 'per'"),
        ({"after": "cordon", "count": "calls", "per": "day", "above": 1}, "has only"),
        ({"after": "cordon", "same": []}, "'same' is empty"),
        ({"after": "cordon", "where": [{"after": "drop"}]}, "only has tests of the arguments"),
        ({"after": "cordon", "where": [{"hours": "09:00-17:00"}]}, "only has tests of the arguments"),
        ({"arg": "node", "in": ["a"], "where": [{"arg": "mode", "in": ["x"]}]}, "only a test with 'after' has 'where'"),
        ({"count": "calls", "per": "day", "above": 1, "same": ["node"]}, "one or more with 'after'"),
    ],
)
def test_a_test_that_could_not_be_enforced_is_refused_when_a_policy_is_loaded(test: Any, words: str):
    with pytest.raises(BadInput, match=words):
        policy(("deny", "drain", {"unless": [test]}))


def test_a_rule_with_such_a_test_names_its_server_and_needs_semantics_3():
    rule: Any = {"name": "r", "if": {"tool": ["drain"], "unless": [CORDON]}, "then": "deny"}
    with pytest.raises(BadInput, match="needs 'server'"):
        policy(rules=[rule])
    rule["if"]["server"] = ["s"]
    with pytest.raises(BadInput, match="need 'semantics': 3"):
        policy(rules=[rule], semantics=2)


def test_a_tool_that_was_renamed_since_is_an_error_of_a_policy_in_memory_too():
    tools = {key: one for key, one in MAY.tools.items() if key[1] != "cordon"}
    found = validate_policy(Policy(rules=MAY.rules, tools=tools, home="/home/ada", semantics=3))
    assert "UNKNOWN_EARLIER" in {one.code for one in found if one.severity == "error"}


def test_the_export_to_cedar_refuses_the_test_by_name():
    with pytest.raises(BadInput, match="'r0': it depends on what was called before"):
        export_cedar(MUST)
