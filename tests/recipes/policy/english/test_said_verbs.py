"""What people call otherwise than the tools do: verbs with a particle, private messages, numbers, parts of things."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import TEXT, frame_of, meaning_of, told

METHOD: dict[str, Any] = {"type": "string", "enum": ["merge", "squash", "rebase"]}
OFFICE = frame_of(
    "office",
    {
        "cancel_booking": ("Cancel a booking.", {"booking_id": TEXT}),
        "reject_application": ("Reject an application.", {"application_id": TEXT}),
        "void_invoice": ("Void an invoice.", {"invoice_id": TEXT}),
        "reboot_server": ("Reboot a server.", {"server": TEXT}),
        "reply_to_comment": ("Reply to a comment.", {"comment_id": TEXT, "text": TEXT}),
        "send_direct_message": ("Send a private message to a user.", {"recipient": TEXT, "text": TEXT}),
        "get_analytics": ("Get reach and follower metrics.", {"profile": TEXT}),
        "publish_to_web": ("Publish a page to the web.", {"page_id": TEXT}),
        "update_page": ("Update a page.", {"page_id": TEXT, "text": TEXT}),
        "merge_pull_request": ("Merge a pull request.", {"number": TEXT, "merge_method": METHOD}),
    },
)
MUSIC = frame_of(
    "music",
    {
        "delete_track": ("Delete a track and its file from disk.", {"track_id": TEXT}),
        "remove_from_playlist": ("Remove tracks from a playlist.", {"playlist": TEXT, "track_ids": TEXT}),
    },
)
LIBRARY = frame_of(
    "library",
    {
        "delete_track": ("Delete a track.", {"track_id": TEXT}),
        "remove_from_library": ("Remove tracks from the library.", {"track_ids": TEXT}),
    },
)
TRASH = frame_of("notes", {"trash_note": ("Move a note to the trash.", {"note_id": TEXT})})
BOTH = frame_of(
    "notes",
    {
        "trash_note": ("Move a note to the trash.", {"note_id": TEXT}),
        "delete_note": ("Delete a note.", {"note_id": TEXT}),
    },
)
REMOVING = frame_of(
    "notes",
    {
        "trash_note": ("Move a note to the trash.", {"note_id": TEXT}),
        "remove_note": ("Remove a note.", {"note_id": TEXT}),
    },
)
FOLDERS = frame_of(
    "notes",
    {
        "trash_note": ("Move a note to the trash.", {"note_id": TEXT}),
        "move_note": ("Move a note.", {"note_id": TEXT, "folder": told("Target folder")}),
    },
)
BOTH_ANSWERS = frame_of(
    "jobs",
    {
        "reject_application": ("Reject an application.", {"application_id": TEXT}),
        "decline_application": ("Decline an application.", {"application_id": TEXT}),
    },
)
STOCK = frame_of(
    "stock",
    {
        "get_inventory": ("Get stock levels by SKU.", {"sku": TEXT}),
        "adjust_inventory": ("Correct the stock count of a SKU.", {"sku": TEXT, "reason": TEXT}),
    },
)
TABLES = frame_of(
    "store",
    {
        "drop_table": ("Drop a table.", {"table": TEXT}),
        "delete_rows": ("Delete rows of a table.", {"table": TEXT, "where": TEXT}),
    },
)


@pytest.mark.parametrize(
    ("frame", "text", "wanted"),
    [
        (OFFICE, "You may call off bookings.", {"allow cancel_booking"}),
        (OFFICE, "Ask me before calling a booking off.", {"escalate cancel_booking"}),
        (OFFICE, "Never turn down applications.", {"deny reject_application"}),
        (OFFICE, "Never annul invoices.", {"deny void_invoice"}),
        (OFFICE, "Ask me before restarting a server.", {"escalate reboot_server"}),
        (OFFICE, "You may answer comments.", {"allow reply_to_comment"}),
        (OFFICE, "No private messages.", {"deny send_direct_message"}),
        (OFFICE, "No DMs.", {"deny send_direct_message"}),
        (OFFICE, "You may look at the numbers.", {"allow get_analytics"}),
        (OFFICE, "Never put pages on the web.", {"deny publish_to_web"}),
        (OFFICE, "Never merge pull requests.", {"deny merge_pull_request"}),
        (MUSIC, "Never delete tracks.", {"deny delete_track"}),
        (MUSIC, "You may take songs off a playlist.", {"allow remove_from_playlist"}),
        (TRASH, "Ask me before throwing notes away.", {"escalate trash_note"}),
        (TRASH, "Never move notes to the trash.", {"deny trash_note"}),
        (STOCK, "You may look up stock.", {"allow get_inventory"}),
        (STOCK, "Never correct the stock.", {"deny adjust_inventory"}),
        (TABLES, "Never drop tables.", {"deny drop_table"}),
    ],
)
def test_what_the_tools_call_otherwise_is_read(frame: Any, text: str, wanted: set[str]):
    assert wanted == {one.replace(f"{next(iter(frame.tools))[0]}.", "") for one in meaning_of(text, frame)}


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (OFFICE, "Never call bookings."),
        (OFFICE, "You may turn applications."),
        (OFFICE, "Never look at the numbers of customers."),
        (OFFICE, "Never leave comments open."),
        (BOTH, "You may throw away notes."),
        (BOTH, "Never throw notes away."),
        (REMOVING, "Never throw away notes."),
        (FOLDERS, "Never move notes to the trash."),
        (BOTH_ANSWERS, "Never turn down applications."),
        (MUSIC, "Never remove tracks."),
        (MUSIC, "Never delete tracks from playlists."),
        (LIBRARY, "Never delete tracks."),
    ],
)
def test_what_may_be_another_tool_is_refused(frame: Any, text: str):
    assert meaning_of(text, frame) == set()
