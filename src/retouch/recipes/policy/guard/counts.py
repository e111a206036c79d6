"""The calls that a guard let through, for rules about earlier calls. On disk before a call is made."""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, cast

from retouch._lib.disk import sync_directory
from retouch.errors import BrokenFile
from retouch.recipes.policy.deciding.counting import CallTally
from retouch.recipes.policy.guard.shared_file import SharedFile, read_between, write_whole
from retouch.recipes.policy.language.values import AFTER, PERIOD_S

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from pathlib import Path

    from retouch.recipes.policy.deciding.counting import Amounts, Spent

LONGEST_S = max(PERIOD_S.values())
CUT_OFF = b"#cut-off"
LARGE = 4 << 20


@dataclass(frozen=True, kw_only=True)
class OpenCounts:
    """The counts while a guard has them for itself. Times are in seconds since 1970.

    `now` is the time that the call is counted at, and `clock` the time of the machine. `clock` is earlier if it was set
    back.
    """

    now: float
    clock: float
    spent: Spent
    add: Callable[[Amounts], None]


class CallCounts:
    """An append-only file with the calls that were let through. Several processes may use it at the same time.

    A line has the time and what the call adds to each scope. It has no arguments of the call, only digests of values
    that calls are compared by. If the clock of the machine is set back, the time of the last line counts as now for
    totals, and it is uncertain what was called in the last hour.

    A large file is shortened: of calls older than the longest period, only the last time of each value that was called
    is preserved, if a rule is about what was called before.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.path, self._clock = path, clock
        self._file = SharedFile(path)
        self._tally, self._read = CallTally(), 0
        self._inode: int = -1

    @contextmanager
    def locked(self) -> Generator[OpenCounts]:
        """Keep other guards out while one call is decided and counted.

        Raises:
            OSError: the file cannot be used. No call may be allowed then.
            BrokenFile: a line cannot be read.
        """
        if self._inode == -1:
            with self._file.locked() as file:
                self._shorten(os.fstat(file).st_size)
        with self._file.locked() as file:
            cut_off = self._refresh(file)
            clock = self._clock()
            now = max(clock, self._tally.last)
            self._tally.forget(now - LONGEST_S)

            def add(amounts: Amounts) -> None:
                write_whole(file, (CUT_OFF + b"\n" if cut_off else b"") + _line(now, amounts))

            spent = self._tally.spent_at(now, certain=now == clock)
            yield OpenCounts(now=now, clock=clock, spent=spent, add=add)

    def _shorten(self, size: int) -> None:
        """Remove old lines from a large file. All guards, this one too, notice that it is another file."""
        if size < LARGE:
            return
        lines = self.path.read_bytes().splitlines()
        rows = [one for one in map(self._row, lines) if one is not None]
        last = max((at for at, _ in rows), default=0.0)
        kept = b"".join(_line(at, amounts) for at, amounts in _needed(rows, last - LONGEST_S))
        shorter = self.path.with_name(f"{self.path.name}.new")
        with shorter.open("wb") as file:
            file.write(kept)
            file.flush()
            os.fsync(file.fileno())
        shorter.replace(self.path)
        sync_directory(self.path.parent)

    def _refresh(self, file: int) -> bool:
        """Read the lines that other guards wrote. Return whether the last line was cut off."""
        seen = os.fstat(file)
        if seen.st_ino != self._inode or seen.st_size < self._read:
            self._tally, self._read, self._inode = CallTally(), 0, seen.st_ino
        data = read_between(file, self._read, seen.st_size)
        whole, newline, left = data.rpartition(b"\n")
        for line in whole.splitlines():
            row = self._row(line)
            if row is not None:
                self._tally.add(*row)
        self._read += len(whole) + len(newline)
        return bool(left)

    def _row(self, line: bytes) -> tuple[float, Amounts] | None:
        """Return the time and amounts of a line. None if a crash cut it off, so that its call was not made."""
        if not line.strip() or line.endswith(CUT_OFF):
            return None
        try:
            row = cast("dict[str, Any]", json.loads(line))
            return _amount(row["at"]) or 0.0, {
                scope: {subject: _amount(one, unknown=True) for subject, one in found.items()}
                for scope, found in row["counts"].items()
            }
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            hint = "Calls are denied until you repair the line. If you remove the file, counting starts again."
            raise BrokenFile(f"{str(self.path)!r} has a line that cannot be read: {line[:80]!r}", hint=hint) from error


def _needed(rows: Sequence[tuple[float, Amounts]], before: float) -> Iterator[tuple[float, Amounts]]:
    """Yield the rows after a time, and of those before it the last time of each value that was called."""
    called: dict[tuple[str, str], float] = {}
    for at, amounts in rows:
        if at <= before:
            called |= {
                (scope, subject): at for scope in amounts if scope.startswith(AFTER) for subject in amounts[scope]
            }
    old: dict[float, dict[str, dict[str, float | None]]] = {}
    for (scope, subject), at in called.items():
        old.setdefault(at, {}).setdefault(scope, {})[subject] = 1
    yield from sorted(old.items())
    yield from (row for row in rows if row[0] > before)


def _amount(value: object, *, unknown: bool = False) -> float | None:
    """Return a time or an amount of a line. None is an unknown amount.

    Raises:
        ValueError: it is no number from 0. A negative amount would give back what was spent.
    """
    if value is None and unknown:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < inf:
        raise ValueError(f"{value!r} is not a number from 0")
    return value


def _line(at: float, amounts: Amounts) -> bytes:
    return json.dumps({"at": at, "counts": amounts}, separators=(",", ":")).encode() + b"\n"
