"""What a command asks of the system for the files under a folder, as strace sees it, and faults put in its place."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.durability.points import Point, starred
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.durability.template import Ended

CALLS = (
    *("openat", "?open", "?creat", "write", "writev", "pwrite64", "?pwritev", "ftruncate", "fsync", "fdatasync"),
    *("?rename", "renameat", "?renameat2", "?unlink", "unlinkat", "?rmdir", "?link", "linkat", "?mkdir", "mkdirat"),
    *("?chmod", "fchmod", "fchmodat", "copy_file_range", "sendfile"),
)
FAULTS = {"kill": "signal=SIGKILL", "ENOSPC": "error=ENOSPC", "EIO": "error=EIO"}
FULL = {"openat", "open", "write", "writev", "pwrite64", "ftruncate", "fsync", "fdatasync", "mkdir", "mkdirat", "link"}
_LINE = re.compile(r"(\d+) +(\w+)\((.*)")
ATTACH_LIMIT_S = 120.0
AHEAD = 300  # strace counts each thread for itself: so far ahead, the first thread shares no number with another


@dataclass(frozen=True, kw_only=True)
class Trace:
    """What strace wrote of one run, and the folder whose files are looked at."""

    text: str
    folder: Path

    def points(self) -> list[Point]:
        """Return the calls for files under the folder, in order."""
        return [point for point in self._all() if point.path]

    def struck(self, aim: Point) -> Point | None:
        """Return the call where a fault was put that was aimed at `aim`: the first of its kind and number."""
        return next((one for one in self._all() if (one.call, one.number) == (aim.call, aim.number)), None)

    def _all(self) -> Iterator[Point]:
        counted: Counter[tuple[str, str]] = Counter()
        for line in self.text.splitlines():
            found = _LINE.fullmatch(line)
            if found is None:
                continue
            thread, call, rest = found.groups()
            counted[thread, call] += 1
            creating = "O_CREAT" in rest or "O_WRONLY" in rest or "O_RDWR" in rest
            path = self._path(rest)
            yield Point(call=call, path=path, number=counted[thread, call], is_creating=creating)

    def _path(self, rest: str) -> str:
        """Return the path that a call is for, relative to the folder; "" for one elsewhere."""
        quoted = re.findall(r'"([^"]*)"', rest)
        places = quoted if not re.match(r"\d", rest) else re.findall(r"^\d+<(/[^>]*)>", rest)
        for place in places:
            whole = os.path.normpath(self.folder / place)
            if whole == str(self.folder) or whole.startswith(f"{self.folder}{os.sep}"):
                return starred(os.path.relpath(whole, self.folder))
        return ""


def can_trace() -> bool:
    """Return whether strace is here and may trace."""
    if sys.platform != "linux" or shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-qq", "true"], capture_output=True, check=False).returncode == 0


class Tracer:
    """Traces a process, and all threads that it starts, from the moment `attach` returns; `inject` is a fault or "".

    `paths` are options of strace that name files: calls for any other file are left alone.
    """

    def __init__(self, log: Path, *, inject: str = "", whole: str = "", paths: Sequence[str] = ()) -> None:
        bare = ["strace", "-f", "-y", "-qq", "-o", str(log), *paths]
        short = ["-s", "16", "-e", f"trace={','.join(CALLS)}"]
        words = [*bare, *(["-xx", "-s", "10000000", "-e", f"trace={whole}"] if whole else short)]
        self._words = [*words, *(["-e", f"inject={inject}"] if inject else [])]
        self._log = log

    def attach(self, pid: int) -> None:
        """Begin; with `whole`, the names of calls, everything that these write is in the trace, as hexadecimal.

        Raises:
            TimeoutError: strace does not get hold of the process.
        """
        self._process = subprocess.Popen([*self._words, "-p", str(pid)], stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + ATTACH_LIMIT_S
        while "TracerPid:\t0\n" in Path(f"/proc/{pid}/status").read_text():
            if self._process.poll() is not None or time.monotonic() > until:
                self._process.kill()
                raise TimeoutError(f"strace does not trace process {pid}: {self._process.communicate()[1]}")
            time.sleep(0.001)

    def trace(self, folder: Path) -> Trace:
        """Return what was seen, once the process has ended."""
        self._process.communicate(timeout=MOST_S)
        return Trace(text=self._log.read_text("utf-8", "replace"), folder=folder)


class ByStrace:
    """Lists and strikes all calls that a command makes of the system."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def points(self, run: Callable[..., Ended], folder: Path) -> list[Point]:
        """Return the points of a command, in order; `run` runs it."""
        return self._traced(run, folder, "")[1].points()

    def faults(self, point: Point) -> list[str]:
        """Return what may be put at a point: a disk is full where something is to be made or written."""
        is_full = point.call in FULL and (point.is_creating or not point.call.startswith("open"))
        return ["kill", *(["ENOSPC"] if is_full else []), "EIO"]

    def strike(self, run: Callable[..., Ended], folder: Path, point: Point, fault: str) -> tuple[Ended, Point | None]:
        """Strike a command at a point; return how it ended and where it was struck."""
        ended, trace = self._traced(run, folder, f"{point.call}:{FAULTS[fault]}:when={point.number}")
        return ended, trace.struck(point)

    def _traced(self, run: Callable[..., Ended], folder: Path, inject: str) -> tuple[Ended, Trace]:
        tracer = Tracer(self._log, inject=inject)
        ended = run(at_gate=tracer.attach, ahead=AHEAD)
        return ended, tracer.trace(folder)
