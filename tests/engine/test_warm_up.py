"""The first request of a shared text goes alone: who is first, who waits, and for how long it holds."""

from __future__ import annotations

import asyncio

from retouch.engine.calls import WarmUp

KEY = ("model", "shared text")


class Clock:
    """Seconds that a test turns."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def begin(warm_up: WarmUp, count: int) -> list[asyncio.Task[bool]]:
    """Start so many requests at once, and let them come as far as they may."""
    tasks = [asyncio.create_task(warm_up.turn(KEY)) for _ in range(count)]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


def gone(tasks: list[asyncio.Task[bool]]) -> list[bool]:
    """Return which requests have gone, each with whether it goes first."""
    return [task.result() for task in tasks if task.done()]


def test_one_goes_first_and_the_rest_follow_when_its_answer_begins():
    async def run() -> None:
        warm_up = WarmUp(9.0)
        tasks = await begin(warm_up, 5)
        assert [True] == gone(tasks)
        warm_up.begun(KEY)
        assert [True, False, False, False, False] == await asyncio.gather(*tasks)

    asyncio.run(run())


def test_when_the_first_fails_one_of_the_rest_goes_first_and_the_others_wait_on():
    async def run() -> None:
        warm_up = WarmUp(9.0)
        tasks = await begin(warm_up, 4)
        for failed in range(1, 4):
            warm_up.over(KEY)
            tasks += await begin(warm_up, 0)
            assert [True] * (failed + 1) == gone(tasks)

    asyncio.run(run())


def test_after_a_pause_as_long_as_an_entry_lives_the_next_goes_alone_again():
    async def run() -> None:
        clock = Clock()
        warm_up = WarmUp(9.0, clock=clock)
        await begin(warm_up, 1)
        warm_up.begun(KEY)
        for clock.now, first in ((239.0, [False] * 3), (478.0, [False] * 3), (719.0, [True])):
            tasks = await begin(warm_up, 3)
            assert first == gone(tasks)
        warm_up.begun(KEY)
        assert [True, False, False] == await asyncio.gather(*tasks)

    asyncio.run(run())


def test_a_first_request_that_is_silent_for_too_long_frees_the_rest():
    async def run() -> None:
        warm_up = WarmUp(0.01)
        tasks = await begin(warm_up, 3)
        assert [True, False, False] == await asyncio.gather(*tasks)

    asyncio.run(run())
