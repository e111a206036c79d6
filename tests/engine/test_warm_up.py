"""The first request of a shared text goes alone: who is first, who waits, and for how long it holds."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

import retouch
from retouch import aio
from retouch._lib.warm_up import WarmUp
from retouch.errors import ModelError
from retouch.models.wrappers import limited, metered, retrying
from retouch.testing import Scripted, scripted
from tests.engine.glossary import RECIPE, Glossary, answer

if TYPE_CHECKING:
    from pathlib import Path

    from retouch import Request

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


def words(pages: int) -> Glossary:
    """Return a source of one page per unit."""
    return Glossary(units={f"unit{n}": (f"word{n}",) for n in range(pages)})


def gone(tasks: list[asyncio.Task[bool]]) -> list[bool]:
    """Return which requests have gone, each with whether it goes first."""
    return [task.result() for task in tasks if task.done()]


def test_one_goes_first_and_the_rest_follow_when_its_answer_begins():
    async def run() -> None:
        warm_up = WarmUp(900.0)
        tasks = await begin(warm_up, 5)
        assert [True] == gone(tasks)
        warm_up.begun(KEY)
        assert [True, False, False, False, False] == await asyncio.gather(*tasks)

    asyncio.run(run())


def test_when_the_first_fails_one_of_the_rest_goes_first_and_the_others_wait_on():
    async def run() -> None:
        warm_up = WarmUp(900.0)
        tasks = await begin(warm_up, 4)
        for failed in range(1, 4):
            warm_up.over(KEY)
            tasks += await begin(warm_up, 0)
            assert [True] * (failed + 1) == gone(tasks)

    asyncio.run(run())


def test_after_a_pause_as_long_as_an_entry_lives_the_next_goes_alone_again():
    async def run() -> None:
        clock = Clock()
        warm_up = WarmUp(900.0, clock=clock)
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


def test_a_cancel_that_comes_as_the_first_one_ends_is_not_lost():
    async def run() -> None:
        warm_up = WarmUp(900.0)
        tasks = await begin(warm_up, 3)
        warm_up.over(KEY)
        for task in tasks[1:]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert [False, True, True] == [task.cancelled() for task in tasks]

    asyncio.run(run())


def test_a_model_that_refuses_all_is_asked_once_however_many_pages_wait(tmp_path: Path):
    model = scripted(lambda _: ModelError("no such model"))
    with pytest.raises(ModelError, match="no such model"):
        retouch.generate(RECIPE, words(30), tmp_path / "run", model)
    assert 1 == len(model.requests)


def test_runs_that_are_at_work_together_share_what_the_first_request_of_all_has_warmed(tmp_path: Path):
    under_way: list[int] = []
    all_begun = asyncio.Event()
    now = 0

    async def slow(request: Request) -> str:
        nonlocal now
        now += 1
        under_way.append(now)
        await asyncio.sleep(0.05)
        if len(under_way) >= 5:
            all_begun.set()
        if len(under_way) > 1:  # those after the first one wait for each other
            await all_begun.wait()
        now -= 1
        return answer(request.prompt)

    async def together() -> None:
        model = scripted(slow)
        runs = [aio.generate(RECIPE, words(3), tmp_path / f"run{n}", model) for n in range(4)]
        assert {"verified"} == {result.status for result in await asyncio.gather(*runs)}

    asyncio.run(together())
    assert (12, [1, 1, 2, 3, 4]) == (len(under_way), under_way[:5])


class Caching(Scripted):
    """A model whose provider caches texts from `least` characters on."""

    least = 0

    def may_cache(self, shared: str) -> bool:
        return len(shared) >= self.least


@pytest.mark.parametrize(("least", "expected"), [(1, [1, 1, 2]), (10_000, [1, 2, 3])])
def test_the_first_goes_alone_only_if_a_cache_can_take_the_shared_text(tmp_path: Path, least: int, expected: list[int]):
    now, under_way = 0, list[int]()
    all_begun = asyncio.Event()

    async def slow(request: Request) -> str:
        nonlocal now
        now += 1
        under_way.append(now)
        await asyncio.sleep(0.05)
        if len(under_way) >= 3:
            all_begun.set()
        if len(under_way) >= expected.count(1):  # those that do not go alone wait for each other
            await all_begun.wait()
        now -= 1
        return answer(request.prompt)

    model = Caching(slow)
    model.least = least
    retouch.generate(RECIPE, words(3), tmp_path / "run", limited(retrying(metered(model)), 8))
    assert expected == under_way
