"""What a program takes: seconds on the clock, seconds of CPU, and the most memory it held."""

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
    """What one run of a program took; `status` is its exit status, `said` the end of what it printed."""

    seconds: float
    cpu_s: float
    peak_mb: float
    status: int
    said: str


def taken(command: Sequence[str], *, folder: Path | None = None) -> Taken:
    """Return what running `command` took, the children that it waited for included."""
    with tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(max(0, output.seek(0, 2) - 500))
        said = output.read().decode(errors="replace").strip()
    return Taken(
        seconds=seconds,
        cpu_s=usage.ru_utime + usage.ru_stime,
        peak_mb=usage.ru_maxrss / 1024,
        status=process.returncode,
        said=said,
    )


def best(command: Sequence[str], *, times: int, folder: Path | None = None) -> Taken:
    """Return the run of `command` that took the least CPU of several."""
    return min((taken(command, folder=folder) for _ in range(times)), key=lambda each: each.cpu_s)
