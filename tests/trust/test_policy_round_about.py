"""A restriction reaches each tool that does the same to the same thing or place, or its sentence is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

TEXT: dict[str, JSON] = {"type": "string"}
NUMBER: dict[str, JSON] = {"type": "number"}
COUNT: dict[str, JSON] = {"type": "integer"}
FLAG: dict[str, JSON] = {"type": "boolean"}
TEXTS: dict[str, JSON] = {"type": "array", "items": TEXT}
CHANNEL: dict[str, JSON] = {**TEXT, "description": "Channel name"}
SHELF: dict[str, JSON] = {**TEXT, "description": "Name of the shelf"}
MOMENT: dict[str, JSON] = {**TEXT, "description": "ISO 8601 time"}
DAY: dict[str, JSON] = {**TEXT, "description": "YYYY-MM-DD"}
PATH: dict[str, JSON] = {**TEXT, "description": "Path of the file"}
ADDRESSES: dict[str, JSON] = {**TEXTS, "description": "E-mail addresses of the recipients"}
SITE: dict[str, JSON] = {**TEXT, "enum": ["flickr", "tumblr"]}
SWITCH: dict[str, JSON] = {**TEXT, "enum": ["on", "off"]}
ROLE: dict[str, JSON] = {**TEXT, "enum": ["reader", "writer", "owner"]}

# Tools by server: description, arguments, and those that may be left out.
SERVERS: dict[str, dict[str, tuple[str, dict[str, Any], tuple[str, ...]]]] = {
    "talk": {
        "send_message": ("Send a message to a channel.", {"channel": CHANNEL, "text": TEXT}, ()),
        "broadcast_message": ("Send a message to several channels.", {"channels": TEXTS, "text": TEXT}, ()),
        "relay_message": (
            "Send a message on to another channel.",
            {"message_id": TEXT, "from_channel": TEXT, "to_channel": TEXT},
            (),
        ),
        "delete_channel": ("Delete a channel.", {"name": TEXT}, ()),
        "read_channel": ("Read the messages of a channel.", {"channel": CHANNEL}, ()),
    },
    "cluster": {
        "apply_manifest": ("Apply a manifest.", {"namespace": TEXT, "manifest": TEXT}, ()),
        "copy_secret": (
            "Copy a secret to another namespace.",
            {"secret": TEXT, "from_namespace": TEXT, "to_namespace": TEXT},
            (),
        ),
        "delete_namespace": ("Delete a namespace.", {"name": TEXT}, ()),
        "get_pods": ("List the pods of a namespace.", {"namespace": TEXT}, ()),
    },
    "disk": {
        "read_file": ("Read a file.", {"path": PATH}, ()),
        "write_file": ("Write a file.", {"path": PATH, "content": TEXT}, ()),
        "move_file": ("Move a file.", {"source": PATH, "destination": PATH}, ()),
        "create_directory": ("Create a directory.", {"path": TEXT}, ()),
    },
    "library": {
        "add_book": ("Add a book to a shelf.", {"shelf": SHELF, "title": TEXT}, ()),
        "move_book": ("Move a book to another shelf.", {"book_id": TEXT, "target_shelf": SHELF}, ()),
        "loan_book": ("Loan a book to a member.", {"book_id": TEXT, "member": TEXT}, ()),
        "lend": ("Lend any item to a member.", {"item": TEXT, "member": TEXT}, ()),
    },
    "store": {
        "delete_file": ("Delete a file.", {"file_id": TEXT}, ()),
        "read_file": ("Read a file.", {"file_id": TEXT}, ()),
        "share_file": ("Share a file with a person.", {"file_id": TEXT, "email": TEXT, "role": ROLE}, ("role",)),
        "set_file_access": (
            "Set who can open a file by its link.",
            {"file_id": TEXT, "visibility": {**TEXT, "enum": ["private", "public"]}},
            (),
        ),
        "update_access": ("Change the role of somebody.", {"access_id": TEXT, "role": ROLE}, ()),
    },
    "letters": {
        "send_email": ("Send an email.", {"to": ADDRESSES, "body": TEXT}, ()),
        "reply_to_email": ("Reply to an email.", {"email_id": TEXT, "body": TEXT, "reply_all": FLAG}, ("reply_all",)),
        "read_email": ("Read an email.", {"email_id": TEXT}, ()),
        "delete_email": ("Delete an email.", {"email_id": TEXT}, ()),
        "list_emails": ("List the emails of a folder.", {"folder": {**TEXT, "description": "Name of the folder"}}, ()),
        "move_email": (
            "Move an email to a folder.",
            {"email_id": TEXT, "folder": {**TEXT, "description": "Name of the folder"}},
            (),
        ),
    },
    "money": {
        "send_payment": ("Send money to a payee.", {"from_account": TEXT, "payee": TEXT, "amount": NUMBER}, ()),
        "transfer_funds": (
            "Move money between own accounts.",
            {"from_account": TEXT, "to_account": TEXT, "amount": NUMBER},
            (),
        ),
        "pay_bill": (
            "Pay a bill.",
            {"bill_id": TEXT, "account": {**TEXT, "description": "Name of the account"}},
            (),
        ),
        "list_accounts": ("List the accounts.", {}, ()),
    },
    "shop": {
        "create_pass": ("Sell a pass to a visitor.", {"visitor": TEXT, "price": NUMBER}, ()),
        "renew_pass": ("Renew a pass.", {"pass_id": TEXT}, ()),
        "cancel_pass": ("Cancel a pass.", {"pass_id": TEXT}, ()),
        "update_visitor": ("Change a visitor.", {"visitor_id": TEXT, "phone": TEXT}, ("phone",)),
        "merge_visitors": ("Merge two visitors.", {"source_id": TEXT, "target_id": TEXT}, ()),
        "export_visitors": ("Export the visitors.", {"format": {**TEXT, "enum": ["csv", "pdf"]}}, ()),
        "delete_visitor": ("Delete a visitor.", {"visitor_id": TEXT}, ()),
    },
    "sites": {
        "create_post": ("Publish a post.", {"site": SITE, "text": TEXT}, ()),
        "multi_site_post": ("Publish a post on several sites.", {"sites": TEXTS, "text": TEXT}, ()),
        "delete_post": ("Delete a post.", {"site": SITE, "post_id": TEXT}, ()),
    },
    "tours": {
        "book_tour": ("Book a tour.", {"tour": TEXT, "date": DAY, "people": COUNT}, ()),
        "change_tour_booking": ("Change a booking.", {"booking_id": TEXT, "date": DAY}, ("date",)),
        "quick_tour": ("Book a tour from a phrase such as 'harbour tour on Sunday'.", {"phrase": TEXT}, ()),
    },
    "visits": {
        "book_visit": ("Book a visit.", {"patient": TEXT, "start": MOMENT}, ()),
        "swap_visits": ("Swap the times of two visits.", {"first": TEXT, "second": TEXT}, ()),
        "move_visit": ("Move a visit.", {"visit_id": TEXT, "start": MOMENT}, ()),
        "update_visit": ("Change a visit.", {"visit_id": TEXT, "doctor": TEXT, "start": MOMENT}, ("doctor", "start")),
    },
    "farm": {
        "switch_on_pump": ("Switch on a pump.", {"pump": TEXT}, ()),
        "switch_off_pump": ("Switch off a pump.", {"pump": TEXT}, ()),
        "set_state": ("Set the state of a device.", {"device": TEXT, "state": SWITCH}, ()),
    },
    "fleet": {
        "scale_group": ("Scale a group of machines.", {"group": TEXT, "machines": COUNT}, ()),
        "update_group": ("Change a group of machines.", {"group": TEXT, "machines": COUNT, "image": TEXT}, ("image",)),
    },
    "desk": {
        "restart_job": ("Restart a job.", {"job": TEXT, "stage": {**TEXT, "enum": ["test", "live"]}}, ()),
        "drop_job": ("Delete a job.", {"job": TEXT, "stage": TEXT}, ()),
        "pay_person": ("Pay a person.", {"person": TEXT, "amount": NUMBER}, ()),
    },
}
REACHED = (
    # Places: the same value under another name.
    ("talk", "Post nothing in #board.", "broadcast_message", {"channels": ["a", "board"], "text": "x"}),
    ("talk", "Add nothing to #board.", "relay_message",
     {"message_id": "1", "from_channel": "a", "to_channel": "board"}),
    ("talk", "The channel #board is off limits.", "relay_message",
     {"message_id": "1", "from_channel": "board", "to_channel": "a"}),
    ("talk", "The channel #board is off limits.", "delete_channel", {"name": "board"}),
    ("cluster", "The prod namespace is off limits.", "delete_namespace", {"name": "prod"}),
    ("cluster", "The prod namespace is read-only.", "delete_namespace", {"name": "prod"}),
    ("cluster", "Leave the prod namespace alone.", "copy_secret",
     {"secret": "s", "from_namespace": "a", "to_namespace": "prod"}),
    ("cluster", "Only work in the dev namespace.", "copy_secret",
     {"secret": "s", "from_namespace": "a", "to_namespace": "prod"}),
    ("library", "Put nothing on the shelf Rare.", "move_book", {"book_id": "1", "target_shelf": "Rare"}),
    ("disk", "Put nothing in ~/Contracts.", "write_file", {"path": "/home/ada/Contracts/a", "content": "x"}),
    ("disk", "Put nothing in ~/Contracts.", "move_file",
     {"source": "/home/ada/a", "destination": "/home/ada/Contracts/a"}),
    ("money", "Keep the rent account untouched.", "send_payment", {"from_account": "rent", "payee": "B", "amount": 2}),
    ("money", "Never move money out of rent.", "send_payment", {"from_account": "rent", "payee": "B", "amount": 2}),
    ("money", "Never move money.", "send_payment", {"from_account": "rent", "payee": "B", "amount": 2}),
    ("sites", "Posts on Tumblr need my approval.", "multi_site_post", {"sites": ["tumblr"], "text": "x"}),
    ("sites", "Tumblr is off limits.", "multi_site_post", {"sites": ["tumblr"], "text": "x"}),
    # People, and nobody.
    ("letters", "Nobody gets emails.", "send_email", {"to": ["b@b.example"], "body": "x"}),
    ("money", "No one gets money without my approval.", "send_payment",
     {"from_account": "a", "payee": "B", "amount": 2}),
    ("store", "Nobody gets files.", "share_file", {"file_id": "1", "email": "b@b.example"}),
    ("store", "Never share files with anyone outside acme.example.", "set_file_access",
     {"file_id": "1", "visibility": "public"}),
    ("store", "Never share files.", "set_file_access", {"file_id": "1", "visibility": "public"}),
    ("store", "Nobody gets owner access.", "update_access", {"access_id": "1", "role": "owner"}),
    ("letters", "Write to nobody.", "reply_to_email", {"email_id": "1", "body": "x"}),
    ("letters", "Emails to more than 5 people need my approval.", "reply_to_email",
     {"email_id": "1", "body": "x", "reply_all": True}),
    ("letters", "The Tax folder is read-only.", "delete_email", {"email_id": "1"}),
    # Files that are named by ids.
    ("store", "Never delete files.", "delete_file", {"file_id": "1"}),
    ("store", "Ask before deleting any files.", "delete_file", {"file_id": "1"}),
    ("store", "Never read files.", "read_file", {"file_id": "1"}),
    # Things that must not be changed or touched.
    ("shop", "Visitors must not be changed.", "merge_visitors", {"source_id": "1", "target_id": "2"}),
    ("shop", "Existing visitors must not be changed.", "merge_visitors", {"source_id": "1", "target_id": "2"}),
    ("shop", "Passes are off limits.", "cancel_pass", {"pass_id": "1"}),
    ("library", "Loans need my approval.", "lend", {"item": "1", "member": "x"}),
    # Times, numbers and ways.
    ("visits", "Never move visits.", "update_visit", {"visit_id": "1", "start": "2026-03-07T10:00:00Z"}),
    ("tours", "No tours on Sundays.", "change_tour_booking", {"booking_id": "1", "date": "2026-03-08"}),
    ("tours", "No tours on Sundays.", "quick_tour", {"phrase": "harbour on Sunday"}),
    ("farm", "Never switch anything off.", "set_state", {"device": "a", "state": "off"}),
    ("fleet", "Never scale a group above 20 machines.", "update_group", {"group": "a", "machines": 50}),
    # "Nothing else" after a permission with a condition.
    ("shop", "You may export visitors as csv, nothing else.", "delete_visitor", {"visitor_id": "1"}),
    ("talk", "You may send messages in #dev, nothing else.", "delete_channel", {"name": "a"}),
    ("desk", "You may restart jobs in test; anything else needs my approval.", "drop_job",
     {"job": "a", "stage": "live"}),
    ("disk", "You may read files in ~/work; anything else needs my approval.", "write_file",
     {"path": "/home/ada/work/a", "content": "x"}),
    ("disk", "Just read ~/Contracts, nothing else.", "write_file", {"path": "/home/ada/Contracts/a", "content": "x"}),
)  # fmt: skip
NOT_MEANT = (
    ("talk", "The channel #board is off limits.", "send_message", {"channel": "general", "text": "x"}),
    (
        "talk",
        "The channel #board is off limits.",
        "relay_message",
        {"message_id": "1", "from_channel": "a", "to_channel": "b"},
    ),
    ("cluster", "The prod namespace is off limits.", "delete_namespace", {"name": "dev"}),
    ("disk", "Put nothing in ~/Contracts.", "write_file", {"path": "/home/ada/notes", "content": "x"}),
    ("money", "Keep the rent account untouched.", "send_payment", {"from_account": "main", "payee": "B", "amount": 2}),
    ("sites", "Tumblr is off limits.", "multi_site_post", {"sites": ["flickr"], "text": "x"}),
    ("store", "Never delete files.", "read_file", {"file_id": "1"}),
    ("shop", "Passes are off limits.", "delete_visitor", {"visitor_id": "1"}),
)
IN_DOUBT = (
    ("desk", "Pay nobody more than once a day."),
    ("desk", "No person may be paid more than once a day."),
    ("visits", "No more than two visits on a day."),
    ("store", "Nobody gets files."),
)


@cache
def _frame(server: str) -> Policy:
    tools = [
        {
            "name": name,
            "description": told,
            "inputSchema": {"type": "object", "properties": args, "required": [one for one in args if one not in free]},
        }
        for name, (told, args, free) in SERVERS[server].items()
    ]
    with TemporaryDirectory() as folder:
        listed, notes = Path(folder) / "tools.json", Path(folder) / "notes.json"
        listed.write_text(json.dumps({"tools": tools}))
        done = CliRunner().invoke(command, ["policy", "annotate", str(listed), "--server", server, "-o", str(notes)])
        assert done.exit_code == 0, done.output
        found = json.loads(notes.read_text())
    base: dict[str, Any] = {"semantics": 3, "home": "/home/ada", "timeZone": "UTC", "servers": {}, "rules": []}
    return Policy.of_json({**base, "annotations": found.get("annotations", found)})


def _decided(server: str, text: str, tool: str, arguments: dict[str, Any]) -> str:
    frame = _frame(server)
    made = compile_clauses(f"{text}\n\nAllow using any tool of {server}.", frame)
    if made.refused:
        return "refused"
    call = ToolCall(server=server, tool=tool, arguments=arguments)
    return evaluate(replace(frame, rules=made.rules), call, surroundings=LEXICAL).decision


@pytest.mark.parametrize(("server", "text", "tool", "arguments"), REACHED)
def test_a_restriction_is_not_got_round(server: str, text: str, tool: str, arguments: dict[str, Any]) -> None:
    assert _decided(server, text, tool, arguments) in {"deny", "escalate", "refused"}


@pytest.mark.parametrize(("server", "text", "tool", "arguments"), NOT_MEANT)
def test_other_calls_stay_allowed(server: str, text: str, tool: str, arguments: dict[str, Any]) -> None:
    assert _decided(server, text, tool, arguments) == "allow"


@pytest.mark.parametrize(("server", "text"), IN_DOUBT)
def test_what_can_be_meant_in_two_ways_is_refused(server: str, text: str) -> None:
    assert compile_clauses(text, _frame(server)).refused
