"""Faults without a tracer: put where Python itself asks the system, in the process that is to be struck.

An audit hook sees every open, rename, link, removal and new folder before it happens, and raises there or kills.
SQLite, which asks the system itself, is killed before each of its statements, which its connections are told to tell.
`os.fsync` has no audit event: it is wrapped. What a file holds is written between its opening and its fsync, so that a
kill there leaves a part of it.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.durability.points import Point, starred

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.durability.template import Ended

PLACES = {
    "open": 1,
    "os.rename": 2,
    "os.remove": 1,
    "os.mkdir": 1,
    "os.rmdir": 1,
    "os.link": 2,
    "os.chmod": 1,
    "os.truncate": 1,
}
STATEMENT = "sqlite3 statement"
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Striker:
    """Counts what is asked for files below `root`, notes it in `log`, and strikes at the number `at` (0 never)."""

    def __init__(self, *, root: str, log: str, fault: str, at: int) -> None:
        self._root, self._fault, self._at = root, fault, at
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        self._count = 0
        self._fsync, self._connect = os.fsync, sqlite3.connect

    def install(self) -> None:
        """Begin to count."""
        sys.addaudithook(self._heard)
        os.fsync = self._synced
        sqlite3.connect = self._connected

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if event in PLACES:
            places = [os.fsdecode(place) for place in args[: PLACES[event]] if isinstance(place, str | bytes)]
            place = next((place for place in places if self._is_below(place)), None)
            if place is not None:
                self._strike(f"{event} to write" if event == "open" and args[2] & WRITING else event, place)

    def _connected(self, *args: Any, **named: Any) -> sqlite3.Connection:
        connection = self._connect(*args, **named)
        connection.set_trace_callback(self._stated)
        return connection

    def _synced(self, file: int) -> None:
        place = str(Path(f"/proc/self/fd/{file}").readlink()) if sys.platform == "linux" else self._root
        if self._is_below(place):
            self._strike("os.fsync", place)
        self._fsync(file)

    def _stated(self, _statement: str) -> None:
        self._strike(STATEMENT, self._root)  # an error that is raised here goes nowhere: SQLite does not hear it

    def _is_below(self, place: str) -> bool:
        whole = os.path.normpath(Path.cwd() / place)
        return whole == self._root or whole.startswith(f"{self._root}{os.sep}")

    def _strike(self, event: str, place: str) -> None:
        self._count += 1
        os.write(self._log, f"{event}\t{os.path.relpath(place, self._root)}\n".encode())
        if self._count == self._at:
            if self._fault == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            number = getattr(errno, self._fault)
            raise OSError(number, os.strerror(number), place)


class BySeam:
    """Lists and strikes the points that Python sees."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def points(self, run: Callable[..., Ended], folder: Path) -> list[Point]:
        """Return the points of a command, in order; `run` runs it."""
        run(seam=self._told(folder, "", 0))
        lines = enumerate(self._log.read_text("utf-8").splitlines(), 1)
        asked = [(number, *line.split("\t")) for number, line in lines]
        return [Point(call=call, path=starred(path), number=number) for number, call, path in asked]

    def faults(self, point: Point) -> list[str]:
        """Return what may be put at a point."""
        if point.call == STATEMENT:
            return ["kill"]
        return ["kill", "EIO", *(["ENOSPC"] if re.search("write|mkdir|link|fsync", point.call) else [])]

    def strike(self, run: Callable[..., Ended], folder: Path, point: Point, fault: str) -> tuple[Ended, Point | None]:
        """Strike a command at a point; return how it ended and where it was struck."""
        return run(seam=self._told(folder, fault, point.number)), point

    def _told(self, folder: Path, fault: str, at: int) -> dict[str, Any]:
        return {"root": str(folder), "log": str(self._log), "fault": fault, "at": at}


def strike(told: dict[str, Any]) -> None:
    """Strike this process as it is told: by `root`, `log`, `fault` and `at`."""
    Striker(**told).install()
