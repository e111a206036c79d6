"""The first request of a shared text goes alone; the rest then read the provider's cache and do not write it too."""

from __future__ import annotations

import asyncio
import time
from math import inf
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable


class WarmUp:
    """Lets the first request of a shared system text go alone, so that the rest read the provider's cache.

    The rest follow at the first sign of life; when the first one fails, the next goes first; a time limit frees all.
    After `COOL_AFTER_S` without a request the provider has forgotten the text, and the next one goes alone again.
    """

    COOL_AFTER_S = 240.0  # of the five minutes that most caches keep a text after its last use

    def __init__(self, limit_s: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit_s = limit_s
        self._clock = clock
        self._warm: dict[tuple[str, str], float] = {}  # when each text was last sent
        self._leaders: dict[tuple[str, str], asyncio.Event] = {}

    async def turn(self, key: tuple[str, str]) -> bool:
        """Wait until this request may go; return whether it goes first."""
        while self._clock() - self._warm.get(key, -inf) > self.COOL_AFTER_S:
            leader = self._leaders.get(key)
            if leader is None:
                self._leaders[key] = asyncio.Event()
                return True
            try:
                async with asyncio.timeout(self._limit_s):  # wait_for may lose a cancel that comes as the leader ends
                    await leader.wait()
            except TimeoutError:
                self._warm[key] = self._clock()
        self._warm[key] = self._clock()
        return False

    def begun(self, key: tuple[str, str]) -> None:
        """The first request shows life: the rest may go."""
        if key in self._leaders:
            self._warm[key] = self._clock()
            self._release(key)

    def over(self, key: tuple[str, str]) -> None:
        """The first request has ended without a sign of life: the next may go first."""
        self._release(key)

    def _release(self, key: tuple[str, str]) -> None:
        leader = self._leaders.pop(key, None)
        if leader is not None:
            leader.set()


_WARM_UPS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[float, WarmUp]] = WeakKeyDictionary()


def shared_warm_up(limit_s: float) -> WarmUp:
    """Return the one of all runs in this event loop: they share the caches of their providers."""
    return _WARM_UPS.setdefault(asyncio.get_running_loop(), {}).setdefault(limit_s, WarmUp(limit_s))
