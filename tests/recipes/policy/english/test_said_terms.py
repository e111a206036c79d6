"""What people call things is read as the tools call them, where the tools leave no other meaning."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of, told

Tools = dict[str, tuple[str, dict[str, Any]]]
TRACKER: Tools = {
    "delete_issue": ("Delete an issue", {"issue_key": TEXT}),
    "get_issue": ("Get an issue", {"issue_key": TEXT}),
}
CHAT: Tools = {
    "send_message": ("Send a message to a channel", {"channel_id": told("Id of the channel"), "message": TEXT}),
    "list_channels": ("List channels", {}),
}
SHELL: Tools = {"bash": ("Run a shell command", {"command": told("The command to run")})}
SHOP: Tools = {
    "create_refund": ("Refund a payment", {"payment": TEXT, "amount": told("Amount in cents", NUMBER)}),
    "create_price": ("Create a price of a product", {"unit_amount": told("Price in cents", NUMBER), "currency": TEXT}),
}
FILES: Tools = {
    "read_file": ("Read a file", {"file_path": told("The absolute path of the file to read")}),
    "write_file": ("Write a file", {"out_path": told("The absolute path of the file to write")}),
}
ROLES = {"command": "executes-code", "file_path": "read-path", "out_path": "write-path"}
HOUSE: Tools = {
    "play_music": ("Play music", {"title": TEXT}),
    "unlock_door": ("Unlock a door", {"door": TEXT}),
}


@pytest.mark.parametrize(
    ("tools", "same", "text"),
    [
        (TRACKER, "Never delete issues.", "Never delete tickets."),
        (TRACKER, "Ask before deleting an issue.", "Ask before deleting a ticket."),
        (CHAT, "Only send messages in the channel C08Q4NTR21K.", "Only post in C08Q4NTR21K."),
        (SHELL, "No sudo.", "No sudo on my laptop, ever."),
        (SHELL, "Ask me before installing npm packages.", "New npm packages need a yes from me first."),
        (FILES, "Never read or change .env files.", "Never touch my .env files."),
        (FILES, "Never read or change .env files.", "My .env files are off limits, both for reading and for writing."),
        (FILES, "Never read or change .env files.", "Stay away from .env files."),
        (SHOP, "Only create prices in EUR.", "New prices in EUR only."),
        (
            SHOP,
            "Refunds up to 100 euros are fine, anything above needs my approval.",
            "Refunds up to 100 euros are fine, for anything above that ask me.",
        ),
        (HOUSE, "Never play music after 21:00.", "Never play music after 21:00, the kids are asleep."),
        (HOUSE, "Never unlock the door.", "Never unlock the door, people have keys."),
    ],
)
def test_another_word_for_the_same_things_means_the_same(tools: Tools, same: str, text: str) -> None:
    frame = frame_of("hub", tools, roles=ROLES)
    expected = meaning_of(same, frame)
    assert expected
    assert expected == meaning_of(text, frame)


def test_tickets_beside_issues_are_something_else() -> None:
    tools = TRACKER | {"delete_ticket": ("Delete a ticket", {"ticket_id": TEXT})}
    assert {"deny delete_ticket"} == meaning_of("Never delete tickets.", frame_of("hub", tools))


@pytest.mark.parametrize(
    "told_fact",
    [
        "the kids are allowed to",
        "people may ask for it",
        "guests are free to",
        "my wife is different",
        "family is welcome",
        "parents are always invited",
        "my wife has a pass",
        "the baby sleeps at noon",
    ],
)
def test_what_people_may_do_is_no_reason_that_is_left_out(told_fact: str) -> None:
    rules = meaning_of("Never play music.", frame_of("hub", HOUSE))
    assert rules
    assert rules != meaning_of(f"Never play music, {told_fact}.", frame_of("hub", HOUSE))


@pytest.mark.parametrize("text", ["You may run commands on my machine.", "Never run commands on my laptop."])
def test_a_machine_that_the_tools_are_not_on_is_not_left_out(text: str) -> None:
    remote: Tools = {
        "exec_in_pod": ("Execute a command in a pod", {"pod": TEXT, "command": told("The command to run")})
    }
    assert set() == meaning_of(text, frame_of("cluster", remote, roles=ROLES))
