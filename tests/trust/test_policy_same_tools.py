"""Sentences that a tool is left out of, or taken into: with their time or exception, and by what else does the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told

STAGE: dict[str, Any] = {"type": "string", "enum": ["new", "closedwon", "lost"]}
GROUP: dict[str, Any] = {"type": "string", "enum": ["billing", "engineering"]}
ACCESS: dict[str, Any] = {"type": "string", "enum": ["restricted", "anyone"]}
WORK = frame_of(
    "work",
    {
        "post_message": ("Post a message to a channel.", {"channel": TEXT, "text": TEXT}),
        "send_email": ("Send an email.", {"to": TEXT, "subject": TEXT, "body": TEXT}),
        "book_meeting": (
            "Book a meeting.",
            {"title": TEXT, "start_time": told("ISO 8601"), "duration_minutes": NUMBER},
        ),
        "create_event": ("Create a meeting.", {"title": TEXT, "start": told("ISO 8601"), "end": told("ISO 8601")}),
        "place_order": ("Place an order.", {"items": TEXT, "total_eur": NUMBER}),
        "track_order": ("Status of an order.", {"order_id": TEXT}),
        "rate_order": ("Leave a rating.", {"order_id": TEXT, "stars": NUMBER}),
        "create_deal": ("Create a deal.", {"name": TEXT, "stage": STAGE}),
        "update_deal": ("Update a deal.", {"deal_id": TEXT, "stage": STAGE, "amount": NUMBER}),
        "archive_issue": ("Archive an issue.", {"issue_id": TEXT}),
        "create_project": ("Create a project.", {"name": TEXT}),
        "assign_ticket": ("Assign a ticket to a group.", {"ticket_id": TEXT, "group": GROUP}),
        "remove_from_playlist": ("Remove tracks from a playlist.", {"playlist": TEXT, "tracks": TEXT}),
        "create_playlist": ("Create an empty playlist.", {"name": TEXT}),
        "update_event": ("Change an event.", {"event_id": TEXT, "attendees": TEXT, "title": TEXT}),
        "create_share_link": ("Create a link to a document.", {"path": TEXT, "access": ACCESS}),
        "share_document": ("Share a document with a person.", {"path": TEXT, "email": TEXT}),
        "list_results": ("List lab results.", {"patient": TEXT, "since": TEXT}),
        "delete_email": ("Delete an email.", {"email_id": TEXT}),
        "delete_contact": ("Delete a contact.", {"contact_id": TEXT}),
    },
    roles={"to": "email-address", "email": "email-address"},
)
DISK = frame_of(
    "disk",
    {
        "read_file": ("Read a file.", {"path": TEXT}),
        "write_file": ("Write a file.", {"path_to_write": TEXT, "text": TEXT}),
        "copy_file": ("Copy a file.", {"path": TEXT, "path_to_write": TEXT, "overwrite": FLAG}),
        "move_file": ("Move a file.", {"path": TEXT, "path_to_write": TEXT}),
        "trash_file": ("Move a file to the trash.", {"path_to_delete": TEXT}),
        "delete_directory": ("Delete a folder.", {"path_to_delete": TEXT}),
        "list_directory": ("List the contents of a folder.", {"depth": NUMBER, "folder_id": TEXT}),
    },
    roles={"path": "read-path", "path_to_write": "write-path", "path_to_delete": "delete-path"},
)
CLUSTER = frame_of(
    "cluster",
    {
        "delete_pod": ("Delete a pod.", {"name": TEXT, "force": FLAG}),
        "node_management": ("Cordon, drain or uncordon a node.", {"operation": TEXT, "nodeName": TEXT}),
    },
)
MAIL = frame_of(
    "gamma",
    {
        "delete_email": ("Delete an e-mail.", {"message_id": TEXT}),
        "delete_thread": ("Delete a conversation.", {"thread_id": TEXT}),
        "read_email": ("Read an e-mail.", {"message_id": TEXT}),
    },
)
FILES = frame_of(
    "delta",
    {
        "update_document": ("Update a document.", {"document_id": TEXT, "owner": TEXT, "title": TEXT}),
        "transfer_ownership": ("Make somebody else the owner of a document.", {"document_id": TEXT, "to": TEXT}),
        "delete_file": ("Delete a file.", {"path": TEXT}),
    },
    required={"update_document": ["document_id"], "transfer_ownership": ["document_id", "to"], "delete_file": ["path"]},
)

DATABASE: dict[str, Any] = {"type": "string", "enum": ["sales", "stock"]}
OFFICE = frame_of(
    "office",
    {
        "create_repository": ("Create a new repository.", {"name": TEXT, "owner": TEXT}),
        "get_file_contents": ("Get the contents of a file.", {"owner": TEXT, "repo": TEXT, "file": TEXT}),
        "list_accounts": ("List accounts.", {}),
        "list_transactions": ("List transactions of an account.", {"account_id": TEXT}),
        "create_draft": ("Create a draft.", {"text": TEXT}),
        "send_draft": ("Send a draft.", {"draft_id": TEXT}),
        "create_file": ("Create a file.", {"path": TEXT}),
        "delete_file": ("Delete a file.", {"target": TEXT}),
        "shred": ("Overwrite and delete a file.", {"target": TEXT}),
        "list_tables": ("List the tables of a database.", {"database": DATABASE}),
        "select_rows": ("Read rows from a table.", {"database": DATABASE, "table": TEXT}),
        "create_share_link": ("Create a link to a file.", {"path": TEXT}),
    },
    roles={"path": "write-path", "target": "delete-path", "owner": "github-owner"},
)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny post_message the time is on sat or sun"}, "Never post messages on weekends."),
        ({"deny post_message unless the time is on mon"}, "Never post messages except on Mondays."),
        (
            {"deny post_message the time is between 17:00 and 00:00", "deny post_message the time is on mon"},
            "Never post messages on Mondays or after 5 pm.",
        ),
    ],
)
def test_a_time_or_an_exception_changes_no_tools(wanted: set[str], text: str) -> None:
    assert {"deny post_message"} == meaning_of("Never post messages.", WORK)
    assert wanted == meaning_of(text, WORK)


@pytest.mark.parametrize(
    "text", ["Meetings must not be longer than 90 minutes.", "Meetings must not last longer than half an hour."]
)
def test_a_limit_that_one_of_the_tools_cannot_test_is_refused(text: str) -> None:
    assert set() == meaning_of(text, WORK)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny place_order the time is between 22:00 and 00:00"}, "No orders after 10 pm."),
        ({"deny place_order the time is on sun"}, "Never place orders on Sundays."),
        ({"deny place_order total_eur > 50"}, "No orders over 50 euros."),
    ],
)
def test_making_an_order_is_not_to_rate_or_track_one(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, WORK)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (WORK, "Never archive projects."),
        (WORK, "Never assign engineering tickets."),
        (WORK, "Never delete playlists."),
        (WORK, "Never update events for all attendees."),
        (WORK, "Never share documents with anyone."),
        (WORK, "Never share documents with anyone outside acme.example."),
        (WORK, "Never look up results since 2020."),
        (WORK, "Never delete emails of contacts."),
        (WORK, "Only on Mondays may events be created."),
        (WORK, "Let me know if you delete emails."),
        (WORK, "Deleting emails I approve."),
        (WORK, "Placing orders is fine, on weekends up to 20 euros."),
        (WORK, "Placing orders is fine, deleting emails is not, after 6 pm."),
        (WORK, "You may post messages on Mondays and delete emails, but not more than five a day."),
        (DISK, "Never list hidden folders."),
        (DISK, "Never overwrite files."),
        (DISK, "Only move files into ~/a."),
        (MAIL, "Never delete emails."),
        (MAIL, "Ask me before deleting an email."),
        (FILES, "Never change a document's owner."),
    ],
)
def test_a_restriction_is_refused_if_another_tool_may_be_meant(frame: Any, text: str) -> None:
    assert set() == meaning_of(text, frame)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny update_deal stage is closedwon"}, "Never move a deal to closedwon."),
        ({"deny create_deal stage is closedwon"}, "Never create a deal as closedwon."),
        ({"deny archive_issue"}, "Never archive issues."),
        ({"deny assign_ticket group is engineering"}, "Never assign tickets to engineering."),
        ({"deny remove_from_playlist"}, "Never remove tracks from playlists."),
        ({"deny delete_email"}, "Never delete emails."),
        ({"escalate delete_email"}, "Ask me before you delete emails."),
    ],
)
def test_sentences_like_them_that_name_their_tool_are_read(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, WORK)


def test_a_tool_that_manages_nodes_of_a_cluster_runs_no_code() -> None:
    assert {"deny delete_pod force is True"} == meaning_of("Never force delete.", CLUSTER)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"allow list_tables select_rows database is sales"}, "You may read any table in the sales database."),
        (set[str](), "Save downloads in ~/Downloads."),  # to save may be to download
        (set[str](), "You may read any repository of acme."),  # not `create_repository`
        ({"allow list_accounts"}, "You may list accounts."),  # and no transactions of them
        ({"deny create_draft"}, "No drafts."),  # what is sent is none
        ({"deny"}, "Never delete anything."),  # whatever deletes a path
        ({"allow create_file write-path within ~/Drafts"}, "You may create files in ~/Drafts."),
    ],
)
def test_what_a_tool_says_of_itself_is_what_it_does(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, OFFICE)
