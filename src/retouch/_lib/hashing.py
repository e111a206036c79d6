"""Hashes of values: one canonical JSON, one algorithm."""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_KEPT = 64  # texts


def canonical_json(value: object) -> str:
    """Return `value` as JSON with sorted keys and no spaces. Equal values give equal text.

    Raises:
        ValueError: `value` contains NaN or an infinity.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def kept_by_identity(function: Callable[[T], str]) -> Callable[[T], str]:
    """Return `function`, which keeps its results for the latest arguments by their identity. They must not change."""
    kept: dict[int, tuple[T, str]] = {}

    def call(value: T) -> str:
        found = kept.get(id(value))  # the argument is kept as well, so that no other object gets its identity
        if found is None:
            if len(kept) >= _KEPT:
                kept.clear()
            found = kept[id(value)] = (value, function(value))
        return found[1]

    return call


schema_text = kept_by_identity(canonical_json)
"""Return the canonical JSON of an answer schema, which many prompts share."""


@lru_cache(maxsize=_KEPT)
def text_hash(text: str) -> str:
    """Return "sha256:" and the hexadecimal digest of `text` in UTF-8. Lone surrogates are hashed unchanged.

    The latest results are cached, because the pages of a run share a long text.
    """
    return "sha256:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonical_hash(value: object) -> str:
    """Return the hash of the canonical JSON of `value`."""
    return text_hash(canonical_json(value))
