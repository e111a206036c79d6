"""The append-only record of a run, in SQLite: all requests, replies and decisions.

Rows are never changed or removed (triggers enforce it). One thread writes, and commits all queued rows in one
transaction with `synchronous=FULL`. So a sync never blocks the event loop, and many rows share it. Each long text is
stored once, as its own row with its hash. Rows form a hash chain (`chain`), which detects damage. `one_writer` ensures
that only one process writes at a time.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import sqlite3
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from retouch._lib.clock import now
from retouch._lib.disk import sync_directory, temporary_beside
from retouch._lib.frozen import made
from retouch._lib.holders import HOLDER, boot_id, writing_process
from retouch._lib.json_text import parsed_json, row_pieces
from retouch._lib.redaction import redacted
from retouch._lib.relaxed_gc import no_gc
from retouch._lib.sqlite_reader import read_snapshot
from retouch._lib.sqlite_writer import connect_new, connect_writer
from retouch.engine.chain import ChainCheck, LedgerDamage, StoredRow, chain_hash
from retouch.errors import BadInput, BrokenFile, DamagedRun, FolderBusy

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from retouch._lib.json_text import JSON

LEDGER = "ledger.db"
SCHEMA = """
CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, attempt INTEGER, unit TEXT, at TEXT NOT NULL, data TEXT NOT NULL,
    chain TEXT
);
CREATE TRIGGER IF NOT EXISTS events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS events_last BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'append-only'); END;
"""
HEAD_SCHEMA = """
CREATE TABLE IF NOT EXISTS head (id INTEGER PRIMARY KEY CHECK (id = 0), seq INTEGER NOT NULL, chain TEXT NOT NULL)
"""
APPLICATION_ID = 0x52455443  # "RETC": distinguishes a ledger from any other SQLite file
VERSION = 2
REMEDY = "Put back a copy of it; or move it away: the next generate then starts from pages.json."

T = TypeVar("T")
Waiter: TypeAlias = "Future[None] | asyncio.Future[None]"
_COLUMNS = "seq, kind, attempt, unit, at, data"
_UNASKED_S = 0.05  # how long rows without a waiter may stay uncommitted
_AT_ONCE = 64  # rows per statement: after each, the thread waits up to 5 ms for its turn while the event loop is busy


@dataclass(frozen=True, kw_only=True)
class LedgerRow:
    """One row.

    `attempt` is the sequence number of its intent. `at` is UTC in ISO 8601. `intact` is whether it matches its hash.
    """

    seq: int
    kind: str
    attempt: int | None
    unit: str | None
    at: str
    data: dict[str, JSON]
    intact: bool = True

    def stored(self) -> StoredRow:
        """Return the row's columns."""
        return self.seq, self.kind, self.attempt, self.unit, self.at, "".join(row_pieces(self.data, 0))


def read_entries(path: Path) -> list[LedgerRow]:
    """Return all committed rows of the ledger at `path`, oldest first. Another process may be writing.

    Raises:
        DamagedRun: a row was changed.
        BrokenFile: the file is not a ledger, or cannot be read up to its last commit.
    """
    found = folded(path, list[LedgerRow])
    if found.damage is not None:
        raise damaged_ledger(path, found.damage)
    return found.value


def damaged_ledger(path: Path, damage: LedgerDamage) -> DamagedRun:
    """Return the error for a damaged ledger."""
    return DamagedRun(f"{str(path)!r} is damaged: {damage.what}", hint=REMEDY)


@dataclass(frozen=True, kw_only=True)
class Folded(Generic[T]):
    """The result of a fold over a ledger. `is_chained` is whether hashes cover all rows, `damage` lists mismatches."""

    value: T
    is_chained: bool = False
    damage: LedgerDamage | None = None


def folded(path: Path, fold: Callable[[Iterable[LedgerRow]], T]) -> Folded[T]:
    """Fold the committed rows of the ledger at `path`, oldest first, without loading all into memory.

    `fold` may be called more than once if another process writes. Only the last result counts.

    Raises:
        BrokenFile: the file is not a ledger, or cannot be read up to its last commit.
    """
    if not path.exists():
        return Folded(value=fold(()))
    try:
        with no_gc():
            return read_snapshot(path, lambda database: _folded(database, path, fold))
    except (sqlite3.DatabaseError, ValueError, TypeError) as error:
        raise BrokenFile(f"{str(path)!r} is not a readable ledger: {error}", hint=REMEDY) from error


def _folded(database: sqlite3.Connection, path: Path, fold: Callable[[Iterable[LedgerRow]], T]) -> Folded[T]:
    database.execute("BEGIN")  # a consistent snapshot while other processes write
    version = _verify(database, path)
    check = ChainCheck()
    value = fold(_entries(database, path, check))
    damage = check.damage(_head(database) if version > 1 else None)
    return Folded(value=value, is_chained=check.is_chained, damage=damage)


def _entries(database: sqlite3.Connection, path: Path, check: ChainCheck) -> Iterator[LedgerRow]:
    scrubbed = database.execute("SELECT 1 FROM events WHERE seq = 0").fetchone() is not None
    for place, (columns, chain) in enumerate(_stored_rows(database), 0 if scrubbed else 1):
        seq, kind, attempt, unit, at, data = columns
        if seq != place:
            raise BrokenFile(f"{str(path)!r} is damaged: row {place} is missing", hint=REMEDY)
        found, intact = parsed_json(data), check.take(columns, chain)
        yield made(LedgerRow, seq=seq, kind=kind, attempt=attempt, unit=unit, at=at, data=found, intact=intact)


def _stored_rows(database: sqlite3.Connection) -> Iterator[tuple[StoredRow, str | None]]:
    """Yield the rows in order, each with its hash, or None for a row of version 1."""
    chain = "chain" if database.execute("PRAGMA user_version").fetchone()[0] > 1 else "NULL"
    for row in database.execute(f"SELECT {_COLUMNS}, {chain} FROM events ORDER BY seq"):  # noqa: S608 - constants
        yield row[:-1], row[-1]


def _head(database: sqlite3.Connection) -> tuple[int, str]:
    return database.execute("SELECT seq, chain FROM head").fetchone() or (0, "")


def _verify(database: sqlite3.Connection, path: Path) -> int:
    """Return the ledger's version if this version of Retouch can read it."""
    application: int = database.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        raise BrokenFile(f"{str(path)!r} is a database, but not a ledger of Retouch", hint="Move it away.")
    version: int = database.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise BrokenFile(
            f"{str(path)!r} has ledger version {version}; this Retouch knows {VERSION}",
            hint="Upgrade Retouch; the run was written by a newer one.",
        )
    if version < 1:
        raise BrokenFile(f"{str(path)!r} is damaged: its ledger version is {version}", hint=REMEDY)
    return version


def stored_rows(path: Path, after: int = -1) -> list[StoredRow]:
    """Return the committed rows with a number above `after`, as they are stored. Another process may be writing.

    Raises:
        BrokenFile: the file is not a ledger.
    """
    if not path.exists():
        return []

    def read(database: sqlite3.Connection) -> list[StoredRow]:
        _verify(database, path)
        return [row for row, _ in _stored_rows(database) if row[0] > after]

    try:
        return read_snapshot(path, read)
    except sqlite3.DatabaseError as error:
        raise BrokenFile(f"{str(path)!r} is not a readable ledger: {error}", hint=REMEDY) from error


class Ledger:
    """The writer of one ledger. A single process uses it, guarded by the run directory's lock.

    `append` immediately returns a row with its sequence number. Rows are committed when a caller waits for them, or
    soon after. While several callers wait, each commit gathers the rows that arrive within `gather_s`.
    """

    def __init__(self, path: Path, *, next_seq: int) -> None:
        self.gather_s = 0.0
        self._path = path
        self._next = next_seq
        self._on_disk = next_seq - 1
        self._queue: SimpleQueue[StoredRow | Waiter | None] = SimpleQueue()
        self._failure: Exception | None = None
        self._chain = ""
        opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._write, args=(opened,), name="retouch-ledger", daemon=True)
        self._thread.start()
        opened.result()

    def append(
        self, kind: str, data: Mapping[str, JSON], *, attempt: int | None = None, unit: str | None = None
    ) -> LedgerRow:
        """Queue one row and return it.

        Raises:
            OSError: an earlier row could not be written (for example, the disk is full).
        """
        if self._failure is not None:
            raise self._unwritable() from self._failure
        entry = LedgerRow(seq=self._next, kind=kind, attempt=attempt, unit=unit, at=now(), data=dict(data))
        self._next += 1
        self._queue.put(entry.stored())
        return entry

    async def synced(self) -> None:
        """Wait until all rows appended so far are on disk. They are committed even if the wait is cancelled.

        Raises:
            OSError: a row could not be written; BrokenFile: the file is no longer a ledger.
        """
        if self._on_disk < self._next - 1:
            done = asyncio.get_running_loop().create_future()
            self._queue.put(done)
            await done

    def synced_now(self) -> None:
        """Wait until all rows appended so far are on disk. Raises the same errors as `synced`."""
        self._queue.put(done := Future[None]())
        done.result()

    def close(self) -> None:
        """Commit queued rows and close the file."""
        self._queue.put(None)
        self._thread.join()
        if self._failure is not None:
            raise self._unwritable() from self._failure

    def _unwritable(self) -> OSError:
        return OSError(f"the ledger {str(self._path)!r} cannot be written: {self._failure}")

    def _write(self, opened: Future[None]) -> None:
        try:
            database = self._open()
        except (sqlite3.Error, OSError, BrokenFile) as error:
            opened.set_exception(_translated(error, self._path))
            return
        opened.set_result(None)
        with closing(database):
            batch = _Batch()
            while not batch.last:
                batch = self._gathered(many=len(batch.waiters) > 1)
                self._commit(database, batch.rows)
                _wake(batch.waiters, None if self._failure is None else _translated(self._failure, self._path))

    def _open(self) -> sqlite3.Connection:
        if not self._path.exists():
            _create(self._path)
        database = connect_writer(self._path)
        if _verify(database, self._path) < VERSION:
            _upgrade(database)
        self._chain = _head(database)[1]
        database.execute("PRAGMA synchronous=FULL")
        return database

    def _gathered(self, *, many: bool) -> _Batch:
        """Return the next batch to commit. `many` is whether several callers waited for the last commit."""
        batch = _Batch()
        batch.take(self._queue.get())
        if many and self.gather_s:
            time.sleep(self.gather_s)
        batch.take_all(self._queue)
        end = time.monotonic() + _UNASKED_S
        with suppress(Empty):  # no waiter yet, but one is likely to follow soon
            while not (batch.waiters or batch.last):
                batch.take(self._queue.get(timeout=max(end - time.monotonic(), 0.0)))
                batch.take_all(self._queue)
        return batch

    def _commit(self, database: sqlite3.Connection, rows: list[StoredRow]) -> None:
        if self._failure is not None or not rows:
            return
        try:
            database.execute("BEGIN")
            chain = _insert(database, rows, self._chain)
            database.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
            self._failure = error
        else:
            self._chain = chain
            self._on_disk = rows[-1][0]


class _Batch:
    """A batch from the writer's queue: rows, their waiters, and whether to close the ledger."""

    def __init__(self) -> None:
        self.rows: list[StoredRow] = []
        self.waiters: list[Waiter] = []
        self.last = False

    def take(self, item: StoredRow | Waiter | None) -> None:
        """Add one item."""
        if item is None:
            self.last = True
        elif isinstance(item, tuple):
            self.rows.append(item)
        else:
            self.waiters.append(item)

    def take_all(self, queue: SimpleQueue[StoredRow | Waiter | None]) -> None:
        """Add all queued items."""
        with suppress(Empty):
            while True:
                self.take(queue.get_nowait())


def _wake(waiters: Iterable[Waiter], failure: Exception | None) -> None:
    """Notify the waiters: threads directly, and those of an event loop together, in that loop."""
    loops: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for waiter in waiters:
        if isinstance(waiter, Future):
            _finish([waiter], failure)
        else:
            loops.setdefault(waiter.get_loop(), []).append(waiter)
    for loop, group in loops.items():
        with suppress(RuntimeError):  # the loop has ended, so no task waits
            loop.call_soon_threadsafe(_finish, group, failure)


def _finish(waiters: Iterable[Waiter], failure: Exception | None) -> None:
    for waiter in waiters:
        if waiter.done():  # its task was cancelled
            continue
        if failure is None:
            waiter.set_result(None)
        else:
            waiter.set_exception(failure)


def _insert(database: sqlite3.Connection, rows: Iterable[StoredRow], chain: str) -> str:
    """Insert rows after the row with the hash `chain`, and return the hash of the last one."""
    left, seq = iter(rows), None
    while several := [*islice(left, _AT_ONCE)]:
        values = list[int | str | None]()
        for row in several:
            seq, chain = row[0], chain_hash(chain, row)
            values += (*row, chain)
        marks = ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * len(several))
        database.execute(f"INSERT INTO events VALUES {marks}", values)  # noqa: S608 - marks only
    if seq is not None:
        database.execute("INSERT OR REPLACE INTO head VALUES (0, ?, ?)", (seq, chain))
    return chain


def _upgrade(database: sqlite3.Connection) -> None:
    """Upgrade a ledger from version 1 to 2 in one transaction. The first new row will cover all old ones."""
    check = ChainCheck()
    database.execute("BEGIN IMMEDIATE")
    for row, _ in _stored_rows(database):
        check.take(row, None)
    database.execute("ALTER TABLE events ADD COLUMN chain TEXT")
    database.execute(HEAD_SCHEMA)
    database.execute("INSERT INTO head VALUES (0, ?, ?)", check.head())
    database.execute(f"PRAGMA user_version={VERSION}")
    database.execute("COMMIT")


def _create(path: Path) -> None:
    """Create an empty ledger under a temporary name and rename it. A killed process leaves a complete one or none."""
    beside = temporary_beside(path)
    try:
        write_ledger(beside, ())
        beside.replace(path)
        sync_directory(path.parent)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_ledger(path: Path, rows: Iterable[StoredRow]) -> None:
    """Write a new ledger with these rows to disk. No other process may use the file yet."""
    with closing(connect_new(path)) as database:
        database.execute("PRAGMA synchronous=OFF")
        database.execute("PRAGMA journal_mode=OFF")
        database.execute(f"PRAGMA application_id={APPLICATION_ID}")
        database.execute(f"PRAGMA user_version={VERSION}")
        database.executescript(SCHEMA)
        database.execute(HEAD_SCHEMA)
        database.execute("BEGIN")
        _insert(database, rows, "")
        database.execute("COMMIT")
        database.execute("PRAGMA journal_mode=WAL")  # last, so that no row stays in the log
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _translated(error: Exception, path: Path) -> Exception:
    if isinstance(error, BrokenFile | OSError):
        return error
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
        return BrokenFile(f"{str(path)!r} is not a readable ledger: {error}", hint=REMEDY)
    return OSError(f"the ledger {str(path)!r} cannot be written: {error}")


LOCK = ".lock"
POLL_S = 0.05
_NO_LOCK_ERRORS = {errno.ENOLCK, errno.ENODEV, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
HOLDER_LIMIT_S = 1.0  # how long a process may take between taking the lock and writing its identity


@asynccontextmanager
async def one_writer(directory: Path, *, wait: bool) -> AsyncGenerator[None]:
    """Lock the run directory for writing. The lock is released when the process ends, however it ends.

    Raises:
        FolderBusy: another process holds it and `wait` is False. The message names the process.
        BadInput: the directory cannot be created or is a file.
    """
    from filelock import FileLock, Timeout

    _make(directory)
    lock = FileLock(directory / LOCK)
    while True:
        try:
            lock.acquire(blocking=False)
            break
        except Timeout as error:
            if not wait:
                hint = "Wait for it to end, or add --wait."
                raise FolderBusy(
                    f"{str(directory)!r} is being written by {await _holder(directory)}", hint=hint
                ) from error
        except OSError as error:
            raise _unlockable(directory, error) from error
        await asyncio.sleep(POLL_S)
    try:
        holder = {
            "pid": os.getpid(),
            "started": now(),
            "boot": boot_id(),
            "command": redacted(" ".join(sys.argv))[:200],
        }
        (directory / HOLDER).write_text(json.dumps(holder), encoding="utf-8")
        yield
    finally:
        with suppress(OSError):
            (directory / HOLDER).unlink(missing_ok=True)
        lock.release()


def _unlockable(directory: Path, error: OSError) -> Exception:
    """Return the error for a directory that cannot be locked although its lock is free."""
    if error.errno not in _NO_LOCK_ERRORS:
        return error
    what = f"the file system of {str(directory)!r} has no file locks ({errno.errorcode[error.errno]}: {error.strerror})"
    hint = "Choose a directory on a local disk with -o, or mount this file system with locks."
    return BadInput(f"{what}, without which two processes could write into it at once", hint=hint)


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        hint = "Choose another directory with -o."
        raise BadInput(f"{str(directory)!r} cannot be a run directory: a file is in the way", hint=hint) from error


async def _holder(directory: Path) -> str:
    """Return the process that holds the directory. A new holder gets a moment to write its identity."""
    for _ in range(int(HOLDER_LIMIT_S / POLL_S)):
        holder = writing_process(directory)
        if holder:
            return holder
        await asyncio.sleep(POLL_S)
    return "another process"
