"""Assertions are proved over all kinds of calls, or the smallest contradicting call is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retouch.errors import BadInput
from retouch.recipes.policy import evaluate
from retouch.recipes.policy.analysing.echo import echo_of
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.asserting import assert_policy
from retouch.recipes.policy.language.values import RoleSpec
from retouch.recipes.policy.scenarios.filters import schema_errors
from tests.recipes.policy.english.ordinary_sentences import policy_of

WORK = ("You may read any file in ~/work.", "Only write inside ~/work.", "Ask before deleting anything.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("assertion", "holds"),
    [
        ("never allow writing outside ~/work", True),
        ("never allow writing outside ~/work/a", False),
        ("never allow reading files in ~/.ssh", True),
        ("never allow reading files in ~/work/private", False),
        ("never allow running shell commands", True),
        ("never allow deleting anything", True),
        ("always allow reading files in ~/work/x", True),
        ("always allow reading any file", False),
        ("Ask before deleting anything.", True),
    ],
)
def test_an_assertion_is_proved_or_contradicted(assertion: str, holds: bool):
    found = assert_policy(policy_of("coding", *WORK), assertion)
    assert holds == found.holds
    if found.counterexample is not None:
        now = evaluate(policy_of("coding", *WORK), found.counterexample, surroundings=LEXICAL)
        assert (now.decision == "allow") is not (found.wanted == "allow")


def test_a_trusted_server_and_a_sandbox_contradict_an_assertion():
    policy = policy_of("coding", *WORK)
    inside = replace(policy, allowed_directory="/home/ada/box")
    assert assert_policy(inside, "never allow writing outside ~/work").holds
    from retouch.recipes.policy.language.values import Server

    servers = {"filesystem": Server(name="filesystem", sandboxed=True)}
    found = assert_policy(replace(inside, servers=servers), "never allow writing outside ~/work")
    assert found.counterexample is not None
    assert "/home/ada/box" in str(found.counterexample.arguments)
    trusted = {"filesystem": Server(name="filesystem", trusted=True)}
    assert not assert_policy(replace(policy, servers=trusted), "never allow deleting anything").holds


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        ({"type": "integer", "minimum": 3}, 3),
        ({"enum": ["now", "later"]}, "now"),
        ({"anyOf": [{"const": "x"}, {"type": "null"}]}, "x"),
        ({"type": "array", "items": {"type": "string", "minLength": 9}, "minItems": 1}, ["examplexx"]),
        (
            {"type": "object", "properties": {"by": {"type": "string"}, "at": {"type": "string"}}, "required": ["by"]},
            {"by": "example"},
        ),
        ({"type": "string", "pattern": "^[0-9]{4}$"}, "1234"),
        ({"type": "string", "pattern": "^[QX]{7}[0-9]$"}, None),
    ],
)
def test_a_counterexample_is_a_call_that_the_tool_accepts(schema: dict[str, object], shown: object):
    """If no such call can be built, the assertion is not proved either."""
    policy = policy_of("coding", *WORK)
    key = ("filesystem", "write_file")
    properties: dict[str, object] = {"path": {"type": "string"}, "content": {"type": "string"}, "more": schema}
    wanted: dict[str, object] = {"type": "object", "properties": properties, "required": ["path", "content", "more"]}
    tool = replace(
        policy.tools[key], input_schema=wanted, args={**policy.tools[key].args, "more": RoleSpec(default=("none",))}
    )
    found = assert_policy(replace(policy, tools={key: tool}), "never allow writing outside ~/work/a")
    assert not found.holds
    if shown is None:
        assert (None, ("filesystem/write_file",)) == (found.counterexample, found.cut)
    else:
        assert found.counterexample is not None
        assert {"path", "content", "more"} == found.counterexample.arguments.keys()
        assert (shown, []) == (
            found.counterexample.arguments["more"],
            schema_errors(tool, found.counterexample.arguments),
        )


def test_bounds_of_numbers_are_found_exactly():
    policy = policy_of("support", "Refunds under 50 are fine, everything above needs approval.")
    assert assert_policy(policy, "never allow refunds over 50").holds
    assert assert_policy(policy, "never allow refunds of at least 50").holds
    found = assert_policy(policy, "never allow refunds over 49.5")
    assert found.counterexample is not None
    assert 49.5 < float(str(found.counterexample.arguments["amount"])) < 50


@pytest.mark.parametrize("assertion", ["never allow bananas", "never allow writing outside", "be nice", "never"])
def test_an_assertion_that_is_not_understood_is_refused(assertion: str):
    with pytest.raises(BadInput, match="is not understood"):
        assert_policy(policy_of("coding", *WORK), assertion)


def test_the_echo_names_tools_and_limits():
    policy = policy_of("support", "Refunds under 50 are fine, everything above needs approval.")
    assert (
        "allow issue_refund of shop if amount >= 0 and < 50",
        "ask before issue_refund of shop if amount >= 50",
    ) == echo_of(policy, {rule.name for rule in policy.rules})
    only = policy_of("coding", "Only write inside ~/work.")
    assert "deny execute_command of shell" in echo_of(only, {rule.name for rule in only.rules})
