"""Times that an argument names: when a meeting starts, and when a flight leaves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.recipes.policy.english.meanings import frame_of, meaning_of, told

if TYPE_CHECKING:
    from retouch.recipes.policy.language.policy import Policy

START = told("Start, ISO 8601 with offset")
END = told("End, ISO 8601 with offset")
CLINIC = replace(
    frame_of(
        "clinic",
        {
            "book_appointment": ("Book an appointment.", {"patient": told("Patient id"), "start": START, "end": END}),
            "reschedule_appointment": ("Move an appointment.", {"appointment": told("Id"), "new_start": START}),
            "send_text": ("Send a text message.", {"patient": told("Patient id"), "text": told("Text")}),
        },
    ),
    time_zone="Europe/Lisbon",
)


def read(text: str) -> set[str]:
    return meaning_of(text, CLINIC)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {
                "deny book_appointment start is between 00:00 and 08:30",
                "deny reschedule_appointment new_start is between 00:00 and 08:30",
            },
            "Appointments must not start before 8:30.",
        ),
        ({"deny book_appointment end is between 17:01 and 05:00"}, "No appointments that end after 17:00."),
        (
            {
                "deny book_appointment start is between 17:01 and 08:30",
                "deny reschedule_appointment new_start is between 17:01 and 08:30",
            },
            "I don't want appointments that start before 8:30 or after 5 pm.",
        ),
        (
            {
                "deny book_appointment start is on sat or sun",
                "deny book_appointment end is on sat or sun",
                "deny reschedule_appointment new_start is on sat or sun",
            },
            "Never book appointments on a weekend.",
        ),
    ],
)
def test_the_time_of_a_thing_is_tested(wanted: set[str], text: str):
    assert wanted == read(text)


CALENDAR = frame_of(
    "calendar",
    {
        "create_event": ("Create an event.", {"title": told("Title"), "start": START, "end": END}),
        "update_event": ("Change an event.", {"event": told("Id"), "title": told("Title"), "start": START, "end": END}),
        "delete_event": ("Delete an event.", {"event": told("Id")}),
        "search_events": ("Search events.", {"start": START, "end": END}),
    },
    required={
        "create_event": ("title", "start", "end"), "update_event": ("event",), "delete_event": ("event",),
        "search_events": (),
    },
)  # fmt: skip
LENGTH = told("Length in minutes", {"type": "integer"})
SALES = frame_of(
    "sales",
    {
        "book_meeting": ("Book a meeting.", {"title": told("Title"), "start": START, "duration_minutes": LENGTH}),
        "move_meeting": ("Move a meeting.", {"meeting": told("Id"), "start": START, "duration_minutes": LENGTH}),
    },
    required={"book_meeting": ("title", "start", "duration_minutes"), "move_meeting": ("meeting", "start")},
)
TRAVEL = frame_of(
    "travel",
    {
        "book_flight": (
            "Book a flight.",
            {"offer": told("Id"), "departure_at": told("Departure, ISO 8601"), "arrival_at": told("Arrival, ISO 8601")},
        ),
        "book_table": ("Book a table.", {"date": told("YYYY-MM-DD"), "time": told("HH:MM"), "guests": told("Number")}),
        "book_trip": ("Book a trip.", {"start_date": told("YYYY-MM-DD"), "end_date": told("YYYY-MM-DD")}),
    },
)
POSTS = frame_of(
    "posts",
    {
        "publish_post": ("Publish a post at once.", {"text": told("Text")}),
        "schedule_post": ("Schedule a post.", {"text": told("Text"), "scheduled_at": told("When, ISO 8601")}),
    },
)
WEEK = "mon or tue or wed or thu or fri"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {
                "deny create_event start is between 17:00 and 00:00",
                "deny create_event end is between 17:01 and 05:00",
                "deny update_event start is given start is between 17:00 and 00:00",
                "deny update_event end is given end is between 17:01 and 05:00",
            },
            "No meetings after 5 pm.",
        ),
        (
            {
                f"deny create_event unless start is on {WEEK} between 09:00 and 17:00",
                "deny create_event unless end is between 09:01 and 17:01",
                f"deny update_event start is given unless start is on {WEEK} between 09:00 and 17:00",
                "deny update_event end is given unless end is between 09:01 and 17:01",
            },
            "Meetings only on weekdays between 9 and 5.",
        ),
        (
            {
                "deny create_event start is between 12:00 and 13:00",
                "deny create_event end is between 12:01 and 13:01",
                "deny create_event start is between 00:00 and 12:00 end is between 13:01 and 24:00",
            },
            "Never create events between 12:00 and 13:00.",
        ),
        ({"allow create_event start is between 10:00 and 16:01"},
         "You may create events starting no earlier than 10 and no later than 4 in the afternoon."),
        ({"deny create_event start is on sun", "deny update_event start is given start is on sun",
          "deny create_event end like *T* or *:* end is on sun",
          "deny update_event end is given end like *T* or *:* end is on sun"},
         "Meetings must never take place on a Sunday."),
        ({"deny update_event start is given start is on sat or sun",
          "deny update_event end is given end is on sat or sun"},
         "Never move meetings to a weekend."),
        (
            {
                "deny create_event unless start is between 09:30 and 24:00",
                "deny create_event unless end is between 00:00 and 17:01",
                "deny update_event start is given unless start is between 09:30 and 24:00",
                "deny update_event end is given unless end is between 00:00 and 17:01",
            },
            "Meetings must start no earlier than 9:30 and end no later than 17:00.",
        ),
    ],
)  # fmt: skip
def test_all_of_the_time_of_a_meeting_counts(wanted: set[str], text: str):
    assert wanted == meaning_of(text, CALENDAR)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"deny book_meeting duration_minutes > 60",
             "deny move_meeting duration_minutes is given duration_minutes > 60"},
            "No meeting longer than an hour.",
        ),
        (
            {"deny book_meeting move_meeting start is between 17:00 and 00:00"},
            "No meetings after 5 pm.",
        ),
        ({"allow book_meeting duration_minutes >= 0 and <= 90"}, "You may book meetings of up to an hour and a half."),
    ],
)  # fmt: skip
def test_a_length_is_tested_in_the_unit_of_its_argument(wanted: set[str], text: str):
    assert wanted == meaning_of(text, SALES)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"deny book_flight departure_at is between 00:00 and 07:00"},
            "I don't want flights that leave before 7 in the morning.",
        ),
        ({"deny book_flight arrival_at is between 22:01 and 00:00"}, "No flights that land after 10 pm."),
        ({"deny book_table time is between 21:00 and 00:00"}, "No tables after 9 pm."),
        ({"deny book_table date is on mon"}, "Never book a table on a Monday."),
    ],
)
def test_each_argument_is_tested_for_what_it_names(wanted: set[str], text: str):
    assert wanted == meaning_of(text, TRAVEL)


def test_what_is_published_at_once_has_the_time_of_its_call():
    wanted = {
        "deny publish_post the time is between 21:00 and 00:00",
        "deny schedule_post scheduled_at is between 21:00 and 00:00",
    }
    assert wanted == meaning_of("No posts after 9 pm.", POSTS)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (SALES, "No meetings that end after 17:00."),  # no argument names the end
        (SALES, "You may book meetings between 9:00 and 17:00."),
        (SALES, "Meetings only between 9:00 and 17:00."),
        (TRAVEL, "Never book flights before 7 in the morning."),  # is it the time at which I book?
        (TRAVEL, "Never book a trip on a weekend."),  # it may last over several
        (TRAVEL, "No trips that start before 7 in the morning."),  # it has only a day
        (CALENDAR, "Never delete meetings on Sundays."),
        (CALENDAR, "Never update events after 5 pm."),
        (CALENDAR, "Never create events no earlier than 10 am."),
    ],
)
def test_a_time_that_no_argument_shows_is_refused(frame: Policy, text: str):
    assert set() == meaning_of(text, frame)


@pytest.mark.parametrize(
    "text",
    [
        "Appointments must not start before 3.",  # in the morning or the afternoon?
        "Texts must not start before 9:00.",  # no argument says when
        "Appointments must not start after 5.",
    ],
)
def test_a_time_with_two_readings_or_without_an_argument_is_refused(text: str):
    assert set() == read(text)
