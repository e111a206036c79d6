"""Facts about batch APIs, from `batch_facts.toml`."""

from __future__ import annotations

from dataclasses import dataclass

from retouch.models.facts import FactTable

VARIABLE = "RETOUCH_BATCH_FACTS"
_TABLE = FactTable(file="batch_facts.toml", variable=VARIABLE)


@dataclass(frozen=True, kw_only=True)
class BatchFacts:
    """The limits of one batch, 0 if there is no batch API. `price` is a multiple of the usual price of a token."""

    max_requests: int = 0
    max_bytes: int = 0
    price: float = 1.0


def batch_facts(provider: str, model: str) -> BatchFacts:
    """Return the facts about a model's batch API.

    Raises:
        BrokenFile: the user's file, named by RETOUCH_BATCH_FACTS, is invalid.
    """
    return _TABLE.facts(BatchFacts(), provider, model)
