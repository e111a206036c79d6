"""Prices from the packaged list, without a network; unknown is None."""

from __future__ import annotations

from contextlib import suppress

import pytest
from genai_prices import Usage, calc_price
from genai_prices.data_snapshot import get_snapshot

from retouch.models.pricing import Tokens, has_list, price


def test_each_kind_of_token_has_its_own_price():
    tokens = Tokens(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=600_000, written_tokens=300_000)
    expected = 0.1 * 3 + 0.6 * 0.3 + 0.3 * 3.75 + 0.1 * 15
    assert pytest.approx(expected) == price("anthropic", "claude-sonnet-4-6", tokens)


@pytest.mark.parametrize(
    ("provider", "model"), [("anthropic", "claude-none"), ("openai", "llama3.2"), ("acme", "claude-sonnet-4-6")]
)
def test_what_is_not_on_the_list_has_no_price(provider: str, model: str):
    assert None is price(provider, model, Tokens(input_tokens=9))


def test_nothing_used_costs_nothing():
    assert 0.0 == price("openai", "gpt-5-mini", Tokens(input_tokens=0))


def test_dated_names_have_the_price_of_the_plain_ones():
    tokens = Tokens(input_tokens=1_000_000)
    assert price("anthropic", "claude-haiku-4-5", tokens) == price("anthropic", "claude-haiku-4-5-20251001", tokens)


def test_counts_that_contradict_each_other_have_no_price():
    assert None is price("anthropic", "claude-haiku-4-5", Tokens(input_tokens=10, cached_tokens=99))


def test_what_was_written_for_an_hour_has_a_price_of_its_own():
    tokens = Tokens(input_tokens=1_000_000, written_tokens=1_000_000, hour_tokens=400_000)
    assert pytest.approx(0.6 * 3.75 + 0.4 * 6) == price("anthropic", "claude-sonnet-4-6", tokens)


@pytest.mark.parametrize("input_tokens", [1, 150_000, 200_000, 200_001, 272_000, 272_001, 900_000])
def test_prices_equal_the_results_of_the_list_for_every_model_on_it(input_tokens: int):
    third = input_tokens // 3
    mine = Tokens(
        input_tokens=input_tokens, output_tokens=777, cached_tokens=third, written_tokens=third, hour_tokens=third // 2
    )
    theirs = Usage(
        input_tokens=input_tokens,
        output_tokens=777,
        cache_read_tokens=third,
        cache_write_tokens=third,
        cache_write_1h_tokens=third // 2,
    )
    ours = ("anthropic", "openai", "google")
    listed = [(one.id, model.id) for one in get_snapshot().providers if one.id in ours for model in one.models]
    compared = 0
    for provider, model in listed:
        with suppress(LookupError):  # a few have a name in the list that does not find them
            expected = float(calc_price(theirs, model, provider_id=provider).total_price)
            assert (model, expected) == (model, price(provider, model, mine))
            compared += 1
    assert 100 < compared


def test_without_the_price_list_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_name: str) -> None:
        return None

    monkeypatch.setattr("retouch.models.pricing.find_spec", nothing)
    has_list.cache_clear()
    try:
        assert price("anthropic", "claude-haiku-4-5", Tokens(input_tokens=1_000)) is None
    finally:
        has_list.cache_clear()
