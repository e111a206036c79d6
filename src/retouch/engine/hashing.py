"""Hashes of values: one canonical JSON, one algorithm."""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _hashlib import HASH

    from retouch.engine.types import Prompt, Request

_REMEMBERED = 64  # texts


def canonical_json(value: object) -> str:
    """Return `value` as JSON with sorted keys and no spaces; equal values give equal text.

    Raises:
        ValueError: `value` holds NaN or an infinity.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@lru_cache(maxsize=_REMEMBERED)
def text_hash(text: str) -> str:
    """Return "sha256:" and the hexadecimal digest of `text` in UTF-8; lone surrogates are hashed as they are.

    The latest are remembered: the pages of a run share a long text.
    """
    return "sha256:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonical_hash(value: object) -> str:
    """Return the hash of the canonical JSON of `value`."""
    return text_hash(canonical_json(value))


@lru_cache(maxsize=16 * _REMEMBERED)
def prompt_hash(prompt: Prompt) -> str:
    """Return the hash of what a prompt says: its system and user text, not its place in the plan.

    The latest are remembered: a page asks for its own several times while it is worked on.
    """
    whole = _begun(prompt.system).copy()
    whole.update(prompt.user.encode("utf-8", "surrogatepass"))
    return "sha256:" + whole.hexdigest()


@lru_cache(maxsize=_REMEMBERED)
def _begun(system: str) -> HASH:
    """Return the hash of a prompt up to its user text, to be copied."""
    return sha256(f"{len(system)}\n{system}\n".encode("utf-8", "surrogatepass"))


def request_hash(request: Request) -> str:
    """Return the hash of the whole request: caches and replays key on it."""
    messages = [vars(message) for message in request.messages]
    return canonical_hash({**vars(request), "prompt": vars(request.prompt), "messages": messages})
