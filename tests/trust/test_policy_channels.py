"""What is said of a channel or of direct messages reaches every tool that gets there, also a search with a filter."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.meanings import TEXT, frame_of, meaning_of, told
from tests.recipes.policy.english.slack_tools import SLACK

CHAT = frame_of(
    "chat",
    {
        "read_messages": ("Read messages of a channel or a direct message", {"channel_id": told("ID of the channel")}),
        "search_messages": ("Search messages, also direct messages", {"query": TEXT}),
        "add_message": ("Add a message to a channel", {"channel_id": told("ID of the channel"), "text": TEXT}),
    },
)
MAY_BE = "is given unless channel_id like #* or @*"  # the id of the channel, which is no name
FILTERED = "filter_in_channel is given unless filter_in_channel like #* or @*"
READING = {
    "deny conversations_history conversations_replies channel_id is #pay or pay",
    "deny conversations_search_messages filter_in_channel is #pay or pay",
    f"deny conversations_history conversations_replies channel_id {MAY_BE}",
    f"deny conversations_search_messages {FILTERED}",
}


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (READING, "Don't read anything in the #pay channel."),
        (READING, "Never read messages in #pay."),
        ({one.replace("deny", "escalate") for one in READING}, "Ask me before you read anything in #pay."),
        (
            {
                (
                    "deny conversations_add_message conversations_history conversations_replies reactions_add "
                    "reactions_remove channel_id is #pay or pay"
                ),
                (
                    "deny conversations_add_message conversations_history conversations_replies reactions_add "
                    f"reactions_remove channel_id {MAY_BE}"
                ),
                "deny conversations_search_messages filter_in_channel is #pay or pay",
                f"deny conversations_search_messages {FILTERED}",
            },
            "Stay out of #pay.",
        ),
        (
            {
                "deny conversations_add_message channel_id is #pay or pay",
                f"deny conversations_add_message channel_id {MAY_BE}",
            },
            "Never post in #pay.",
        ),
        (set[str](), "Never search messages in #pay."),
    ],
)
def test_a_search_in_a_channel_reads_it(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SLACK)


@pytest.mark.parametrize(
    "text",
    ["Messages must not contain @channel or @here.", "Never post messages with @channel or @here."],
)
def test_the_type_of_a_content_is_not_the_content(text: str) -> None:
    mentions = "*@channel* or *@here* or *<!channel* or *<!here*"
    assert {f"deny conversations_add_message payload like {mentions}"} == meaning_of(text, SLACK)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {
                "deny conversations_history conversations_replies unless channel_id like #* or C*",
                "deny conversations_search_messages unless filter_in_channel like #* or C*",
                "deny conversations_search_messages filter_in_im_or_mpim is given",
            },
            "Don't read my direct messages.",
        ),
        ({"deny conversations_add_message unless channel_id like #* or C*"}, "Never send DMs."),
        (set[str](), "Direct messages are read-only."),
        (set[str](), "Never remove reactions or send direct messages."),
        (set[str](), "Never send direct messages or post in #pay."),
        (set[str](), "Never send direct messages to Jonas."),
        (set[str](), "Never send direct messages longer than 300 characters."),
        (set[str](), "You may only send direct messages."),
        (set[str](), "You may read messages, but not direct messages."),
        (set[str](), "Direct messages are off limits."),
    ],
)
def test_what_names_no_channel_may_be_a_direct_message(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SLACK)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny conversations_add_message unless channel_id like #* or C*"}, "Don't DM anyone."),
        (set[str](), "DMing anyone is off limits."),  # and not every message
        ({"escalate conversations_add_message unless channel_id like #* or C*"}, "DMing people needs my approval."),
    ],
)
def test_to_dm_somebody_is_to_send_direct_messages(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SLACK)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny conversations_add_message thread_ts is given"}, "Never post in a thread."),
        ({"escalate conversations_add_message thread_ts is left out"}, "Ask before you post outside a thread."),
        ({"deny conversations_add_message thread_ts is left out"}, "Never send messages outside of threads."),
        ({"allow conversations_add_message thread_ts is given"}, "You may post in threads."),
    ],
)
def test_a_message_in_a_thread_names_it(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SLACK)


@pytest.mark.parametrize(
    "text", ["No @channel or @here in messages, ever.", "No @channel/@here pings.", "No @channel, @here mentions."]
)
def test_no_tag_is_no_message_with_it(text: str) -> None:
    mentions = "*@channel* or *@here* or *<!channel* or *<!here*"
    assert {f"deny conversations_add_message payload like {mentions}"} == meaning_of(text, SLACK)


def test_a_permission_and_a_question_about_other_tools_are_two_sentences() -> None:
    text = "You can add reactions anywhere, but ask me before you send a message."
    assert {"allow reactions_add", "escalate conversations_add_message"} == meaning_of(text, SLACK)
    assert set() == meaning_of("You can post in #dev, but ask me before you post messages.", SLACK)
    wanted = {"allow reactions_add", "escalate reactions_remove"}
    assert wanted == meaning_of("You can add reactions, but ask me before you remove them.", SLACK)


@pytest.mark.parametrize("text", ["Don't read my direct messages.", "Never send direct messages."])
def test_a_channel_that_does_not_say_what_a_direct_message_is_refuses_them(text: str) -> None:
    assert set() == meaning_of(text, CHAT)
