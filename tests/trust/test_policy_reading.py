"""A sentence is refused if its words and its reading do not show the same things."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy import Policy
from retouch.recipes.policy.english.checking.agreeing import disagreement
from retouch.recipes.policy.english.checking.lost_names import lost_name
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from retouch.recipes.policy.english.words.sentences import Mood, ToolPart
from retouch.recipes.policy.english.words.tokens import tokens_of
from retouch.recipes.policy.language.values import Limit
from retouch.recipes.policy.making.judging.clause_state import missing_state

TEXT = {"type": "string"}
CENTS = {"type": "integer", "description": "Amount in the smallest currency unit, e.g. 5000 for 50 euros"}


def tool(name: str, comment: str = "", **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    roles = {"to": ["email-address"], "path": ["read-path"]}
    args = {arg: roles.get(arg, ["none"]) for arg in properties}
    return {"toolName": name, "comment": comment, "args": args, "inputSchema": schema}


TOOLS = [
    tool("insert_row", table=TEXT, values=TEXT),
    tool("update_rows", table=TEXT, values=TEXT),
    tool("select_rows", table=TEXT),
    tool("draft_email", to=TEXT),
    tool("send_email", to=TEXT),
    tool("create_refund", amount=CENTS),
    tool("issue_credit", amount={"type": "number"}),
    tool("delete_event", calendar_id={"type": "string", "description": "Calendar name"}),
    tool("set_temperature", "Set the target temperature of a thermostat.", degrees={"type": "number"}),
    tool("wipe_disk", "Read the disk."),
]
ANNOTATIONS: Any = {"servers": {"s": {"tools": TOOLS}}}
FRAME = Policy.of_json({"semantics": 3, "home": "/home/ada", "rules": [], "annotations": ANNOTATIONS})
BOX = Toolbox(FRAME)


def part(mood: Mood, name: str, **tests: tuple[Limit, ...]) -> tuple[Mood, bool, ToolPart]:
    return mood, False, ToolPart(server="s", tool=name, **tests)


USERS = (Limit(arg="table", among=("users",)),)
OUTSIDE = (Limit(role="email-address", emails=("*@acme.example",)),)


@pytest.mark.parametrize(
    ("text", "parts", "why"),
    [
        ("Never write to the users table.", [part("never", "update_rows", where=USERS)], "insert_row may be meant"),
        (
            "Never write to anyone outside acme.example.",
            [part("never", "draft_email", unless=OUTSIDE)],
            "send_email may be meant",
        ),
        ("You may not send emails.", [part("allow", "send_email")], "negation in 'not'"),
        ("You may change rows except in users.", [part("allow", "update_rows")], "exception in 'except'"),
        ("Only change rows.", [part("allow", "update_rows")], "limit in 'Only'"),
        ("You may select rows.", [part("never", "select_rows")], "read as a prohibition"),
        ("You may select rows.", [part("ask", "select_rows")], "read as a question"),
        ("You may select rows.", [part("allow", "update_rows")], "permission for update_rows"),
    ],
)
def test_a_reading_that_lost_something_does_not_agree_with_its_sentence(text: str, parts: Any, why: str):
    assert why in disagreement(text, parts, BOX)


@pytest.mark.parametrize("text", ["Do not change rows of `payroll`.", "Do not change rows of Payroll."])
def test_a_name_that_nothing_tests_is_lost(text: str):
    assert "payroll" in lost_name(text, tokens_of(text), [part("never", "update_rows")], BOX).lower()


def words_of(text: str) -> list[str] | None:
    made = compile_clauses(text, FRAME)
    return None if made.refused else [test.words for rule in made.rules for test in rule.when.where]


def test_an_amount_in_euros_is_compared_in_cents_if_the_tool_counts_cents():
    assert words_of("Refunds under 50 euros are fine.") == ["amount >= 0 and < 5000"]
    assert words_of("Refunds under 50 are fine.") is None


def test_a_hundredfold_number_enforces_a_sentence_only_if_the_tool_counts_cents():
    for name, settled in (("create_refund", True), ("issue_credit", False)):
        rule = compile_clauses("Refunds up to 50 euros are fine.", FRAME).rules[0]
        tools = [one for one in FRAME.tools.values() if one.name == name]
        assert settled is (missing_state(rule.principle, [rule], tools=tools) == "")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Never delete events, no exceptions.", True),
        ("Never delete events, people rely on them.", True),
        ("Never delete events because people are confused then.", True),
        ("Never delete events, the old ones are fine.", False),
        ("Never delete events, 3 are okay.", False),
        ("Never delete events, that are old.", False),
        ("You may delete events, not even private ones.", False),
        ("Never delete events in the shared calendar.", False),
        ("You may set the thermostat.", True),
        ("You may read the disk.", False),
    ],
)
def test_only_an_ending_that_changes_nothing_is_left_out(text: str, read: bool):
    assert read is (words_of(text) is not None)


def test_a_condition_on_recipients_does_not_touch_a_call_that_has_none():
    event = tool("create_event", calendar_id={"type": "string", "description": "Calendar name"}, to=TEXT)
    event["inputSchema"]["required"] = ["calendar_id"]
    known: Any = {"servers": {"family": {"tools": [event]}}}
    frame = Policy.of_json({"semantics": 3, "home": "/home/ada", "rules": [], "annotations": known})
    (rule,) = compile_clauses("Never invite anyone from outside acme.example.", frame).rules
    assert ["to is given"] == [test.words for test in rule.when.where]
    assert ["email-address to *@acme.example"] == [test.words for test in rule.when.unless]
    (rule,) = compile_clauses("You may add events to the family calendar.", frame).rules
    assert ["calendar_id is family"] == [test.words for test in rule.when.where]
