"""The cost of calls in US dollars, from the price list of `genai-prices`. An unknown cost is None, never 0."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

    from retouch.models.tuning import Tuning

_MILLION = Decimal(1_000_000)
_NO_TIER = 10**12  # tokens
_LISTED_AS = {"openai-responses": "openai", "bedrock": "aws"}  # the names of providers on the list


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """The tokens of a call. `input_tokens` is the total, including `cached_tokens` read and `written_tokens` written.

    Of the written ones, `hour_tokens` are written for one hour.
    """

    input_tokens: int
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    hour_tokens: int = 0

    @property
    def uncached_tokens(self) -> int:
        """The input tokens that are neither read from nor written to the cache."""
        return self.input_tokens - self.cached_tokens - self.written_tokens


_UNUSUAL_CALL = Tokens(input_tokens=997, output_tokens=211, cached_tokens=389, written_tokens=307, hour_tokens=101)


@dataclass(frozen=True, kw_only=True)
class _PerMillion:
    """Prices that are the same for every token of a kind, up to `most_tokens` of input."""

    uncached: Decimal
    output: Decimal
    cached: Decimal
    written: Decimal
    hour: Decimal
    most_tokens: int

    def of(self, tokens: Tokens) -> float:
        total = self.uncached * tokens.uncached_tokens + self.cached * tokens.cached_tokens
        total += self.written * (tokens.written_tokens - tokens.hour_tokens) + self.hour * tokens.hour_tokens
        return float((total + self.output * tokens.output_tokens) / _MILLION)


def price(provider: str, model: str, tokens: Tokens) -> float | None:
    """Return the list price of one call, or None if the model is not on the list or the counts are inconsistent.

    `provider` is its name on the list: anthropic, openai, google. A batch costs half of it. Without the list (the extra
    `llm`) every price is unknown.
    """
    if min(tokens.uncached_tokens, tokens.written_tokens - tokens.hour_tokens) < 0:
        return None
    listed = _listed(provider, model)
    if listed is None:
        return None
    plain = _plain(listed)
    return plain.of(tokens) if plain is not None and tokens.input_tokens <= plain.most_tokens else _sum(listed, tokens)


def priced(tuning: Tuning, tokens: Tokens) -> float | None:
    """Return the cost of a call at the spec's price, or None if it has none. Cached input has the full price."""
    if tuning.price_in is None or tuning.price_out is None:
        return None
    return (tokens.input_tokens * tuning.price_in + tokens.output_tokens * tuning.price_out) / float(_MILLION)


def _sum(listed: ModelPrice, tokens: Tokens) -> float:
    return float(listed.calc_price(_Usage(tokens))["total_price"])


def _listed(provider: str, model: str) -> ModelPrice | None:
    """Return the current prices of a model, which can depend on the time."""
    if not has_list():
        return None
    from datetime import UTC, datetime

    from genai_prices.data_snapshot import get_snapshot

    try:
        _, found = get_snapshot().find_provider_model(model, None, _LISTED_AS.get(provider, provider), None)
    except LookupError:
        return None
    return found.get_prices(datetime.now(tz=UTC))


def listed_models(provider: str) -> list[str]:
    """Return the names of a provider's models on the price list, sorted, or [] without the list."""
    if not has_list():
        return []
    from genai_prices.data_snapshot import get_snapshot

    return sorted(model.id for one in get_snapshot().providers if one.id == provider for model in one.models)


@lru_cache
def has_list() -> bool:
    """Return whether the price list is installed."""
    return find_spec("genai_prices") is not None


_SEEN: dict[int, tuple[ModelPrice, _PerMillion | None]] = {}
"""The result for each set of prices, by identity. The reference keeps the set alive, and a new list has new sets."""


def _plain(listed: ModelPrice) -> _PerMillion | None:
    """Return the prices per token, or None if they are not complete. The list's own computation is much slower."""
    known = _SEEN.get(id(listed))
    if known is None or known[0] is not listed:
        known = _SEEN[id(listed)] = listed, _checked(listed)
    return known[1]


def _checked(listed: ModelPrice) -> _PerMillion | None:
    """Return the prices per token if they give the list's own result for an unusual call."""
    from genai_prices.types import TieredPrices

    given: dict[str, Decimal | TieredPrices] = {name: one for name, one in vars(listed).items() if one is not None}
    base = {name: one.base if isinstance(one, TieredPrices) else one for name, one in given.items()}
    starts = [tier.start for one in given.values() if isinstance(one, TieredPrices) for tier in one.tiers]
    uncached, output = base.get("input_mtok"), base.get("output_mtok")
    if uncached is None or output is None:
        return None
    written = base.get("cache_write_mtok", uncached)
    found = _PerMillion(
        uncached=uncached,
        output=output,
        cached=base.get("cache_read_mtok", uncached),
        written=written,
        hour=base.get("cache_write_1h_mtok", written),
        most_tokens=min(starts, default=_NO_TIER),
    )
    return found if found.of(_UNUSUAL_CALL) == _sum(listed, _UNUSUAL_CALL) else None


class _Usage:
    """A usage with the attribute names of the list."""

    def __init__(self, tokens: Tokens) -> None:
        self.input_tokens = tokens.input_tokens
        self.output_tokens = tokens.output_tokens
        self.cache_read_tokens = tokens.cached_tokens
        self.cache_write_tokens = tokens.written_tokens
        self.cache_write_1h_tokens = tokens.hour_tokens
