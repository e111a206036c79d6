"""To move something is no change of anything else about it."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of

SHOP = frame_of(
    "shop",
    {
        "set_price": ("Set the price of an item.", {"item": TEXT, "price": NUMBER}),
        "update_visit": ("Change a visit.", {"visit_id": TEXT, "start": TEXT}),
    },
)


@pytest.mark.parametrize("text", ["You may move items.", "Items must not be moved.", "You may move prices."])
def test_a_sentence_about_moving_things_never_decides_their_prices(text: str):
    assert set() == meaning_of(text, SHOP)


def test_what_has_a_time_is_moved_by_changing_it():
    assert {"allow update_visit"} == meaning_of("You may move visits.", SHOP)
