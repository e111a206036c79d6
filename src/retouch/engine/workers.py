"""The workers that make the calls of a verb."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from retouch.engine.planned_calls import PlannedCall
    from retouch.engine.types import Attempt


class WorkerPool:
    """Workers that pull from one queue. Idle workers end, and new ones start when the queue fills again.

    `take` removes the calls of the next request from the queue, None means one. `send` sends it and returns the attempt
    of each call; None means that the call is to be made again. `on_arrival` returns the calls that follow.
    `on_cancel` is called as soon as the work is cancelled, before the workers have a little time to end.
    """

    def __init__(
        self,
        calls: Iterable[PlannedCall],
        take: Callable[[deque[PlannedCall]], Sequence[PlannedCall]] | None,
        send: Callable[[Sequence[PlannedCall]], Awaitable[Sequence[Attempt | None]]],
        on_arrival: Callable[[PlannedCall, Attempt], Sequence[PlannedCall]],
        most: int,
        *,
        on_cancel: Callable[[], None] = lambda: None,
    ) -> None:
        self._queue, self._most = deque(calls), most
        self._take, self._send, self._on_arrival = take, send, on_arrival
        self._on_cancel = on_cancel
        self._workers: set[asyncio.Task[None]] = set()
        self._at_work = 0
        self._errors: list[BaseException] = []
        self._over = asyncio.Event()

    async def work(self) -> None:
        """Wait until the queue is empty and all workers have ended. Raise the first error."""
        try:
            self._hire(len(self._queue))
            if self._workers:
                await self._over.wait()
        except asyncio.CancelledError:
            self._on_cancel()
            raise
        finally:
            self._queue.clear()
            for worker in self._workers:
                worker.cancel()
            await asyncio.gather(*self._workers, return_exceptions=True)
        if self._errors:
            raise self._errors[0]

    async def _work(self) -> None:
        """Work until the queue is empty. Errors are stored as values.

        A task that ends with KeyboardInterrupt or SystemExit would abort the event loop and all other tasks.
        """
        try:
            while self._queue:
                calls = [self._queue.popleft()] if self._take is None else self._take(self._queue)
                for call, attempt in zip(calls, await self._send(calls), strict=True):
                    self._queue.extend([call] if attempt is None else self._on_arrival(call, attempt))
                self._hire(len(self._queue) - 1)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - `work` raises it
            self._errors.append(error)
        self._at_work -= 1

    def _hire(self, wanted: int) -> None:
        for _ in range(min(wanted, self._most - self._at_work)):
            self._at_work += 1
            worker = asyncio.create_task(self._work())
            self._workers.add(worker)
            worker.add_done_callback(self._forget_worker)

    def _forget_worker(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        if self._errors or not self._workers:
            self._over.set()
