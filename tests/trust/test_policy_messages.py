"""What is said of threads, files, labels and direct messages is enforced for these, for all of them, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.gmail_tools import GMAIL
from tests.recipes.policy.english.meanings import TEXT, frame_of, meaning_of, told
from tests.recipes.policy.english.slack_tools import SLACK
from tests.recipes.policy.english.whatsapp_tools import WHATSAPP

KINDS: dict[str, Any] = {"type": "string", "enum": ["all", "dm", "partner"]}
CHANNEL = told("ID of the channel in format Cxxxxxxxxxx or its name starting with #... or @... (direct message)")
UNREAD = frame_of(
    "chat",
    {
        "history": ("Get messages from a channel or direct message (DM)", {"channel_id": CHANNEL}),
        "unreads": ("Get unread messages across all channels", {"channel_types": KINDS}),
        "mark": ("Mark a channel or DM as read", {"channel_id": CHANNEL, "ts": TEXT}),
    },
    required={"history": ["channel_id"], "unreads": [], "mark": ["channel_id"]},
)
POSTED = "allow conversations_add_message channel_id is #a or a thread_ts is given"


@pytest.mark.parametrize("text", ["You may post in threads in #a.", "You may post messages in #a in threads."])
def test_who_may_post_in_threads_names_one(text: str) -> None:
    assert {POSTED} == meaning_of(text, SLACK)


def test_a_thread_before_another_action_is_no_whole_channel() -> None:
    wanted = {POSTED, "allow conversations_history conversations_replies channel_id is #a or a"}
    assert wanted == meaning_of("You may post messages in #a in a thread and read messages in #a.", SLACK)


def test_unread_messages_of_all_channels_may_be_direct_ones() -> None:
    wanted = {"deny history unless channel_id like #* or C*", "deny unreads unless channel_types is partner"}
    assert wanted == meaning_of("Don't read my DMs.", UNREAD)


def test_to_mark_as_read_is_not_to_read() -> None:
    assert {"deny mark"} == meaning_of("Don't mark anything as read.", UNREAD)
    assert set() == meaning_of("Don't mark anything as unread.", UNREAD)


def test_a_text_is_no_file() -> None:
    assert {"deny send_audio_message send_file"} == meaning_of("Never send files.", WHATSAPP)


def test_files_to_groups_are_not_all_files() -> None:
    wanted = {"deny send_audio_message send_file recipient like *@g.us"}
    assert wanted == meaning_of("Don't send files to groups.", WHATSAPP)


def test_what_leaves_the_inbox_may_be_archived() -> None:
    found = meaning_of("Never remove emails from my inbox.", GMAIL)
    assert any("removeLabelIds is INBOX" in one for one in found)
    assert any("delete_email" in one for one in found)


def test_to_check_first_is_to_ask() -> None:
    assert {"escalate conversations_add_message"} == meaning_of("Never post messages without checking first.", SLACK)


def test_labels_that_are_taken_off_delete_nothing() -> None:
    for text in ("You can put labels on messages or take them off.", "You may add and remove labels."):
        tools = {word for one in meaning_of(text, GMAIL) for word in one.split() if "_" in word}
        assert {"batch_modify_emails", "modify_email"} == tools


def test_who_may_remark_that_something_is_fine_forbids_nothing_else() -> None:
    found = meaning_of("Never post in #a; reading is fine.", SLACK)
    assert found
    assert all(one.startswith("deny conversations_add_message ") for one in found)
