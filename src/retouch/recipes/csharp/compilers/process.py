"""A long-running compiler process: one JSON line per file in, one JSON line out."""

from __future__ import annotations

import json
import logging
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, cast

from retouch._lib.logs import redact_record
from retouch.recipes.csharp.compilers.diagnostics import CompilerFailed, Diagnostic

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)

_LONGEST_LINE = 64_000_000


class CompilerTimedOut(CompilerFailed):
    """A compiler returned no result in time and was stopped. A retry would take as long."""


class CompilerProcess:
    """A compiler in a long-running process. Use it from one thread at a time.

    Any failure ends the process. After that, `compile` raises `CompilerFailed`, and you need a new object.
    """

    def __init__(self, command: Sequence[str], *, limit_s: float) -> None:
        self._count = 0
        self._expired = False
        self._log = cast("IO[bytes]", tempfile.TemporaryFile())  # noqa: SIM115 - lives as long as the process
        try:
            self._process = subprocess.Popen(  # the caller names the program
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log
            )
        except OSError as error:
            self._log.close()
            raise CompilerFailed(f"the compiler {command[0]!r} cannot be started: {error.strerror}") from error
        with self._time_limit(limit_s):
            if self._answer() != {"ready": True}:
                raise CompilerFailed("the compiler did not report that it is ready")
        _LOG.debug("started %s as process %d", command[0], self.pid)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    def compile(self, text: str, *, limit_s: float) -> list[Diagnostic]:
        """Return the diagnostics of `text`, errors and warnings in the compiler's order.

        Raises:
            CompilerTimedOut: no result within `limit_s`.
            CompilerFailed: it crashed, or its response was invalid.
        """
        self._count += 1
        line = json.dumps({"id": self._count, "text": text}).encode() + b"\n"
        _LOG.debug("process %d: file %d, %d bytes", self.pid, self._count, len(line))
        with self._time_limit(limit_s):
            self._write(line)
            answer = self._answer()
            if answer.get("id") != self._count or not isinstance(answer.get("diagnostics"), list):
                problem = answer.get("error") or f"its response was {json.dumps(answer)[:200]}"
                raise CompilerFailed(f"the compiler gave no result: {problem}")
            return [_diagnostic(found) for found in cast("list[object]", answer["diagnostics"])]

    def stop(self) -> None:
        """Stop the process if it is running, and wait for its end."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._log):
            if pipe is not None:
                _close(pipe)

    @contextmanager
    def _time_limit(self, limit_s: float) -> Generator[None]:
        watch = threading.Timer(limit_s, self._expire)
        watch.daemon = True
        watch.start()
        try:
            yield
        except CompilerFailed as error:
            self.stop()
            if self._expired:
                raise CompilerTimedOut(f"the compiler gave no result within {limit_s:g} s and was stopped") from error
            raise
        finally:
            watch.cancel()

    def _expire(self) -> None:
        self._expired = True
        _LOG.info("process %d took too long", self.pid)
        self._process.kill()

    def _write(self, line: bytes) -> None:
        if self._process.stdin is None or self._process.stdin.closed:
            raise CompilerFailed("the compiler has ended")
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except OSError as error:
            raise self._died() from error

    def _answer(self) -> dict[str, Any]:
        line = self._process.stdout.readline(_LONGEST_LINE) if self._process.stdout else b""
        if not line:
            raise self._died()
        try:
            answer: object = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise CompilerFailed(f"the compiler returned an invalid response: {line[:200]!r}")
        return cast("dict[str, Any]", answer)

    def _died(self) -> CompilerFailed:
        self._process.kill()
        status = self._process.wait()
        _LOG.info("process %d ended with status %d", self.pid, status)
        last = self._last_error_line()
        return CompilerFailed(f"the compiler ended with status {status}" + (f": {last}" if last else ""))

    def _last_error_line(self) -> str:
        size = self._log.seek(0, 2)
        self._log.seek(max(0, size - 4_000))
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        errors = [line.strip() for line in lines if "Error" in line]
        return (errors or lines or [""])[-1][:300]


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except OSError:
        return  # the process has ended, so unwritten data is lost anyway


def _diagnostic(found: object) -> Diagnostic:
    try:
        entry = cast("dict[str, Any]", found)
        return Diagnostic(
            code=str(entry["code"]),
            severity="warning" if entry["severity"] == "Warning" else "error",
            message=str(entry["message"]),
            line=int(entry["line"]),
            column=int(entry["column"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CompilerFailed(f"the compiler returned an invalid diagnostic: {str(found)[:200]!r}") from error
