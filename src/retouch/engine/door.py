"""The one synchronous door: async inside, plain functions at the border."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")
P = ParamSpec("P")
LOOK_EVERY_S = 0.1


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Return what `work` comes to; also where a loop is running already, as in a notebook (then in a thread).

    An interrupt, or a cancel of the task that waits, cancels the work and waits for it to end.
    """
    if _is_loop_running():
        return _Apart(work).outcome(asyncio.current_task())
    return _value_of(asyncio.run(_captured(work)))


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@dataclass(frozen=True)
class _Raised:
    """An exception as a value: KeyboardInterrupt and SystemExit would break the event loop off in its middle."""

    error: BaseException


async def _captured(work: Coroutine[Any, Any, T]) -> T | _Raised:
    try:
        return await work
    except asyncio.CancelledError:
        raise  # asyncio.run turns the cancel that Ctrl-C asked for into KeyboardInterrupt
    except BaseException as error:  # noqa: BLE001 - `_value_of` raises it, outside of the loop
        return _Raised(error)


def _value_of(outcome: T | _Raised) -> T:
    if isinstance(outcome, _Raised):
        raise outcome.error
    return outcome


class _Apart(Generic[T]):
    """Work in a loop of its own, in a thread of its own."""

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self._work = work
        self._ended: Future[T] = Future()
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name="retouch-door")
        self._thread.start()

    def outcome(self, waiting: asyncio.Task[Any] | None) -> T:
        """Wait for the end; `waiting` is the task that does, None outside of any."""
        told = False
        try:
            while self._thread.is_alive():
                self._thread.join(LOOK_EVERY_S)
                if not told and waiting is not None and waiting.cancelling():
                    told = True
                    self._cancel()
        except KeyboardInterrupt:
            self._cancel()
            self._thread.join()
            raise
        return self._ended.result()

    def _run(self) -> None:
        try:
            self._ended.set_result(_value_of(asyncio.run(self._followed())))
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, which raises it
            self._ended.set_exception(error)

    async def _followed(self) -> T | _Raised:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.ensure_future(_captured(self._work))
        self._begun.set()
        return await self._task

    def _cancel(self) -> None:
        self._begun.wait()
        with suppress(RuntimeError):  # its loop has ended meanwhile
            self._loop.call_soon_threadsafe(self._task.cancel)


def synchronous(verb: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Return `verb` as a plain function with the same parameters."""

    @wraps(verb)
    def plain(*args: P.args, **kwargs: P.kwargs) -> T:
        return wait_for(verb(*args, **kwargs))

    return plain
