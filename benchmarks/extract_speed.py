"""What a job of many records takes offline: CPU time per record, memory, and the same job again when it is done.

    python benchmarks/extract_speed.py --records 100000 --workers 2

The CPU time is that of all processes together. The wall time depends on what else the machine does, and on its disk.
Memory is the most that all processes had together, looked at ten times a second; a page that several share counts once
(on Linux).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA = {
    "type": "object",
    "properties": {
        "customer": {"type": "string", "minLength": 1},
        "total": {"type": "number"},
        "state": {"enum": ["open", "in transit", "closed"]},
        "due": {"type": "string", "format": "date"},
    },
    "required": ["customer", "total", "state"],
    "additionalProperties": False,
}


def measured(command: Sequence[str], folder: Path) -> tuple[float, float, float]:
    """Return the CPU seconds, the wall seconds and the most megabytes of a command and its processes."""
    before, began, most = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), 0
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        root = psutil.Process(process.pid)
        while process.poll() is None:
            most = max(most, _memory(root))
            time.sleep(0.1)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.monotonic() - began, most / 1e6


def _memory(root: psutil.Process) -> int:
    total = 0
    try:
        for one in (root, *root.children(recursive=True)):
            total += getattr(one.memory_full_info(), "pss", 0) or one.memory_info().rss
    except psutil.Error:  # it has just ended
        return total
    return total


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    announce("extract: many records")
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        (folder / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
        with (folder / "records.jsonl").open("w", encoding="utf-8") as file:
            for number in range(given.records):
                row = {"id": number, "customer": f"Customer {number}", "total": number * 1.5, "state": "open"}
                file.write(json.dumps({**row, "due": "2024-03-05", "text": "Lorem ipsum dolor sit amet " * 8}) + "\n")
        retouch = [sys.executable, "-m", "retouch", "extract", "records.jsonl", "--schema", "schema.json"]
        command = [*retouch, "--key", "id", "-o", "out", "--quiet", "--workers", str(given.workers)]
        rows: list[list[object]] = []
        for name in ("all records", "the same again"):
            cpu, wall, memory = measured(command, folder)
            rows.append([name, cpu, 1000 * cpu / given.records, wall, given.records / wall, memory])
    print(table(["job", "CPU s", "CPU ms per record", "wall s", "records per s", "MB in all"], rows))


if __name__ == "__main__":
    main()
