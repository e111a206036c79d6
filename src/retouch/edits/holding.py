"""Locks a directory for one process at a time."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from retouch.edits.inside import DirectoryFailure

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

BUSY_LIMIT_S = 10.0
POLL_S = 0.02


@contextmanager
def alone_in(root: Path) -> Generator[None]:
    """Lock the directory, so that no other process writes files to it. The lock ends with the process.

    There is no lock on Windows and on file systems without locks.

    Raises:
        DirectoryFailure: another process holds the lock for too long.
        OSError: the directory cannot be opened.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(root, os.O_RDONLY)
    until = time.monotonic() + BUSY_LIMIT_S
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    hint = "Wait until it ends, then run the command again."
                    raise DirectoryFailure(f"another process is writing to {str(root)!r}", hint=hint) from None
                time.sleep(POLL_S)
            except OSError:
                break
        yield
    finally:
        os.close(handle)
