"""The keys by which OpenAI routes requests of one shared text to the machine that holds it."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from retouch.engine.hashing import text_hash

if TYPE_CHECKING:
    from collections.abc import Callable

_MINUTE_S = 60.0
_HASH_CHARS = 24


class CacheKeys:
    """One key per shared text, and further ones while a key gets more than `most_per_minute` requests.

    Beyond that many a provider sends some elsewhere, where they miss. 0 is no limit.
    """

    def __init__(self, most_per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most_per_minute
        self._clock = clock
        self._sent: dict[str, list[deque[float]]] = {}

    def key(self, system: str) -> str:
        """Return the key of a request that is sent now with this shared text: the first one that has room."""
        name = "retouch-" + text_hash(system).removeprefix("sha256:")[:_HASH_CHARS]
        if not self._most:
            return name
        now, shards = self._clock(), self._sent.setdefault(name, [])
        for number, sent in enumerate(shards):
            while sent and sent[0] <= now - _MINUTE_S:
                sent.popleft()
            if len(sent) < self._most:
                sent.append(now)
                return f"{name}-{number}" if number else name
        shards.append(deque([now]))
        return f"{name}-{len(shards) - 1}" if len(shards) > 1 else name
