"""The second part of a sentence may point to the things of the first one: "but do not change any"."""

from __future__ import annotations

import pytest

from retouch.recipes.policy.english.rewriting.joined_clauses import with_whole_clauses
from tests.recipes.policy.english.meanings import TEXT, frame_of, meaning_of

DIARY = frame_of(
    "diary",
    {
        "list_events": ("List events", {"calendar": TEXT}),
        "create_event": ("Create an event", {"calendar": TEXT, "title": TEXT}),
        "update_event": ("Update an event", {"event_id": TEXT, "title": TEXT}),
        "delete_event": ("Delete an event", {"event_id": TEXT}),
        "list_filters": ("List filters", {}),
        "delete_filter": ("Delete a filter", {"filter_id": TEXT}),
    },
)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"allow list_events", "deny create_event", "deny delete_event", "deny update_event"},
            "You may list events, but you must not create or change any.",
        ),
        ({"allow list_events", "deny delete_event"}, "You can list events but never delete any of them."),
        (
            {"deny create_event", "deny delete_event", "deny update_event"},
            "Events are read-only, so look at them but do not create or edit any.",
        ),
        ({"deny delete_filter"}, "Filters are off limits, so do not delete them."),
        ({"escalate delete_filter"}, "No filter should be deleted without my approval."),
        ({"escalate delete_event"}, "No event may ever be deleted unless I agree to it."),
        ({"deny delete_event"}, "Never delete events; updating them is enough."),
    ],
)
def test_a_second_part_is_about_the_things_of_the_first(wanted: set[str], text: str) -> None:
    found = meaning_of(text, DIARY)
    assert wanted == {f"{line.split()[0]} {tool}" for line in found for tool in line.split()[1:]}


@pytest.mark.parametrize(
    "text",
    [
        "You may list events in my calendars, but do not change any.",
        "You may list events of the teams, but never delete them.",
        "You may list events, but do not change any in June.",
        "You may create urgent tickets, but never close them.",
        "You may book shipments and create invoices, but never delete any.",
        "You may not list events, and must not change any.",
        'You may list "events", but do not change any.',
        "No other event may be deleted without my approval.",
        "No more events may be deleted without my approval.",
        "No event may be deleted.",
    ],
)
def test_a_sentence_that_names_more_stays(text: str) -> None:
    assert text == with_whole_clauses(text)


def test_what_is_joined_to_a_place_is_not_read_without_it() -> None:
    assert set() == meaning_of("You may list events in my calendars, but do not change any.", DIARY)
