"""Files that are whole or not there, and folders with one writer."""

from __future__ import annotations

import json
import os
import secrets
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.engine.errors import BadInput, FolderBusy
from retouch.engine.ledger import now

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

LOCK = ".lock"
HOLDER = ".holder.json"
TEMPORARY = ".tmp"


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write each file whole: into a temporary file beside it, flushed and synced, then renamed; then sync the folder.

    Names are relative to `folder`. Line endings are written as they are in the text.

    Raises:
        BadInput: a name would leave the folder.
        OSError: a file cannot be written; those not yet renamed are as they were.
    """
    places = {name: _inside(folder, name) for name in files}
    for name, text in files.items():
        _write_whole(places[name], text)
    for parent in {place.parent for place in places.values()}:
        _sync_folder(parent)


def _inside(folder: Path, name: str) -> Path:
    place = folder / name
    if not name or not place.resolve().is_relative_to(folder.resolve()):
        raise BadInput(f"the file name {name!r} leaves the run folder {str(folder)!r}", hint="Name a file inside it.")
    return place


def _write_whole(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = place.with_name(f".{place.name}.{secrets.token_hex(4)}{TEMPORARY}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            temporary.chmod(place.stat().st_mode & 0o777)
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sweep(folder: Path) -> None:
    """Remove the temporary files that a killed process left in `folder`."""
    for left in folder.glob(f".*{TEMPORARY}"):
        left.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return  # a folder cannot be opened there; the rename is already journalled
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_text(path: Path) -> str:
    """Return the text of `path` with its line endings as they are; bytes that are not UTF-8 stay recoverable."""
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


@contextmanager
def one_writer(folder: Path, *, wait: bool) -> Generator[None]:
    """Hold the run folder for writing; the lock goes with the process, however that ends.

    Raises:
        FolderBusy: another process holds it and `wait` is False; the message says who.
        BadInput: the folder cannot be made or is a file.
    """
    from filelock import FileLock, Timeout

    _make(folder)
    lock = FileLock(folder / LOCK, timeout=-1 if wait else 0)
    try:
        lock.acquire()
    except Timeout as error:
        hint = "Wait for it to end, or add --wait."
        raise FolderBusy(f"{str(folder)!r} is being written by {_holder(folder)}", hint=hint) from error
    try:
        holder = {"pid": os.getpid(), "started": now(), "boot": _boot(), "command": " ".join(sys.argv)[:200]}
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


def _holder(folder: Path) -> str:
    try:
        holder = json.loads((folder / HOLDER).read_text(encoding="utf-8"))
        return f"process {holder['pid']} since {holder['started']} ({holder['command']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
