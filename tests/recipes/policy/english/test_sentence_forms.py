"""Forms of sentences, with tools of a lighthouse: the rest of a permission, limits on both sides, reasons."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of, told

TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "dim_lamp": (
        "Dim a lamp.",
        {"lamp": told("Name of the lamp"), "brightness": NUMBER, "minutes": told("How many minutes", NUMBER)},
    ),
    "add_keeper": ("Add a keeper to a shift.", {"keeper": told("Name of the keeper"), "shift": told("Shift")}),
    "sound_horn": ("Sound the horn.", {"signal": {"type": "string", "enum": ["fog", "storm"]}}),
    "publish_log": ("Publish a log.", {"log": told("Name of the log"), "board": told("Name of the board")}),
    "book_boat": ("Book a boat.", {"boat": told("Name of the boat"), "deposit_amount": {"type": "number"}}),
    "set_voltage": (
        "Set the voltage of a type of lamp.",
        {"lamp_type": {"type": "string", "enum": ["halogen", "led"]}, "voltage": {"type": "number"}},
    ),
    "post_bulletin": ("Post a bulletin.", {"text": TEXT, "audience": {"type": "string", "enum": ["public", "crew"]}}),
    "lend_boat": (
        "Lend a boat.",
        {
            "kind": {"type": "string", "enum": ["rowing", "sailing", "motor"]},
            "to_pier": told("Name of the pier"),
            "deposit": {"type": "boolean"},
        },
    ),
    "paint_stairs": ("Paint stairs.", {"stair": told("Stair number", NUMBER)}),
}


FRAME = frame_of("lighthouse", TOOLS)


def _meaning(text: str) -> set[str]:
    return meaning_of(text, FRAME)


NORTH = {"allow publish_log board is North or Pier", "deny publish_log unless board is North or Pier"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("You may publish logs on the boards North and Pier, but not on any other board.", NORTH),
        ("You may publish logs on the boards North and Pier, but on no others.", NORTH),
        ("You may publish logs on the boards North and Pier, all other boards are forbidden.", NORTH),
        (
            "You may publish logs on the board North, but ask me before you publish one on any other board.",
            {"allow publish_log board is North", "escalate publish_log unless board is North"},
        ),
        (
            "Logs may be published on the board North, any other board needs my approval.",
            {"allow publish_log board is North", "escalate publish_log unless board is North"},
        ),
        (
            "You may publish logs on the boards North and Pier, but not on Quay.",
            {"allow publish_log board is North or Pier", "deny publish_log board is Quay"},
        ),
    ],
)
def test_what_a_permission_does_not_name_is_forbidden_or_asked_about(text: str, wanted: set[str]) -> None:
    assert _meaning(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "You may publish logs on the board North, but not on any other shift.",
        "You may publish logs on the board North, but ask me before you paint one on any other board.",
        "You may publish the log Night on the board North, but no others.",
    ],
)
def test_a_rest_of_something_else_is_refused(text: str) -> None:
    assert compile_clauses(text, FRAME).refused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "The deposit amount of a boat must not be higher than 40 euros.",
            {"deny book_boat deposit_amount > 40"},
        ),
        (
            "The voltage of a halogen lamp must not be lower than 6 or higher than 12.",
            {
                "deny set_voltage lamp_type is halogen voltage < 6",
                "deny set_voltage lamp_type is halogen voltage > 12",
            },
        ),
        ("The audience of a bulletin must never be public.", {"deny post_bulletin audience is public"}),
        ("The audience of a bulletin must always be crew.", {"deny post_bulletin unless audience is crew"}),
    ],
)
def test_a_property_of_things_has_limits(text: str, wanted: set[str]) -> None:
    assert _meaning(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "The name of a boat must not be higher than 40.",  # a text is no amount
        "The voltage of a petrol lamp must not be lower than 6.",
        "The price of a stair must not be higher than 40 euros.",
    ],
)
def test_a_limit_of_no_property_is_refused(text: str) -> None:
    assert compile_clauses(text, FRAME).refused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Do not sound the horn before 8:00 or after 21:00.", {"deny sound_horn the time is between 21:00 and 08:00"}),
        ("Dimming a lamp by more than 20 minutes needs my approval.", {"escalate dim_lamp minutes > 20"}),
        (
            "Lamps may be dimmed for up to 20 minutes, longer ones need my approval.",
            {"allow dim_lamp minutes >= 0 and <= 20", "escalate dim_lamp minutes > 20"},
        ),
        ("No more than 20 minutes may be dimmed per lamp.", {"deny dim_lamp minutes > 20"}),
        ("Logs may be published, but ask me first.", {"escalate publish_log"}),
        ("Never paint the stairs 4 and 5, because they are wet.", {"deny paint_stairs stair is 4 or 5"}),
    ],
)
def test_times_amounts_and_conditions_are_read(text: str, wanted: set[str]) -> None:
    assert _meaning(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Do not sound the horn before 8:00 or after noon.",  # in the morning or in the evening
        "Never paint the stairs A and B.",  # a stair is a number
        "Do not post bulletins unless they are crew.",  # whether it permits those is not said
    ],
)
def test_a_time_or_condition_that_is_not_clear_is_refused(text: str) -> None:
    assert compile_clauses(text, FRAME).refused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "You may sound the horn, but only between 8:00 and 18:00.",
            {
                "allow sound_horn the time is between 08:00 and 18:00",
                "deny sound_horn unless the time is between 08:00 and 18:00",
            },
        ),
        ("Brightness must not be higher than 8.", {"deny dim_lamp brightness > 8"}),
        ("Bulletins must always have the audience crew.", {"deny post_bulletin unless audience is crew"}),
        ("Ask Mr. Hale before you publish a log.", {"escalate publish_log"}),
        ("Ask the duty manager before publishing logs.", {"escalate publish_log"}),
        (
            "Only post crew bulletins.",
            {"allow post_bulletin audience is crew", "deny post_bulletin unless audience is crew"},
        ),
        ("All lamps except Alpha may be dimmed.", {"allow dim_lamp", "deny dim_lamp lamp is Alpha"}),
        ("Public bulletins only with my approval.", {"escalate post_bulletin audience is public"}),
    ],
)
def test_limits_demands_and_questions_to_others_are_read(text: str, wanted: set[str]) -> None:
    assert _meaning(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Ask the sailor before you publish a log.",  # somebody else's answer is no approval
        "You may sound the horn, but only on the board North.",
        "Wattages must be between 2 and 8.",
    ],
)
def test_a_limit_or_question_that_no_tool_can_be_tested_for_is_refused(text: str) -> None:
    assert compile_clauses(text, FRAME).refused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "Rowing and sailing boats may be lent.",
            {"allow lend_boat kind is rowing", "allow lend_boat kind is sailing"},
        ),
        (
            "Posting crew bulletins is fine; public ones need my approval.",
            {"allow post_bulletin audience is crew", "escalate post_bulletin audience is public"},
        ),
        ("Do not lend boats without deposit.", {"deny lend_boat unless deposit is True"}),
        ("For bookings above 40 euros you need my approval.", {"escalate book_boat deposit_amount > 40"}),
        (
            "You may lend rowing boats, but no motor boats.",
            {"allow lend_boat kind is rowing", "deny lend_boat kind is motor"},
        ),
        ("Never lend a boat without a deposit.", {"deny lend_boat unless deposit is True"}),
        (
            "You may lend motor boats to the pier West only.",
            {
                "allow lend_boat kind is motor to_pier is West",
                "deny lend_boat kind is motor unless to_pier is West",
            },
        ),
        (
            "Lending boats is only allowed between 9:00 and 17:00.",
            {
                "allow lend_boat the time is between 09:00 and 17:00",
                "deny lend_boat unless the time is between 09:00 and 17:00",
            },
        ),
    ],
)
def test_listed_words_before_a_noun_are_values(text: str, wanted: set[str]) -> None:
    assert _meaning(text) == wanted
