"""Sentences that fit no frame are read by their words: what is read, and what is refused. Tools of a ferry port."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of, told

TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "promote_crossing": (
        "Advertise a crossing with a paid budget.",
        {"crossing_id": told("ID of the crossing"), "budget_eur": told("Budget in euros", NUMBER)},
    ),
    "shift_money": (
        "Transfer money between two of the accounts.",
        {"from_account": told("Account name"), "to_account": told("Account name"), "amount": NUMBER},
    ),
    "moor_ferry": (
        "Moor a ferry at a pier.",
        {"ferry": told("Name of the ferry"), "pier": told("Name of the pier"), "max_ropes": told("Ropes", NUMBER)},
    ),
    "file_letter": ("Move a letter to another folder.", {"letter": TEXT, "folder": told("Name of the target folder")}),
    "press_button": ("Press a button of the console.", {"button": told("Name of the button")}),
    "change_harbour_address": (
        "Change the harbour address of a customer.",
        {"customer": told("Name of the customer"), "country": told("Country"), "street": TEXT},
    ),
    "push_notice": ("Push a notice to all screens.", {"text": TEXT, "force": {"type": "boolean"}}),
    "drop_notice": ("Delete a notice.", {"notice": TEXT, "screen": told("Name of the screen")}),
    "add_urgent_note": ("Add an urgent note to a ticket.", {"ticket_id": TEXT, "note": TEXT}),
}
FRAME = frame_of("port", TOOLS)


LETTERS = {
    "allow file_letter folder is Archive or archive or Rosters or rosters",
    "deny file_letter unless folder is Archive or archive or Rosters or rosters",
}


def _meaning(text: str) -> set[str]:
    return meaning_of(text, FRAME)


NORTHERN = " or ".join(
    "Norway norway NO no NOR Sweden sweden SE se SWE Denmark denmark DK dk DNK".split()  # noqa: SIM905
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Ask me before promoting a crossing with more than 50 euros.", {"escalate promote_crossing budget_eur > 50"}),
        ("Never transfer money out of Savings.", {"deny shift_money from_account is Savings or savings"}),
        ("Letters may only be moved to Archive or Rosters.", LETTERS),
        ("You can press any button except Siren.", {"allow press_button", "deny press_button button is Siren"}),
        ("Do not delete notices outside the screen Quay.", {"deny drop_notice unless screen is Quay"}),
        ("max_ropes must not be higher than 8.", {"deny moor_ferry max_ropes > 8"}),
        ("Force pushes are not allowed on any screen.", {"deny push_notice force is True"}),
        (
            "Do not change a harbour address to a country other than Norway, Sweden or Denmark.",
            {f"deny change_harbour_address unless country is {NORTHERN}"},
        ),
        (
            "You may press the button Horn, but ask me before you push notices.",
            {"allow press_button button is Horn", "escalate push_notice"},
        ),
    ],
)
def test_a_sentence_that_fits_no_frame_is_read_by_its_words(text: str, wanted: set[str]) -> None:
    assert wanted == _meaning(text)


@pytest.mark.parametrize(
    "text",
    [
        "You may add notes to urgent tickets.",  # the note is urgent, not the ticket
        "Never moor more than 3 ferries.",  # three ropes are no ferries
        "You may change the street of a customer.",  # the tool changes more than that
        "Never delete old notices.",  # no argument shows how old
        "Never delete notices without a reason.",
        "Never delete notices of my screen.",
        "They must not be deleted.",  # nobody says what
        "Notices can be: urgent, pushed, or dropped.",  # that permits nothing
        "Notices may be pushed, but not by you.",
        "Press buttons gently.",
        "Do not moor ferries unless they are at North.",  # whether it permits those is not said
        "Refunds by the harbour master are allowed.",
        "You may press buttons, but never it.",
        "Ask me before you moor a ferry, unless it goes to North.",  # a pier or a ferry
        "Do not transfer money to Savings from Harbour quickly.",
    ],
)
def test_a_sentence_with_a_word_that_nothing_explains_is_refused(text: str) -> None:
    assert compile_clauses(text, FRAME).refused
