"""The resources of a program: wall time, CPU time, and peak memory."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Taken:
    """The resources of one run of a program. `status` is its exit status, `output_end` the end of its output."""

    seconds: float
    cpu_s: float
    peak_mb: float
    status: int
    output_end: str


def taken(command: Sequence[str], *, folder: Path | None = None) -> Taken:
    """Return the resources of running `command`, including the child processes that it waited for."""
    with tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(max(0, output.seek(0, 2) - 500))
        output_end = output.read().decode(errors="replace").strip()
    return Taken(
        seconds=seconds,
        cpu_s=usage.ru_utime + usage.ru_stime,
        peak_mb=usage.ru_maxrss / 1024,
        status=process.returncode,
        output_end=output_end,
    )


def best(command: Sequence[str], *, times: int, folder: Path | None = None) -> Taken:
    """Return the run of `command` with the least CPU time of several."""
    return min((taken(command, folder=folder) for _ in range(times)), key=lambda each: each.cpu_s)
