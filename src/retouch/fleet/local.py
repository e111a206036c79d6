"""Many pieces of work at once on this machine, each result as soon as it is there."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import sys
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Sequence
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")
S = TypeVar("S")

_AHEAD = 4  # tasks handed out per worker, so that none waits for the next


@dataclass(frozen=True, kw_only=True)
class TaskResult(Generic[T, R]):
    """What one task came to: its value, or the error that took its place."""

    task: T
    value: R | None = None
    error: BaseException | None = None


def in_processes(
    work: Callable[[S, T], R], shared: S, tasks: Sequence[T], *, workers: int, limit_s: float | None = None
) -> Generator[TaskResult[T, R]]:
    """Give the outcome of `work(shared, task)` for each task, in the order they end, from `workers` processes.

    On Linux the workers are forks, so `shared` is neither copied nor pickled; elsewhere it is pickled once per worker.
    `work` is a function of a module; tasks and values are pickled. A task that takes longer than `limit_s`, or whose
    process dies, comes out with an error and the others go on. Closing the generator, and Ctrl-C, end the workers.
    """
    from pebble import ProcessPool

    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    gc.collect()
    gc.freeze()  # the collector would touch, and so copy, every shared page in each worker
    pool = ProcessPool(max_workers=workers, initializer=_start_worker, initargs=(work, shared), context=context)
    todo = iter(tasks)
    pending: dict[Future[Any], T] = {}
    try:
        while True:
            for task in islice(todo, workers * _AHEAD - len(pending)):
                pending[pool.schedule(_one, args=(task,), timeout=limit_s)] = task
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                yield _task_result(pending.pop(future), future)
    finally:
        gc.unfreeze()
        pool.stop()
        pool.join()


def _task_result(task: T, future: Future[Any]) -> TaskResult[T, Any]:
    error = future.exception()
    return TaskResult(task=task, error=error) if error is not None else TaskResult(task=task, value=future.result())


_WORK: list[Any] = []  # in a worker: the function, and what it shares with the others


def _start_worker(work: Callable[[Any, Any], Any], shared: object) -> None:
    _WORK[:] = [work, shared]  # Ctrl-C reaches the whole group; pebble lets workers ignore it, so the parent decides


def _one(task: Any) -> Any:
    work, shared = _WORK
    return work(shared, task)


async def in_tasks(
    work: Callable[[T], Awaitable[R]], tasks: Iterable[T], *, at_once: int
) -> AsyncGenerator[TaskResult[T, R]]:
    """Give the outcome of `work(task)` for each task, in the order they end, `at_once` of them under way in this loop.

    An error of one task is its outcome and the others go on. Closing the generator cancels what is under way and
    waits for it to end.
    """
    todo = iter(tasks)
    running: set[asyncio.Task[TaskResult[T, R]]] = set()

    async def run(task: T) -> TaskResult[T, R]:
        try:
            return TaskResult(task=task, value=await work(task))
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - KeyboardInterrupt in a task would break the event loop off
            return TaskResult(task=task, error=error)

    try:
        while True:
            for task in islice(todo, at_once - len(running)):
                running.add(asyncio.create_task(run(task)))
            if not running:
                return
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                running.discard(one)
                outcome = one.result()
                if outcome.error is not None and not isinstance(outcome.error, Exception):
                    raise outcome.error  # KeyboardInterrupt and SystemExit end all tasks, not one of them
                yield outcome
    finally:
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)
