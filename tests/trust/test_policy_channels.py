"""What is said of a channel or of direct messages reaches every tool that gets there, also a search with a filter."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.meanings import meaning_of
from tests.recipes.policy.english.slack_tools import SLACK

READING = {
    "deny conversations_history conversations_replies channel_id is #pay or pay",
    "deny conversations_search_messages filter_in_channel is #pay or pay",
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
                "deny conversations_search_messages filter_in_channel is #pay or pay",
            },
            "Stay out of #pay.",
        ),
        ({"deny conversations_add_message channel_id is #pay or pay"}, "Never post in #pay."),
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
    assert {"deny conversations_add_message payload like *@channel* or *@here*"} == meaning_of(text, SLACK)
