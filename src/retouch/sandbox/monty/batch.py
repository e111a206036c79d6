"""Runs a job in Monty: several calls at once, and one by one after an error."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from retouch.sandbox.answers import not_run, plain_text
from retouch.sandbox.monty.session import MontySession
from retouch.sandbox.values import Limits, SandboxJob, SandboxResult, SandboxRun

if TYPE_CHECKING:
    import pydantic_monty as monty

    from retouch.sandbox.values import Failure

_MOST_AT_ONCE = 1024
_SHORT_S = 0.05  # the batch size only grows if a feed took less


class _Printed:
    """Keeps printed output up to a limit and drops the rest."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self.kept = bytearray()

    def __call__(self, _stream: str, text: str) -> None:
        left = self._most_bytes - len(self.kept)
        if left > 0:
            self.kept += text[:left].encode("utf-8", "replace")[:left]


def run_batch(pool: monty.Monty, limits: Limits, job: SandboxJob) -> SandboxRun:
    """Return one outcome per argument of the job, in order."""
    printed = _Printed(limits.printed_bytes)
    batch = _Batch(job, time.monotonic() + limits.batch_s)
    while batch.left() and not batch.is_late():
        with MontySession(pool, limits, printed) as session:
            problem = session.load(job.code, job.function)
            if problem:
                batch.fail_rest(problem)
            else:
                batch.answer(session)
    if batch.left():
        batch.fail_rest(not_run(limits))
    return SandboxRun(outcomes=batch.outcomes, printed=plain_text(bytes(printed.kept)))


class _Batch:
    """The calls of a job and their outcomes so far."""

    def __init__(self, job: SandboxJob, until_s: float) -> None:
        self._arguments = job.arguments
        self._until_s = until_s
        self._at_once = 1
        self._alone_before = 0  # one of the calls before this index broke a worker
        self.outcomes: list[SandboxResult] = []

    def left(self) -> int:
        """Return the number of calls without outcome."""
        return len(self._arguments) - len(self.outcomes)

    def is_late(self) -> bool:
        """Return whether the time limit of the batch is exceeded."""
        return time.monotonic() > self._until_s

    def fail_rest(self, problem: Failure) -> None:
        """Set the same failure for all remaining calls."""
        self.outcomes += [SandboxResult(error=problem)] * self.left()

    def answer(self, session: MontySession) -> None:
        """Run calls until all are done, the time is over, or a new session is needed."""
        while self.left() and not session.is_broken and not self.is_late():
            done = len(self.outcomes)
            if done < self._alone_before or self._at_once == 1:
                self.outcomes.append(session.one(self._arguments[done]))
                self._at_once = 2
                continue
            asked = self._arguments[done : done + self._at_once]
            began_s = time.monotonic()
            found = session.many(asked)
            if session.is_broken or None in found:
                self._alone_before = done + len(asked)
                continue
            self.outcomes += [outcome for outcome in found if outcome]
            is_short = time.monotonic() - began_s < _SHORT_S
            self._at_once = min(2 * self._at_once, _MOST_AT_ONCE) if is_short else max(2, self._at_once // 2)
