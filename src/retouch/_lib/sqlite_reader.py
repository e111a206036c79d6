"""Reads a database without changing its directory, even while another process writes to it."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable


T = TypeVar("T")
Stamp: TypeAlias = "tuple[int, int, int] | None"
TRIES = 3
_PRIVATE = "mode=rw" if sys.platform == "win32" else "vfs=unix-none"  # a copy needs no locks
_LOG_HEAD = 32  # bytes, which change when the log restarts


def read_snapshot(path: Path, read: Callable[[sqlite3.Connection], T]) -> T:
    """Return the result of `read` on a snapshot of the committed data in `path`. No file is created or changed.

    A database without a write-ahead log is read in place. With a log, SQLite would create or repair files next to it,
    and in a read-only directory it would ignore the log. Therefore a copy is read. Rows that another process appends
    meanwhile are missing from the copy, or follow its last commit. Only if the log keeps restarting, the database is
    opened concurrently with its writer.

    Raises:
        sqlite3.DatabaseError: the file cannot be read as a database.
    """
    log = path.with_name(f"{path.name}-wal")
    for _ in range(TRIES):
        before = _stamp(path), _head(log)
        found: list[T] = []
        failure: sqlite3.DatabaseError | None = None
        try:
            found.append(_from_copy(path, log, read) if log.exists() else _from(path, "immutable=1", read))
        except FileNotFoundError:
            continue
        except sqlite3.DatabaseError as error:
            failure = error
        if before == (_stamp(path), _head(log)):
            if failure is not None:
                raise failure
            return found[0]
    return _from(path, "mode=ro", read)


def _from(path: Path, how: str, read: Callable[[sqlite3.Connection], T]) -> T:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True, timeout=30)) as database:
        if how == _PRIVATE:
            database.execute("PRAGMA locking_mode=EXCLUSIVE")  # nor shared memory
        return read(database)


def _from_copy(path: Path, log: Path, read: Callable[[sqlite3.Connection], T]) -> T:
    with TemporaryDirectory(prefix="retouch-") as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        shutil.copyfile(log, copy.with_name(log.name))
        return _from(copy, _PRIVATE, read)


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


def _head(log: Path) -> tuple[int, bytes] | None:
    """Return the part of a log that stays constant while rows are only appended."""
    try:
        with log.open("rb") as file:
            return log.stat().st_ino, file.read(_LOG_HEAD)
    except FileNotFoundError:
        return None
