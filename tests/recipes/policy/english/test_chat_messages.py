"""Messages of a chat: what is sent and written is posted, a thread is read with its channel, and direct messages."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.meanings import meaning_of
from tests.recipes.policy.english.slack_tools import SLACK

NEVER_IN_A = {
    "deny conversations_add_message channel_id is #a or a",
    "deny conversations_add_message channel_id is given unless channel_id like #* or @*",  # an id may be that of #a
}
ASK_IN_A = {one.replace("deny", "escalate") for one in NEVER_IN_A}
NOT_A_CHANNEL = "unless channel_id like #* or C*"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"allow conversations_history conversations_replies channel_id is #a or a"}, "You may read messages in #a."),
        (
            {"allow conversations_history conversations_replies conversations_search_messages"},
            "You may read and search messages in any channel.",
        ),
        ({"allow conversations_replies"}, "You may read threads."),
    ],
)
def test_a_thread_is_read_by_the_tool_that_gets_it(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SLACK)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny conversations_add_message"}, "Never send messages."),
        (NEVER_IN_A, "Never write in #a."),
        (NEVER_IN_A, "Never send anything to #a."),
        ({"allow conversations_add_message channel_id is #a or a"}, "You may send messages to #a."),
        ({"escalate conversations_add_message"}, "Messages may only be sent after I have agreed."),
        (
            {"deny conversations_add_message the number of such calls in any 24 hours > 20"},
            "You must not send more than twenty messages a day.",
        ),
        (set[str](), "You may write a summary."),
        (set[str](), "Never write about salaries."),
    ],
)
def test_a_message_that_is_sent_or_written_is_posted(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SLACK)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({f"escalate conversations_add_message {NOT_A_CHANNEL}"}, "Ask me before you write somebody a direct message."),
        ({f"escalate conversations_add_message {NOT_A_CHANNEL}"}, "Ask me before you send a direct message to anyone."),
        ({f"escalate conversations_add_message {NOT_A_CHANNEL}"}, "Direct messages may only be sent after I agreed."),
        ({f"deny conversations_add_message {NOT_A_CHANNEL}"}, "Don't post in direct messages."),
        (
            {f"deny conversations_add_message the number of such calls in any 24 hours > 3 {NOT_A_CHANNEL}"},
            "At most three direct messages a day.",
        ),
        (
            {f"deny conversations_add_message the time is on sat or sun {NOT_A_CHANNEL}"},
            "No direct messages on weekends.",
        ),
        ({"allow conversations_add_message channel_id like @* or D*"}, "You may send direct messages."),
        (
            {"allow conversations_history conversations_replies channel_id like @* or D*"},
            "You may read direct messages.",
        ),
    ],
)
def test_a_direct_message_is_one_to_a_name_and_no_channel(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SLACK)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (ASK_IN_A, "Posts in #a go out only after I agree."),
        (ASK_IN_A, "Messages in #a need my approval."),
        (NEVER_IN_A, "No posts in #a."),
        ({"deny conversations_add_message"}, "Posts are forbidden."),
        ({"allow conversations_history conversations_replies channel_id is #a or a"}, "You may read posts in #a."),
        (set[str](), "At most three messages a day may go to #a."),  # those to its id cannot be counted with them
        ({"deny conversations_add_message payload like *@here* or *<!here*"}, "Don't use @here in your messages."),
        (
            {"deny conversations_add_message the number of characters of payload >= 300"},
            "Keep every message under 300 characters.",
        ),
        (set[str](), "Keep every message under 300 words."),
        (set[str](), "Keep messages under 300 characters in #a."),
        (set[str](), "Messages must be under 300 characters in #a."),
        (set[str](), "Posts in #a that mention customers need my approval."),
    ],
)
def test_posts_are_messages_that_are_posted(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SLACK)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny reactions_add"}, "Never react to messages."),
        ({"deny reactions_add"}, "Don't add reactions to messages."),
        ({"deny reactions_remove"}, "Never take reactions away."),
        ({"allow reactions_add reactions_remove"}, "You may add emoji reactions and take them away again."),
        (
            {"allow reactions_add", "deny conversations_add_message"},
            "You can react to messages with an emoji, but you cannot write any yourself.",
        ),
        (set[str](), "Never react or write in #a."),  # to react there, or anywhere
        (set[str](), "Never write or react in #a."),
        (set[str](), "You may react to messages from Lena."),
    ],
)
def test_who_reacts_adds_a_reaction(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SLACK)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"escalate usergroups_update usergroups_users_update"}, "Changes to user groups need my go-ahead."),
        (
            {"escalate usergroups_create usergroups_update usergroups_users_update"},
            "Creating or changing a user group requires my okay.",
        ),
        ({"deny usergroups_create"}, "Never create user groups."),
        ({"allow usergroups_list"}, "You may list user groups."),
    ],
)
def test_two_words_are_the_one_that_the_tools_write(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SLACK)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {
                "allow channels_list conversations_history conversations_replies conversations_search_messages",
                "deny conversations_add_message",
            },
            "You can search messages and read channels, but posting isn't allowed.",
        ),
        (
            {"allow channels_list conversations_add_message conversations_history conversations_replies"},
            "You may read channels and post messages.",
        ),
        (
            {
                "allow channels_list conversations_history conversations_replies conversations_search_messages",
                *NEVER_IN_A,
            },
            "You can search messages and read channels, but posting isn't allowed in #a.",
        ),
        (set[str](), "You may search messages, but reading messages is not allowed."),
    ],
)
def test_who_may_read_channels_reads_what_is_in_them(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, SLACK)
