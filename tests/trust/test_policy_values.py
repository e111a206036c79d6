"""Values and verbs of ordinary sentences that were bound to the wrong argument, or that vanished."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from retouch.recipes.policy import Policy, evaluate
from retouch.recipes.policy.english.compiling import compile_clauses

TEXT = {"type": "string"}
TOOLS: dict[str, dict[str, dict[str, Any]]] = {
    "bank": {
        "transfer_money": {
            "from_account": TEXT,
            "to_iban": {**TEXT, "description": "IBAN of the payee"},
            "amount": {"type": "number"},
        }
    },
    "git": {"push_branch": {"branch": TEXT}},
    "deals": {
        "create_deal": {
            "title": TEXT,
            "amount": {"type": "number"},
            "currency": {"type": "string", "enum": ["EUR", "USD"]},
        },
        "update_deal": {"deal_id": TEXT, "amount": {"type": "number"}},
    },
    "tickets": {
        "update_ticket": {"ticket_id": TEXT, "priority": {"type": "string", "enum": ["low", "urgent"]}, "title": TEXT}
    },
    "mails": {"send_message": {"to": TEXT, "body": TEXT}},
    "notes": {
        "create_note": {"notebook": TEXT, "title": TEXT},
        "edit_note": {"note_id": TEXT, "title": TEXT},
        "get_note": {"note_id": TEXT},
    },
    "chat": {"send_direct_message": {"user": {**TEXT, "description": "User name"}, "body": TEXT}},
    "files": {
        "read_file": {"path": TEXT},
        "share_file": {"path": TEXT, "email": TEXT},
        "save_file": {"path": TEXT},
        "delete_file": {"path": TEXT},
    },
    "trees": {
        "delete_file": {"path": TEXT},
        "remove": {"path": TEXT},
        "search_text": {"path": {**TEXT, "description": "Directory"}, "text": TEXT},
    },
}
ROLES = {
    ("save_file", "path"): "write-path",
    ("delete_file", "path"): "delete-path",
    ("remove", "path"): "delete-path",
    ("search_text", "path"): "read-path",
    ("push_branch", "branch"): "branch-name",
    ("send_message", "to"): "email-address",
    ("read_file", "path"): "read-path",
    ("share_file", "path"): "read-path",
    ("share_file", "email"): "email-address",
}


def frame(server: str) -> Policy:
    tools: list[dict[str, Any]] = [
        {
            "toolName": name,
            "args": {arg: [ROLES.get((name, arg), "none")] for arg in arguments},
            "inputSchema": {"type": "object", "properties": arguments},
        }
        for name, arguments in TOOLS[server].items()
    ]
    servers: Any = {server: {"tools": tools}}
    return Policy.of_json({"semantics": 3, "home": "/home/ada", "rules": [], "annotations": {"servers": servers}})


def decided(sentence: str, server: str, tool: str, *, others: bool = False, **arguments: Any) -> str:
    """Return the decision about a call, or "refused". `others`: a further sentence allows all tools."""
    known = frame(server)
    made = compile_clauses(f"{sentence}\n\nAllow using any tool of {server}." if others else sentence, known)
    if made.refused:
        return "refused"
    call = {"serverName": server, "toolName": tool, "arguments": arguments}
    return evaluate(replace(known, rules=made.rules), call).decision


IBAN = "DE89370400440532013000"


def test_what_money_goes_to_is_not_the_account_that_it_comes_from():
    call: dict[str, Any] = {"from_account": IBAN, "to_iban": "GB33BUKB20201555555555", "amount": 1}
    assert decided(f"Transfers to {IBAN} are fine.", "bank", "transfer_money", **call) in {"refused", "deny"}
    call = {"from_account": "Giro", "to_iban": IBAN, "amount": 1}
    found = decided(f"Never transfer money from {IBAN}.", "bank", "transfer_money", others=True, **call)
    assert found in {"refused", "allow"}


def test_nothing_in_a_place_forbids_every_tool_of_the_same_kind_of_thing_or_is_refused():
    text = "Nothing may be changed in the notebook Archive."
    assert decided(text, "notes", "edit_note", others=True, note_id="1", title="x") in {"refused", "deny"}


@pytest.mark.parametrize("whom", ["the CEO", "the Boss", "the President"])
def test_a_description_of_somebody_is_no_user_name(whom: str):
    assert "refused" == decided(
        f"Direct messages to {whom} need my permission.", "chat", "send_direct_message", user="ann"
    )


def test_a_name_of_somebody_is_a_user_name():
    text = "Direct messages to Ben need my permission."
    assert "escalate" == decided(text, "chat", "send_direct_message", user="Ben", body="x")


def test_a_permission_for_two_acts_does_not_lose_one_of_them():
    text = "Everything in /srv/public may be read and shared with anyone."
    assert decided(text, "files", "read_file", path="/srv/public/a") in {"refused", "allow"}


def test_a_branch_that_ends_with_a_slash_is_the_beginning_of_names():
    text = "Ask before pushing to release/ branches."
    assert "escalate" == decided(text, "git", "push_branch", others=True, branch="release/1.2")
    assert "allow" == decided(text, "git", "push_branch", others=True, branch="released")


def test_a_limit_for_one_currency_is_refused_if_some_tool_sets_the_amount_without_one():
    text = "Deals in USD must not exceed 10,000."
    assert "refused" == decided(text, "deals", "update_deal", others=True, deal_id="1", amount=20_000)


def test_forbidding_to_forward_does_not_forbid_to_send():
    text = "Forwarding is forbidden."
    found = decided(text, "mails", "send_message", others=True, to="ann@x.example", body="x")
    assert found in {"refused", "allow"}


@pytest.mark.parametrize(
    "text", ["You may save PDF files to /srv/pdf.", "You may save PDF files, but only to /srv/pdf."]
)
def test_a_permission_for_a_kind_of_files_in_a_directory_is_no_dead_rule(text: str):
    assert "allow" == decided(text, "files", "save_file", path="/srv/pdf/a.pdf")
    assert "deny" == decided(text, "files", "save_file", path="/srv/pdf/a.exe")
    assert "deny" == decided(text, "files", "save_file", path="/srv/a.pdf")


@pytest.mark.parametrize(
    "text", ["Never change the priority of urgent tickets.", "Never change the priority of a ticket if it is urgent."]
)
def test_what_a_thing_was_before_is_not_what_a_call_makes_of_it(text: str):
    assert "refused" == decided(text, "tickets", "update_ticket", others=True, ticket_id="1", priority="low")


def test_what_a_call_makes_of_a_thing_is_read():
    text = "Never change the priority of a ticket to urgent."
    assert "deny" == decided(text, "tickets", "update_ticket", others=True, ticket_id="1", priority="urgent")
    assert "allow" == decided(text, "tickets", "update_ticket", others=True, ticket_id="1", priority="low")


@pytest.mark.parametrize(
    ("text", "tool"), [("Never delete PDF files.", "remove"), ("Never read .env files.", "search_text")]
)
def test_a_kind_of_files_is_refused_if_a_tool_may_take_the_directory_they_are_in(text: str, tool: str):
    assert "refused" == decided(text, "trees", tool, others=True, path="/srv/all")


def test_a_kind_of_files_is_forbidden_for_a_tool_that_takes_one_file():
    text = "Never delete PDF files."
    assert "deny" == decided(text, "files", "delete_file", others=True, path="/srv/A.PDF")
    assert "allow" == decided(text, "files", "delete_file", others=True, path="/srv/a.txt")
