"""Tests of whole calls in Cedar: each kind is decided as here, and what Cedar cannot say is refused or denied."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from retouch.errors import BadInput
from retouch.recipes.policy import Policy, ToolCall
from retouch.recipes.policy.cedar import Asker, check_export, checked_export, stricter_export
from retouch.recipes.policy.language.values import STRICTNESS

TOOLS: Any = [
    {
        "toolName": "pay",
        "args": {"amount": ["none"], "to": ["email-address"], "urgent": ["none"], "status": ["none"]},
    },
    {"toolName": "push", "args": {"repo": ["write-path"], "branch": ["branch-name"], "remote": ["fetch-url"]}},
]
PUSH: Any = [
    {"role": "branch-name", "like": ["feature/*", "a*b"]},
    {"role": "write-path", "within": ["~/src/a"]},
    {"role": "fetch-url", "domains": ["*.github.com"]},
]
URGENT: Any = [{"arg": "urgent", "in": [True]}]
RULES: Any = [
    ("big", "pay", "escalate", {"where": [{"arg": "amount", "atLeast": 500.5}]}),
    (
        "never",
        "pay",
        "deny",
        {"where": [{"role": "email-address", "emails": ["*@evil.com", "x@y.z"]}], "unless": URGENT},
    ),
    (
        "pay",
        "pay",
        "allow",
        {"where": [{"arg": "amount", "atLeast": 0}, {"arg": "status", "in": ["open", "new", 3]}], "unless": URGENT},
    ),
    ("main", "push", "escalate", {"where": [{"role": "branch-name", "in": ["main"]}]}),
    ("push", "push", "allow", {"where": PUSH}),
]
DAILY: Any = ("daily", "pay", "escalate", {"where": [{"count": "calls", "per": "day", "above": 3}, *URGENT]})
OFFICE: Any = ("office", "push", "allow", {"where": [{"hours": ["09:00-17:00"]}]})
MISSING = object()


def policy(*rules: Any) -> Policy:
    made = [{"name": name, "if": {"tool": [tool], **tests}, "then": then} for name, tool, then, tests in rules]
    value: Any = {"semantics": 3, "home": "/home/ada", "timeZone": "Europe/Berlin", "servers": {}, "rules": made}
    value |= {"workingDirectory": "/home/ada", "annotations": {"servers": {"s": {"tools": TOOLS}}}}
    return Policy.of_json(value)


def calls(tool: str, **values: list[Any]) -> list[ToolCall]:
    return [
        ToolCall(server="s", tool=tool, arguments={k: v for k, v in zip(values, one, strict=True) if v is not MISSING})
        for one in product(*values.values())
    ]


CALLS = [
    *calls(
        "pay",
        amount=[-1, 0, 499, 500.5, 501, MISSING],
        to=["x@y.z", "bob@evil.com", "bob@good.com", MISSING],
        urgent=[True, False, MISSING],
        status=["open", "OPEN", 3, "shut"],
    ),
    *calls(
        "push",
        repo=["~/src/a/x", "/home/ada/src/a", "~/src/ab"],
        branch=["main", "feature/x", "feature/../main", "axb", MISSING],
        remote=["https://github.com/x", "https://api.github.com/", "https://evil.com", "https://notgithub.com"],
    ),
]


def test_numbers_sets_patterns_directories_hosts_addresses_and_exceptions_are_decided_alike():
    _, check = checked_export(policy(*RULES), CALLS)
    assert ((), ()) == (check.disagreements, check.errors)
    assert check.asked > 300


def test_a_call_that_cedar_would_read_differently_is_never_asked():
    asker = Asker(policy(*RULES))
    odd: list[Any] = [
        {"amount": "5", "to": "bob@good.com", "status": "open"},
        {"amount": 0.00001, "to": "bob@good.com", "status": "open"},
        {"amount": 5, "to": "Eve <X@Y.Z>", "status": "open"},
        {"amount": 5, "to": ["bob@good.com", "x@y.z"], "status": "open"},
    ]
    found = [asker.questions(ToolCall(server="s", tool="pay", arguments=one)) for one in odd]
    assert all(one.unsayable and not one.contexts for one in found)


@pytest.mark.parametrize(
    ("test", "why"),
    [
        ({"count": "calls", "per": "day", "above": 3}, "it counts earlier calls"),
        ({"hours": ["09:00-17:00"]}, "it depends on the time"),
        ({"arg": "amount", "below": 0.00001}, "no decimal of Cedar"),
        ({"arg": "amount", "below": 1e15}, "no decimal of Cedar"),
    ],
)
def test_what_cedar_cannot_say_is_refused_by_name(test: Any, why: str):
    with pytest.raises(BadInput, match=f"rule 'odd': {why}|rule 'odd': .*{why}"):
        checked_export(policy(("odd", "pay", "deny", {"where": [test]}), *RULES))


@pytest.mark.slow
def test_a_stricter_export_says_what_it_changed_and_allows_nothing_more():
    given = policy(DAILY, OFFICE, *RULES)
    export, check = stricter_export(given, CALLS)
    assert check.passed
    assert ["daily", "office"] == [one.split("'")[1] for one in check.stricter]
    assert '@id("office")' not in export.policies
    again = check_export(given, export, CALLS)
    assert ("escalate", "deny") in {(one.ours, one.cedar) for one in again.disagreements}
    assert all(STRICTNESS[one.cedar] > STRICTNESS[one.ours] for one in again.disagreements)
