"""What must not be on a day does not end on it, nor come again on it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import TEXT, decision_of, frame_of, told

TIME = "time in ISO 8601 format: '2025-01-01T10:00:00', or date only for all-day events: '2025-01-01'"
CALENDAR = frame_of(
    "calendar",
    {
        "create_event": (
            "Create an event.",
            {
                "summary": TEXT,
                "start": told(f"Start {TIME}"),
                "end": told(f"End {TIME}"),
                "recurrence": {"type": "array", "items": TEXT, "description": "Recurrence rules in RFC5545 format"},
            },
        ),
        "delete_event": ("Delete an event.", {"event_id": TEXT}),
    },
    required={"create_event": ["summary", "start", "end"], "delete_event": ["event_id"]},
)
INSIDE: dict[str, Any] = {
    "type": "object",
    "properties": {"start": {"type": "object", "properties": {"dateTime": TEXT}}, "subject": TEXT},
}
NESTED = frame_of("mail", {"create_calendar_event": ("Create an event in the calendar.", {"body": INSIDE})})
WEEKENDS, FRIDAYS = "Never create events on weekends.", "Never create events on Fridays."
FRIDAY, WEDNESDAY = "2026-03-06", "2026-03-04"


@pytest.mark.parametrize(
    ("text", "start", "end", "again"),
    [
        (WEEKENDS, FRIDAY, "2026-03-08T11:00:00", None),
        (WEEKENDS, f"{FRIDAY}T10:00:00", "2026-03-08T11:00:00", None),
        (FRIDAYS, "2026-03-05T22:00:00", f"{FRIDAY}T01:00:00", None),
        (WEEKENDS, f"{WEDNESDAY}T10:00:00", f"{WEDNESDAY}T11:00:00", ["RRULE:FREQ=WEEKLY;BYDAY=SA"]),
        (WEEKENDS, f"{WEDNESDAY}T10:00:00", f"{WEDNESDAY}T11:00:00", ["rrule:freq=weekly;byday=mo,su"]),
        (WEEKENDS, f"{WEDNESDAY}T10:00:00", f"{WEDNESDAY}T11:00:00", ["RRULE:FREQ=DAILY"]),
        (FRIDAYS, f"{WEDNESDAY}T10:00:00", f"{WEDNESDAY}T11:00:00", ["RRULE:FREQ=MONTHLY;BYMONTHDAY=6"]),
        (FRIDAYS, f"{WEDNESDAY}T10:00:00", f"{WEDNESDAY}T11:00:00", ["RDATE:20260306T100000Z"]),
        ("Only create events on weekdays.", f"{FRIDAY}T10:00:00", "2026-03-07T11:00:00", None),
        ("Only create events on weekdays.", f"{FRIDAY}T10:00:00", f"{FRIDAY}T11:00:00", ["RRULE:FREQ=DAILY"]),
    ],
)
def test_an_event_that_ends_or_recurs_on_a_day_is_on_that_day(
    text: str, start: str, end: str, again: list[str] | None
) -> None:
    more = {} if again is None else {"recurrence": again}
    decided = decision_of(text, CALENDAR, "create_event", summary="x", start=start, end=end, **more)
    assert decided in {"deny", "refused"}


@pytest.mark.parametrize(
    ("text", "start", "end", "again"),
    [
        (WEEKENDS, f"{WEDNESDAY}T10:00:00", f"{WEDNESDAY}T11:00:00", None),
        (WEEKENDS, f"{WEDNESDAY}T10:00:00", f"{WEDNESDAY}T11:00:00", ["RRULE:FREQ=WEEKLY"]),
        (WEEKENDS, f"{WEDNESDAY}T10:00:00", f"{WEDNESDAY}T11:00:00", ["RRULE:FREQ=MONTHLY;BYDAY=1WE"]),
        (FRIDAYS, "2026-03-05", FRIDAY, None),  # all of Thursday
    ],
)
def test_an_event_of_other_days_stays_allowed(text: str, start: str, end: str, again: list[str] | None) -> None:
    more = {} if again is None else {"recurrence": again}
    assert decision_of(text, CALENDAR, "create_event", summary="x", start=start, end=end, **more) == "allow"


def test_a_day_is_refused_where_the_start_is_a_field_of_an_object() -> None:
    assert decision_of(WEEKENDS, NESTED, "create_calendar_event", body={}) == "refused"
