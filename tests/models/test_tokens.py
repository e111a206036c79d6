"""Estimates of tokens."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.types import Message, Prompt, Request
from retouch.models.tokens import cut_to_tokens, estimate_tokens, request_tokens

CODE = (
    'public sealed record Pet\n{\n    [JsonPropertyName("pet_id")]\n    public required long PetId { get; init; }\n}\n'
)


def test_an_empty_text_has_no_tokens():
    assert 0 == estimate_tokens("")


def test_a_plain_sentence_has_about_one_token_for_each_word_and_mark():
    assert 10 == estimate_tokens("The quick brown fox jumps over the lazy dog.")


def test_the_humps_of_a_name_are_tokens_of_their_own():
    assert 3 == estimate_tokens("FirstPetName")


def test_source_code_has_between_three_and_five_characters_for_a_token():
    assert 3.0 < len(CODE) / estimate_tokens(CODE) < 5.0


def test_other_scripts_are_not_taken_for_nothing():
    assert 4 <= estimate_tokens("価格は千円です") <= 7


def test_a_cut_text_keeps_to_its_limit_and_is_a_head_of_the_whole():
    head = cut_to_tokens(CODE, 12)
    assert 12 == estimate_tokens(head)
    assert CODE.startswith(head)


def test_a_limit_of_nothing_leaves_nothing():
    assert "" == cut_to_tokens(CODE, 0)


def test_a_request_counts_its_system_text_and_every_turn():
    prompt = Prompt(unit="Pet", system=CODE, user="one two three")
    turns = (Message(role="user", text="one two three"), Message(role="assistant", text=CODE))
    request = Request(prompt=prompt, system=CODE, messages=turns, max_output_tokens=10)
    assert 2 * estimate_tokens(CODE) + 3 + 2 * 4 == request_tokens(request)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.integers(min_value=0, max_value=60))
def test_every_character_is_counted_and_no_cut_exceeds_its_limit(text: str, limit: int):
    assert (0 < estimate_tokens(text) <= len(text)) == bool(text)
    assert text == cut_to_tokens(text, len(text))
    assert text.startswith(cut_to_tokens(text, limit))
    assert estimate_tokens(cut_to_tokens(text, limit)) <= limit
