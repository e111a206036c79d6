"""`retouch.fleet.run` and its like to await, for example in a web service.

    result = await retouch.fleet.aio.run("extract", Path("tickets.jsonl"), "fleet", workers=4, max_cost_usd=5.0)

A fleet has processes and files of its own, so each call works in a thread. If its task is cancelled, the workers stop
as after Ctrl-C: replies in flight get a moment, nothing is lost, and the same call continues.
"""

from __future__ import annotations

import asyncio
import threading
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from retouch.fleet import api

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from retouch.fleet.statuses import FleetStatus

P = ParamSpec("P")
T = TypeVar("T")


def _awaitable(verb: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return `verb`, which has the option `on_poll`, as a coroutine function with the same parameters."""

    @wraps(verb)
    async def awaited(*args: P.args, **kwargs: P.kwargs) -> T:
        on_poll: Callable[[], object] = kwargs.pop("on_poll", None) or api.nothing  # pyright: ignore[reportAssignmentType]
        stopping = threading.Event()

        def must_stop() -> bool:
            return bool(on_poll()) or stopping.is_set()

        given: Any = {**kwargs, "on_poll": must_stop}
        work = asyncio.ensure_future(asyncio.to_thread(verb, *args, **given))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            stopping.set()
            await asyncio.gather(work, return_exceptions=True)
            raise

    return awaited


run = _awaitable(api.run)
resume = _awaitable(api.resume)
work = _awaitable(api.work)


async def status(directory: Path | str, work_directory: Path | None = None) -> FleetStatus:
    """Return the status of a fleet from its small files. No ledger is read."""
    return await asyncio.to_thread(api.status, directory, work_directory)
