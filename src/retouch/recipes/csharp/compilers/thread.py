"""One thread that runs compilers one after another, for all threads and event loops."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class CompilerThread:
    """Runs jobs one after another on its own daemon thread, so that at most one compiler runs at a time.

    The thread starts with the first job. If it is idle for `idle_s`, it calls `when_idle` once.
    """

    def __init__(self, *, idle_s: float, when_idle: Callable[[], None]) -> None:
        self._idle_s = idle_s
        self._when_idle = when_idle
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._start = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, job: Callable[[], T]) -> Future[T]:
        """Return the future of `job`. If you cancel it before it starts, it is removed from the queue."""
        future: Future[T] = Future()
        self._jobs.put(lambda: _settle(future, job))
        with self._start:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="retouch-compiler", daemon=True)
                self._thread.start()
        return future

    def _work(self) -> None:
        wait_s: float | None = self._idle_s
        while True:
            try:
                job = self._jobs.get(timeout=wait_s)
            except queue.Empty:
                self._when_idle()
                wait_s = None
                continue
            job()
            wait_s = self._idle_s


def _settle(future: Future[T], job: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(job())
    except BaseException as error:  # noqa: BLE001 - any exception is delivered by the future
        future.set_exception(error)
