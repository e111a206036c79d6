"""Work that brings more work: a bounded number of workers pulls from one queue until nothing is left."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence

    from retouch.engine.calls import Ask


async def ask_all(
    asks: Iterable[Ask], one: Callable[[Ask], Coroutine[None, None, Sequence[Ask]]], *, concurrency: int
) -> None:
    """Work through `asks`, and those that `one` gives in return, at most `concurrency` at a time.

    The first failure ends the rest, after what is being paid for has had a little time to land.
    """
    await _Crew(asks, one, concurrency).work_through()


class _Crew:
    """Workers that pull from one queue; one that finds it empty leaves, and others are hired when it fills again."""

    def __init__(
        self, asks: Iterable[Ask], one: Callable[[Ask], Coroutine[None, None, Sequence[Ask]]], most: int
    ) -> None:
        self._queue, self._one, self._most = deque(asks), one, most
        self._workers: set[asyncio.Task[None]] = set()
        self._at_work = 0
        self._failures: list[BaseException] = []
        self._over = asyncio.Event()

    async def work_through(self) -> None:
        """Return when the queue is empty and all have left; raise the first failure."""
        try:
            self._hire(len(self._queue))
            if self._workers:
                await self._over.wait()
        finally:
            self._queue.clear()
            for worker in self._workers:
                worker.cancel()
            await asyncio.gather(*self._workers, return_exceptions=True)
        if self._failures:
            raise self._failures[0]

    async def _work(self) -> None:
        """Work until the queue is empty; a failure is kept as a value.

        A task that ends with KeyboardInterrupt or SystemExit breaks the event loop off, and with it every other task.
        """
        try:
            while self._queue:
                self._queue.extend(await self._one(self._queue.popleft()))
                self._hire(len(self._queue) - 1)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - `work_through` raises it
            self._failures.append(error)
        self._at_work -= 1

    def _hire(self, wanted: int) -> None:
        for _ in range(min(wanted, self._most - self._at_work)):
            self._at_work += 1
            worker = asyncio.create_task(self._work())
            self._workers.add(worker)
            worker.add_done_callback(self._left)

    def _left(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        if self._failures or not self._workers:
            self._over.set()
