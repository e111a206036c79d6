"""A limit of how much is made counts every tool that makes it: a batch in one call, a task below a task."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import TEXT, frame_of, meaning_of, told

BATCHES = frame_of(
    "tracker",
    {
        "create_issue": ("Create an issue.", {"title": TEXT}),
        "batch_create_issues": (
            "Create multiple issues in a batch.",
            {"issues": told("JSON array string of issue objects")},
        ),
    },
)
LISTED = frame_of(
    "cards",
    {
        "create_card": ("Create a card.", {"title": TEXT}),
        "create_cards": ("Create several cards at once.", {"titles": told("Comma-separated titles of the new cards")}),
    },
)
TASKS = frame_of(
    "tasks",
    {
        "create_task": ("Create a new task.", {"name": TEXT}),
        "create_subtask": ("Create a new subtask for an existing task.", {"parent_task_id": TEXT, "name": TEXT}),
        "duplicate_task": ("Duplicate a task.", {"task_id": TEXT}),
        "add_followers_to_task": ("Add followers to a task.", {"task_id": TEXT, "followers": TEXT}),
    },
)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (BATCHES, "Create at most 5 issues per day."),
        (BATCHES, "Never create more than three issues an hour."),
        (LISTED, "Create at most 5 cards per day."),
    ],
)
def test_a_limit_is_refused_if_one_call_makes_several(frame: Any, text: str) -> None:
    assert meaning_of(text, frame) == set()


def test_a_task_below_another_and_a_copy_is_a_task_and_a_follower_none() -> None:
    (line,) = meaning_of("Create at most 5 tasks per day.", TASKS)
    assert line.startswith("deny create_subtask create_task duplicate_task the number of such calls")
