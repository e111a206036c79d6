"""The ledger: append-only, readable by others, whole after a cut behind its last commit, refused if damaged before."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import struct
from contextlib import closing
from random import Random
from typing import TYPE_CHECKING

import pytest

from retouch.engine.directory import open_run
from retouch.engine.history import read_history
from retouch.engine.ledger import Ledger, read_entries
from retouch.errors import BrokenFile, DamagedRun
from tests.engine.conftest import Scene, honest, wrong_first
from tests.waiting import MOST_S, wait_until

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 12


def written(path: Path, count: int = ROWS, *, close: bool = True) -> Ledger:
    """A ledger of so many rows, each on disk."""
    ledger = Ledger(path, next_seq=1)
    for number in range(count):
        ledger.append("note", {"number": number, "text": "ä" * 50})
        ledger.synced_now()
    if close:
        ledger.close()
    return ledger


def test_rows_come_back_in_order_as_they_were(tmp_path: Path) -> None:
    written(tmp_path / "ledger.db")
    found = read_entries(tmp_path / "ledger.db")
    assert list(range(ROWS)) == [row.data["number"] for row in found]
    assert list(range(1, ROWS + 1)) == [row.seq for row in found]


def test_rows_are_seen_by_others_while_the_ledger_is_open(tmp_path: Path) -> None:
    ledger = written(tmp_path / "ledger.db", close=False)
    assert ROWS == len(read_entries(tmp_path / "ledger.db"))
    ledger.close()


@pytest.mark.parametrize("change", ["UPDATE events SET kind='x'", "DELETE FROM events"])
def test_rows_cannot_be_changed_or_removed(tmp_path: Path, change: str) -> None:
    written(tmp_path / "ledger.db")
    with (
        closing(sqlite3.connect(tmp_path / "ledger.db")) as database,
        pytest.raises(sqlite3.IntegrityError, match="append-only"),
    ):
        database.execute(change)


def commits_in(log: Path) -> int:
    """Return how many transactions a write-ahead log holds: frames that tell the size of the database end one."""
    data = log.read_bytes() if log.exists() else b""
    if not data:
        return 0
    page = struct.unpack_from(">I", data, 8)[0]
    ends = (struct.unpack_from(">I", data, at + 4)[0] for at in range(32, len(data), 24 + page))
    return sum(1 for size in ends if size)


def waited_for(path: Path, *, workers: int, rows: int, gather_s: float = 0.0) -> int:
    """Return in how many commits the rows of several workers came on disk that each wait after every row."""
    ledger = Ledger(path, next_seq=1)
    ledger.gather_s = gather_s
    before = commits_in(path.with_name("ledger.db-wal"))

    async def work() -> None:
        for number in range(rows):
            ledger.append("note", {"n": number})
            await asyncio.wait_for(ledger.synced(), MOST_S)

    async def all_of_them() -> None:
        await asyncio.gather(*(work() for _ in range(workers)))

    asyncio.run(all_of_them())
    commits = commits_in(path.with_name("ledger.db-wal"))
    ledger.close()
    return commits - before


def test_rows_that_are_waited_for_at_once_share_commits(tmp_path: Path) -> None:
    assert waited_for(tmp_path / "ledger.db", workers=20, rows=5, gather_s=0.01) < 20
    assert [*range(1, 101)] == [row.seq for row in read_entries(tmp_path / "ledger.db")]


def test_one_who_waits_alone_gets_a_commit_of_its_own_each_time(tmp_path: Path) -> None:
    assert 12 == waited_for(tmp_path / "ledger.db", workers=1, rows=12, gather_s=60.0)


def test_rows_that_nobody_waits_for_come_on_disk_all_the_same(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db", next_seq=1)
    for number in range(3):
        ledger.append("note", {"n": number})
    wait_until(lambda: len(read_entries(tmp_path / "ledger.db")) == 3)
    assert [0, 1, 2] == [row.data["n"] for row in read_entries(tmp_path / "ledger.db")]
    ledger.close()


def test_a_stream_of_rows_that_nobody_waits_for_is_not_kept_off_the_disk(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db", next_seq=1)

    def on_disk() -> int:
        ledger.append("note", {})
        return len(read_entries(tmp_path / "ledger.db"))

    assert 0 < wait_until(on_disk)
    ledger.close()


def test_a_wait_that_is_cancelled_harms_neither_the_rows_nor_the_others_that_wait(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db", next_seq=1)

    async def two() -> None:
        ledger.append("note", {"n": 1})
        first, second = asyncio.create_task(ledger.synced()), asyncio.create_task(ledger.synced())
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait_for(second, MOST_S)
        with pytest.raises(asyncio.CancelledError):
            await first

    asyncio.run(two())
    assert [1] == [row.data["n"] for row in read_entries(tmp_path / "ledger.db")]
    ledger.close()


@pytest.mark.slow
def test_a_log_cut_at_any_byte_opens_again_with_a_first_part_of_the_rows(tmp_path: Path) -> None:
    ledger = written(tmp_path / "ledger.db", close=False)
    log = (tmp_path / "ledger.db-wal").read_bytes()
    whole = (tmp_path / "ledger.db").read_bytes()
    ledger.close()
    cuts = sorted({0, 1, 31, 32, 33, len(log) - 1, len(log), *Random(7).sample(range(len(log)), 60)})
    counts: list[int] = []
    for cut in cuts:
        folder = tmp_path / f"cut{cut}"
        folder.mkdir()
        (folder / "ledger.db").write_bytes(whole)
        (folder / "ledger.db-wal").write_bytes(log[:cut])
        history = read_history(folder / "ledger.db")
        again = Ledger(folder / "ledger.db", next_seq=history.last_seq + 1)
        again.append("note", {"number": -1})
        again.close()
        found = read_entries(folder / "ledger.db")
        assert [*range(len(found) - 1), -1] == [row.data["number"] for row in found]
        counts.append(len(found) - 1)
    assert (sorted(counts), ROWS) == (counts, counts[-1])


def test_what_stands_behind_the_last_commit_is_left_out(tmp_path: Path) -> None:
    ledger = written(tmp_path / "ledger.db", close=False)
    shutil.copytree(tmp_path, tmp_path.with_name("copy"))
    ledger.close()
    with (tmp_path.with_name("copy") / "ledger.db-wal").open("ab") as log:
        log.write(os.urandom(5_000))
    assert ROWS == len(read_entries(tmp_path.with_name("copy") / "ledger.db"))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_a_ledger_that_lost_its_end_is_refused_and_left_as_it_is(scene: Scene, share: float) -> None:
    scene.generate()
    path = scene.folder / "ledger.db"
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    before = scene.tree()
    for look in (scene.generate, scene.validate, lambda: open_run(scene.folder)):
        with pytest.raises(BrokenFile, match=r"ledger\.db") as broken:
            look()
        assert "move it away" in str(broken.value).lower()
    assert before == {name: text for name, text in scene.tree().items() if name in before}


def test_a_changed_byte_in_a_text_is_noticed(scene: Scene) -> None:
    scene.generate()
    path = scene.folder / "ledger.db"
    path.write_bytes(path.read_bytes().replace(b"cat=CAT", b"cat=BAT"))
    with pytest.raises(DamagedRun, match=r"row \d+ \(text\) was changed; all other rows up to row \d+ are"):
        scene.generate()


def test_a_row_that_says_too_little_is_named(scene: Scene) -> None:
    scene.generate()
    path = scene.folder / "ledger.db"
    path.write_bytes(path.read_bytes().replace(b'"asked"', b'"acked"'))
    with pytest.raises(BrokenFile, match=r"row \d+ \(settled\): KeyError: 'asked'"):
        scene.generate()


def test_a_missing_row_is_noticed(tmp_path: Path) -> None:
    written(tmp_path / "ledger.db")
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as database:
        database.executescript("DROP TRIGGER events_last; DELETE FROM events WHERE seq=5; VACUUM")
    with pytest.raises(BrokenFile, match="row 5 is missing"):
        read_entries(tmp_path / "ledger.db")


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be read " * 20, b"\0" * 4096, b"x"])
def test_a_file_that_is_no_ledger_is_refused(scene: Scene, content: bytes) -> None:
    scene.folder.mkdir()
    (scene.folder / "ledger.db").write_bytes(content)
    model = honest()
    with pytest.raises(BrokenFile, match="ledger"):
        scene.generate(model)
    assert ([], content) == (model.requests, (scene.folder / "ledger.db").read_bytes())


def test_another_database_is_no_ledger(scene: Scene) -> None:
    scene.folder.mkdir()
    with closing(sqlite3.connect(scene.folder / "ledger.db")) as database:
        database.execute("CREATE TABLE events (seq)")
    with pytest.raises(BrokenFile, match="not a ledger of Retouch"):
        scene.generate()


def test_a_newer_ledger_is_refused(scene: Scene) -> None:
    scene.generate()
    with closing(sqlite3.connect(scene.folder / "ledger.db")) as database:
        database.execute("PRAGMA user_version=3")
    before = scene.tree()
    for look in (scene.generate, scene.validate, lambda: open_run(scene.folder)):
        with pytest.raises(BrokenFile, match="version 3; this Retouch knows 2") as refused:
            look()
        assert "Upgrade" in refused.value.hint
    assert before == {name: data for name, data in scene.tree().items() if name in before}


def test_a_directory_in_the_place_of_the_ledger_is_refused(scene: Scene) -> None:
    (scene.folder / "ledger.db").mkdir(parents=True)
    with pytest.raises((BrokenFile, OSError), match=r"ledger\.db"):
        scene.generate()


def test_reading_leaves_no_trace(scene: Scene) -> None:
    scene.generate()
    before = scene.tree()
    open_run(scene.folder)
    read_entries(scene.folder / "ledger.db")
    assert before == scene.tree()
    assert not {name for name in before if "-wal" in name or "-shm" in name}


def test_rows_of_kinds_that_are_not_known_are_notes(scene: Scene) -> None:
    scene.generate()
    ledger = Ledger(scene.folder / "ledger.db", next_seq=scene.history.last_seq + 1)
    ledger.append("note:weather", {"sky": "blue"})
    ledger.close()
    assert "verified" == scene.generate().status


def test_a_row_that_cannot_be_written_fails_all_that_wait_and_no_one_hangs(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db", next_seq=1)
    ledger.append("note", {}, unit="\ud800")
    with pytest.raises(OSError, match="cannot be written"):
        ledger.synced_now()
    with pytest.raises(OSError, match="cannot be written"):
        asyncio.run(asyncio.wait_for(ledger.synced(), MOST_S))
    with pytest.raises(OSError, match="cannot be written"):
        ledger.append("note", {})
    with pytest.raises(OSError, match="cannot be written"):
        ledger.close()


def test_every_answer_that_was_paid_for_is_a_row_rejected_ones_too(scene: Scene) -> None:
    scene.generate(wrong_first({("tools", 1): ["nonsense", "saw=SAW"]}))
    texts = [a.reply.text for a in scene.history.attempts.values() if a.reply is not None and a.unit == "tools"]
    assert ["nonsense", "saw=SAW", "axe=AXE\nsaw=SAW"] == texts
