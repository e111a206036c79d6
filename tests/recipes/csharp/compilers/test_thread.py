"""One thread runs compilers in turn, continues after errors, and stops an idle compiler."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError

import pytest

from retouch.recipes.csharp.compilers.thread import CompilerThread
from tests.waiting import wait_until


def lane(*, idle_s: float = 60.0) -> tuple[CompilerThread, list[str]]:
    idle: list[str] = []
    return CompilerThread(idle_s=idle_s, when_idle=lambda: idle.append(threading.current_thread().name)), idle


def test_jobs_run_one_after_another_on_one_thread():
    work, _ = lane()
    running: list[str] = []
    most: list[int] = []

    def job() -> None:
        running.append(threading.current_thread().name)
        time.sleep(0.002)
        most.append(len(running))
        assert "retouch-compiler" == running.pop()

    for future in [work.submit(job) for _ in range(20)]:
        future.result()
    assert [1] * 20 == most


def test_an_error_belongs_to_its_job_and_the_next_one_runs():
    work, _ = lane()
    failed = work.submit(lambda: 1 // 0)
    assert 7 == work.submit(lambda: 7).result()
    with pytest.raises(ZeroDivisionError):
        failed.result()


def test_a_job_that_is_cancelled_before_its_turn_never_runs():
    work, _ = lane()
    ran: list[int] = []
    hold = threading.Event()
    work.submit(hold.wait)
    waiting = work.submit(lambda: ran.append(1))
    assert waiting.cancel()
    hold.set()
    assert work.submit(lambda: 2).result() == 2
    assert [] == ran
    with pytest.raises(CancelledError):
        waiting.result()


def test_after_a_while_without_jobs_the_lane_is_idle_once_and_still_works():
    work, idle = lane(idle_s=0.02)
    assert 1 == work.submit(lambda: 1).result()
    wait_until(lambda: idle)
    time.sleep(0.1)
    assert ["retouch-compiler"] == idle
    assert 2 == work.submit(lambda: 2).result()
