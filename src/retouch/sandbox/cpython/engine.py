"""Runs code in a CPython process that locks itself. One process per run, and a new one after a broken call."""

from __future__ import annotations

import json
import platform
import signal
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, cast

from retouch.sandbox.answers import failure, not_run, plain_text, read_answer, read_failure
from retouch.sandbox.bubble import bubble, bubble_program
from retouch.sandbox.cpython.modules import ENCODINGS, MODULES
from retouch.sandbox.cpython.seccomp import build_filter
from retouch.sandbox.cpython.syscalls import ARCHITECTURES
from retouch.sandbox.cpython.worker import Ended, Flooded, Silent, Worker
from retouch.sandbox.values import Engine, Failure, Limits, SandboxJob, SandboxResult, SandboxRun, Unavailable

if TYPE_CHECKING:
    from retouch.sandbox.values import Runner

_NAME = "cpython"
_START_S = 20.0  # imports and locks, on a busy machine
_LINE_EXTRA_BYTES = 4096
_USE_MONTY = 'install the extra "rule" (pydantic-monty runs everywhere), or use a YAML rule'


class LockedOut(Exception):
    """The process could not be started or locked."""


@cache
def cpython_engine(python: str | None = None, *, bubbled: bool | None = None) -> Engine:
    """Return the CPython engine of this machine. It is tested by starting it and trying its locks.

    If `bubbled` is None, bubblewrap is used if it works.
    """
    machine = platform.machine()
    if sys.platform != "linux" or machine not in ARCHITECTURES:
        reason = f"its locks need Linux on {' or '.join(ARCHITECTURES)}; this is {sys.platform} on {machine}"
        return Engine(name=_NAME, reason=reason, hint=_USE_MONTY)
    interpreter = python or own_python()
    reason = "bubblewrap is not installed"
    for wrapped in [bubbled] if bubbled is not None else [True, False] if bubble_program() else [False]:
        command = locked_command(interpreter, bubbled=wrapped)
        try:
            version, locks = _try_out(command)
        except LockedOut as error:
            reason = str(error)
            continue
        layers = ("bubblewrap", *locks) if wrapped else locks
        return Engine(name=_NAME, version=version, layers=layers, open=partial(_open, command))
    hint = f"allow landlock (Linux 5.13) and seccomp, also in containers; or {_USE_MONTY}"
    return Engine(name=_NAME, reason=reason, hint=hint)


def own_python() -> str:
    """Return the Python interpreter outside of the virtual environment."""
    return str(Path(sys.executable).resolve())


def locked_command(interpreter: str, *, bubbled: bool) -> tuple[str, ...]:
    """Return the command that starts Python, locks it, and waits for a job."""
    program = files("retouch.sandbox.cpython").joinpath("child.py").read_text(encoding="utf-8")
    shown = (interpreter, str(Path(interpreter).parent.parent / "lib"))
    around = bubble(shown=shown, becomes_nobody=True) if bubbled else []
    return (*around, interpreter, "-I", "-S", "-B", "-c", program)


def _try_out(command: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the version of Python and the active locks."""
    job = SandboxJob(
        code="def version(_):\n    import sys\n    return sys.version.split()[0]", function="version", arguments=[""]
    )
    limits = Limits()
    with start_job(command, job, limits) as worker:
        locks = greeting(worker)
    ran = _run(command, limits, job)
    value = ran.outcomes[0].value
    if not isinstance(value, str):
        raise LockedOut(f"it was locked but could not compute: {ran.outcomes[0].error}")
    return value, tuple(locks)


def _open(command: tuple[str, ...], limits: Limits) -> AbstractContextManager[Runner]:
    return nullcontext(partial(_run, command, limits))


def _run(command: tuple[str, ...], limits: Limits, job: SandboxJob) -> SandboxRun:
    outcomes: list[SandboxResult] = []
    printed = bytearray()
    until_s = time.monotonic() + limits.batch_s
    while len(outcomes) < len(job.arguments):
        left = SandboxJob(code=job.code, function=job.function, arguments=job.arguments[len(outcomes) :])
        with start_job(command, left, limits) as worker:
            try:
                greeting(worker)
            except LockedOut as error:
                raise Unavailable(f"cpython could not be locked: {error}", hint=_USE_MONTY) from error
            outcomes += _converse(worker, left, limits, until_s)
        printed += worker.printed
        if time.monotonic() >= until_s:
            outcomes += [SandboxResult(error=not_run(limits))] * (len(job.arguments) - len(outcomes))
    return SandboxRun(outcomes=outcomes, printed=plain_text(bytes(printed[: limits.printed_bytes])))


def start_job(command: tuple[str, ...], job: SandboxJob, limits: Limits) -> Worker:
    """Start a process and send it a job."""
    message = {
        "arguments": list(job.arguments),
        "code": job.code,
        "cpu_s": int(limits.batch_s) + 2,
        "encodings": ENCODINGS,
        "filter": build_filter(ARCHITECTURES[platform.machine()]).hex(),
        "function": job.function,
        "memory_bytes": limits.memory_bytes,
        "modules": MODULES,
        "output_bytes": limits.output_bytes,
        "recursion": limits.recursion,
    }
    longest_bytes = limits.output_bytes + _LINE_EXTRA_BYTES
    return Worker(command, json.dumps(message).encode(), line_bytes=longest_bytes, printed_bytes=limits.printed_bytes)


def greeting(worker: Worker) -> list[str]:
    """Return the active locks, which the process reports before it reads the code of the job.

    Raises:
        LockedOut: the process did not start, or a lock is not effective.
    """
    try:
        line = worker.line(time.monotonic() + _START_S)
    except (Ended, Silent, Flooded) as error:
        status = worker.close()
        last_output = plain_text(bytes(worker.printed)).splitlines()[-1:]
        raise LockedOut(f"it ended with status {status}: {' '.join(last_output) or type(error).__name__}") from error
    if line[:1] != b"K":
        raise LockedOut(plain_text(line[1:]))
    return cast("list[str]", json.loads(line[1:]))


def _converse(worker: Worker, job: SandboxJob, limits: Limits, until_s: float) -> list[SandboxResult]:
    """Return the outcomes up to the first call that requires a new process."""
    outcomes: list[SandboxResult] = []
    # number of calls that an error affects: all during loading, then only the current call
    touched = len(job.arguments)
    try:
        loaded = worker.line(_deadline(limits, until_s))
        if loaded[:1] != b"L":
            return [SandboxResult(error=read_failure(loaded[1:]))] * touched
        touched = 1
        for _ in job.arguments:
            line = worker.line(_deadline(limits, until_s))
            is_value = line[:1] == b"V"
            outcomes.append(read_answer(line[1:], limits) if is_value else SandboxResult(error=read_failure(line[1:])))
    except (Silent, Flooded, Ended) as error:
        if time.monotonic() < until_s:
            outcomes += [SandboxResult(error=_broken(error, worker, limits))] * touched
    return outcomes


def _deadline(limits: Limits, until_s: float) -> float:
    return min(time.monotonic() + limits.call_s, until_s)


def _broken(error: Exception, worker: Worker, limits: Limits) -> Failure:
    if isinstance(error, Silent):
        return failure("timeout", f"it did not answer within {limits.call_s:g} s")
    if isinstance(error, Flooded):
        return failure("output_too_large", f"the answer is longer than {limits.output_bytes:,} bytes")
    return failure("crashed", f"the process ended without an answer: {_ending(worker.close())}")


def _ending(status: int) -> str:
    number = -status if status < 0 else status - 128  # a wrapper reports a signal as 128 and more
    try:
        return f"killed by {signal.Signals(number).name}"
    except ValueError:
        return f"status {status}"
