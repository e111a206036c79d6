"""Wrappers for any model. Each is a function Model -> Model."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from retouch._lib.logs import redact_record
from retouch.engine.planned_calls import CallSlots
from retouch.engine.types import CURRENT_RUN, Reply, caches_prefixes, may_cache, model_name
from retouch.engine.usage import RETRY, SURRENDER
from retouch.errors import TransportError
from retouch.models.named import wrapping

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Journal, Model, OnEvent, Request

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)


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
    """Return `model` with up to `tries` calls per request as long as it raises `TransportError`.

    Waits double from `first_wait_s` to `max_wait_s`, randomly shortened by up to a half. A server's `retry_after_s` is
    a lower bound. The error is raised if that exceeds `max_wait_s`, if the server forbids a retry, or if the server
    repeats the same permanent failure. Each wait is recorded in `journal`, by default the run's.

    Raises:
        TransportError: from a call, the last one.
        ValueError: `tries` is below 1.
    """
    if tries < 1:
        raise ValueError(f"tries is {tries!r}; it must be 1 or more")
    generator, permanent_failures = random or Random(), _PermanentFailures()  # noqa: S311 - only spreads waits

    async def retried(request: Request, on_event: OnEvent | None) -> Reply:
        messages = list[str]()
        for number in range(1, tries + 1):
            try:
                return permanent_failures.after(await model(request, on_event=on_event))
            except TransportError as error:
                usual_s = min(max_wait_s, first_wait_s * 2 ** (number - 1)) * generator.uniform(0.5, 1.0)
                wait_s = max(usual_s, error.retry_after_s or 0.0)
                last = number == tries or wait_s > max_wait_s or permanent_failures.forbid(error, messages)
                _note(journal, request, number, error, wait_s=None if last else wait_s)
                if last:
                    raise
            await sleep(wait_s)
        raise AssertionError

    return wrapping(model, retried)


class _PermanentFailures:
    """Distinguishes a permanent failure of a server from an occasional one.

    An error that does not heal is permanent if it occurs twice in a row for one request. If the server has given a
    complete response before, it must occur three times.
    """

    def __init__(self) -> None:
        self._most = 2

    def after(self, reply: Reply) -> Reply:
        """Return `reply`, and record that the server can answer."""
        self._most = 3
        return reply

    def forbid(self, error: TransportError, messages: list[str]) -> bool:
        """Return whether another attempt would not help. `messages`, the failures of the request, is extended."""
        messages.append(error.message)
        latest = messages[-self._most :]
        return not error.again or (not error.heals and len(latest) == self._most and len(set(latest)) == 1)


def _note(
    journal: Journal | None, request: Request, number: int, error: TransportError, *, wait_s: float | None
) -> None:
    next_try = "not tried again" if wait_s is None else f"next in {wait_s:.1f} s"
    _LOG.debug("%s page %d: try %d failed, %s; %s", *request.prompt.key, number, type(error).__name__, next_try)
    current = CURRENT_RUN.get()
    journal = journal or (current.journal if current is not None else None)
    if journal is None:
        return
    kind = SURRENDER if wait_s is None else RETRY
    unit, page = request.prompt.key
    data: dict[str, JSON] = {"unit": unit, "page": page, "try": number, "error": error.message, "wait_s": wait_s}
    if isinstance(error.received, Reply):
        data["received"] = {
            name: value
            for name, value in vars(error.received).items()
            if value or (name == "cost" and value is not None)
        }
    journal.note(kind, data)


def limited(model: Model, concurrency: int, *, is_closed: Callable[[], bool] = lambda: False) -> Model:
    """Return `model` with at most `concurrency` concurrent calls. Further calls wait in order.

    Once `is_closed` returns True, the waiting calls are cancelled, so that a stopped command pays for no more of them.
    Use `CallSlots` if several models share the limit.

    Raises:
        ValueError: `concurrency` is below 1.
    """
    return CallSlots(concurrency, is_closed=is_closed).limit(model)


@dataclass(frozen=True, kw_only=True)
class Spent:
    """The usage of calls so far. `unpriced_calls` had no known cost, so `cost` (US dollars) does not include them."""

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
    """A model that adds up the usage of its calls in `spent`."""

    def __init__(self, model: Model) -> None:
        self.name, self.caches_prefixes = model_name(model), caches_prefixes(model)
        self.may_cache = partial(may_cache, model)
        self.slot = getattr(model, "slot", None)
        self._model = model
        self.spent = Spent()

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the model's reply and count it. A call that raises counts as failed."""
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
