"""Runs async code from plain functions."""

from __future__ import annotations

import asyncio
import signal
import threading
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator
    from types import FrameType

T = TypeVar("T")
P = ParamSpec("P")
_POLL_S = 0.1


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`. If an event loop is running already, as in a notebook, use a thread.

    An interrupt, or a cancellation of the task that waits, cancels the work and waits for it to end. Errors are
    raised unchanged, without an error of the event loop as their context.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed, and `work` did not handle its cancellation.
    """
    try:
        is_running = bool(asyncio.get_running_loop())
    except RuntimeError:
        is_running = False
    if is_running:
        return _ThreadedRun(work).wait(asyncio.current_task())
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        task = loop.create_task(work)
        with _cancelled_by_ctrl_c(loop, task):
            return loop.run_until_complete(task)


@contextmanager
def _cancelled_by_ctrl_c(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> Generator[None]:
    """Cancel `task` between two callbacks of its loop if Ctrl-C is pressed. A second Ctrl-C interrupts at once.

    `asyncio.run` cancels in the signal handler itself, that is, in the middle of a callback. A callback that has just
    seen that a future is not cancelled then fails with `InvalidStateError`, which the loop prints as a traceback.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    came_too_late: list[bool] = []  # one value per Ctrl-C

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if came_too_late or loop.is_closed():
            raise KeyboardInterrupt
        came_too_late.append(True)
        loop.call_soon_threadsafe(cancel)

    def cancel() -> None:
        came_too_late[0] = not task.cancel()

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except asyncio.CancelledError:
        if came_too_late:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if any(came_too_late):  # the task had ended before it could be cancelled
        raise KeyboardInterrupt


class _ThreadedRun(Generic[T]):
    """A coroutine in its own event loop and thread."""

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self._work = work
        self._result: Future[T] = Future()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="retouch-run-sync")
        self._thread.start()

    def wait(self, waiting: asyncio.Task[Any] | None) -> T:
        """Return the result. `waiting` is the current task, None outside of tasks."""
        cancelled = False
        try:
            while self._thread.is_alive():
                self._thread.join(_POLL_S)
                if not cancelled and waiting is not None and waiting.cancelling():
                    cancelled = True
                    self._cancel()
        except KeyboardInterrupt:
            self._cancel()
            self._thread.join()
            raise
        return self._result.result()

    def _run(self) -> None:
        try:
            self._result.set_result(asyncio.run(self._tracked()))
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, which raises it
            self._result.set_exception(error)

    async def _tracked(self) -> T:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._started.set()
        return await self._work

    def _cancel(self) -> None:
        self._started.wait()
        with suppress(RuntimeError):  # its loop has ended
            assert self._task is not None  # noqa: S101 - a coroutine under asyncio.run has a task
            self._loop.call_soon_threadsafe(self._task.cancel)


def synchronous(verb: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Return `verb` as a plain function with the same parameters."""

    @wraps(verb)
    def plain(*args: P.args, **kwargs: P.kwargs) -> T:
        return run_sync(verb(*args, **kwargs))

    return plain
