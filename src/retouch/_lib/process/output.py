"""Command output: bounded in size, trimmed to the error lines, and compared with earlier output."""

from __future__ import annotations

import re

HEAD_BYTES = TAIL_BYTES = 256 * 1024
MOST_LINES = 60
MOST_CHARS = 6_000
_TELLING = re.compile(r"error|fail|assert|exception|traceback|^E\s|expected", re.IGNORECASE)
_CHANGING = re.compile(r"0x[0-9a-fA-F]+|\d+(?:[.,:]\d+)*|\x1b\[[0-9;]*m")


class BoundedOutput:
    """The first and the last 256 kB of a stream of bytes."""

    def __init__(self, head: int = HEAD_BYTES, tail: int = TAIL_BYTES) -> None:
        self._limits = head, tail
        self._head, self._tail = bytearray(), bytearray()
        self._left_out = 0

    def add(self, data: bytes) -> None:
        """Add the next bytes."""
        head, tail = self._limits
        room = head - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * tail:
            self._shorten()

    def _shorten(self) -> None:
        over = len(self._tail) - self._limits[1]
        if over > 0:
            del self._tail[:over]
            self._left_out += over

    def text(self) -> str:
        """Return the kept output. A line in the middle gives the number of dropped bytes."""
        self._shorten()
        gap = f"\n[... {self._left_out:,} bytes left out ...]\n".encode() if self._left_out else b""
        return bytes(self._head + gap + self._tail).decode("utf-8", "replace")


def trimmed(output: str) -> str:
    """Return the output lines that report errors, with some context, and the end of the output."""
    lines = [line.rstrip() for line in output.splitlines()]
    if len(lines) > MOST_LINES:
        telling = [number for number, line in enumerate(lines) if _TELLING.search(line)]
        around = {near for number in telling[:20] for near in range(number - 1, number + 3)}
        wanted = sorted((around & set(range(len(lines)))) | set(range(len(lines) - 10, len(lines))))
        kept = wanted if len(wanted) <= MOST_LINES else [*wanted[: MOST_LINES - 10], *wanted[-10:]]
        lines = [lines[number] for number in kept]
    text = "\n".join(lines)
    return text if len(text) <= MOST_CHARS else text[: MOST_CHARS // 2] + "\n[...]\n" + text[-MOST_CHARS // 2 :]


def new_failures(before: str, after: str) -> list[str]:
    """Return the error lines of `after` that are not in `before`. Numbers are ignored."""
    known = {_CHANGING.sub("0", line).strip() for line in before.splitlines()}
    lines = (line.strip() for line in after.splitlines() if _TELLING.search(line))
    return [line for line in lines if _CHANGING.sub("0", line) not in known]
