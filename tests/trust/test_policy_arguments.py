"""A noun that only names an argument is no sentence about every call of the tool."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of

HOME = frame_of(
    "home",
    {
        "buy_groceries": ("Order groceries.", {"item": TEXT, "store": TEXT, "alcohol": FLAG}),
        "play_music": ("Play music.", {"artist": TEXT, "volume": NUMBER}),
    },
)


@pytest.mark.parametrize("text", ["Stores need approval.", "Volume needs approval.", "Artists are forbidden."])
def test_a_noun_of_an_argument_alone_is_refused(text: str):
    assert set() == meaning_of(text, HOME)


def test_a_noun_of_a_flag_is_about_the_flag_and_one_of_the_tool_about_all_its_calls():
    assert {"deny buy_groceries alcohol is True"} == meaning_of("Alcohol is forbidden.", HOME)
    assert {"escalate buy_groceries"} == meaning_of("Groceries need approval.", HOME)
