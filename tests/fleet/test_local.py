"""Many pieces of work at once: each comes out, whatever happens to its neighbours, and none stays behind."""

from __future__ import annotations

import asyncio
import operator
import os
import signal
import sys
import time
from contextlib import aclosing, closing
from functools import partial
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from retouch.fleet import TaskResult, in_processes, in_tasks

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),  # pytest's own threads hold no locks
]


def add(shared: dict[str, Any], task: int) -> int:
    return task + int(shared["base"])


def tell_pid(_shared: None, _task: int) -> int:
    return os.getpid()


def misbehave(_shared: None, task: str) -> str:
    if task == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "hangs":
        time.sleep(60)
    if task == "raises":
        raise ValueError("this one cannot be done")
    return task.upper()


def nap(_shared: None, seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_every_task_comes_out_once_with_what_is_shared() -> None:
    outcomes = list(in_processes(add, {"base": 100}, range(50), workers=2))
    assert {task: 100 + task for task in range(50)} == {one.task: one.value for one in outcomes}
    assert 50 == len(outcomes)


def test_the_work_is_done_in_other_processes_two_of_them() -> None:
    pids = {outcome.value for outcome in in_processes(tell_pid, None, range(200), workers=2)}
    assert os.getpid() not in pids
    assert 1 <= len(pids) <= 2


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere what is shared is pickled")
def test_what_is_shared_need_not_be_picklable() -> None:
    shared = {"base": 1, "unpicklable": lambda: None}
    assert [TaskResult(task=1, value=2)] == list(in_processes(add, shared, [1], workers=1))


def test_where_processes_are_not_forked_what_is_shared_is_sent_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retouch.fleet.local.sys", SimpleNamespace(platform="another"))
    outcomes = in_processes(operator.add, 100, range(4), workers=2)
    assert {task: 100 + task for task in range(4)} == {one.task: one.value for one in outcomes}


def test_a_task_that_crashes_hangs_or_raises_is_reported_and_the_others_continue() -> None:
    tasks = ["a", "dies", "b", "hangs", "c", "raises", "d"]
    found = {one.task: one for one in in_processes(misbehave, None, tasks, workers=2, limit_s=0.7)}
    assert {"a": "A", "b": "B", "c": "C", "d": "D"} == {task: one.value for task, one in found.items() if one.value}
    assert "Abnormal termination" in str(found["dies"].error)
    assert isinstance(found["hangs"].error, TimeoutError)
    assert "this one cannot be done" == str(found["raises"].error)


def test_leaving_early_ends_the_workers() -> None:
    before = set(psutil.Process().children())
    with closing(in_processes(misbehave, None, ["a", "hangs", "hangs"], workers=2)) as outcomes:
        assert "A" == next(outcomes).value
        assert set(psutil.Process().children()) - before
    assert set() == set(psutil.Process().children()) - before


def test_ctrl_c_in_a_terminal_does_not_spoil_what_workers_do() -> None:
    before = set(psutil.Process().children())
    with closing(in_processes(nap, None, [0.0, 0.7, 0.7], workers=2)) as outcomes:
        assert 0.0 == next(outcomes).value
        for worker in set(psutil.Process().children()) - before:
            worker.send_signal(signal.SIGINT)
        assert [0.7, 0.7] == [one.value for one in outcomes]


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


def test_a_function_with_arguments_bound_is_work_too() -> None:
    assert [7] == [one.value for one in in_processes(partial(add), {"base": 3}, [4], workers=1)]
