"""Sentences whose parts come in any order: what is said of an action, the action, and its limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.stances.stances import agreed, fillers, verdicts
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from retouch.recipes.policy.english.words.tokens import tokens_of
from tests.recipes.policy.english.meanings import frame_of, meaning_of, told

MONEY = told("Amount in euros", {"type": "number"})
SHOP = frame_of(
    "shop",
    {
        "create_refund": ("Refund a payment.", {"payment": told("Payment id"), "amount_eur": MONEY}),
        "void_invoice": ("Void an invoice.", {"invoice": told("Invoice id")}),
        "submit_return": ("File the VAT return with the tax office.", {"period": told("Period")}),
        "update_metadata": ("Edit the tags of a track.", {"track": told("Track id")}),
        "remove_from_playlist": ("Remove tracks from a playlist.", {"playlist": told("Name"), "track": told("Id")}),
        "send_notification": ("Send a push notification.", {"message": told("Text")}),
        "list_customers": ("List customers.", {"limit": told("Number", {"type": "integer"})}),
        "create_automation": ("Create an automation.", {"alias": told("Name")}),
        "delete_automation": ("Delete an automation.", {"alias": told("Name")}),
        "book_room": ("Book a room.", {"room": told("Room id"), "start": told("Start, ISO 8601")}),
        "cancel_booking": ("Cancel a booking.", {"booking": told("Booking id")}),
    },
    roles={"amount_eur": "none"},
)
REFUNDS = {
    "allow create_refund amount_eur >= 0 and < 100",
    "escalate create_refund amount_eur >= 100 and <= 500",
    "deny create_refund amount_eur > 500",
}


def read(text: str) -> set[str]:
    return meaning_of(text, SHOP)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"escalate submit_return void_invoice"}, "Voiding an invoice or filing the return: talk to me first."),
        (
            {"deny send_notification the number of such calls in any 60 minutes > 3"},
            "Three notifications an hour is the most I can stand.",
        ),
        ({"deny create_automation delete_automation"}, "Automations are mine, keep your hands off them."),
        ({"allow list_customers"}, "Looking up customers, go right ahead, you don't need me for that."),
    ],
)
def test_a_sentence_is_read_whatever_the_order_of_its_parts(wanted: set[str], text: str):
    assert wanted == read(text)


def test_later_clauses_say_only_what_is_different():
    text = "Refunds under 100 euros you just do, from 100 to 500 you run it by me first, and over 500 you don't touch."
    assert REFUNDS == read(text)


@pytest.mark.parametrize(
    "text",
    [
        "On Mondays you may void invoices, and bookings may be cancelled.",  # on other days, too?
        "You may void invoices and cancel bookings only after I agreed.",
        "You may give refunds under 100 euros and void invoices, over 500 ask me first.",
        "You may give refunds under 100 euros, and you may void them.",
        "Void.",
        "Never, unless it helps.",
    ],
)
def test_what_may_belong_to_two_clauses_is_refused(text: str):
    assert set() == read(text)


TOOLBOX = Toolbox(SHOP)
VERDICTS = {
    "permit": ("is fine", "are okay", "go right ahead", "doesn't need my okay", "is no problem", "needs no approval"),
    "forbid": ("isn't okay", "is off limits", "are mine", "is my job", "is never up to you", "the answer is no"),
    "ask": ("ask me first", "needs my okay", "talk to me first", "only after you've asked me", "has to go through me"),
}


def words_of(text: str) -> Phrases:
    return Phrases(tokens_of(text), known=TOOLBOX.words)


@pytest.mark.parametrize(("stance", "text"), [(stance, one) for stance, texts in VERDICTS.items() for one in texts])
def test_a_verdict_is_found_with_its_stance(stance: str, text: str):
    words = words_of(text)
    assert {stance} == {one.stance for one, end in verdicts(words, 0) if end == words.size and one.takes == "none"}


@pytest.mark.parametrize("text", ["is full", "is on Monday", "are customers", "has three rooms", "the answer is known"])
def test_what_says_nothing_of_an_action_is_no_verdict(text: str):
    words = words_of(text)
    assert [] == [one for one, end in verdicts(words, 0) if end == words.size]


@given(st.sampled_from(VERDICTS["permit"][:2]), st.sampled_from(["not", "never"]))
def test_a_negated_permission_is_none(text: str, negation: str):
    verb, _, rest = text.partition(" ")
    words = words_of(f"{verb} {negation} {rest}")
    assert "permit" not in {one.stance for one, end in verdicts(words, 0) if end == words.size}


def test_small_words_are_said_with_some_stances_only():
    words = words_of("without asking")
    assert [frozenset({"permit"})] == list(dict.fromkeys(stances for end, stances in fillers(words, 0) if end == 2))
    assert [] == [end for end, _ in fillers(words_of("unless I agree"), 0)]
    assert [3] == sorted(set(agreed(words_of("unless I agree"), 0)))
