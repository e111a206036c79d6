"""What is known of a model's batch API: data in `batch_facts.toml`."""

from __future__ import annotations

from dataclasses import dataclass

from retouch.models.facts import FactTable

VARIABLE = "RETOUCH_BATCH_FACTS"
_TABLE = FactTable(file="batch_facts.toml", variable=VARIABLE)


@dataclass(frozen=True, kw_only=True)
class BatchFacts:
    """What one batch may hold, 0 where there is no batch API; `price` is a multiple of what a token usually costs."""

    max_requests: int = 0
    max_bytes: int = 0
    price: float = 1.0


def batch_facts(provider: str, model: str) -> BatchFacts:
    """Return what is known of a model's batch API.

    Raises:
        BrokenFile: the user's file, named by RETOUCH_BATCH_FACTS, cannot be used.
    """
    return _TABLE.facts(BatchFacts(), provider, model)
