"""Sentences that say in another form what is read: a time first, a value with its noun, a channel, a passive order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.common_tools import CHAT, CODE, DRIVE, MANY
from tests.recipes.policy.english.meanings import FLAG, TEXT, frame_of, meaning_of

ADD = "conversations_add_message"
MACHINES = frame_of(
    "machines",
    {
        "stop_machine": ("Stop a machine.", {"machine_id": TEXT}),
        "erase_machine": ("Erase a machine.", {"machine_id": TEXT}),
    },
    required={"stop_machine": ["machine_id"], "erase_machine": ["machine_id"]},
)
DISKS = frame_of(
    "disks",
    {"delete_disk": ("Delete a disk.", {"disk_id": TEXT, "force": FLAG})},
    required={"delete_disk": ["disk_id", "force"]},
)
REPLIES = frame_of(
    "replies",
    {
        "send_email": ("Send an e-mail.", {"to": MANY, "body": TEXT}),
        "reply_to_message": ("Reply to a message.", {"message_id": TEXT, "body": TEXT, "replyAll": FLAG}),
    },
    required={"send_email": ["to", "body"], "reply_to_message": ["message_id", "body", "replyAll"]},
)


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (
            CHAT,
            {f"deny {ADD} the time is between 22:00 and 07:00"},
            "During the night, from 22:00 to 07:00, no messages may be posted.",
        ),
        (CHAT, {f"deny {ADD} the time is between 22:00 and 07:00"}, "Don't post anything between 10 p.m. and 7 a.m."),
        (
            CODE,
            {
                "allow merge_pull_request merge_method is squash",
                "deny merge_pull_request unless merge_method is squash",
            },
            "Pull requests may only be merged with the method squash.",
        ),
        (CODE, {"deny merge_pull_request merge_method is rebase"}, "Never merge pull requests with the method rebase."),
        (
            MACHINES,
            {"deny erase_machine unless stop_machine was called before with the same machine_id"},
            "A machine must be stopped before it is erased.",
        ),
        (DISKS, {"deny delete_disk force is True"}, "Never force-delete a disk."),
        (REPLIES, {"escalate reply_to_message replyAll is True"}, "Ask before replying to all."),
        (REPLIES, {"deny reply_to_message replyAll is True"}, "Never reply to all recipients."),
    ],
)
def test_another_form_means_the_same(frame: Any, wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, frame)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (CHAT, "Between 22:00 and 7:00, post nothing, and read nothing on Mondays."),
        (DRIVE, "Never share files with the access everybody."),
        (MACHINES, "A machine must be stopped before another one is erased."),
    ],
)
def test_a_form_that_may_mean_something_else_is_refused(frame: Any, text: str) -> None:
    assert set() == meaning_of(text, frame)
