"""Hashes of values: one canonical JSON, one algorithm."""

from __future__ import annotations

import json
import marshal
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEPT = 64  # texts
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_json(value: object) -> str:
    """Return `value` as JSON with sorted keys and no spaces. Equal values give equal text.

    Raises:
        ValueError: `value` contains NaN or an infinity.
    """
    return _CANONICAL.encode(value)


def content_key(value: Mapping[str, Any]) -> bytes:
    """Return a key of the content of plain data and its order, in a quarter of the time of writing JSON."""
    try:
        return marshal.dumps(cast("dict[str, Any]", value), 2)
    except ValueError:  # a part is of a class of its own
        return json.dumps(value).encode()


def schema_text(schema: Mapping[str, Any]) -> str:
    """Return the canonical JSON of an answer schema. The strings of the latest are cached: many prompts share a schema.

    The cache compares contents, so that a schema that was changed gets its new text.
    """
    try:
        return _text_of(marshal.dumps(cast("dict[str, Any]", schema), 2))
    except ValueError:  # a part is of a class of its own
        return canonical_json(schema)


@lru_cache(maxsize=_KEPT)
def _text_of(marshalled: bytes) -> str:
    return canonical_json(marshal.loads(marshalled))  # noqa: S302 - written by the caller


@lru_cache(maxsize=_KEPT)
def text_hash(text: str) -> str:
    """Return "sha256:" and the hexadecimal digest of `text` in UTF-8. Lone surrogates are hashed unchanged.

    The latest results are cached, because the pages of a run share a long text.
    """
    return "sha256:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonical_hash(value: object) -> str:
    """Return the hash of the canonical JSON of `value`."""
    return text_hash(canonical_json(value))
