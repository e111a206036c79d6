"""What is in a calendar, which one it is, whole series of events, and what a permission to move them leaves out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import TEXT, frame_of, meaning_of, told

GUESTS: dict[str, Any] = {"type": "array", "items": {"type": "object", "properties": {"email": TEXT}}}
CALENDAR = told("ID of the calendar (use 'primary' for the main calendar)")
EVENT: dict[str, Any] = {
    "summary": TEXT,
    "start": told("Event start time, such as 2025-01-01T10:00:00"),
    "end": told("Event end time"),
    "attendees": GUESTS,
    "visibility": {"type": "string", "enum": ["default", "public", "private"]},
}
SCOPE: dict[str, Any] = {"type": "string", "enum": ["thisAndFollowing", "all", "thisEventOnly"]}
UPDATES: dict[str, Any] = {"type": "string", "enum": ["all", "externalOnly", "none"]}
EVENTS = frame_of(
    "calendar",
    {
        "list-events": ("List events from a calendar", {"calendarId": CALENDAR}),
        "create-event": ("Create a new calendar event", {"calendarId": CALENDAR, **EVENT}),
        "update-event": (
            "Update an existing calendar event",
            {"calendarId": CALENDAR, "eventId": TEXT, **EVENT, "modificationScope": SCOPE, "sendUpdates": UPDATES},
        ),
        "delete-event": ("Delete a calendar event", {"calendarId": CALENDAR, "eventId": TEXT}),
    },
    required={
        "list-events": ["calendarId"],
        "create-event": ["calendarId", "summary", "start", "end"],
        "update-event": ["calendarId", "eventId"],
        "delete-event": ["calendarId", "eventId"],
    },
)
OTHERS = "attendees is left out visibility is left out"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny delete-event"}, "Never delete anything from my calendar."),
        ({"escalate delete-event"}, "Nothing on my calendar may be deleted without my approval."),
        ({"deny delete-event"}, "Don't remove meetings from my calendar."),
        ({"escalate create-event"}, "Check with me before adding anything to my calendar."),
        ({"deny create-event delete-event update-event"}, "Never change anything in my calendar."),
        ({"deny create-event update-event visibility is given visibility is public"}, "No public events, ever."),
    ],
)
def test_what_is_in_a_calendar_are_events(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, EVENTS)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"deny delete-event calendarId is team@acme.example"},
            "Please never delete events from the team calendar, team@acme.example.",
        ),
        (
            {"deny create-event delete-event list-events update-event calendarId is ada@acme.example"},
            "My personal calendar, ada@acme.example, is off limits.",
        ),
        (
            {
                "allow create-event calendarId is ada@acme.example",
                "deny create-event unless calendarId is ada@acme.example",
            },
            "Only add events to the ada@acme.example calendar.",
        ),
    ],
)
def test_a_calendar_is_known_by_its_address(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, EVENTS)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"deny update-event unless modificationScope is thisEventOnly"},
            "Never change a whole recurring series, just the single occurrence.",
        ),
        (
            {"escalate update-event unless modificationScope is thisEventOnly"},
            "Ask before you change all events of a series.",
        ),
        (set[str](), "Never delete a whole series."),  # no call says whether it does
        (
            {f"allow update-event {OTHERS}", "deny delete-event"},
            "You can move and rename my events, but not cancel them.",
        ),
        ({f"allow update-event summary is left out {OTHERS}"}, "You may reschedule events."),
    ],
)
def test_a_change_is_of_one_event_and_of_what_is_said(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, EVENTS)


def longer(bound: str, mood: str = "deny") -> set[str]:
    """Return the rules for lengths of events: a change that names only one of the two times may make it longer."""
    length = f"the number of minutes from start to end {bound}"
    changed = {f"{mood} update-event {arg} is given {length}" for arg in ("start", "end")}
    return {f"{mood} create-event {length}", *changed}


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (longer("> 60"), "Meetings can't be longer than one hour."),
        (longer("> 120", "escalate"), "No meeting should be longer than two hours unless I agree to it."),
        (longer("> 60", "escalate"), "No meetings longer than one hour without my approval."),
        (longer("> 180", "escalate"), "Events over 3 hours need my approval."),
        (longer("> 90"), "Never book meetings that last longer than 1.5 hours."),
        (longer("> 30"), "Limit meetings to half an hour."),
        (longer(">= 45"), "Keep meetings under 45 minutes."),
        (set[str](), "Keep meetings short."),
        (set[str](), "Meetings must not last 30 minutes."),  # or not longer?
        (set[str](), "Meetings with customers must not last longer than an hour."),
    ],
)
def test_the_length_of_an_event_is_from_its_start_to_its_end(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, EVENTS)
