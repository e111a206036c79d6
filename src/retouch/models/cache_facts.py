"""Facts about prompt caches, from `cache_facts.toml`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from retouch.models.facts import FactTable

VARIABLE = "RETOUCH_CACHE_FACTS"
_TABLE = FactTable(file="cache_facts.toml", variable=VARIABLE)


@dataclass(frozen=True, kw_only=True)
class CacheFacts:
    """How one model's prompt cache works. `write` and `read` are multiples of the price of an uncached token.

    - `markers`: the largest number of cache markers in a request, 0 if there are none.
    - `automatic`: the provider caches long prefixes without markers.
    - `min_tokens`: the shortest prefix that is cached.
    - `write_1h`: the price of an entry that lives for one hour, 0 if there is none.
    - `requests_per_key`: the number of requests per minute for one routing key, 0 if there are no keys or no limit.
    """

    min_tokens: int = 0
    write: float = 1.0
    read: float = 1.0
    markers: int = 0
    automatic: bool = False
    ttl_s: float = 300.0
    write_1h: float = 0.0
    requests_per_key: int = 0


SERVER_FACTS = CacheFacts(automatic=True)
"""A server of the user's, such as llama.cpp: whatever it caches by itself saves time, and has no price of its own."""


def for_an_hour(facts: CacheFacts) -> CacheFacts:
    """Return the facts about entries that live for one hour."""
    return replace(facts, write=facts.write_1h, ttl_s=3_600.0)


def cache_facts(provider: str, model: str) -> CacheFacts:
    """Return the facts about a model's cache. For a provider without an entry, return the defaults.

    Raises:
        BrokenFile: the user's file, named by RETOUCH_CACHE_FACTS, is invalid.
    """
    return _TABLE.facts(CacheFacts(), provider, model)
