"""The functions of a fleet as coroutines: the same results, and a cancelled task stops its workers."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from retouch.fleet import aio, run
from retouch.testing import scripted
from tests.fleet.recipes import RECORDS, together, translated
from tests.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from retouch import Request

pytestmark = pytest.mark.concurrency


def test_a_fleet_is_run_and_looked_at_by_coroutines(tmp_path: Path) -> None:
    async def found() -> list[str]:
        first = await aio.run(together, RECORDS, tmp_path, model=scripted(translated), shard_size=3)
        again = await aio.resume(tmp_path, recipe=together, model=scripted(translated))
        one = await aio.work(tmp_path, 1, recipe=together, model=scripted(translated))
        return [result.status.status for result in (first, again, one)] + [(await aio.status(tmp_path)).status]

    assert ["verified"] * 4 == asyncio.run(found())


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_cancelled_task_stops_the_workers_and_the_same_call_continues(workers: int, tmp_path: Path) -> None:
    calls = tmp_path / "calls"

    wait_s = 2.0  # the stop is noticed before all records are done, also where a process stands still for seconds

    async def slow(request: Request) -> str:
        with calls.open("a", encoding="utf-8") as file:
            file.write(f"{request.prompt.unit}\n")
        await asyncio.sleep(wait_s)
        return translated(request)

    async def cancelled() -> None:
        fleet = tmp_path / "fleet"
        more: dict[str, Any] = {"shard_size": 2, "workers": workers, "concurrency": 1, "grace_s": 60.0}
        work = aio.run(together, RECORDS, fleet, model=scripted(slow), **more)
        task = asyncio.create_task(work)
        await asyncio.to_thread(wait_until, calls.exists)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()

    asyncio.run(cancelled())
    before = calls.read_text(encoding="utf-8").split()
    assert 0 < len(before) < len(RECORDS)
    states = [json.loads(one.read_bytes()) for one in (tmp_path / "fleet" / "status").glob("*.json")]
    assert not [one for one in states if one["state"] == "running" and psutil.pid_exists(one["pid"])]
    wait_s = 0.0
    found = run(together, RECORDS, tmp_path / "fleet", model=scripted(slow), workers=workers, shard_size=2)
    assert ("verified", len(RECORDS)) == (found.status.status, found.status.records["verified"])
    assert sorted(str(one["id"]) for one in RECORDS) == sorted(calls.read_text(encoding="utf-8").split())
