"""A file that only grows, and that several processes write to, one at a time."""

from __future__ import annotations

import os
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from retouch._lib.disk import sync_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path


class SharedFile:
    """A file of lines. It stays open between uses, and is opened again if another file is at its path."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._name, self._thread = str(path), Lock()
        self._file, self._process = -1, -1

    @contextmanager
    def locked(self) -> Generator[int]:
        """Keep other threads and processes out, and yield the number of the open file. It is made if it is missing.

        Raises:
            OSError: the file cannot be opened.
        """
        import fcntl

        with self._thread:
            self._lock()
            try:
                yield self._file
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def _lock(self) -> None:
        import fcntl

        while True:
            if self._process != os.getpid():  # a lock that was inherited from another process would be shared with it
                self._open()
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                if os.path.samestat(os.stat(self._name), os.fstat(self._file)):  # noqa: PTH116 - for every call
                    return
            except FileNotFoundError:
                pass
            self._process = -1  # somebody moved, removed or replaced it

    def _open(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = not self.path.exists()
        self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        self._process = os.getpid()
        if fresh:
            sync_directory(self.path.parent)

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        if self._file >= 0:
            close(self._file)


def write_whole(file: int, data: bytes) -> None:
    """Write all bytes to an open file and wait until they are on disk."""
    while data:
        data = data[os.write(file, data) :]
    os.fsync(file)


def read_between(file: int, start: int, end: int) -> bytes:
    """Return the bytes of an open file from `start` to before `end`, fewer if it is shorter."""
    found = b""
    while len(found) < end - start:
        more = os.pread(file, end - start - len(found), start + len(found))
        if not more:
            break
        found += more
    return found
