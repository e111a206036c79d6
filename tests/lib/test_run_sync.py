"""The synchronous entrance, and what Ctrl-C does to it."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from retouch._lib.run_sync import run_sync
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.concurrency


@pytest.fixture(autouse=True)
def action() -> Iterator[None]:
    """Python's own action on Ctrl-C: a process that a shell starts in the background ignores the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


async def interrupted_in_a_callback(errors: list[Any]) -> None:
    """Wait for a future that a callback completes, as asyncio's own do, while Ctrl-C comes in the middle of it."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: errors.append(context))
    waiter = loop.create_future()

    def complete() -> None:
        if not waiter.cancelled():
            ctrl_c()
            waiter.set_result(None)

    loop.call_soon(complete)
    await waiter
    await asyncio.sleep(30)


def test_ctrl_c_in_the_middle_of_a_callback_cancels_after_it() -> None:
    errors: list[Any] = []
    with pytest.raises(KeyboardInterrupt):
        run_sync(interrupted_in_a_callback(errors))
    assert [] == errors


def test_work_that_handles_its_cancellation_returns_its_result() -> None:
    async def kept() -> str:
        try:
            ctrl_c()
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            return "kept"
        return "not cancelled"

    assert "kept" == run_sync(kept())


def test_a_second_ctrl_c_does_not_wait_for_the_event_loop() -> None:
    async def busy() -> None:
        ctrl_c()
        ctrl_c()
        time.sleep(MOST_S)  # noqa: ASYNC251 - a callback that does not return

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_sync(busy())
    assert MOST_S / 2 > time.monotonic() - began


def test_a_second_ctrl_c_ends_tasks_that_take_two_cancellations_for_one() -> None:
    ended: list[int] = []

    async def stubborn(number: int) -> None:
        for _ in range(3):
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(MOST_S)
        ended.append(number)

    async def work() -> None:
        tasks = [asyncio.create_task(stubborn(number)) for number in range(3)]
        await asyncio.sleep(0)
        ctrl_c()
        ctrl_c()
        await asyncio.gather(*tasks)

    with pytest.raises(KeyboardInterrupt):
        run_sync(work())
    assert [0, 1, 2] == sorted(ended)


def test_a_third_ctrl_c_is_raised_at_once() -> None:
    async def busy() -> None:
        ctrl_c()
        ctrl_c()
        ctrl_c()
        raise AssertionError("it raises where the program is")

    with pytest.raises(KeyboardInterrupt):
        run_sync(busy())


def test_ctrl_c_in_the_last_step_is_not_lost() -> None:
    async def last() -> str:
        ctrl_c()
        return "done"

    with pytest.raises(KeyboardInterrupt):
        run_sync(last())


def test_the_error_of_the_work_wins_over_ctrl_c() -> None:
    async def failing() -> None:
        ctrl_c()
        raise LookupError("no such unit")

    with pytest.raises(LookupError, match="no such unit"):
        run_sync(failing())


@pytest.mark.parametrize("other", [signal.SIG_IGN, signal.default_int_handler])
def test_the_action_of_the_process_on_a_signal_is_the_same_afterwards(other: Any) -> None:
    before = signal.signal(signal.SIGINT, other)
    try:
        run_sync(asyncio.sleep(0))
        assert other == signal.getsignal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_cancellation_without_ctrl_c_stays_one() -> None:
    async def cancelled() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(30)

    with pytest.raises(asyncio.CancelledError):
        run_sync(cancelled())


def test_ctrl_c_before_the_first_step_cancels_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[bool] = []

    def interrupted() -> asyncio.AbstractEventLoop:
        ctrl_c()
        return loop()

    async def work() -> None:
        begun.append(True)

    loop = asyncio.new_event_loop
    monkeypatch.setattr(asyncio.events, "new_event_loop", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_sync(work())
    assert [] == begun
