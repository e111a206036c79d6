"""A file of events that only grows: one JSON object per line, on disk before the writer goes on."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from retouch.locate.errors import LocateError
from retouch.locate.trial_events import event_from

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from retouch.locate.trial_events import TrialEvent

LOCK_LIMIT_S = 60.0


class TrialFile:
    """Reads what is new in the file and appends to it; several processes may do so at once.

    `skipped` counts lines that are no events, `cut` says that the last line was not whole when it was last read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped = 0
        self.cut = False
        self._read_to = 0
        self._inode: int | None = None

    def fresh(self) -> tuple[list[TrialEvent], bool]:
        """Return the events that were appended since the last call, and whether the file is another one now.

        Another file (it was compacted) is read from its start. A last line that is not whole is left for later.

        Raises:
            LocateError: the file cannot be read.
        """
        try:
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                replaced = self._inode not in (None, status.st_ino) or status.st_size < self._read_to
                if replaced:
                    self._read_to = self.skipped = 0
                self._inode = status.st_ino
                file.seek(self._read_to)
                content = file.read()
        except FileNotFoundError:
            return [], False
        except OSError as error:
            raise _unreadable(self.path, error) from error
        whole, newline, rest = content.rpartition(b"\n")
        self.cut = bool(rest)
        self._read_to += len(whole) + len(newline)
        return list(self._events(whole.split(b"\n") if whole else [])), replaced

    def _events(self, lines: Iterable[bytes]) -> Generator[TrialEvent]:
        for line in lines:
            if not line.strip():
                continue
            try:
                yield event_from(json.loads(line))
            except (ValueError, TypeError, RecursionError):
                self.skipped += 1

    @contextmanager
    def writing(self) -> Generator[None]:
        """Hold the file for writing; the hold goes with the process, however that ends.

        Raises:
            LocateError: another process holds it for too long, or the folder cannot be made.
        """
        from filelock import FileLock, Timeout

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self.path}.lock", timeout=LOCK_LIMIT_S):
                yield
        except Timeout as error:
            hint = f"See what holds {str(self.path)!r}.lock, end it, and try again."
            raise LocateError(f"the trial ledger {str(self.path)!r} is held by another process", hint=hint) from error
        except (FileExistsError, NotADirectoryError) as error:
            raise LocateError(f"{str(self.path.parent)!r} is not a folder", hint="Name another place.") from error

    def append(self, events: Iterable[TrialEvent]) -> None:
        """Write `events` behind what is there, and return when they are on disk; only inside `writing`.

        What a killed writer left of a line is taken off first: nobody was ever told that it was written.
        """
        content = _content(events)
        if not content:
            return
        new = not self.path.exists()
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        with os.fdopen(handle, "r+b") as file:
            _take_off_the_rest(file.fileno())
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if new:
            _sync_folder(self.path.parent)

    def replace(self, events: Iterable[TrialEvent]) -> None:
        """Let `events` be all that the file holds, and keep what it held in `.bak`; only inside `writing`."""
        beside = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.tmp")
        kept = beside.with_suffix(".bak")
        try:
            with beside.open("xb") as file:
                file.write(_content(events))
                file.flush()
                os.fsync(file.fileno())
            shutil.copy2(self.path, kept)
            kept.replace(self.path.with_name(self.path.name + ".bak"))
            beside.replace(self.path)
            _sync_folder(self.path.parent)
        finally:
            beside.unlink(missing_ok=True)
            kept.unlink(missing_ok=True)


def _content(events: Iterable[TrialEvent]) -> bytes:
    return b"".join(json.dumps(event.as_json()).encode() + b"\n" for event in events)


def _take_off_the_rest(handle: int) -> None:
    size = os.fstat(handle).st_size
    step, end = 65_536, size
    while end > 0:
        start = max(end - step, 0)
        place = os.pread(handle, end - start, start).rfind(b"\n")
        if place >= 0:
            end = start + place + 1
            break
        end = start
    if end < size:
        os.ftruncate(handle, end)


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return  # a folder cannot be opened there
    with suppress(OSError):  # the file is there; some file systems cannot flush a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _unreadable(path: Path, error: OSError) -> LocateError:
    what = error.strerror or str(error)
    return LocateError(f"the trial ledger {str(path)!r} cannot be read: {what}", hint="Name a file that you may read.")
