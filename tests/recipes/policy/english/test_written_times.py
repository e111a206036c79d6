"""Times that an argument names: when a meeting starts, and when a flight leaves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.recipes.policy.english.meanings import frame_of, meaning_of, told

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
        ({"deny book_appointment start is on sat or sun"}, "Never book appointments on a weekend."),
    ],
)
def test_the_time_of_a_thing_is_tested(wanted: set[str], text: str):
    assert wanted == read(text)


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
