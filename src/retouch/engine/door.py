"""The one synchronous door: async inside, plain functions at the border."""

from __future__ import annotations

import asyncio
import threading
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")
P = ParamSpec("P")


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Return what `work` comes to; also where a loop is running already, as in a notebook (then in a thread)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    outcome: list[T] = []
    failure: list[BaseException] = []

    def apart() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, which raises it
            failure.append(error)

    thread = threading.Thread(target=apart, name="retouch-door")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


def synchronous(verb: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Return `verb` as a plain function with the same parameters."""

    @wraps(verb)
    def plain(*args: P.args, **kwargs: P.kwargs) -> T:
        return wait_for(verb(*args, **kwargs))

    return plain
