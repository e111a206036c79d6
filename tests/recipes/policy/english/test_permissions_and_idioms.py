"""Idioms of permissions: read-only, left alone, nothing else, nobody gets invited, every one but, and any other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from retouch.recipes.policy import ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.background import is_background
from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.english.compiling import compile_english
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from tests.recipes.policy.english.common_tools import CHAT, MAIL
from tests.recipes.policy.english.meanings import MAY_BE_ID, NUMBER, TEXT, frame_of, meaning_of, told

POST = "conversations_add_message"
NUMBERS = {"type": "array", "items": NUMBER, "description": "Cases to merge"}
AREA = told("Name of the zone")
LEDGER = told("Name of the ledger")
DESK = frame_of(
    "desk",
    {
        "search_cases": ("Search cases by text.", {"query": TEXT}),
        "get_case": ("Get a case.", {"case_id": told("Case number", NUMBER)}),
        "update_case": ("Update a case.", {"case_id": told("Case number", NUMBER), "status": TEXT}),
        "merge_cases": (
            "Merge cases into another one.",
            {"source_ids": NUMBERS, "target_id": told("Case to merge into", NUMBER)},
        ),
        "create_case": ("Create a case.", {"subject": TEXT}),
    },
)
FARM = frame_of(
    "farm",
    {
        "list_pumps": ("List the pumps of a zone.", {"zone": AREA}),
        "start_pump": ("Start a pump.", {"pump": TEXT, "zone": AREA}),
        "set_pump_speed": ("Set the speed of a pump.", {"pump": TEXT, "speed": NUMBER, "zone": AREA}),
        "remove_pump": ("Remove a pump.", {"pump": TEXT, "zone": AREA}),
        "run_script": ("Run a shell script on the machine of a zone.", {"script": TEXT, "zone": AREA}),
    },
    roles={"script": "executes-code"},
)
BOOKS = frame_of(
    "books",
    {
        "list_entries": ("List the entries of a ledger.", {"ledger": LEDGER}),
        "add_entry": ("Add an entry to a ledger.", {"ledger": LEDGER, "text": TEXT}),
        "delete_entry": ("Delete an entry of a ledger.", {"ledger": LEDGER, "entry_id": TEXT}),
        "archive_ledger": ("Archive a ledger.", {"ledger": LEDGER}),
    },
)
MONEY = frame_of(
    "money",
    {
        "get_balance": ("Get the balance of an account.", {"account": TEXT}),
        "create_transfer": (
            "Send money to a recipient now.",
            {"from_account": TEXT, "recipient": told("Name of the recipient"), "amount": told("Amount", NUMBER)},
        ),
        "schedule_payment": (
            "Schedule a payment.",
            {
                "from_account": TEXT,
                "recipient": told("Name of the recipient"),
                "amount": told("Amount", NUMBER),
                "date": TEXT,
            },
        ),
        "cancel_scheduled_payment": ("Cancel a scheduled payment.", {"payment_id": TEXT}),
        "block_card": ("Block a card.", {"card_id": TEXT}),
        "unblock_card": ("Unblock a card.", {"card_id": TEXT}),
    },
)
ROLE = {"type": "string", "enum": ["reader", "editor", "owner"]}
VAULT = frame_of(
    "vault",
    {
        "read_document": ("Read a document.", {"document": TEXT}),
        "share_document": ("Share a document with a person.", {"document": TEXT, "email": TEXT, "role": ROLE}),
        "move_document": ("Move a document to another binder.", {"document": TEXT, "binder": told("Target binder")}),
    },
    roles={"email": "email-address"},
)
FEED = frame_of(
    "feed",
    {
        "create_post": (
            "Publish a post.",
            {"network": {"type": "string", "enum": ["mastodon", "bluesky"]}, "text": TEXT},
        ),
        "delete_post": (
            "Delete a post.",
            {"network": {"type": "string", "enum": ["mastodon", "bluesky"]}, "post_id": TEXT},
        ),
        "like_post": (
            "Like a post.",
            {"network": {"type": "string", "enum": ["mastodon", "bluesky"]}, "post_id": TEXT},
        ),
        "mute_user": ("Mute a user.", {"username": told("User name without @")}),
        "reply_to_comment": (
            "Reply to a comment under one of our posts.",
            {"network": {"type": "string", "enum": ["mastodon", "bluesky"]}, "comment_id": TEXT, "text": TEXT},
        ),
    },
)
LETTERS = frame_of(
    "letters",
    {
        "read_letter": ("Read a letter.", {"letter_id": TEXT}),
        "move_letter": ("Move a letter to a folder.", {"letter_id": TEXT, "folder": told("Name of the folder")}),
    },
)
PAYING = {"from_account": TEXT, "to_name": TEXT, "amount": told("Amount", NUMBER)}
ORDERS = frame_of(
    "orders",
    {
        "create_transfer": ("Send money.", PAYING),
        "schedule_payment": ("Schedule a payment.", PAYING | {"date": TEXT}),
    },
)
DAYS = frame_of(
    "days",
    {
        "list_events": ("List the events of a calendar.", {"calendar_id": told("Name or ID of the calendar")}),
        "delete_event": ("Delete an event.", {"calendar_id": told("Name or ID of the calendar"), "event_id": TEXT}),
    },
)
SHELL = frame_of(
    "shell",
    {
        "read_file": ("Read a file.", {"path": TEXT}),
        "write_file": ("Write a file.", {"path": TEXT, "content": TEXT}),
        "run_command": ("Run a shell command.", {"command": told("The command line")}),
    },
    roles={"command": "executes-code"},
)
PLACES = frame_of(
    "disk",
    {
        "read_file": ("Read a file.", {"path": TEXT}),
        "list_directory": ("List a directory.", {"path": TEXT}),
        "create_directory": ("Create a directory.", {"dir": TEXT}),
        "write_file": ("Write a file.", {"target": TEXT, "content": TEXT}),
        "delete_file": ("Delete a file.", {"victim": TEXT}),
    },
    roles={"path": "read-path", "dir": "write-path", "target": "write-path", "victim": "delete-path"},
)


def _lines(*rules: str) -> set[str]:
    """Return one line for each tool of rules: "deny read_page list_pages | page is A" are two."""
    found: set[str] = set()
    for rule in rules:
        head, _, tests = rule.partition(" | ")
        then, *tools = head.split()
        found |= {f"{then} {tool} {tests}".rstrip() for tool in tools}
    return found


def _meaning(text: str, frame: Any) -> set[str]:
    """Return what a sentence means, one line for each tool."""
    tools = {name for _, name in frame.tools}
    found: set[str] = set()
    for line in meaning_of(text, frame):
        then, *words = line.split()
        count = next((at for at, word in enumerate(words) if word not in tools), len(words))
        found |= {" ".join((then, tool, *words[count:])) for tool in words[:count]}
    return found


ORCHARD = _lines("deny start_pump set_pump_speed remove_pump | zone is Orchard", "deny run_script")
CASE = _lines(
    "deny get_case update_case | case_id is 4471",
    "deny merge_cases | source_ids is 4471",
    "deny merge_cases | target_id is 4471",
)
ONLY_LISTED = _lines("allow list_entries", "deny add_entry delete_entry archive_ledger")
DOCUMENTS_KEPT = _lines(
    "deny create_directory write_file | write-path within ~/Documents",
    "deny delete_file | delete-path within ~/Documents",
)
DOCUMENTS_READ = _lines("allow list_directory read_file | read-path within ~/Documents")
PAYMENTS = _lines("deny create_transfer schedule_payment")


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        # read-only
        (FARM, ORCHARD, "Change nothing in the zone Orchard."),
        (FARM, ORCHARD, "The zone Orchard is read-only."),
        (FARM, ORCHARD, "Treat the Orchard zone as read-only."),
        (FARM, ORCHARD, "The zone Orchard must be treated as read-only."),
        (PLACES, DOCUMENTS_KEPT, "Change nothing in ~/Documents."),
        (PLACES, DOCUMENTS_KEPT, "Keep ~/Documents read-only."),
        (PLACES, DOCUMENTS_KEPT, "My Documents folder is read-only."),
        (
            PLACES,
            DOCUMENTS_READ | DOCUMENTS_KEPT,
            "You may open and list anything in ~/Documents, but change nothing there.",
        ),
        (PLACES, DOCUMENTS_READ, "You may open anything in ~/Documents."),
        # left alone, off limits
        (FARM, ORCHARD | _lines("deny list_pumps | zone is Orchard"), "Leave the zone Orchard alone."),
        (DESK, CASE, "Please leave case 4471 alone."),
        (DESK, CASE, "Leave case 4471 alone, we are still working on it."),
        (
            BOOKS,
            _lines("deny add_entry archive_ledger delete_entry list_entries | ledger is office rent"),
            "Leave the ledger called office rent alone.",
        ),
        (
            DAYS,
            _lines(
                "deny list_events delete_event | calendar_id is Family",
                f"deny list_events delete_event | calendar_id {MAY_BE_ID}",
            ),
            "Please keep out of the calendar called Family.",
        ),
        # nothing else
        (BOOKS, ONLY_LISTED, "You may list entries, nothing else."),
        (BOOKS, ONLY_LISTED, "Just list entries and do nothing else."),
        # negations after the verb
        (MAIL, _lines("deny trash_email"), "Trash no emails."),
        (FEED, _lines("escalate mute_user"), "Nobody may be muted without my approval."),
        (FEED, _lines("deny mute_user | unless username is spam_1"), "Mute nobody except @spam_1."),
        # permissions with a rest
        (
            MONEY,
            _lines("allow block_card", "deny unblock_card"),
            "You may block a card whenever you think it is necessary, but never unblock one.",
        ),
        (
            BOOKS,
            _lines("allow list_entries", "deny list_entries | ledger is Taxes"),
            "You may list every ledger but Taxes.",
        ),
        (
            VAULT,
            _lines(
                "allow move_document | binder is Legal or Tax", "deny move_document | unless binder is Legal or Tax"
            ),
            "Documents can be moved to Legal or Tax, but to no other binder.",
        ),
        (
            LETTERS,
            _lines(
                "allow move_letter | folder is Archive or Bills", "deny move_letter | unless folder is Archive or Bills"
            ),
            "Letters can be moved to Archive or Bills, but to no other folder.",
        ),
        (CHAT, _lines("allow reactions_add"), "It is fine to react with emoji."),
        # payments in every way
        (MONEY, PAYMENTS, "No payments of any kind."),
        (MONEY, PAYMENTS, "Never make payments."),
        (MONEY, PAYMENTS | _lines("allow get_balance"), "You may check balances, but no payments of any kind."),
        (MONEY, _lines("deny schedule_payment"), "Never schedule payments."),
        # access
        (VAULT, _lines("deny share_document | role is owner"), "Never hand over ownership of a document."),
        (VAULT, _lines("deny share_document | role is owner"), "Nobody gets owner access."),
        (
            VAULT,
            _lines("escalate share_document | unless email-address to *@acme.example"),
            "Giving access to anyone without an acme.example address needs my approval.",
        ),
        (VAULT, _lines("deny share_document"), "Documents are private, so never share them."),
        # what is shown or approved first
        (FEED, _lines("escalate create_post"), "Show me each post for approval before it is published."),
        (
            SHELL,
            _lines("escalate run_command | unless command is git status"),
            "I want to approve every shell command except git status.",
        ),
        # one thing, and no other
        (FEED, _lines("deny delete_post | network is bluesky"), "Never delete posts from our Bluesky account."),
        (FEED, _lines("deny like_post | network is bluesky"), "Never like posts on Bluesky."),
    ],
)  # fmt: skip
def test_an_idiom_means_the_same_as_the_plain_form(frame: Any, wanted: set[str], text: str) -> None:
    assert wanted == _meaning(text, frame)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (FARM, "The zone Orchard is not read-only."),
        (FARM, "Only the zone Orchard is read-only."),
        (FARM, "The zone Orchard is read-only on Mondays, and never stop pumps."),
        (FARM, "The agent is read-only."),
        (PLACES, "Leave nothing in ~/Documents."),
        (PLACES, "Change nothing else."),
        (PLACES, "You may read files in ~/a or ~/b, but change nothing there."),
        (PLACES, "Read files in ~/a and write to ~/b and delete nothing there."),
        (PLACES, "Delete nothing in ~/a, and change nothing in ~/b."),
        (DESK, "Case 4471 is off limits."),
        (DESK, "Leave case 4471 alone, I am the only one who may close it."),
        (DESK, "Leave case 4471 alone and change case 12."),
        (BOOKS, "With entries, you may list and add, nothing else."),
        (BOOKS, "Never delete entries, and do nothing else."),
        (CHAT, "You can read every channel but posting needs my approval."),
        (CHAT, "Post nothing in #board, and read nothing in #dev."),
        (MAIL, "Send nothing."),
        (ORDERS, "No payments."),
        (VAULT, "Nobody gets editor access."),
        (VAULT, "Nobody gets owner access to Plans."),
        (SHELL, "I want to approve every command except cats."),
        (FEED, "Show me the plan before it is executed."),
    ],
)
def test_what_only_looks_like_an_idiom_is_refused(frame: Any, text: str) -> None:
    assert set() == _meaning(text, frame)


@pytest.mark.parametrize(
    ("wanted", "tool", "arguments"),
    [
        (True, "merge_cases", {"source_ids": [12, 4471], "target_id": 7}),
        (True, "merge_cases", {"source_ids": [12], "target_id": 4471}),
        (False, "merge_cases", {"source_ids": [12], "target_id": 7}),
        (True, "update_case", {"case_id": 4471, "status": "open"}),
        (False, "update_case", {"case_id": 4472, "status": "open"}),
    ],
)
def test_a_case_that_is_left_alone_is_neither_merged_nor_changed(
    wanted: bool, tool: str, arguments: dict[str, Any]
) -> None:
    policy = replace(DESK, rules=tuple(compile_english("Leave case 4471 alone.", DESK).rules))
    found = evaluate(policy, ToolCall(server="desk", tool=tool, arguments=arguments), surroundings=LEXICAL)
    assert wanted is (found.decision == "deny" and found.rule != "default-deny")


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (True, "We run a bakery and get around ninety calls a day."),
        (True, "My wife and I share a small workshop near the harbour."),
        (False, "Get around ninety calls a day."),
        (False, "We mute around ninety callers a day."),
        (False, "My wife and I approve the posts."),
        (False, "My wife and I share every post with you."),
    ],
)
def test_only_what_tells_about_people_is_background(wanted: bool, text: str) -> None:
    (clause,) = clauses_of(text)
    assert wanted is is_background(clause, Toolbox(FEED))
