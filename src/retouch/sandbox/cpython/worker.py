"""A process in a session of its own that gets a job, answers in lines, and is always killed on close."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHUNK_BYTES = 1 << 16
_DYING_S = 0.1
_READY = select.POLLIN | select.POLLHUP | select.POLLERR


class Silent(Exception):
    """No line was received in time."""


class Flooded(Exception):
    """A line is longer than an answer may be."""


class Ended(Exception):
    """The process ended, or closed its output, before a line was complete."""


class Worker:
    """A started process. Use it in a `with` statement.

    Its environment only has the locale. It inherits three pipes and no other file. Its output is always read, and
    stored up to `printed_bytes`. Waiting uses poll on the pipes and on the process.
    """

    def __init__(self, command: Sequence[str], job: bytes, *, line_bytes: int, printed_bytes: int) -> None:
        self._job = memoryview(job)
        self._line_bytes = line_bytes
        self._printed_bytes = printed_bytes
        self._pending = bytearray()
        self.printed = bytearray()
        self._at_end = False
        self._prints = True
        self._status = 0
        answers, theirs = os.pipe()
        printed, their_output = os.pipe()
        wanted, given = os.pipe()
        try:
            self._process = _start(command, stdin=wanted, printed=their_output, answers=theirs)
        except BaseException:
            for file in (answers, printed, given):
                os.close(file)
            raise
        finally:
            for file in (theirs, their_output, wanted):
                os.close(file)
        self._answers, self._printed, self._given = answers, printed, given
        self._ended = os.pidfd_open(self._process.pid) if hasattr(os, "pidfd_open") else -1
        os.set_blocking(given, False)
        self._poll = select.poll()
        for file in (answers, printed, self._ended):
            if file >= 0:
                self._poll.register(file, _READY)
        self._poll.register(given, select.POLLOUT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def line(self, until_s: float) -> bytes:
        """Return the next line without its end. `until_s` is a time of `time.monotonic`.

        Raises:
            Silent: it was not received in time.
            Flooded: it is too long.
            Ended: the process ended before.
        """
        while (end := self._pending.find(b"\n")) < 0:
            if len(self._pending) > self._line_bytes:
                raise Flooded
            left_s = until_s - time.monotonic()
            if left_s <= 0:
                raise Silent
            self._wait(left_s)
        found = bytes(self._pending[:end])
        del self._pending[: end + 1]
        if len(found) > self._line_bytes:
            raise Flooded
        return found

    def _wait(self, left_s: float) -> None:
        """Transfer available data once."""
        files = {file for file, _ in self._poll.poll(left_s * 1000 + 1)}
        if self._given in files:
            self._give()
        if self._printed in files:
            self._keep()
        if self._answers in files:
            found = os.read(self._answers, _CHUNK_BYTES)
            if not found:
                self._at_end = True
                raise Ended
            self._pending += found
        elif self._ended in files:
            self._at_end = True
            raise Ended

    def _give(self) -> None:
        try:
            self._job = self._job[os.write(self._given, self._job[:_CHUNK_BYTES]) :]
        except BrokenPipeError:
            self._job = self._job[:0]
        if not self._job:
            self._poll.unregister(self._given)
            os.close(self._given)
            self._given = -1

    def _keep(self) -> bool:
        """Read printed output. Return whether there may be more."""
        found = os.read(self._printed, _CHUNK_BYTES)
        if not found and self._prints:
            self._prints = False
            self._poll.unregister(self._printed)
        self.printed += found[: max(0, self._printed_bytes - len(self.printed))]
        return bool(found)

    def _keep_rest(self) -> None:
        """Read the output that was already printed, up to the limit."""
        os.set_blocking(self._printed, False)
        with contextlib.suppress(BlockingIOError):
            while len(self.printed) < self._printed_bytes and self._keep():
                pass

    def _kill(self) -> None:
        """Kill the children first, so that a wrapper can reap them."""
        pid = self._process.pid
        with contextlib.suppress(OSError, ValueError):
            inner = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
            for child in inner:
                os.kill(int(child), signal.SIGKILL)
            if inner and self._ended >= 0:
                _wait_for(self._ended, _DYING_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)

    def close(self) -> int:
        """Kill the process and its group, and return the exit status.

        A process that has closed its output gets a moment to end, so that its own exit status is returned.
        """
        if self._process.returncode is None:
            if self._at_end and self._ended >= 0:
                _wait_for(self._ended, _DYING_S)
            self._keep_rest()
            self._kill()
            self._status = self._process.wait()
            for file in (self._answers, self._printed, self._given, self._ended):
                if file >= 0:
                    os.close(file)
        return self._status


def _start(command: Sequence[str], *, stdin: int, printed: int, answers: int) -> subprocess.Popen[bytes]:
    """Start `command`. Its last argument is the file descriptor for answers."""
    return subprocess.Popen(
        [*command, str(answers)],
        stdin=stdin,
        stdout=printed,
        stderr=printed,
        pass_fds=(answers,),
        env={"LC_ALL": "C.UTF-8", "TZ": "UTC"},
        cwd="/",
        start_new_session=True,
    )


def _wait_for(file: int, wait_s: float) -> None:
    poll = select.poll()
    poll.register(file, select.POLLIN)
    poll.poll(wait_s * 1000)
