"""Cache keys: OpenAI routes requests with the same key to the same machine, which caches their shared text."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retouch._lib.hashing import text_hash

if TYPE_CHECKING:
    from collections.abc import Callable

_MINUTE_S = 60.0
_HASH_CHARS = 24
_TALKS = 20_000  # the number of latest conversations whose key is remembered


@dataclass(kw_only=True)
class _Shard:
    """One key: the times of its use within the last minute, and whether the provider has cached the text for it."""

    key: str
    sent: deque[float] = field(default_factory=deque[float])
    ready: bool = False
    opening: bool = False


class CacheKeys:
    """One key per shared text, and further ones if a key gets more than `most_per_minute` requests.

    Above this rate, a provider routes requests to other machines, where they miss the cache. 0 means no limit. The
    first request with a further key is sent alone. Until its response starts, the other requests share the existing
    keys.
    """

    def __init__(self, most_per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most_per_minute
        self._clock = clock
        self._texts: dict[str, list[_Shard]] = {}
        self._opening: dict[str, _Shard] = {}
        self._talks: dict[int, _Shard] = {}

    def key(self, system: str, first_turn: str) -> str:
        """Return the key of a request that is sent now with this shared text.

        A conversation keeps the key of its first turn, because its prefix is cached there.
        """
        name = "retouch-" + text_hash(system).removeprefix("sha256:")[:_HASH_CHARS]
        if not self._most:
            return name
        shards = self._texts.setdefault(name, [_Shard(key=name, ready=True)])
        talk = hash((system, first_turn))
        chosen = self._talks.pop(talk, None) or self._chosen(name, shards)
        self._talks[talk] = chosen
        if len(self._talks) > _TALKS:
            del self._talks[next(iter(self._talks))]
        chosen.sent.append(self._clock())
        return chosen.key

    def begun(self, key: str) -> None:
        """Record that the response to a request with `key` has started, so that other requests can use the key."""
        shard = self._opening.pop(key, None)
        if shard is not None:
            shard.ready, shard.opening = True, False

    def over(self, key: str) -> None:
        """Record that a request with `key` has ended. If its response never began, another request can try the key."""
        shard = self._opening.pop(key, None)
        if shard is not None:
            shard.opening = False

    def _chosen(self, name: str, shards: list[_Shard]) -> _Shard:
        now = self._clock()
        for shard in shards:
            while shard.sent and shard.sent[0] <= now - _MINUTE_S:
                shard.sent.popleft()
        ready = [shard for shard in shards if shard.ready]
        roomy = next((shard for shard in ready if len(shard.sent) < self._most), None)
        if roomy is not None:
            return roomy
        if any(shard.opening for shard in shards):
            return min(ready, key=lambda shard: len(shard.sent))
        if shards[-1].ready:
            shards.append(_Shard(key=f"{name}-{len(shards)}"))
        shards[-1].opening = True
        self._opening[shards[-1].key] = shards[-1]
        return shards[-1]
