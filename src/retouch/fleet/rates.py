"""One set of rate limits for all worker processes on this machine.

The state is a small file that processes lock for a moment. A process takes permits for 0.4 seconds at once, each with
the time from which it may be used. So calls are spread, and most of them only read the file. A refusal (429) lowers the
rate of all processes together, and only once for a burst. Unused permits of all processes end with it.
"""

from __future__ import annotations

import asyncio
import os
import struct
import time
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING

from filelock import FileLock

from retouch.errors import Throttled
from retouch.models.named import taking_turns
from retouch.models.tokens import request_tokens

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from retouch.engine.types import Model, OnEvent, Reply, Request

START_PER_S = 20.0
_PERMIT_S = 0.5  # how long a ripe permit is good for
_TAKEN_S, _AHEAD_S = 0.4, 1.5  # a process takes permits for so long at once, if the first is ripe within so long
_MINUTE_S = 62.0  # a minute, the longest burst, and how long a permit is good for, rounded up
MANY = 1_000_000
_GROWTH, _AFTER_CUT, _CUT = 2.0, 1.05, 0.6  # per second before the first refusal; per second after; at a refusal
_FASTEST = 1e6
_LAYOUT = struct.Struct("10d")


@dataclass(frozen=True, kw_only=True)
class RateState:
    """The state that processes share. Times are of the machine's monotonic clock."""

    rate: float = START_PER_S
    permits: float = START_PER_S * _PERMIT_S
    at: float = 0.0
    paused_until: float = 0.0
    cuts: float = 0.0
    tokens: float = 0.0
    messages: float = 0.0
    requests: float = 0.0
    rpm_permits: float = 1.0
    spare: float = 0.0


@dataclass(frozen=True, kw_only=True)
class FleetRates:
    """The limits of a fleet on this machine: 0 means no limit. `place` is the shared file.

    Without a limit, the rate starts at `START_PER_S` calls a second and doubles each second until the provider refuses
    a call; then all processes go down to 60 % of the rate together.
    """

    place: Path
    requests_per_minute: float = 0.0
    tokens_per_minute: float = 0.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    def read(self) -> RateState:
        """Return the state."""
        with FileLock(f"{self.place}.lock"):
            return self._load()

    def take(self, tokens: int, wanted: int = MANY) -> tuple[int, int, int, float, float]:
        """Return permits for up to `wanted` calls of one process, their tokens, and the number of cuts so far.

        The last two values are the seconds until the first of them may be used, and from each to the next. So a process
        may have permits that are not ripe yet, and most calls need no message. If there are none, the number is 0, and
        the wait is the time until the next attempt.
        """
        with FileLock(f"{self.place}.lock"):
            state = self._refilled(self._load())
            state = replace(state, messages=state.messages + 1)
            wait_s, every_s = self._first_s(state, tokens), self._every_s(state, tokens)
            if state.paused_until > state.at or wait_s > _AHEAD_S:
                self._save(state)
                return 0, 0, int(state.cuts), max(state.paused_until - state.at, wait_s - _AHEAD_S, 0.001), 0.0
            found = max(1, min(wanted, int(_TAKEN_S / every_s)))
            taken = replace(
                state,
                permits=state.permits - found,
                rpm_permits=state.rpm_permits - (found if self._rpm_rate else 0),
                tokens=state.tokens - found * tokens if self._token_rate else 0.0,
                requests=state.requests + found,
            )
            self._save(taken)
            return found, found * tokens, int(state.cuts), wait_s, every_s

    def _first_s(self, state: RateState, tokens: int) -> float:
        """Return the seconds until the next permit is ripe."""
        return max(
            0.0,
            (1.0 - state.permits) / state.rate,
            (1.0 - state.rpm_permits) / self._rpm_rate if self._rpm_rate else 0.0,
            (min(tokens, self._token_burst) - state.tokens) / self._token_rate if self._token_rate else 0.0,
        )

    def _every_s(self, state: RateState, tokens: int) -> float:
        """Return the seconds from one ripe permit to the next."""
        return max(
            1.0 / state.rate,
            1.0 / self._rpm_rate if self._rpm_rate else 0.0,
            tokens / self._token_rate if self._token_rate else 0.0,
        )

    def refused(self, cuts: int, retry_after_s: float) -> None:
        """Lower the rate after a refusal, unless it was lowered since the permit was given."""
        with FileLock(f"{self.place}.lock"):
            state = self._refilled(self._load())
            if int(state.cuts) == cuts:
                state = replace(state, rate=max(state.rate * _CUT, 0.5), permits=0.0, cuts=state.cuts + 1)
            self._save(replace(state, paused_until=max(state.paused_until, state.at + retry_after_s)))

    def was_cut(self, cuts: int) -> bool:
        """Return whether the rate was lowered since permits with this number of cuts were given. It takes no lock."""
        return int(self._load().cuts) != cuts

    def limit(self, model: Model) -> Model:
        """Return `model`, whose calls wait for permits of the fleet. The engine waits before it records a request."""
        permits = _Permits(self)

        async def take(request: Request) -> int:
            return await permits.one(request_tokens(request) if self.tokens_per_minute else 0)

        async def answer(cuts: int, request: Request, on_event: OnEvent | None) -> Reply:
            try:
                return await model(request, on_event=on_event)
            except Throttled as error:
                self.refused(cuts, error.retry_after_s or 0.0)
                permits.drop()
                raise

        return taking_turns(model, take, answer)

    @property
    def _rpm_rate(self) -> float:
        """Permits per second. A minute can have a burst of one second, and permits of the last half second."""
        return self.requests_per_minute / _MINUTE_S

    @property
    def _token_rate(self) -> float:
        return self.tokens_per_minute / _MINUTE_S

    @property
    def _token_burst(self) -> float:
        return self._token_rate

    def _refilled(self, state: RateState) -> RateState:
        now = self.clock()
        past = min(max(now - state.at, 0.0), 1.0) if state.at else 0.0
        rate = min(state.rate * (_AFTER_CUT if state.cuts else _GROWTH) ** past, _FASTEST)
        return replace(
            state,
            at=now,
            rate=rate,
            permits=min(state.permits + past * rate, max(rate * _PERMIT_S, 1.0)),
            rpm_permits=min(state.rpm_permits + past * self._rpm_rate, max(self._rpm_rate, 1.0)),
            tokens=min(state.tokens + past * self._token_rate, self._token_burst),
        )

    def _load(self) -> RateState:
        try:
            values = _LAYOUT.unpack(self.place.read_bytes())
        except (OSError, struct.error):
            return RateState()
        state = RateState(**dict(zip(RateState.__dataclass_fields__, values, strict=True)))
        return state if state.at <= self.clock() else RateState()  # the clock starts anew when the machine does

    def _save(self, state: RateState) -> None:
        self.place.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.place, os.O_WRONLY | os.O_CREAT, 0o666)
        try:
            os.pwrite(handle, _LAYOUT.pack(*astuple(state)), 0)  # one write: a killed process leaves the old or the new
        finally:
            os.close(handle)


class _Permits:
    """The permits that this process has acquired and not used."""

    def __init__(self, rates: FleetRates) -> None:
        self._rates = rates
        self._left = self._tokens = self._cuts = self._waiting = self._used = 0
        self._next = self._every_s = 0.0
        self._turn: asyncio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def drop(self) -> None:
        """Forget unused permits."""
        self._left = 0

    async def one(self, tokens: int) -> int:
        """Use one permit, waiting for it if necessary. Return the number of cuts when it was given."""
        loop = asyncio.get_running_loop()
        if self._turn is None or self._loop is not loop:
            self._turn, self._loop = asyncio.Lock(), loop
        self._waiting += 1
        try:
            async with self._turn:
                return await self._ripe(tokens)
        finally:
            self._waiting -= 1

    async def _ripe(self, tokens: int) -> int:
        while True:
            if not self._is_usable(tokens):
                wanted = max(self._waiting, 2 * self._used)
                found, share, self._cuts, wait_s, self._every_s = self._rates.take(tokens, wanted)
                self._left, self._tokens, self._next = found, share, self._rates.clock() + wait_s
                self._used = 0 if found else self._used
            wait_s = self._next - self._rates.clock()
            if wait_s > 0:
                await self._rates.sleep(wait_s)
            elif self._left:
                break
        self._left -= 1
        self._used += 1
        self._tokens = max(self._tokens - tokens, 0)
        self._next += self._every_s
        return self._cuts

    def _is_usable(self, tokens: int) -> bool:
        """Return whether there is a permit. One from before a refusal, in whichever process, is for a rate too high."""
        if not self._left or self._rates.clock() > self._next + _PERMIT_S:
            return False
        if self._rates.tokens_per_minute and tokens > self._tokens:
            return False
        return not self._rates.was_cut(self._cuts)
