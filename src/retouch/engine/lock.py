"""One writing process at a time per run folder; a second one learns who holds it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch._lib.clock import now
from retouch._lib.redaction import redacted
from retouch.errors import BadInput, FolderBusy

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

LOCK = ".lock"
HOLDER = ".holder.json"
POLL_S = 0.05
HOLDER_LIMIT_S = 1.0  # how long a process may take between taking the lock and saying who it is


@asynccontextmanager
async def one_writer(folder: Path, *, wait: bool) -> AsyncGenerator[None]:
    """Hold the run folder for writing; the lock goes with the process, however that ends.

    Raises:
        FolderBusy: another process holds it and `wait` is False; the message says who.
        BadInput: the folder cannot be made or is a file.
    """
    from filelock import FileLock, Timeout

    _make(folder)
    lock = FileLock(folder / LOCK)
    while True:
        try:
            lock.acquire(blocking=False)
            break
        except Timeout as error:
            if not wait:
                hint = "Wait for it to end, or add --wait."
                raise FolderBusy(f"{str(folder)!r} is being written by {await _holder(folder)}", hint=hint) from error
        await asyncio.sleep(POLL_S)
    try:
        holder = {"pid": os.getpid(), "started": now(), "boot": _boot(), "command": redacted(" ".join(sys.argv))[:200]}
        (folder / HOLDER).write_text(json.dumps(holder), encoding="utf-8")
        yield
    finally:
        with suppress(OSError):
            (folder / HOLDER).unlink(missing_ok=True)
        lock.release()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        hint = "Name another folder with -o."
        raise BadInput(f"{str(folder)!r} cannot be a run folder: a file is in the way", hint=hint) from error


async def _holder(folder: Path) -> str:
    """Return who holds the folder; one that has just taken it gets a moment to say so."""
    for _ in range(int(HOLDER_LIMIT_S / POLL_S)):
        with suppress(OSError, ValueError, KeyError, TypeError):
            holder = json.loads((folder / HOLDER).read_text(encoding="utf-8"))
            if _alive(holder):
                return f"process {holder['pid']} since {holder['started']} ({holder['command']})"
        await asyncio.sleep(POLL_S)
    return "another process"


def _alive(holder: dict[str, Any]) -> bool:
    """Return whether the process that left its name can still be there; a killed one leaves it behind."""
    if holder["boot"] != _boot():
        return False
    if sys.platform == "win32":
        return True  # asking there would end the process
    try:
        os.kill(int(holder["pid"]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
