"""What calls cost in US dollars, from the price list of `genai-prices`, without a network. Unknown is None, never 0."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genai_prices.types import AbstractUsage


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """What a call uses; `input_tokens` is the total, of which `cached_tokens` are read and `written_tokens` written."""

    input_tokens: int
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0


def price(provider: str, model: str, tokens: Tokens) -> float | None:
    """Return the list price of one call, None when the provider or model is not on the list.

    `provider` is its name on the list: anthropic, openai, google. A batch costs half of it. Without the list (the
    extra `llm`) nothing is known.
    """
    if find_spec("genai_prices") is None:
        return None
    from genai_prices import Usage

    usage = Usage(
        input_tokens=tokens.input_tokens,
        output_tokens=tokens.output_tokens,
        cache_read_tokens=tokens.cached_tokens,
        cache_write_tokens=tokens.written_tokens,
    )
    return usage_price(provider, model, usage)


def usage_price(provider: str, model: str, usage: AbstractUsage) -> float | None:
    """Return the price of a usage as a client library reports it, None when it is not on the list."""
    from genai_prices import calc_price

    try:
        return float(calc_price(usage, model, provider_id=provider).total_price)
    except (LookupError, ValueError):  # not on the list; or counts that contradict each other
        return None


@lru_cache(maxsize=256)
def price_of_a_million(provider: str, model: str) -> tuple[float, float] | None:
    """Return the list prices of a million uncached input and of a million output tokens, None when unknown."""
    given = price(provider, model, Tokens(input_tokens=1_000))
    taken = price(provider, model, Tokens(input_tokens=0, output_tokens=1_000))
    return None if given is None or taken is None else (given * 1_000, taken * 1_000)
