"""Prices from the packaged list, without a network; unknown is None."""

from __future__ import annotations

import pytest

from retouch.models.pricing import Tokens, price, price_of_a_million


def test_each_kind_of_token_has_its_own_price():
    tokens = Tokens(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=600_000, written_tokens=300_000)
    expected = 0.1 * 3 + 0.6 * 0.3 + 0.3 * 3.75 + 0.1 * 15
    assert pytest.approx(expected) == price("anthropic", "claude-sonnet-4-6", tokens)


@pytest.mark.parametrize(
    ("provider", "model"), [("anthropic", "claude-none"), ("openai", "llama3.2"), ("acme", "claude-sonnet-4-6")]
)
def test_what_is_not_on_the_list_has_no_price(provider: str, model: str):
    assert None is price(provider, model, Tokens(input_tokens=9))
    assert None is price_of_a_million(provider, model)


def test_nothing_used_costs_nothing():
    assert 0.0 == price("openai", "gpt-5-mini", Tokens(input_tokens=0))


def test_dated_names_have_the_price_of_the_plain_ones():
    tokens = Tokens(input_tokens=1_000_000)
    assert price("anthropic", "claude-haiku-4-5", tokens) == price("anthropic", "claude-haiku-4-5-20251001", tokens)


def test_counts_that_contradict_each_other_have_no_price():
    assert None is price("anthropic", "claude-haiku-4-5", Tokens(input_tokens=10, cached_tokens=99))


def test_a_preview_can_ask_for_the_price_of_a_million():
    assert (3.0, 15.0) == price_of_a_million("anthropic", "claude-sonnet-4-6")


def test_without_the_price_list_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_name: str) -> None:
        return None

    monkeypatch.setattr("retouch.models.pricing.find_spec", nothing)
    assert price("anthropic", "claude-haiku-4-5", Tokens(input_tokens=1_000)) is None
