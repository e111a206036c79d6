"""The audit log of a guard: one JSON line per event, on disk before the event takes effect."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, cast

from filelock import FileLock

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

    from retouch._lib.json_text import JSON

FIRST = "0" * 64
MAX_TAIL = 1 << 20


class Audit:
    """An append-only file of JSON lines. Several processes may write to it.

    Each line has the hash of the previous line in `prev`, so that `check_audit` detects changed and removed lines. If a
    crash cut a line off, it stays, and the next line records that.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._thread = Lock()
        self._lock = FileLock(f"{path}.lock")

    def append(self, event: str, fields: Mapping[str, JSON]) -> None:
        """Write one line and wait until it is on disk.

        Raises:
            OSError: it cannot be written. No call may be allowed then.
        """
        with self._thread, self._lock, self._opened() as file:
            last, cut_off = _tail(file)
            at = datetime.now(UTC).isoformat(timespec="milliseconds")
            row: dict[str, JSON] = {"at": at, "event": event, "prev": sha256(last).hexdigest() if last else FIRST}
            row |= {"afterCutOffLine": True} if cut_off else {}
            line = json.dumps({**row, **fields}, ensure_ascii=True, separators=(",", ":")).encode()
            _write(file, (b"\n" if cut_off else b"") + line + b"\n")
            os.fsync(file)

    @contextmanager
    def _opened(self) -> Generator[int]:
        fresh = not self.path.exists()
        file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            yield file
        finally:
            os.close(file)
        if fresh:
            directory = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _tail(file: int) -> tuple[bytes, bool]:
    """Return the last line, and whether it was cut off."""
    size = os.fstat(file).st_size
    length = min(size, 4096)
    while True:
        data = os.pread(file, length, size - length)
        lines = data.rstrip(b"\n").rsplit(b"\n", 1)
        if length == size or len(lines) == 2 or length >= MAX_TAIL:
            return lines[-1], bool(data) and not data.endswith(b"\n")
        length = min(size, length * 8)


def check_audit(path: Path) -> int:
    """Return the number of lines of an audit log after checking that each line follows from the previous one.

    Raises:
        BadInput: a line was changed, removed or inserted. The message names it.
    """
    last, count = b"", 0
    for count, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            row = cast("dict[str, JSON]", json.loads(line))
        except ValueError:
            row = {}
        follows = row.get("prev") == (sha256(last).hexdigest() if last else FIRST)
        if row and not follows:
            hint = "Keep the file as evidence, and start a new one."
            raise BadInput(f"{str(path)!r}: line {count} does not follow from the previous line", hint=hint)
        last = line
    return count
