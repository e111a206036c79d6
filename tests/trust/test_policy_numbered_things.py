"""A rule about a thing with a number holds however a call writes it."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.meanings import TEXT, frame_of, meaning_of

CLINIC = frame_of("clinic", {"book_appointment": ("Book an appointment.", {"patient": TEXT, "room": TEXT})})


@pytest.mark.parametrize("text", ["Do not book Room 3.", "Room 3 must not be booked.", "Never book room 3."])
def test_a_prohibition_of_a_numbered_room_is_about_all_of_its_spellings(text: str):
    assert {"deny book_appointment room is 3 or room 3 or Room 3"} == meaning_of(text, CLINIC)
