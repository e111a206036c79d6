"""What is known of a model's prompt cache: data in `cache_facts.toml`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from retouch.models.facts import FactTable

VARIABLE = "RETOUCH_CACHE_FACTS"
_TABLE = FactTable(file="cache_facts.toml", variable=VARIABLE)


@dataclass(frozen=True, kw_only=True)
class CacheFacts:
    """How one model's prompt cache works; `write` and `read` are multiples of the price of an uncached token.

    `markers` is how many cache markers a request may carry, 0 where there are none; `automatic` says that the
    provider caches long prefixes without any. `min_tokens` is the shortest prefix that is cached. `write_1h` is the
    price of an entry that lives for an hour, 0 where there is none. `requests_per_key` is how many requests a minute
    one routing key bears, 0 where there are no keys or no such limit.
    """

    min_tokens: int = 0
    write: float = 1.0
    read: float = 1.0
    markers: int = 0
    automatic: bool = False
    ttl_s: float = 300.0
    write_1h: float = 0.0
    requests_per_key: int = 0


def for_an_hour(facts: CacheFacts) -> CacheFacts:
    """Return the facts of entries that live for an hour."""
    return replace(facts, write=facts.write_1h, ttl_s=3_600.0)


def cache_facts(provider: str, model: str) -> CacheFacts:
    """Return what is known of a model's cache; nothing at all for providers that no table names.

    Raises:
        BrokenFile: the user's file, named by RETOUCH_CACHE_FACTS, cannot be used.
    """
    return _TABLE.facts(CacheFacts(), provider, model)
