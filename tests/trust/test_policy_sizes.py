"""A limit of a size is enforced for what it counts, or the sentence is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import TEXT, frame_of, meaning_of, told

LIST: dict[str, Any] = {"type": "array", "items": TEXT}


@pytest.mark.parametrize(
    ("text", "tool", "other"),
    [
        # Each call can be about several, so that the number of calls limits nothing.
        ("Never hire more than 6 divers per day.", ("hire_divers", "Hire divers.", {"diver_ids": LIST}), None),
        ("At most 6 new kites per week.", ("create_kites", "Create kites.", {"colors": LIST}), None),
        # Another call adds to what was made.
        (
            "Never create logs longer than 90 characters.",
            ("create_log", "Create a log.", {"text": TEXT}),
            ("append_to_log", "Append to a log.", {"log_id": TEXT, "text": TEXT}),
        ),
        (
            "A dive must not have more than 6 divers.",
            ("create_dive", "Create a dive.", {"site": TEXT, "divers": LIST}),
            ("add_diver", "Add a diver to a dive.", {"dive_id": TEXT, "diver": told("Name of the diver")}),
        ),
        # The text that is named is not the one with the content.
        ("Log titles must not be longer than 90 characters.", ("create_log", "Create a log.", {"text": TEXT}), None),
    ],
)
def test_a_limit_that_calls_can_get_around_is_refused(text: str, tool: Any, other: Any):
    tools = {name: (comment, args) for name, comment, args in (tool, *([other] if other else []))}
    assert set() == meaning_of(text, frame_of("reef", tools))
