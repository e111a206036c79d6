"""An append-only file of events: one JSON object per line, on disk before the writer continues."""

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
    """Reads new events from the file and appends events. Several processes may use it at the same time.

    `skipped` counts lines that are not events. `cut`: the last line was incomplete at the last read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped = 0
        self.cut = False
        self._read_to = 0
        self._inode: int | None = None

    def fresh(self) -> tuple[list[TrialEvent], bool]:
        """Return the events that were appended since the last call, and whether the file was replaced.

        A replaced (compacted) file is read from its start. An incomplete last line is read later.

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
        """Lock the file for writing. The lock ends with the process.

        Raises:
            LocateError: another process holds the lock for too long, or the directory cannot be created.
        """
        from filelock import FileLock, Timeout

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self.path}.lock", timeout=LOCK_LIMIT_S):
                yield
        except Timeout as error:
            hint = f"Find the process that holds {str(self.path)!r}.lock, end it, and try again."
            raise LocateError(f"another process has locked the trial ledger {str(self.path)!r}", hint=hint) from error
        except (FileExistsError, NotADirectoryError) as error:
            raise LocateError(f"{str(self.path.parent)!r} is not a directory", hint="Use another path.") from error

    def append(self, events: Iterable[TrialEvent]) -> None:
        """Append `events`, and return when they are on disk. Only call this inside `writing`.

        An incomplete line of a killed writer is removed first. Its append never returned.
        """
        content = _content(events)
        if not content:
            return
        new = not self.path.exists()
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        with os.fdopen(handle, "r+b") as file:
            _remove_incomplete_line(file.fileno())
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if new:
            _sync_folder(self.path.parent)

    def replace(self, events: Iterable[TrialEvent]) -> None:
        """Replace the content of the file by `events`, and keep the old content in `.bak`. Only call this inside
        `writing`.
        """
        temporary = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.tmp")
        kept = temporary.with_suffix(".bak")
        try:
            with temporary.open("xb") as file:
                file.write(_content(events))
                file.flush()
                os.fsync(file.fileno())
            shutil.copy2(self.path, kept)
            kept.replace(self.path.with_name(self.path.name + ".bak"))
            temporary.replace(self.path)
            _sync_folder(self.path.parent)
        finally:
            temporary.unlink(missing_ok=True)
            kept.unlink(missing_ok=True)


def _content(events: Iterable[TrialEvent]) -> bytes:
    return b"".join(json.dumps(event.as_json()).encode() + b"\n" for event in events)


def _remove_incomplete_line(handle: int) -> None:
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
        return  # a directory cannot be opened there
    with suppress(OSError):  # the file is written; some file systems cannot flush a directory
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _unreadable(path: Path, error: OSError) -> LocateError:
    what = error.strerror or str(error)
    return LocateError(f"the trial ledger {str(path)!r} cannot be read: {what}", hint="Pass a file that you may read.")
