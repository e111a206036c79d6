"""Opens a database for writing, even on file systems without shared memory or POSIX locks.

A database with a write-ahead log needs both, unless one process has exclusive access (`locking_mode=EXCLUSIVE`). Call
these functions only while another lock keeps other writers away.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
from contextlib import closing, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

BUSY_S = 30.0  # how long to wait while another program uses the database, for example a SQLite shell
_NO_LOCKS = "unix-none"  # SQLite's VFS without POSIX locks
_MISSING = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENODEV, errno.EINVAL}


def connect_writer(path: Path) -> sqlite3.Connection:
    """Return a connection in autocommit mode that can write to the existing database at `path`.

    If the usual mode fails, it is opened in exclusive mode, without shared memory. If the file system has no POSIX
    locks, it is opened without locks too.

    Raises:
        sqlite3.DatabaseError: every mode failed.
    """
    with suppress(sqlite3.OperationalError):
        return _opened(path, busy_s=0.0)
    if posix_lock_error(path) is not None:
        return _opened(path, alone=True, vfs=_NO_LOCKS)
    with suppress(sqlite3.OperationalError):
        return _opened(path, alone=True, busy_s=0.0)
    return _opened(path)


def connect_new(path: Path) -> sqlite3.Connection:
    """Return a connection in autocommit mode to a new database that no other process uses yet."""
    return _connect(path, alone=True, vfs="" if posix_lock_error(path) is None else _NO_LOCKS)


def _opened(path: Path, *, alone: bool = False, vfs: str = "", busy_s: float = BUSY_S) -> sqlite3.Connection:
    database = _connect(path, alone=alone, vfs=vfs, busy_s=busy_s)
    try:
        database.execute("BEGIN IMMEDIATE")  # shared memory and locks are first used here
        database.execute("ROLLBACK")
        database.execute(f"PRAGMA busy_timeout={int(BUSY_S * 1000)}")
    except BaseException:
        database.close()
        raise
    return database


def _connect(path: Path, *, alone: bool, vfs: str, busy_s: float = BUSY_S) -> sqlite3.Connection:
    query = f"?vfs={vfs}" if vfs else ""
    database = sqlite3.connect(f"{path.resolve().as_uri()}{query}", uri=True, isolation_level=None, timeout=busy_s)
    if alone:
        database.execute("PRAGMA locking_mode=EXCLUSIVE")
    return database


def posix_lock_error(path: Path) -> OSError | None:
    """Return the error if the file system of `path` has no POSIX locks. Return None if it has, and on Windows.

    The lock is tested on a temporary file next to `path`, because closing `path` itself would release its locks.
    """
    if sys.platform == "win32":
        return None
    import fcntl

    probe = path.with_name(f".{path.name[:100]}.{os.urandom(4).hex()}.tmp")
    try:
        with closing(probe.open("xb")) as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error if error.errno in _MISSING else None
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)
    return None
