"""Sentences that a tool with a verb, a list or a flag of its own gets round: taken in or refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told

LIST: dict[str, Any] = {"type": "array", "items": TEXT}
WISH: dict[str, Any] = {"type": "object", "properties": {"priority": NUMBER, "assignee": TEXT}}
CHAT = frame_of(
    "chat",
    {
        "send_message": ("Send a message to a channel.", {"channel": TEXT, "text": TEXT}),
        "broadcast_message": ("Send a message to several channels at once.", {"channels": LIST, "text": TEXT}),
        "upload_file": ("Upload a file to a channel.", {"channel": TEXT, "file": TEXT, "initial_comment": TEXT}),
    },
    required={
        "send_message": ["channel", "text"],
        "broadcast_message": ["channels", "text"],
        "upload_file": ["channel", "file"],
    },
)
POST = frame_of(
    "post",
    {
        "send_email": ("Send an email.", {"to": LIST, "subject": TEXT, "body": TEXT}),
        "create_draft": ("Create a draft email.", {"to": LIST, "subject": TEXT, "body": TEXT}),
        "send_draft": ("Send an existing draft.", {"draft_id": TEXT}),
    },
    roles={"to": "email-address"},
)
PLAN = frame_of(
    "plan",
    {
        "create_task": ("Create a task.", {"title": TEXT, "priority": NUMBER, "assignee": TEXT}),
        "create_tasks": ("Create several tasks at once.", {"tasks": {"type": "array", "items": WISH}}),
        "assign_task": ("Assign a task to a user.", {"task_id": TEXT, "assignee": TEXT}),
        "add_comment": ("Add a comment to a task.", {"task_id": TEXT, "comment": TEXT}),
        "update_task": ("Update a task.", {"task_id": TEXT, "comment": WISH}),
    },
    required={
        "create_task": ["title"],
        "create_tasks": ["tasks"],
        "assign_task": ["task_id", "assignee"],
        "add_comment": ["task_id", "comment"],
        "update_task": ["task_id"],
    },
)
LEVEL = told("1 = Critical, 2 = Major, 3 = Minor", NUMBER)
BUGS = frame_of(
    "bugs",
    {"create_bug": ("Create a bug.", {"title": TEXT, "priority": LEVEL})},
    required={"create_bug": ["title"]},
)
ACTION: dict[str, Any] = {"type": "string", "enum": ["archive", "pin_note", "remove"]}
NOTES = frame_of(
    "notes",
    {
        "pin_note": ("Pin a note to the top.", {"note": TEXT}),
        "bulk_action": ("Do something with several notes.", {"notes": LIST, "action": ACTION}),
    },
)
DESK = frame_of(
    "desk",
    {
        "create_refund": ("Refund a payment.", {"payment": TEXT, "reason": TEXT}),
        "batch_refund": ("Refund several payments at once.", {"payments": LIST}),
        "create_invoice": ("Create an invoice.", {"customer": TEXT, "auto_send": FLAG}),
        "send_invoice": ("Send an invoice.", {"invoice": TEXT}),
    },
    required={
        "create_refund": ["payment"],
        "batch_refund": ["payments"],
        "create_invoice": ["customer"],
        "send_invoice": ["invoice"],
    },
)


@pytest.mark.parametrize(
    ("frame", "text", "tool"),
    [
        (CHAT, "Do not send any messages.", "broadcast_message"),
        (CHAT, "Do not send any messages.", "upload_file"),
        (POST, "Do not send any emails.", "send_draft"),
        (DESK, "Never make refunds.", "batch_refund"),
        (PLAN, "Do not comment on tasks.", "update_task"),
    ],
)
def test_a_tool_that_does_the_same_by_another_verb_or_argument_is_taken_in(frame: Any, text: str, tool: str) -> None:
    meaning = meaning_of(text, frame)
    assert not meaning or any(f" {tool}" in line for line in meaning)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (POST, "Never send an email to anyone outside example.com."),
        (PLAN, "Never create tasks with priority 1."),
        (PLAN, "You may create tasks, but not assign them."),
        (DESK, "Never send invoices."),
        (NOTES, "Never pin notes."),
        (POST, "An email may have at most two recipients."),
        (DESK, "Make at most four refunds a day."),
    ],
)
def test_a_sentence_is_refused_if_a_tool_that_is_left_may_do_it(frame: Any, text: str) -> None:
    assert meaning_of(text, frame) == set()


def test_who_may_draft_emails_may_send_no_draft() -> None:
    assert meaning_of("You may draft emails.", POST) == {"allow create_draft"}


@pytest.mark.parametrize("values", ["critical or major", "major or critical"])
def test_both_of_two_levels_are_tested_or_it_is_refused(values: str) -> None:
    meaning = meaning_of(f"Ask me before you create a bug with priority {values}.", BUGS)
    assert meaning in (set(), {"escalate create_bug priority is given priority is 1 or 2"})
