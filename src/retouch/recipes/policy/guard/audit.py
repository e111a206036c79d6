"""The audit log of a guard: one JSON line per event, on disk before the event takes effect."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, cast

from retouch.errors import BadInput
from retouch.recipes.policy.guard.shared_file import SharedFile, write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from retouch._lib.json_text import JSON

FIRST = "0" * 64
MAX_TAIL = 1 << 20
_ENCODER = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


class Audit:
    """An append-only file of JSON lines. Several processes may write to it.

    Each line has the hash of the previous line in `prev`, so that `check_audit` detects changed and removed lines. If a
    crash cut a line off, it stays, and the next line records that.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = SharedFile(path)
        self._last, self._end = b"", -1  # the line that this process wrote last, and where it ends

    def append(self, event: str, fields: Mapping[str, JSON]) -> None:
        """Write one line and wait until it is on disk.

        Raises:
            OSError: it cannot be written. No call may be allowed then.
        """
        with self._file.locked() as file:
            size = os.fstat(file).st_size
            last, cut_off = (self._last, False) if size == self._end else _tail(file, size)
            at = datetime.now(UTC).isoformat(timespec="milliseconds")
            row: dict[str, JSON] = {"at": at, "event": event, "prev": sha256(last).hexdigest() if last else FIRST}
            row |= {"afterCutOffLine": True} if cut_off else {}
            line = _ENCODER.encode({**row, **fields}).encode()
            data = (b"\n" if cut_off else b"") + line + b"\n"
            self._end = -1
            write_whole(file, data)
            self._last, self._end = line, size + len(data)


def _tail(file: int, size: int) -> tuple[bytes, bool]:
    """Return the last line of a file of this size, and whether it was cut off."""
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
