"""A sentence that names a thing reaches the calls that may name it by its id, or it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import TEXT, decision_of, frame_of, told

CHANNEL = told("ID of the channel in format Cxxxxxxxxxx or its name starting with #... or @...")
CHAT = frame_of(
    "chat",
    {
        "post_message": ("Post a message to a channel.", {"channel_id": CHANNEL, "text": TEXT}),
        "get_messages": ("Get messages from a channel.", {"channel_id": CHANNEL}),
    },
)
ISSUES = frame_of(
    "issues",
    {
        "create_issue": (
            "Create an issue.",
            {"title": TEXT, "team": told("Team name or ID"), "assignee": told("User ID, name, email, or me")},
        ),
        "update_issue": ("Update an issue.", {"id": TEXT, "assignee": told("User ID, name, email, or me")}),
    },
    required={"create_issue": ["title", "team"], "update_issue": ["id"]},
)
CALENDAR = frame_of(
    "calendar",
    {
        "create_event": (
            "Create an event.",
            {"calendar_id": told("ID of the calendar (use 'primary' for the main one)"), "title": TEXT},
        ),
        "delete_event": ("Delete an event.", {"calendar_id": told("ID of the calendar"), "event_id": TEXT}),
    },
)
TABLES = frame_of(
    "base",
    {
        "list_records": ("List the records of a table.", {"table_id": told("The ID or name of the table")}),
        "delete_records": (
            "Delete records of a table.",
            {"table_id": told("The ID or name of the table"), "records": TEXT},
        ),
    },
)
CRM = frame_of(
    "crm",
    {
        "update_objects": (
            "Update objects.",
            {"object_type": told("The type of object: contacts, deals, tickets or a custom object"), "inputs": TEXT},
        ),
    },
)
UUID = "5f2a0000-1111-4222-8333-444455556666"


@pytest.mark.parametrize(
    ("frame", "text", "tool", "arguments"),
    [
        (CHAT, "Never post in #general.", "post_message", {"channel_id": "#general", "text": "x"}),
        (CHAT, "Never post in #general.", "post_message", {"channel_id": "C0123456789", "text": "x"}),
        (CHAT, "Never read #hr.", "get_messages", {"channel_id": "c0123456789"}),
        (ISSUES, "Never create issues in the Security team.", "create_issue", {"title": "x", "team": UUID}),
        (ISSUES, "Never assign issues to Bob.", "update_issue", {"id": "1", "assignee": UUID}),
        (ISSUES, "Never assign issues to Bob.", "update_issue", {"id": "1", "assignee": "bob@acme.example"}),
        (TABLES, "The Salaries table is off limits.", "list_records", {"table_id": "tblSalariesXyzAbc"}),
        (
            TABLES,
            "The Salaries table is off limits.",
            "delete_records",
            {"table_id": "tbl5larIes00001", "records": "1"},
        ),
        (CRM, "Never update objects of type deals.", "update_objects", {"object_type": "0-3", "inputs": "x"}),
        (CRM, "Never update objects of type deals.", "update_objects", {"object_type": "deal", "inputs": "x"}),
    ],
)
def test_what_may_be_the_id_of_a_named_thing_is_restricted(
    frame: Any, text: str, tool: str, arguments: dict[str, str]
) -> None:
    assert decision_of(text, frame, tool, **arguments) in {"deny", "refused"}


@pytest.mark.parametrize(
    ("frame", "text", "tool", "arguments"),
    [
        (CHAT, "Never post in #general.", "post_message", {"channel_id": "#random", "text": "x"}),
        (ISSUES, "Never assign issues to Bob.", "update_issue", {"id": "1", "assignee": "Ada"}),
        (ISSUES, "Never assign issues to Bob.", "create_issue", {"title": "x", "team": UUID}),
        (TABLES, "The Salaries table is off limits.", "list_records", {"table_id": "Orders"}),
        (CRM, "Never update objects of type deals.", "update_objects", {"object_type": "contacts", "inputs": "x"}),
    ],
)
def test_another_name_is_not_restricted(frame: Any, text: str, tool: str, arguments: dict[str, str]) -> None:
    assert decision_of(text, frame, tool, **arguments) == "allow"


def test_the_question_before_a_named_thing_is_asked_for_its_id_too() -> None:
    assert (
        decision_of("Ask before posting in #general.", CHAT, "post_message", channel_id="C01", text="x") == "escalate"
    )


@pytest.mark.parametrize(
    "text", ["Never create events in the team calendar.", "Never delete events from the work calendar."]
)
def test_a_name_is_refused_where_an_argument_takes_ids_alone(text: str) -> None:
    call = {"calendar_id": "c_1f2e@group.calendar.example", "event_id": "1"}
    assert decision_of(text, CALENDAR, "delete_event", **call) == "refused"
