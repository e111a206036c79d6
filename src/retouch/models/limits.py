"""Limits the rate of calls: a concurrency limit that adapts to the server, and limits per minute."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch._lib.logs import redact_record
from retouch.engine.planned_calls import slot_of
from retouch.engine.types import caches_prefixes, model_name
from retouch.errors import Throttled
from retouch.models.named import taking_turns
from retouch.models.tokens import request_tokens

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from retouch.engine.types import Model, OnEvent, Reply, Request

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)

CALL_LIMITS: ContextVar[Callable[[Model], Model] | None] = ContextVar("call_limits", default=None)
"""Limits of the whole process or fleet. A real model is opened with them, below its own retries. None adds nothing."""
WINDOW_S = 60.0
_DAY_S = 86_400.0
_LATER = "Run the same command again then. Only missing pages are requested."


class Adaptive:
    """A model with at most `allowed` concurrent calls. 429 and 529 halve the limit, successes raise it again.

    `allowed` starts at `first`. Until the first rejection, each success raises it by one if calls wait, up to `most`.
    A burst of rejections halves it only once. A Retry-After delays all calls, not only the rejected one. If it is
    longer than `longest_pause_s`, calls fail at once.

    The engine waits in `slot`, before it records a request as sent. The first call inside of it takes its place, and
    each retry waits for one of its own.
    """

    def __init__(self, model: Model, *, first: int, most: int, longest_pause_s: float) -> None:
        self.name, self.caches_prefixes = model_name(model), caches_prefixes(model)
        self.allowed = first
        self.in_flight = 0
        self._model = model
        self._most = most
        self._longest_pause_s = longest_pause_s
        self._paused_until = 0.0
        self._halvings = 0
        self._successes = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._woken = 0  # calls whose turn it is, which do not occupy their slot yet
        self._place: ContextVar[list[bool]] = ContextVar("place")

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the model's reply. The call waits for a place, unless `slot` has one for it."""
        if place := self._place.get([]):
            place.clear()
        else:
            await self._enter()
        halvings = self._halvings
        try:
            reply = await self._model(request, on_event=on_event)
        except Throttled as error:
            self._throttled(error, began_at=halvings)
            raise
        finally:
            self._leave()
        self._grow()
        return reply

    @asynccontextmanager
    async def slot(self, request: Request) -> AsyncGenerator[None]:
        """Wait for a place for the first call inside. If the server accepts none, the call itself fails."""
        place = [True]
        try:
            await self._enter()
        except Throttled:
            place.clear()
        before = self._place.set(place)
        try:
            async with slot_of(self._model, request):
                yield
        finally:
            with suppress(ValueError):  # the garbage collector closes an abandoned task in another context
                self._place.reset(before)
            if place:
                self._leave()

    def _leave(self) -> None:
        self.in_flight -= 1
        self._wake()

    async def _enter(self) -> None:
        while True:
            pause_s = self._paused_until - time.monotonic()
            if pause_s > self._longest_pause_s:
                self._wake()  # waiting calls fail as well
                raise Throttled(f"{self.name!r} accepts no calls {_until(pause_s)}", hint=_LATER, retry_after_s=pause_s)
            if pause_s > 0:
                _LOG.debug("%s: waiting %.1f s, as the server requested", self.name, pause_s)
                await asyncio.sleep(pause_s)
            elif self.in_flight < self.allowed:
                self.in_flight += 1
                return
            else:
                turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._waiting.append(turn)
                try:
                    await turn
                    self._woken -= 1
                except (asyncio.CancelledError, GeneratorExit):
                    if turn.done() and not turn.cancelled():
                        self._woken -= 1
                        self._wake()  # the slot was assigned but is not used, so the next call gets it
                    raise

    def _throttled(self, error: Throttled, *, began_at: int) -> None:
        if began_at == self._halvings:
            self._halvings += 1
            self.allowed = max(self.allowed // 2, 1)
            _LOG.info("%s: the server refused a call, now at most %d at once", self.name, self.allowed)
        self._successes = 0
        wait_s = error.retry_after_s or 0.0
        if wait_s > self._longest_pause_s:  # nothing waits for it
            error.message, error.hint = f"{error.message}; it accepts no calls {_until(wait_s)}", error.hint or _LATER
        self._paused_until = max(self._paused_until, time.monotonic() + wait_s)

    def _grow(self) -> None:
        self._successes += 1
        is_enough = bool(self._waiting) if not self._halvings else self._successes >= self.allowed
        if is_enough and self.allowed < self._most:
            self._successes = 0
            self.allowed += 1
            self._wake()

    def _wake(self) -> None:
        while self._waiting and self.in_flight + self._woken < self.allowed:
            turn = self._waiting.popleft()
            if not turn.done() and not turn.get_loop().is_closed():
                turn.set_result(None)
                self._woken += 1


def _until(pause_s: float) -> str:
    """Return the end of a pause as text, which stays the same during the pause."""
    if pause_s > _DAY_S:
        return "today"
    return "before " + time.strftime("%H:%M:%S", time.localtime(round(time.time() + pause_s)))


def adaptive(model: Model, *, most: int = 64, first: int | None = None, longest_pause_s: float = 60.0) -> Adaptive:
    """Return `model` with an adaptive concurrency limit of at most `most`, which starts at `first`, by default `most`.

    The attribute `allowed` is the current limit.

    Raises:
        Throttled: from a call, if the server accepts none for longer than `longest_pause_s`.
        ValueError: `most` is below 1.
    """
    if most < 1:
        raise ValueError(f"most is {most!r}; it must be 1 or more")
    return Adaptive(model, first=min(first or most, most), most=most, longest_pause_s=longest_pause_s)


@dataclass(frozen=True, kw_only=True)
class Pace:
    """The limits within any 60 seconds. 0 means no limit. Tokens are uncached input and output."""

    requests_per_minute: float = 0.0
    tokens_per_minute: float = 0.0


def pace_of(spec: str) -> Pace:
    """Return the limits per minute in the spec of a model, for example `anthropic:NAME?requests_per_minute=50`.

    Raises:
        BadInput: a limit is invalid.
    """
    scheme, _, rest = spec.partition(":")
    if scheme == "faulty":
        return pace_of(rest.rpartition("?")[0] or rest)
    if "_per_minute" not in rest:
        return Pace()
    from retouch.models.endpoints import PROVIDERS, endpoint_of

    if scheme not in PROVIDERS:
        return Pace()
    tuning = endpoint_of(scheme, rest).tuning
    return Pace(requests_per_minute=tuning.requests_per_minute, tokens_per_minute=tuning.tokens_per_minute)


@dataclass(kw_only=True)
class _Sent:
    at: float
    tokens: int


class _Window:
    """The calls of the last minute, including those that wait."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._sent: deque[_Sent] = deque()

    def book(self, now: float, tokens: int) -> _Sent:
        """Return the call with the earliest time that respects the limits. Calls keep their order."""
        while self._sent and self._sent[0].at <= now - WINDOW_S:
            self._sent.popleft()
        at = max(now, self._sent[-1].at) if self._sent else now
        at = max(at, self._when_few(), self._when_light(tokens))
        sent = _Sent(at=at, tokens=tokens)
        self._sent.append(sent)
        return sent

    def forget(self, sent: _Sent) -> None:
        """Remove a call that was not sent."""
        self._sent = deque(one for one in self._sent if one is not sent)

    def _when_few(self) -> float:
        most = int(self._pace.requests_per_minute) or (1 if self._pace.requests_per_minute else 0)
        return self._sent[-most].at + WINDOW_S if most and len(self._sent) >= most else 0.0

    def _when_light(self, tokens: int) -> float:
        most, total, at = self._pace.tokens_per_minute, sum(one.tokens for one in self._sent), 0.0
        if not most:
            return 0.0
        for one in self._sent:
            if total + tokens <= most:
                break
            total, at = total - one.tokens, one.at + WINDOW_S
        return at


class _Turns:
    """The turns of the calls of one model within the limits of a pace."""

    def __init__(self, pace: Pace, clock: Callable[[], float], sleep: Callable[[float], Awaitable[object]]) -> None:
        self.window = _Window(pace)
        self._counts_tokens = pace.tokens_per_minute > 0
        self._clock, self._sleep = clock, sleep
        self._outputs: deque[int] = deque(maxlen=50)

    async def take(self, request: Request) -> _Sent:
        """Wait for the turn of a call. If the wait is cancelled, the call does not count."""
        mean = sum(self._outputs) // len(self._outputs) if self._outputs else 0
        sent = self.window.book(self._clock(), request_tokens(request) + mean if self._counts_tokens else 0)
        try:
            if (wait_s := sent.at - self._clock()) > 0:
                _LOG.debug("waiting %.1f s for the limit per minute", wait_s)
                await self._sleep(wait_s)
        except asyncio.CancelledError:
            self.window.forget(sent)
            raise
        return sent

    def count(self, sent: _Sent, reply: Reply) -> None:
        """Replace the estimate of a call by its actual usage."""
        self._outputs.append(reply.output_tokens)
        sent.tokens = reply.input_tokens - reply.cached_tokens + reply.output_tokens


def paced(
    model: Model,
    pace: Pace,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> Model:
    """Return `model` with calls delayed so that no 60 seconds exceed `pace`.

    A call counts with its estimated input and the mean output so far, then with its actual usage. A call larger than
    the whole limit is sent when the minute is empty. The engine waits in `slot`, before it records a request as sent.
    """
    turns = _Turns(pace, clock, sleep)

    async def answer(sent: _Sent, request: Request, on_event: OnEvent | None) -> Reply:
        reply = await model(request, on_event=on_event)
        turns.count(sent, reply)
        return reply

    return taking_turns(model, turns.take, answer, give_back=turns.window.forget)
