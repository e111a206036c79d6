"""Ordinary sentences that were read as another policy: a permission that says no, a tool that only sounds alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from retouch.recipes.policy import Policy, evaluate
from retouch.recipes.policy.english.compiling import compile_clauses

TOOLS: dict[str, dict[str, list[str]]] = {
    "home": {"turn_on": ["entity"], "turn_off": ["entity"], "unlock_door": ["door"]},
    "flights": {"cancel_booking": ["booking"], "change_booking": ["booking"]},
    "kube": {"list_pods": ["namespace"], "delete_pod": ["namespace"], "install_chart": ["namespace"]},
    "shop": {"cancel_order": ["order"], "refund_order": ["order", "amount"]},
    "social": {
        "create_post": ["body"],
        "schedule_post": ["body"],
        "delete_post": ["post"],
        "send_direct_message": ["body"],
    },
    "mail": {"read_message": ["id"], "mark_read": ["id"], "delete_message": ["id"]},
    "ops": {
        "get_log": ["name"],
        "truncate_log": ["name"],
        "flush_history": ["name"],
        "toggle_status": ["name"],
        "pods_list": [],
        "check_out_host": ["name"],
        "log_incident": ["name"],
        "acknowledge_incident": ["name"],
    },
    "board": {"rename_card": ["name"], "move_card": ["name"], "card_history": ["name"]},
}


def frame(*servers: str) -> Policy:
    made: dict[str, Any] = {}
    for server in servers:
        tools: list[dict[str, Any]] = []
        for tool, arguments in TOOLS[server].items():
            kinds = {one: {"type": "number" if one == "amount" else "string"} for one in arguments}
            schema = {"type": "object", "properties": kinds}
            tools.append({"toolName": tool, "args": {one: ["none"] for one in arguments}, "inputSchema": schema})
        made[server] = {"tools": tools}
    return Policy.of_json({"semantics": 3, "home": "/home/ada", "rules": [], "annotations": {"servers": made}})


def is_refused(text: str, server: str) -> bool:
    return bool(compile_clauses(text, frame(server)).refused)


def decided(text: str, server: str, tool: str, *, others: bool = False, arguments: dict[str, Any] | None = None) -> str:
    """Return the decision about a call. `others`: a further sentence allows all tools."""
    more = f"\n\nAllow using any tool of {server}." if others else ""
    known = frame(server)
    made = compile_clauses(text + more, known)
    assert not made.refused, made.refused
    call = {"serverName": server, "toolName": tool, "arguments": arguments or {}}
    return evaluate(replace(known, rules=made.rules), call).decision


@pytest.mark.parametrize(
    ("text", "server", "tool"),
    [
        ("Cancel nothing.", "flights", "cancel_booking"),
        ("Cancel nothing without asking me.", "flights", "cancel_booking"),
        ("You may delete nothing.", "social", "delete_post"),
        ("You can change nothing.", "flights", "change_booking"),
        ("Allow deleting nothing.", "mail", "delete_message"),
        ("Turn off nothing.", "home", "turn_off"),
    ],
)
def test_nothing_is_never_read_as_anything(text: str, server: str, tool: str):
    made = compile_clauses(text, frame(server))
    assert made.refused or not any(rule.then == "allow" for rule in made.rules), tool


def test_nothing_as_the_subject_of_a_permission_still_forbids():
    assert "deny" == decided("Nothing may be deleted.", "mail", "delete_message", others=True, arguments={"id": "1"})
    assert "allow" == decided("Nothing may be deleted.", "mail", "read_message", others=True, arguments={"id": "1"})


@pytest.mark.parametrize(
    "text",
    [
        "You may delete pods and install charts in the staging namespace.",
        "You may delete pods and install charts in staging.",
        "You may delete pods, list pods and install charts in staging only.",
    ],
)
def test_a_place_at_the_end_may_belong_to_every_action_of_a_permission(text: str):
    assert is_refused(text, "kube")


def test_a_place_that_is_repeated_or_that_one_action_cannot_have_is_clear():
    text = "You may delete pods in dev and install charts in staging."
    assert "deny" == decided(text, "kube", "delete_pod", arguments={"namespace": "staging"})
    assert "allow" == decided(text, "kube", "install_chart", arguments={"namespace": "staging"})
    text = "You may cancel orders and refund up to 30."
    assert "allow" == decided(text, "shop", "cancel_order", arguments={"order": "1"})
    assert "deny" == decided(text, "shop", "refund_order", arguments={"order": "1", "amount": 31})


@pytest.mark.parametrize(
    "text",
    [
        "Cancel orders and refund them if they cost less than 30.",
        "Cancel orders and refund them as long as the amount is under 30.",
        "You may cancel orders and refund orders provided that the amount is below 30.",
    ],
)
def test_a_condition_at_the_end_is_not_given_to_the_last_action_alone(text: str):
    assert is_refused(text, "shop")


@pytest.mark.parametrize(
    ("text", "server", "allowed", "denied"),
    [
        ("You may schedule posts.", "social", ["schedule_post"], ["create_post", "send_direct_message"]),
        ("You may post.", "social", ["create_post"], ["send_direct_message", "delete_post"]),
        ("You may rename cards.", "board", ["rename_card"], ["move_card"]),
        ("You may view cards.", "board", ["card_history"], ["rename_card"]),
        ("You may read emails.", "mail", ["read_message"], ["mark_read", "delete_message"]),
        ("You may read logs.", "ops", ["get_log"], ["truncate_log", "log_incident"]),
        ("You may list pods.", "ops", ["pods_list"], ["toggle_status"]),
    ],
)
def test_a_permission_means_no_tool_that_only_sounds_alike(
    text: str, server: str, allowed: list[str], denied: list[str]
):
    for tool in allowed:
        assert "allow" == decided(text, server, tool, arguments=dict.fromkeys(TOOLS[server][tool], "1"))
    for tool in denied:
        assert "deny" == decided(text, server, tool, arguments=dict.fromkeys(TOOLS[server][tool], "1"))


@pytest.mark.parametrize("text", ["You may view incidents.", "You may check hosts.", "You may view the history."])
def test_a_tool_that_changes_something_is_no_tool_that_reads(text: str):
    assert is_refused(text, "ops")


@pytest.mark.parametrize(
    ("text", "server", "denied", "allowed"),
    [
        ("Never delete logs.", "ops", ["truncate_log"], ["get_log"]),
        ("Never delete anything.", "ops", ["truncate_log", "flush_history"], ["get_log", "acknowledge_incident"]),
        ("Never change anything.", "ops", ["truncate_log", "toggle_status", "log_incident"], ["get_log", "pods_list"]),
        ("Never change anything.", "mail", ["mark_read", "delete_message"], ["read_message"]),
        ("Never delete emails.", "mail", ["delete_message"], ["mark_read", "read_message"]),
    ],
)
def test_a_prohibition_reaches_tools_whose_names_end_like_reading(
    text: str, server: str, denied: list[str], allowed: list[str]
):
    for tool in denied:
        assert "deny" == decided(text, server, tool, others=True, arguments=dict.fromkeys(TOOLS[server][tool], "1"))
    for tool in allowed:
        assert "allow" == decided(text, server, tool, others=True, arguments=dict.fromkeys(TOOLS[server][tool], "1"))
