"""Sends the first request of several with a shared prefix alone, so that the other requests hit a provider's cache."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(eq=False)
class WarmUp:
    """Sends the first request of a shared system prompt alone, so that the other requests hit the provider's cache.

    The other requests follow at the first event of the response. If the first request fails, the next one goes first.
    After a time limit, all are sent. After `COOL_AFTER_S` without a request, the cache entry has expired, and the next
    request goes alone again. `clock` returns the seconds since any moment.
    """

    COOL_AFTER_S: ClassVar = 240.0  # most caches keep an entry for five minutes after its last use

    limit_s: float
    clock: Callable[[], float] = field(default=time.monotonic, kw_only=True)
    _warm: dict[tuple[str, str], float] = field(init=False, default_factory=dict["tuple[str, str]", float])
    _leaders: dict[tuple[str, str], asyncio.Event] = field(
        init=False, default_factory=dict["tuple[str, str]", asyncio.Event]
    )

    async def turn(self, key: tuple[str, str]) -> bool:
        """Wait until this request may be sent. Return whether it is the first one."""
        while self.clock() - self._warm.get(key, -inf) > self.COOL_AFTER_S:
            leader = self._leaders.get(key)
            if leader is None:
                self._leaders[key] = asyncio.Event()
                return True
            try:
                async with asyncio.timeout(self.limit_s):  # wait_for may lose a cancellation as the leader ends
                    await leader.wait()
            except TimeoutError:
                self._warm[key] = self.clock()
        self._warm[key] = self.clock()
        return False

    def begun(self, key: tuple[str, str]) -> None:
        """Release the other requests: the first one gets a response."""
        if key in self._leaders:
            self._warm[key] = self.clock()
            self._release(key)

    def over(self, key: tuple[str, str]) -> None:
        """Release the next request: the first one has ended without an event."""
        self._release(key)

    def _release(self, key: tuple[str, str]) -> None:
        leader = self._leaders.pop(key, None)
        if leader is not None:
            leader.set()


_WARM_UPS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[float, WarmUp]] = WeakKeyDictionary()


def shared_warm_up(limit_s: float) -> WarmUp:
    """Return the warm-up of this event loop. All its runs share the providers' caches."""
    return _WARM_UPS.setdefault(asyncio.get_running_loop(), {}).setdefault(limit_s, WarmUp(limit_s))
