"""What can be put around any model: each is a function Model -> Model."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from retouch.engine.calls import model_name
from retouch.engine.types import CURRENT_RUN, Reply
from retouch.engine.usage import RETRY, SURRENDER
from retouch.errors import TransportError
from retouch.models.named import NamedModel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Journal, Model, OnEvent, Request


def retrying(
    model: Model,
    *,
    tries: int = 5,
    first_wait_s: float = 1.0,
    max_wait_s: float = 60.0,
    journal: Journal | None = None,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    random: Random | None = None,
) -> Model:
    """Return `model` with up to `tries` calls per request while a `TransportError` comes back.

    Waits double from `first_wait_s` to `max_wait_s`, shortened by chance by up to a half; a server's `retry_after_s` is
    a lower bound. The error is raised if that is above `max_wait_s`, if the server wants no retry, and if it is a habit
    of the server. Each wait is noted in `journal`, by default the run's.

    Raises:
        TransportError: from a call, the last one.
        ValueError: `tries` is below 1.
    """
    if tries < 1:
        raise ValueError(f"tries is {tries!r}; it must be 1 or more")
    chance, habits = random or Random(), _Habits()  # noqa: S311 - spreads waits, guards nothing

    async def tried(request: Request, on_event: OnEvent | None) -> Reply:
        messages = list[str]()
        for number in range(1, tries + 1):
            try:
                return habits.after(await model(request, on_event=on_event))
            except TransportError as error:
                usual_s = min(max_wait_s, first_wait_s * 2 ** (number - 1)) * chance.uniform(0.5, 1.0)
                wait_s = max(usual_s, error.retry_after_s or 0.0)
                last = number == tries or wait_s > max_wait_s or habits.forbid(error, messages)
                _note(journal, request, number, error, wait_s=None if last else wait_s)
                if last:
                    raise
            await sleep(wait_s)
        raise AssertionError

    return NamedModel(name=model_name(model), answer=tried)


class _Habits:
    """Tells a server that always fails in one way from one that does so now and then.

    An error that does not heal is a habit when it comes twice in a row for one request; three times if the server has
    given a complete answer before, since then it can.
    """

    def __init__(self) -> None:
        self._most = 2

    def after(self, reply: Reply) -> Reply:
        """Return `reply`, having noted that the server can answer."""
        self._most = 3
        return reply

    def forbid(self, error: TransportError, messages: list[str]) -> bool:
        """Return whether another try would not help; `messages`, of its request's failures, is extended."""
        messages.append(error.message)
        latest = messages[-self._most :]
        return not error.again or (not error.heals and len(latest) == self._most and len(set(latest)) == 1)


def _note(
    journal: Journal | None, request: Request, number: int, error: TransportError, *, wait_s: float | None
) -> None:
    at_work = CURRENT_RUN.get()
    journal = journal or (at_work.journal if at_work is not None else None)
    if journal is None:
        return
    kind = SURRENDER if wait_s is None else RETRY
    unit, page = request.prompt.key
    data: dict[str, JSON] = {"unit": unit, "page": page, "try": number, "error": error.message, "wait_s": wait_s}
    if isinstance(error.received, Reply):
        data["received"] = {name: value for name, value in vars(error.received).items() if value}
    journal.note(kind, data)


def limited(model: Model, concurrency: int, *, is_closed: Callable[[], bool] = lambda: False) -> Model:
    """Return `model` with at most `concurrency` calls under way at once; the others wait in order.

    Once `is_closed` returns True, those that still wait are cancelled: a command that was stopped pays for no more.

    Raises:
        ValueError: `concurrency` is below 1.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency is {concurrency!r}; it must be 1 or more")
    places = asyncio.Semaphore(concurrency)

    async def queued(request: Request, on_event: OnEvent | None) -> Reply:
        async with places:
            if is_closed():
                raise asyncio.CancelledError
            return await model(request, on_event=on_event)

    return NamedModel(name=model_name(model), answer=queued)


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What calls have used so far; `unpriced_calls` had no known cost, so `cost` (US dollars) leaves them out."""

    calls: int = 0
    failed_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    cost: float = 0.0
    unpriced_calls: int = 0

    def plus(self, reply: Reply) -> Spent:
        """Return the sum with one more reply."""
        return Spent(
            calls=self.calls + 1,
            failed_calls=self.failed_calls,
            input_tokens=self.input_tokens + reply.input_tokens,
            output_tokens=self.output_tokens + reply.output_tokens,
            cached_tokens=self.cached_tokens + reply.cached_tokens,
            written_tokens=self.written_tokens + reply.written_tokens,
            cost=self.cost + (reply.cost or 0.0),
            unpriced_calls=self.unpriced_calls + (reply.cost is None),
        )


class Metered:
    """A model that adds up what its calls use, in `spent`."""

    def __init__(self, model: Model) -> None:
        self.name = model_name(model)
        self._model = model
        self.spent = Spent()

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the model's reply, counted; a call that raises is counted as failed."""
        try:
            reply = await self._model(request, on_event=on_event)
        except BaseException:
            self.spent = replace(self.spent, calls=self.spent.calls + 1, failed_calls=self.spent.failed_calls + 1)
            raise
        self.spent = self.spent.plus(reply)
        return reply


def metered(model: Model) -> Metered:
    """Return `model` with the sum of its calls and tokens in the attribute `spent`."""
    return Metered(model)
