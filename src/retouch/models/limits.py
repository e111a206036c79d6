"""How fast a model may be asked: a number of calls at once that follows what the server bears, and rates per minute."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.engine.calls import model_name
from retouch.errors import Throttled
from retouch.models.named import NamedModel
from retouch.models.tokens import request_tokens

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from retouch.engine.types import Model, OnEvent, Reply, Request

WINDOW_S = 60.0
_DAY_S = 86_400.0
_LATER = "Give the same command again then: only what is missing is asked."


class Adaptive:
    """A model with at most `allowed` calls under way: halved when the server says 429 or 529, grown back by successes.

    A burst of refusals halves once. A Retry-After holds back all calls, not only the one that was refused; while it
    lasts longer than `longest_pause_s`, calls fail at once instead of waiting.
    """

    def __init__(self, model: Model, *, most: int, longest_pause_s: float) -> None:
        self.name = model_name(model)
        self.allowed = most
        self.under_way = 0
        self._model = model
        self._most = most
        self._longest_pause_s = longest_pause_s
        self._paused_until = 0.0
        self._halvings = 0
        self._successes = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the model's reply once there is a place for the call."""
        await self._enter()
        halvings = self._halvings
        try:
            reply = await self._model(request, on_event=on_event)
        except Throttled as error:
            self._throttled(error, began_at=halvings)
            raise
        finally:
            self.under_way -= 1
            self._wake()
        self._grow()
        return reply

    async def _enter(self) -> None:
        while True:
            pause_s = self._paused_until - time.monotonic()
            if pause_s > self._longest_pause_s:
                self._wake()  # those who wait for a place are told as well
                raise Throttled(f"{self.name!r} wants no calls {_until(pause_s)}", hint=_LATER, retry_after_s=pause_s)
            if pause_s > 0:
                await asyncio.sleep(pause_s)
            elif self.under_way < self.allowed:
                self.under_way += 1
                return
            else:
                turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._waiting.append(turn)
                try:
                    await turn
                except asyncio.CancelledError:
                    if turn.done() and not turn.cancelled():
                        self._wake()  # the turn was given and is not taken: the next one gets it
                    raise

    def _throttled(self, error: Throttled, *, began_at: int) -> None:
        if began_at == self._halvings:
            self._halvings += 1
            self.allowed = max(self.allowed // 2, 1)
        self._successes = 0
        self._paused_until = max(self._paused_until, time.monotonic() + (error.retry_after_s or 0.0))

    def _grow(self) -> None:
        self._successes += 1
        if self._successes >= self.allowed and self.allowed < self._most:
            self._successes = 0
            self.allowed += 1
            self._wake()

    def _wake(self) -> None:
        free = self.allowed - self.under_way
        while self._waiting and free > 0:
            turn = self._waiting.popleft()
            if not turn.done() and not turn.get_loop().is_closed():
                turn.set_result(None)
                free -= 1


def _until(pause_s: float) -> str:
    """Return when a pause is over, in words that stay the same while it lasts."""
    if pause_s > _DAY_S:
        return "today"
    return "before " + time.strftime("%H:%M:%S", time.localtime(round(time.time() + pause_s)))


def adaptive(model: Model, *, most: int = 64, longest_pause_s: float = 60.0) -> Adaptive:
    """Return `model` with a limit of concurrent calls that starts at `most` and adapts, in the attribute `allowed`.

    Raises:
        Throttled: from a call, when the server wants none for longer than `longest_pause_s`.
        ValueError: `most` is below 1.
    """
    if most < 1:
        raise ValueError(f"most is {most!r}; it must be 1 or more")
    return Adaptive(model, most=most, longest_pause_s=longest_pause_s)


@dataclass(frozen=True, kw_only=True)
class Pace:
    """What may be asked within any 60 seconds; 0 is no limit. Tokens are uncached input and output."""

    requests_per_minute: float = 0.0
    tokens_per_minute: float = 0.0


@dataclass(kw_only=True)
class _Sent:
    at: float
    tokens: int


class _Window:
    """The calls of the last minute, those included that wait for their time."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._sent: deque[_Sent] = deque()

    def book(self, now: float, tokens: int) -> _Sent:
        """Return the call with the earliest time at which it keeps to the pace; calls go in order."""
        while self._sent and self._sent[0].at <= now - WINDOW_S:
            self._sent.popleft()
        at = max(now, self._sent[-1].at) if self._sent else now
        at = max(at, self._when_few(), self._when_light(tokens))
        sent = _Sent(at=at, tokens=tokens)
        self._sent.append(sent)
        return sent

    def forget(self, sent: _Sent) -> None:
        """Take back a call that was not sent."""
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


def paced(
    model: Model,
    pace: Pace,
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> Model:
    """Return `model` with calls held back so that no 60 seconds see more than `pace` allows.

    A call counts with its estimated input and the mean output so far, and with what was used once that is known. One
    that is larger than the whole limit goes when the minute is empty.
    """
    window = _Window(pace)
    outputs: deque[int] = deque(maxlen=50)

    async def held(request: Request, on_event: OnEvent | None) -> Reply:
        mean = sum(outputs) // len(outputs) if outputs else 0
        sent = window.book(clock(), request_tokens(request) + mean if pace.tokens_per_minute else 0)
        try:
            if (wait_s := sent.at - clock()) > 0:
                await sleep(wait_s)
        except asyncio.CancelledError:
            window.forget(sent)
            raise
        reply = await model(request, on_event=on_event)
        outputs.append(reply.output_tokens)
        sent.tokens = reply.input_tokens - reply.cached_tokens + reply.output_tokens
        return reply

    return NamedModel(name=model_name(model), answer=held)
