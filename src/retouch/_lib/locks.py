"""Locks of files between processes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from retouch.errors import FolderBusy


@contextmanager
def locked(lock: Path, busy: FolderBusy, *, wait_s: float) -> Generator[None]:
    """Hold a lock, which is also released when the process is killed. `wait_s`: seconds to wait for it, -1 for ever.

    Raises:
        FolderBusy: another process held it all that time; it is `busy`.
    """
    from filelock import FileLock, Timeout

    file = FileLock(lock)
    try:
        file.acquire(timeout=wait_s)
    except Timeout as error:
        raise busy from error
    try:
        yield
    finally:
        file.release()
