"""Which thread does what: the caller's own, and the event loop's."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from retouch.testing import scripted
from tests.recipes.extract.scenes import ORDERS, Desk, answering
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from retouch.engine.types import Request


def test_records_may_come_from_a_cursor_that_belongs_to_the_thread_of_the_caller(tmp_path: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE orders (id TEXT, text TEXT)")
        database.executemany("INSERT INTO orders VALUES (?, ?)", [(one["id"], one["text"]) for one in ORDERS])
        rows = ({"id": key, "text": text} for key, text in database.execute("SELECT id, text FROM orders"))
        assert "verified" == Desk(tmp_path / "out").extract(answering(), rows).status


@pytest.mark.skipif(sys.platform != "linux", reason="/proc names the files")
def test_while_shards_are_at_work_the_event_loop_writes_none_of_the_files_of_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = threading.Event()
    blocked: list[str] = []
    fsync = os.fsync

    def watched(handle: int) -> None:
        if began.is_set() and threading.current_thread() is loop_thread[0]:
            blocked.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        fsync(handle)

    def answer(request: Request) -> str:
        loop_thread[:] = [threading.current_thread()]
        began.set()
        return request.messages[0].text

    loop_thread: list[Any] = [None]
    monkeypatch.setattr(os, "fsync", watched)
    rows: list[dict[str, Any]] = [{"id": number, "name": "x"} for number in range(4)]
    schema: dict[str, Any] = {"type": "object"}
    desk = Desk(tmp_path / "out")
    result = desk.extract(scripted(answer), rows, schema=schema, prompt="{{ record | tojson }}", shard_size=1)
    assert "verified" == result.status
    assert [] == [name for name in blocked if "/shards/" not in name]


def test_the_next_shard_begins_while_the_last_reply_of_one_is_awaited(tmp_path: Path) -> None:
    began = asyncio.Event()

    async def answer(request: Request) -> str:
        if request.prompt.unit == "0":
            await asyncio.wait_for(began.wait(), MOST_S)
        began.set()
        return "{}"

    rows: list[dict[str, Any]] = [{"id": number} for number in range(3)]
    desk = Desk(tmp_path / "out", {"warm_up_s": 0.0})  # otherwise the first request goes alone
    result = desk.extract(scripted(answer), rows, schema={"type": "object"}, prompt="{{ id }}", shard_size=1)
    assert ("verified", [0, 1, 2]) == (result.status, [int(one.key) for one in result.records])
