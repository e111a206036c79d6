"""Sentences whose words were lost by a reading, or taken for something else: a wrong allow, or a call not denied."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.making.judging.clause_state import missing_state
from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told

STATE: dict[str, Any] = {"type": "string", "enum": ["low", "high", "other"]}
DESK = frame_of(
    "desk",
    {
        "delete_ticket": ("Delete a ticket.", {"ticket_id": TEXT}),
        "update_ticket": ("Update a ticket.", {"ticket_id": TEXT, "priority": STATE, "note": TEXT}),
        "add_comment": ("Comment on a ticket.", {"ticket_id": TEXT, "text": TEXT}),
        "move_ticket": ("Move a ticket.", {"ticket_id": TEXT, "source_board": TEXT, "target_board": TEXT}),
        "issue_refund": ("Refund a customer.", {"amount": told("Amount in euros.", NUMBER), "reason": STATE}),
        "cancel_subscription": ("Cancel a subscription.", {"subscription_id": TEXT, "at_period_end": FLAG}),
        "send_invoice": ("Send an invoice.", {"invoice_id": TEXT}),
        "set_timer": ("Set a timer.", {"seconds": told("Length in seconds.", NUMBER)}),
        "create_payment": ("Make a payment.", {"amount": told("Amount in cents.", NUMBER), "payee": TEXT}),
        "place_order": ("Order an item.", {"quantity": NUMBER, "unit_price": told("Price of one in euros.", NUMBER)}),
        "upload_file": ("Upload a file to the server.", {"local_path": TEXT, "remote_path": TEXT}),
        "book_hotel": (
            "Book a hotel.",
            {"check_in": told("YYYY-MM-DD"), "check_out": told("YYYY-MM-DD"), "city": TEXT},
        ),
    },
    roles={"local_path": "read-path", "remote_path": "write-path"},
)  # fmt: skip
REPOSITORY = frame_of(
    "code",
    {"create_branch": ("Create a branch.", {"branch": TEXT, "from_branch": TEXT})},
    roles={"branch": "branch-name"},
)
MAIL = frame_of(
    "mail",
    {
        "send_email": ("Send an e-mail.", {"to": TEXT, "cc": TEXT, "subject": TEXT}),
        "delete_email": ("Delete an e-mail.", {"email_id": TEXT}),
        "update_contact": ("Update a contact.", {"contact_id": TEXT, "email": TEXT}),
    },
    roles={"to": "email-address", "cc": "email-address"},
)


DISK = frame_of(
    "disk",
    {
        "read_file": ("Read a file.", {"path": TEXT}),
        "write_file": ("Write a file.", {"path": TEXT, "text": TEXT}),
        "move_file": ("Move a file.", {"source": TEXT, "destination": TEXT}),
        "delete_file": ("Delete a file.", {"path_to_delete": TEXT}),
        "extract_archive": ("Unpack an archive into a folder.", {"archive": TEXT, "folder": TEXT}),
        "create_repository": ("Create a repository.", {"name": TEXT, "private": FLAG}),
        "create_gist": ("Create a gist.", {"content": TEXT}),
    },
    roles={
        "path": "write-path",
        "source": "read-path",
        "destination": "write-path",
        "path_to_delete": "delete-path",
        "archive": "read-path",
        "folder": "write-path",
    },
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (MAIL, "Sending emails is reserved for people at acme.example."),
        (DISK, "You may create private repositories and gists."),
        (DISK, "No files in ~/a and no files in ~/b may be deleted."),
        (DISK, "Either files in ~/a or files in ~/b may be deleted."),
        (DISK, "The agent may not delete files in ~/a of its own accord."),
        (DISK, "Never create repositories for good."),
        (DESK, "No refunds and no payments on Sundays."),
        (DISK, "You must never delete files in ~/docs nor write to them."),
        (DISK, "Never delete files in ~/docs nor move files to ~/out without my okay."),
        (DISK, "Files in ~/in may be moved only on Mondays."),
        (DISK, "Never delete spreadsheets, which are files ending in .xlsx or .ods, or PDFs."),
        (DESK, "Refunds over 50 euros are off limits, over 20 on weekends."),
        (DESK, "Refunds up to 50 euros are fine, up to 20 euros on Sundays."),
        (DESK, "Refunds up to 50 euros are fine, up to 100 ask."),
        (DESK, "After 6 pm refunds are off limits, deleting tickets is fine."),
        (DESK, "Last year, you may delete tickets and comment on them."),
        (DESK, "Tell Anna you may delete tickets and comment on them."),
        (DESK, "You may delete tickets if you ask."),
        (DESK, "You may delete tickets as agreed."),
        (DESK, "Deleting tickets is fine in this case."),
        (DESK, "You may usually delete tickets."),
        (DESK, "You might delete tickets."),
        (DESK, "Deleting tickets is up to Claude."),
        (DESK, "Deleting tickets is reserved for Fridays."),
        (DESK, "Tickets with high priority are something I handle myself."),
        (DESK, "Never update tickets with high priority."),
        (DESK, "Refunds for other reasons need my okay."),
        (DESK, "Never move tickets to the sales board."),
        (DESK, "Never upload files to anything ending in .html."),
        (DESK, "Cancelling subscriptions at period end is fine."),
        (DESK, "You may cancel subscriptions at period end."),
        (DESK, "You may send invoices except for Anna."),
        (DESK, "You may place orders up to 50 euros each."),
        (DESK, "Never place orders for more than 50 euros a day."),
        (DESK, "Refund a customer at most once a week."),
        (DESK, "By default, never update tickets."),
        (DESK, "Only you may delete tickets."),
        (DESK, "Never delete my Inbox ticket."),
        (DESK, "Never book hotels from Friday to Sunday."),
        (DESK, "Only book hotels from Monday to Friday."),
        (REPOSITORY, "Never create branches from main."),
        (REPOSITORY, "Only create branches from main."),
        (MAIL, "Never send emails to bob@acme.example with anna@acme.example in cc."),
    ],
)
def test_a_sentence_is_refused_if_its_reading_would_lose_a_word(frame: Any, text: str) -> None:
    assert set() == meaning_of(text, frame)


@pytest.mark.parametrize("text", ["Never change the email of a contact.", "Never change a contact's email."])
def test_what_belongs_to_a_thing_is_not_a_thing_of_its_own(text: str) -> None:
    assert "deny delete_email" not in meaning_of(text, MAIL)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Never pay more than 1,200 euros a day.", "120000"),
        ("Never set timers for more than an hour a day.", "3600"),
    ],
)
def test_what_is_added_up_is_in_the_units_of_its_argument(text: str, wanted: str) -> None:
    found = meaning_of(text, DESK)
    assert found
    assert all(wanted in one for one in found)


def test_a_rule_that_adds_up_cents_as_if_they_were_euros_does_not_enforce_its_clause() -> None:
    text = "Never pay more than 1,200 euros a day."
    (rule,) = compile_clauses(text, DESK).rules
    (limit,) = rule.when.where
    wrong = replace(rule, when=replace(rule.when, where=(replace(limit, above=1200.0),)))
    tools = list(DESK.tools.values())
    assert "" == missing_state(text, [rule], tools=tools)
    assert "rules count to 1200" in missing_state(text, [wrong], tools=tools)


def test_sentences_like_them_that_say_one_thing_are_read() -> None:
    texts = (
        "Refunds up to 50 euros are fine.",
        "Never delete tickets on Sundays.",
        "You may delete tickets and comment on them.",
        "Never send emails to bob@acme.example.",
    )
    assert all(meaning_of(text, MAIL if "email" in text else DESK) for text in texts)


def test_a_branch_that_may_be_created_is_the_new_one_whatever_it_is_made_from() -> None:
    frame = frame_of(
        "code",
        {"create_branch": ("Create a branch.", {"branch": TEXT, "from_branch": TEXT})},
        roles={"branch": "branch-name", "from_branch": "branch-name"},
    )
    found = meaning_of("You may only create branches that start with agent/.", frame)
    assert {"allow create_branch branch like agent/*", "deny create_branch unless branch like agent/*"} == found


@pytest.mark.parametrize("end", ["once", "today", "with care"])
def test_a_plain_word_after_a_comma_is_no_further_beginning_of_a_name(end: str) -> None:
    frame = frame_of("code", {"create_branch": ("Create a branch.", {"branch": TEXT})}, roles={"branch": "branch-name"})
    assert set() == meaning_of(f"You may create branches that start with feature/, {end}.", frame)
    assert {"allow create_branch branch-name like feature/* or hotfix* or fix/*"} == meaning_of(
        "You may create branches that start with feature/, hotfix or fix/.", frame
    )


def test_a_number_of_rows_is_no_number_of_columns() -> None:
    table = frame_of(
        "table", {"select_rows": ("Read rows.", {"columns": {"type": "array", "items": TEXT}, "limit": NUMBER})}
    )
    assert meaning_of("Don't fetch more than 1000 rows at a time.", table) <= {"deny select_rows limit > 1000"}


def test_what_a_ticket_is_shows_no_flag_of_a_comment_on_it() -> None:
    desk = frame_of("desk", {"comment_ticket": ("Comment on a ticket.", {"ticket_id": TEXT, "private": FLAG})})
    assert set() == meaning_of("You may comment on tickets except when they are private.", desk)


@pytest.mark.parametrize(
    "text", ["Always squash merge.", "Please always create private repositories.", "Use squash to merge pull requests."]
)
def test_what_is_demanded_of_every_call_is_no_permission_of_some(text: str) -> None:
    ways: dict[str, Any] = {"type": "string", "enum": ["merge", "squash", "rebase"]}
    frame = frame_of(
        "code",
        {
            "merge_pull_request": ("Merge a pull request.", {"pull_number": NUMBER, "merge_method": ways}),
            "create_repository": ("Create a new repository.", {"name": TEXT, "private": FLAG}),
        },
    )
    assert set() == meaning_of(text, frame)
    assert {"allow create_repository private is True"} == meaning_of("You may create private repositories.", frame)
