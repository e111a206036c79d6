"""The shards of a job in several processes of this machine.

Each process opens the models for itself, and runs one shard after another. A process that dies, however it does, costs
at most its requests in flight: its shard is run again by another one, from its ledger. If the command itself dies, its
processes notice, finish what is in flight, and end.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import sys
from collections import Counter, deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
    from concurrent.futures import Future

    from retouch.engine.options import RunOptions
    from retouch.engine.types import Model
    from retouch.recipes.extract.shard_runs import ShardOutcome, ShardWork

ModelOpener: TypeAlias = "Callable[[], tuple[Model, Sequence[Model]]]"
"""A function that opens a model and its fallbacks."""
_DEATHS = 3  # of processes with the same shard: then something is wrong with it
_POLL_S = 0.2
_STOP_S = 3.0  # after the time that replies in flight get


@dataclass(frozen=True, kw_only=True)
class WorkerSetup:
    """What each process gets: the work, the options, and the function that opens the model and its fallbacks."""

    work: ShardWork
    options: RunOptions
    open_models: ModelOpener
    stopping: Any
    parent: int


async def run_in_processes(
    work: ShardWork,
    options: RunOptions,
    open_models: ModelOpener,
    numbers: Iterable[int],
    *,
    workers: int,
) -> AsyncGenerator[ShardOutcome]:
    """Yield the outcome of each shard, in order of completion. Except on Linux, `work` and `open_models` are pickled.

    Raises:
        BadInput: a process died several times with the same shard.
    """
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    own = replace(options, watch=None, fallback=None)
    stopping = context.Event()
    setup = WorkerSetup(work=work, options=own, open_models=open_models, stopping=stopping, parent=os.getpid())
    gc.collect()
    gc.freeze()  # the collector would touch, and therefore copy, every shared page in each process
    pool = _pool(workers, setup, context)
    todo, deaths = deque(numbers), Counter[int]()
    pending: dict[asyncio.Future[ShardOutcome], int] = {}
    try:
        while todo or pending:
            while todo and len(pending) < 2 * workers:
                number = todo.popleft()
                pending[_scheduled(pool, number)] = number
            done, _ = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                number = pending.pop(one)
                if not _has_died(one.exception()):
                    yield one.result()
                    continue
                deaths[number] += 1
                todo.appendleft(_expect_alive(number, deaths[number], work))
    finally:
        stopping.set()  # a future that is cancelled would kill its process, and lose what is in flight
        await _stopped(pool, options.grace_s + _STOP_S)
        gc.unfreeze()


def _pool(workers: int, setup: WorkerSetup, context: Any) -> Any:
    from pebble import ProcessPool

    return ProcessPool(max_workers=workers, initializer=_begin, initargs=(setup,), context=context)


def _scheduled(pool: Any, number: int) -> asyncio.Future[ShardOutcome]:
    found: Future[ShardOutcome] = pool.schedule(_run_shard, args=(number,))
    awaited = asyncio.wrap_future(found)
    awaited.add_done_callback(lambda one: one.cancelled() or one.exception())  # its error counts as seen
    return awaited


def _has_died(error: BaseException | None) -> bool:
    from pebble import ProcessExpired

    return isinstance(error, ProcessExpired)


def _expect_alive(number: int, deaths: int, work: ShardWork) -> int:
    """Return the shard, which is run again, unless too many processes died with it."""
    if deaths >= _DEATHS:
        message = f"the process of shard {number:05} died {deaths} times"
        hint = f"Run it alone, to see why: --workers 1. Everything that was answered is in {str(work.directory)!r}."
        raise BadInput(message, hint=hint)
    return number


async def _stopped(pool: Any, wait_s: float) -> None:
    """Wait until the processes have ended by themselves, then stop those that have not."""
    pool.close()
    try:
        await asyncio.to_thread(pool.join, wait_s)
    except TimeoutError:
        pool.stop()
        await asyncio.to_thread(pool.join)


_OWN: list[Any] = []  # in a process of a worker: its setup, its event loop, and its models once they are open


def _begin(setup: WorkerSetup) -> None:
    _OWN[:] = [setup, asyncio.Runner(), None]  # Ctrl-C reaches all processes; pebble's ignore it: the parent decides


def _run_shard(number: int) -> ShardOutcome:
    setup, runner, models = _OWN
    if models is None:
        models = _OWN[2] = setup.open_models()
    return runner.run(_watched(setup, number, *models))


async def _watched(setup: WorkerSetup, number: int, model: Model, fallback: Sequence[Model]) -> ShardOutcome:
    """Run a shard, and stop as for Ctrl-C if the command wants to stop or has died."""
    if setup.stopping.is_set():
        raise asyncio.CancelledError
    options = replace(setup.options, fallback=tuple(fallback), wait=True)
    work = asyncio.ensure_future(setup.work.run(number, model, options))
    while not work.done():
        await asyncio.wait([work], timeout=_POLL_S)
        if setup.stopping.is_set() or os.getppid() != setup.parent:
            work.cancel()
            break
    return await work
