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


PLAYING = frame_of(
    "home",
    {
        "play": (
            "Searches for media and plays the first result.",
            {"query": TEXT, "media_class": {"type": "string", "enum": ["album", "artist", "music", "podcast"]}},
        ),
        "render": (
            "Renders something.",
            {"prompt": TEXT, "output_format": {"type": "string", "enum": ["video", "clip", "text"]}},
        ),
    },
)
ALL_MUSIC = "media_class is music or album or artist"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({f"deny play {ALL_MUSIC}"}, "Don't play any music."),
        ({f"deny play {ALL_MUSIC} the time is between 22:00 and 00:00"}, "Don't play any music after 10 pm."),
        ({f"deny play {ALL_MUSIC} the time is between 22:00 and 00:00"}, "No music after 10 pm."),
        ({f"escalate play {ALL_MUSIC}"}, "Ask me before playing music."),
        ({f"allow play {ALL_MUSIC}"}, "You may play music."),
        ({"deny play media_class is album"}, "Never play albums."),
        ({"deny play media_class is podcast"}, "Never play podcasts."),
        ({"deny play media_class is music"}, "Never play anything of the media class music."),
        (set[str](), "Never render videos."),  # is a clip one?
        ({"deny render output_format is clip"}, "Never render clips."),
    ],
)
def test_a_value_that_is_one_kind_of_what_is_said_does_not_narrow_it(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, PLAYING)


LIST: dict[str, Any] = {"type": "array", "items": TEXT}
OF_NOTES = {"get_notes": ("Get notes.", {"note_ids": LIST})}
OF_FILES = {"batch_get_file_contents": ("Return the contents of files.", {"filepaths": LIST})}
OF_CONTACTS = {"get_contacts": ("Get contacts.", {"contact_ids": LIST})}


@pytest.mark.parametrize(
    ("wanted", "other"),
    [
        ({"deny get_notes the number of items of note_ids > 5"}, {}),
        (set[str](), OF_FILES),
        ({"deny get_notes the number of items of note_ids > 5"}, OF_CONTACTS),
    ],
)
def test_a_number_of_things_is_refused_if_another_tool_takes_a_list_of_them(wanted: set[str], other: Any) -> None:
    assert wanted == meaning_of("Don't open more than five notes at once.", frame_of("notes", {**OF_NOTES, **other}))


CHATS = frame_of(
    "chats",
    {
        "list_chats": ("Get chats.", {"limit": NUMBER}),
        "get_chat": ("Get a chat.", {"chat_jid": TEXT}),
        "list_messages": ("Get messages.", {"chat_jid": TEXT, "limit": NUMBER}),
        "get_message_context": ("Get context around a message.", {"message_id": TEXT}),
        "send_message": ("Send a message.", {"recipient": TEXT, "message": TEXT}),
        "search_contacts": ("Search contacts.", {"query": TEXT}),
    },
    required={
        "list_chats": [],
        "get_chat": ["chat_jid"],
        "list_messages": [],
        "get_message_context": ["message_id"],
        "send_message": ["recipient", "message"],
        "search_contacts": ["query"],
    },
)
SHOWN = "allow list_chats get_chat list_messages get_message_context"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({SHOWN}, "You may read my chats."),
        ({SHOWN, "deny send_message"}, "You may read my chats, but don't send anything."),
        ({"allow list_chats"}, "You may list my chats."),
        ({"allow search_contacts"}, "You may read my contacts."),
    ],
)
def test_who_reads_chats_reads_their_messages(wanted: set[str], text: str) -> None:
    assert {frozenset(one.split()) for one in wanted} == {frozenset(one.split()) for one in meaning_of(text, CHATS)}


@pytest.mark.parametrize(
    "text", ["Never read my chats.", "Don't look at my chats.", "Ask me before you read my chats."]
)
def test_who_must_not_read_chats_must_not_read_their_messages(text: str) -> None:
    chats = {"list_chats": ("Get chats.", {"limit": NUMBER}), "get_chat": ("Get a chat.", {"chat_jid": TEXT})}
    assert set() != meaning_of(text, frame_of("chats", chats))
    messages = {"list_messages": ("Get messages.", {"query": TEXT, "limit": NUMBER})}
    assert set() == meaning_of(text, frame_of("chats", {**chats, **messages}))


PROJECTS = frame_of(
    "projects",
    {
        "create_project": ("Create a project.", {"name": TEXT}),
        "archive_project": ("Archive a project.", {"project_id": NUMBER}),
    },
)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny archive_project"}, "Archiving projects is something I do myself, so don't do it."),
        ({"deny archive_project"}, "Archiving projects is my job, so don't do it."),
        ({"deny create_project"}, "Creating projects is my job, so don't do it."),
    ],
)
def test_to_do_it_is_the_action_that_was_said(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, PROJECTS)
