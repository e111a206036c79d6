"""Many pieces of work at once: each comes out, whatever happens to its neighbours, and none stays behind."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from retouch.fleet import TaskResult, in_tasks

pytestmark = pytest.mark.concurrency


async def double(task: int) -> int:
    await asyncio.sleep(0)
    return task * 2


def test_tasks_in_one_loop_come_out_once_each_and_an_error_is_an_outcome() -> None:
    async def work(task: int) -> int:
        if task == 3:
            raise ValueError("three")
        return await double(task)

    async def collect() -> list[TaskResult[int, int]]:
        return [outcome async for outcome in in_tasks(work, range(10), at_once=4)]

    found = {one.task: one for one in asyncio.run(collect())}
    assert {task: task * 2 for task in range(10) if task != 3} == {t: one.value for t, one in found.items() if t != 3}
    assert "three" == str(found[3].error)


def test_no_more_tasks_are_under_way_in_one_loop_than_allowed() -> None:
    running = 0
    most = 0

    async def work(_task: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1

    async def drain() -> None:
        async for _ in in_tasks(work, range(20), at_once=3):
            pass

    asyncio.run(drain())
    assert 3 == most


def test_leaving_a_loop_early_cancels_what_is_under_way_and_waits_for_it() -> None:
    ended: list[int] = []

    async def work(task: int) -> int:
        try:
            await asyncio.sleep(0 if task == 0 else 60)
        finally:
            ended.append(task)
        return task

    async def leave() -> None:
        async with aclosing(in_tasks(work, range(3), at_once=3)) as outcomes:
            assert 0 == (await anext(outcomes)).value

    asyncio.run(asyncio.wait_for(leave(), 10))
    assert [0, 1, 2] == sorted(ended)
