"""Runs many tasks at once in one event loop, and yields each result when it is available."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class TaskResult(Generic[T, R]):
    """The result of one task: its value, or its error."""

    task: T
    value: R | None = None
    error: BaseException | None = None


async def in_tasks(
    work: Callable[[T], Awaitable[R]], tasks: Iterable[T], *, at_once: int
) -> AsyncGenerator[TaskResult[T, R]]:
    """Yield the result of `work(task)` for each task, in order of completion, with `at_once` of them running in this
    loop.

    An error of one task is its result, and the other tasks continue. If you close the generator, running tasks are
    cancelled and awaited.
    """
    todo = iter(tasks)
    running: set[asyncio.Task[TaskResult[T, R]]] = set()

    async def run(task: T) -> TaskResult[T, R]:
        try:
            return TaskResult(task=task, value=await work(task))
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - KeyboardInterrupt in a task would end the event loop
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
                    raise outcome.error  # KeyboardInterrupt and SystemExit end all tasks, not only one
                yield outcome
    finally:
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)
