"""Messages of a chat: what is sent and written is posted, a thread is read with its channel, and direct messages."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.meanings import meaning_of
from tests.recipes.policy.english.slack_tools import SLACK

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
        ({"deny conversations_add_message channel_id is #a or a"}, "Never write in #a."),
        ({"deny conversations_add_message channel_id is #a or a"}, "Never send anything to #a."),
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
