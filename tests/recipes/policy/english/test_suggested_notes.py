"""The note of a suggestion names the words that it leaves out, and no word that its tools or tests show."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.suggested_tools import (
    BILLING,
    CODE,
    FLIGHTS,
    POST,
    ROOMS,
    SHOP,
    TRACKER,
    TRADING,
    suggested,
)


@pytest.mark.parametrize(
    ("wanted", "frame", "text"),
    [
        ("twice", SHOP, "Never refund an order twice."),
        ("immediately", BILLING, "Never cancel a subscription immediately."),
        ("both", ROOMS, "Never post in both #general and #random."),
        ("class", FLIGHTS, "Never book business or first class."),
        ("night", TRACKER, "Never create tickets for team ops at night."),
    ],
)
def test_a_word_that_no_test_shows_is_named(wanted: str, frame: Any, text: str):
    assert f"<!-- leaves out: {wanted} -->" in suggested(text, frame)[0]


@pytest.mark.parametrize(
    ("frame", "text", "shown"),
    [
        (
            POST,
            "Never quietly trash emails between 8:00 and 10:00.",
            "8:00",
        ),
        (POST, "Never send an email to more than one person at once.", "people"),
    ],
)
def test_a_word_that_a_test_shows_or_that_is_not_in_the_sentence_is_not_named(frame: Any, text: str, shown: str):
    found = suggested(text, frame)
    assert found
    assert not [line for line in found if shown in line.partition("leaves out:")[2]]


@pytest.mark.parametrize(
    ("wanted", "frame", "text"),
    [
        (
            'Allow using the tool merge_pull_request of forge if merge_method is "squash".',
            CODE,
            "You may merge pull requests if they are squashed.",
        ),
        (
            (
                'Never use the tool place_order of trading if side is "sell". '
                'Allow using the tool place_order of trading if side is "buy".'
            ),
            TRADING,
            "You may buy, but not sell.",
        ),
        (
            (
                'Do not allow using the tool place_order of trading if side is "buy" and symbol is "MSFT" and '
                "the total of quantity of such calls in any 24 hours is more than 10. "
                'Allow using the tool place_order of trading if side is "buy" and symbol is "MSFT".'
            ),
            TRADING,
            "You may buy up to 10 shares of MSFT per day.",
        ),
        (
            (
                "Do not allow using the tool send_email of mailbox if any email-address is the address "
                '"eve@evil.example". Allow using the tool send_email of mailbox.'
            ),
            POST,
            "You may send emails to anyone except eve@evil.example.",
        ),
        (
            'Never use the tool book_flight of flights if cabin is "business" or "first". <!-- leaves out: class -->',
            FLIGHTS,
            "Never book business or first class.",
        ),
    ],
)
def test_the_only_suggestion_says_what_the_sentence_says(wanted: str, frame: Any, text: str):
    assert [wanted] == suggested(text, frame)
