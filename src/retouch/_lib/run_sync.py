"""Runs async code from plain functions."""

from __future__ import annotations

import asyncio
import signal
import threading
from concurrent.futures import Future
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import FrameType

T = TypeVar("T")
P = ParamSpec("P")
_POLL_S = 0.1
_AGAIN_S = 0.25  # between two cancellations of all tasks
_PATIENCE_S = 0.5  # for a callback that does not return


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
    with _CtrlC() as ctrl_c, asyncio.Runner() as runner:
        loop = runner.get_loop()
        task = loop.create_task(work)
        ctrl_c.cancels(task)
        return loop.run_until_complete(task)


class _CtrlC:
    """Makes Ctrl-C cancel a task between two callbacks of its loop, and a second Ctrl-C all tasks, until they end.

    `asyncio.run` does both in the signal handler itself, that is, in the middle of a callback. A callback that has just
    seen that a future is not cancelled then fails with `InvalidStateError`, which the loop prints as a traceback. An
    interrupt that is raised while the loop takes a callback from its queue loses the callback, and what waits for it
    waits for ever. So it is raised only if the loop does not get to cancel the tasks in time, or at a third Ctrl-C.
    """

    _task: asyncio.Task[Any] | None = None
    _is_pressed = _is_passed_on = _is_ours = False
    _impatience: threading.Timer | None = None

    def __enter__(self) -> Self:
        main = threading.current_thread() is threading.main_thread()
        self._is_ours = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._is_ours:
            signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._impatience is not None:
            self._impatience.cancel()
        if self._is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        is_lost = kind is None and not self._is_passed_on  # the task had ended before it could be cancelled
        if self._is_pressed and (is_lost or kind is asyncio.CancelledError):
            raise KeyboardInterrupt from None

    def cancels(self, task: asyncio.Task[Any]) -> None:
        """Make Ctrl-C cancel this task, also if it was pressed before."""
        self._task = task
        if self._is_pressed:
            self._cancel()

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        if self._impatience is not None:
            raise KeyboardInterrupt
        if self._is_pressed:
            self._impatience = threading.Timer(_PATIENCE_S, _press_again)
            self._impatience.daemon = True
            self._impatience.start()
            self._soon(self._cancel_all)
        else:
            self._is_pressed = True
            self._soon(self._cancel)

    def _soon(self, callback: Callable[[], None]) -> None:
        if self._task is not None:
            with suppress(RuntimeError):  # the loop is closed
                self._task.get_loop().call_soon_threadsafe(callback)

    def _cancel(self) -> None:
        self._is_passed_on = self._task is not None and self._task.cancel()

    def _cancel_all(self) -> None:
        """Cancel all tasks again and again: one whose first cancellation has not arrived yet takes two for one."""
        if self._task is None or self._impatience is None:
            return
        self._impatience.cancel()
        loop = self._task.get_loop()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.call_later(_AGAIN_S, self._cancel_all)


def _press_again() -> None:
    """Interrupt the main thread, also if it waits for the operating system."""
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


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
