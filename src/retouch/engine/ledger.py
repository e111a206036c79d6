"""The append-only record of a run, in SQLite: what was asked, what came back, what was decided.

Rows are never changed or removed (triggers refuse it). One thread writes, and commits all that has gathered in one
transaction with `synchronous=FULL`, so that a sync never blocks the event loop and many rows share one. Long texts
are rows of their own, once each, named by their hash. Everything that a resume, the report or a screen shows is read
from here.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeAlias, cast

from retouch.engine.clock import now
from retouch.engine.disk import sync_folder, temporary_beside
from retouch.engine.errors import BrokenFile
from retouch.engine.hashing import text_hash
from retouch.engine.reading import traceless

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from retouch.engine.core import JSON

SCHEMA = """
CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, attempt INTEGER, unit TEXT, at TEXT NOT NULL, data TEXT NOT NULL
);
CREATE TRIGGER IF NOT EXISTS events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS events_last BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'append-only'); END;
"""
APPLICATION_ID = 0x52455443  # "RETC": tells a ledger from any other SQLite file
VERSION = 1
REMEDY = "Put back a copy of it; or move it away: the next generate then starts from pages.json."

Row: TypeAlias = "tuple[int, str, int | None, str | None, str, str]"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One row: `attempt` is the sequence number of the intent that it belongs to; `at` is UTC in ISO 8601."""

    seq: int
    kind: str
    attempt: int | None
    unit: str | None
    at: str
    data: dict[str, JSON]


def read_entries(path: Path) -> list[Entry]:
    """Return all committed rows of the ledger at `path`, oldest first; also while another process writes.

    Raises:
        BrokenFile: the file is not a ledger, or is damaged before its last commit.
    """
    if not path.exists():
        return []
    try:
        found = traceless(path, lambda database: _rows(database, path))
        entries = [_entry(row) for row in found]
    except (sqlite3.DatabaseError, ValueError, TypeError) as error:
        raise BrokenFile(f"{str(path)!r} is not a readable ledger: {error}", hint=REMEDY) from error
    for place, entry in enumerate(entries, 1):
        if entry.seq != place:
            raise BrokenFile(f"{str(path)!r} is damaged: row {place} is missing", hint=REMEDY)
    return entries


def _rows(database: sqlite3.Connection, path: Path) -> list[Row]:
    _verify(database, path)
    return cast("list[Row]", database.execute("SELECT * FROM events ORDER BY seq").fetchall())


def _entry(row: Row) -> Entry:
    seq, kind, attempt, unit, at, data = row
    return Entry(seq=seq, kind=kind, attempt=attempt, unit=unit, at=at, data=json.loads(data))


def _verify(database: sqlite3.Connection, path: Path) -> None:
    application: int = database.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        raise BrokenFile(f"{str(path)!r} is a database, but not a ledger of Retouch", hint="Move it away.")
    version: int = database.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise BrokenFile(f"{str(path)!r} has ledger version {version}; this Retouch knows {VERSION}", hint="Upgrade.")


class Ledger:
    """The writing end of one ledger: a single process holds it (the run folder's lock sees to that).

    `append` returns at once with a row that knows its place in the order; its future is done when the row is on disk.
    """

    def __init__(self, path: Path, *, next_seq: int) -> None:
        self._path = path
        self._next = next_seq
        self._texts: set[str] = set()
        self._queue: SimpleQueue[tuple[Row, Future[None]] | None] = SimpleQueue()
        self._failure: Exception | None = None
        opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._write, args=(opened,), name="retouch-ledger", daemon=True)
        self._thread.start()
        opened.result()

    def append(
        self, kind: str, data: Mapping[str, JSON], *, attempt: int | None = None, unit: str | None = None
    ) -> tuple[Entry, Future[None]]:
        """Queue one row; return it and the future that is done when it is committed.

        Raises:
            OSError: an earlier row could not be written (the disk is full, the folder is gone).
        """
        if self._failure is not None:
            raise OSError(f"the ledger {str(self._path)!r} cannot be written: {self._failure}") from self._failure
        entry = Entry(seq=self._next, kind=kind, attempt=attempt, unit=unit, at=now(), data=dict(data))
        self._next += 1
        done: Future[None] = Future()
        self._queue.put(((entry.seq, kind, attempt, unit, entry.at, json.dumps(entry.data)), done))
        return entry, done

    def text(self, text: str, known: Mapping[str, str]) -> str:
        """Return the hash of `text`, appending the text itself unless it is `known` or was appended before."""
        name = text_hash(text)
        if name not in known and name not in self._texts:
            self._texts.add(name)
            self.append("text", {"hash": name, "text": text})
        return name

    def close(self) -> None:
        """Commit what is queued and let go of the file."""
        self._queue.put(None)
        self._thread.join()
        if self._failure is not None:
            raise OSError(f"the ledger {str(self._path)!r} cannot be written: {self._failure}") from self._failure

    def _write(self, opened: Future[None]) -> None:
        try:
            database = self._open()
        except (sqlite3.Error, OSError, BrokenFile) as error:
            opened.set_exception(_translated(error, self._path))
            return
        opened.set_result(None)
        with closing(database):
            more = True
            while more:
                more = self._commit(database, self._gather())

    def _open(self) -> sqlite3.Connection:
        if not self._path.exists():
            _create(self._path)
        database = sqlite3.connect(self._path, isolation_level=None, timeout=30)
        _verify(database, self._path)
        database.execute("PRAGMA synchronous=FULL")
        return database

    def _gather(self) -> list[tuple[Row, Future[None]] | None]:
        batch = [self._queue.get()]
        while not self._queue.empty():
            batch.append(self._queue.get())
        return batch

    def _commit(self, database: sqlite3.Connection, batch: list[tuple[Row, Future[None]] | None]) -> bool:
        rows = [item for item in batch if item is not None]
        if self._failure is None:
            try:
                database.execute("BEGIN")
                database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", [row for row, _ in rows])
                database.execute("COMMIT")
            except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
                self._failure = error
        for _, done in rows:
            if self._failure is None:
                done.set_result(None)
            else:
                done.set_exception(_translated(self._failure, self._path))
        return None not in batch


def _create(path: Path) -> None:
    """Make an empty ledger beside and rename it into place: a killed process leaves a whole one or none."""
    beside = temporary_beside(path)
    try:
        with closing(sqlite3.connect(beside, isolation_level=None)) as database:
            database.execute(f"PRAGMA application_id={APPLICATION_ID}")
            database.execute(f"PRAGMA user_version={VERSION}")
            database.execute("PRAGMA journal_mode=WAL")
            database.executescript(SCHEMA)
        beside.replace(path)
        sync_folder(path.parent)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _translated(error: Exception, path: Path) -> Exception:
    if isinstance(error, BrokenFile | OSError):
        return error
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
        return BrokenFile(f"{str(path)!r} is not a readable ledger: {error}", hint=REMEDY)
    return OSError(f"the ledger {str(path)!r} cannot be written: {error}")
