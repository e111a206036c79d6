"""Groups, phone numbers, voice messages, files and lengths of texts of a chat that sends to a number or to a JID."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.meanings import meaning_of
from tests.recipes.policy.english.whatsapp_tools import WHATSAPP

ALL = "send_audio_message send_file send_message"
ADA = "447700900456 or 447700900456@s.whatsapp.net"
BOB = "447700900123 or 447700900123@* or +447700900123 or +447700900123@*"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({f"escalate {ALL} recipient like *@g.us"}, "Please ask me before sending anything to a group chat."),
        ({f"deny {ALL} recipient like *@g.us"}, "Never message groups."),
        ({f"deny {ALL} recipient like *@g.us"}, "No messages to groups."),
        ({f"deny {ALL} recipient like *@g.us"}, "You must not write in group chats."),
        (set[str](), "Never message groups of customers."),
    ],
)
def test_a_group_is_known_by_its_jid(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, WHATSAPP)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {f"allow send_message recipient is {ADA}", f"deny {ALL} unless recipient is {ADA}"},
            "You can message Ada on 447700900456, but nobody else.",
        ),
        (
            {f"allow send_message recipient is {ADA}", f"deny {ALL} unless recipient is {ADA}"},
            "You may only write to 447700900456.",
        ),
        ({f"deny {ALL} unless recipient is {ADA}"}, "Never message anyone but Ada on 447700900456."),
        ({f"deny {ALL} recipient like {BOB}"}, "Never message 447700900123."),
        ({f"escalate {ALL} recipient like {BOB}"}, "Never write to +44 7700 900123 without asking me."),
        (set[str](), "My chat with 447700900123 is private, so do not read it or write to it."),
    ],
)
def test_a_number_is_also_the_name_of_its_chat(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, WHATSAPP)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny send_audio_message"}, "Don't send voice messages to anybody, because text is easier to search."),
        ({"deny send_audio_message"}, "No voice notes."),
        ({"escalate send_file"}, "No photos or documents may go out without my approval."),
        ({"deny send_audio_message send_file"}, "Never send files."),
        (set[str](), "Don't send photos."),  # `send_file` sends any file
        (
            {"deny send_message the number of characters of message > 300"},
            "Keep it short: no texts over 300 characters.",
        ),
        ({"deny send_message the number of characters of message > 300"}, "Messages may not exceed 300 characters."),
    ],
)
def test_each_kind_of_message_has_its_tools(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, WHATSAPP)
