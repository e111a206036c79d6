"""The cost of a fleet: shards against runs of one record, the same command again, and the status of many records.

    python benchmarks/fleet.py [--records 2000] [--commits 1000]

Each command runs in a process of its own, as the command line does, with the offline model and one worker. The status
of many records is that of a fleet whose small files are copied from one shard: 1,000 records in each.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from processes import taken
from tables import announce, table

_SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "quantity": {"type": "integer"}},
    "required": ["name", "quantity"],
}
_IN_SHARD = 1_000
_RETOUCH = (str(Path(sys.executable).with_name("retouch")),)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=2_000)
    parser.add_argument("--commits", type=int, default=1_000, help="shards of 1,000 records in the last row")
    given = parser.parse_args()
    rows: list[list[Any]] = []
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for size in (_IN_SHARD, 100, 1):
            fleet = directory / str(size)
            command = _run_command(directory, fleet, given.records, size)
            what = f"run, {size:,} records in a run" if size > 1 else "run, a run for each record"
            rows.append(_row(what, given.records, fleet, command))
            rows.append(_row("the same command again", given.records, fleet, command))
            rows.append(_row("show", given.records, fleet, ["show", str(fleet)]))
        many = directory / "many"
        _many_commits(directory, many, given.commits)
        rows.append(_row("show, synthetic commits", given.commits * _IN_SHARD, many, ["show", str(many)]))
    announce("fleet: shards, the same command again, the status of many records")
    print(table(["command", "records", "shards", "CPU s", "s", "MB at most"], rows))


def _run_command(directory: Path, fleet: Path, records: int, size: int) -> list[str]:
    rows, shared = directory / f"{records}.jsonl", directory / "shared.json"
    if not rows.exists():
        lines = (json.dumps({"id": f"r{one}", "name": f"article {one}", "quantity": one}) for one in range(records))
        rows.write_text("\n".join(lines) + "\n", encoding="ascii")
        shared.write_text(json.dumps({"schema": _SCHEMA}), encoding="ascii")
    return [
        *("fleet", "run", "extract", str(rows), "--shared", str(shared)),
        *("-o", str(fleet), "--shard-size", str(size), "--quiet"),
    ]


def _row(what: str, records: int, fleet: Path, arguments: list[str]) -> list[Any]:
    found = taken([*_RETOUCH, *arguments])
    if found.status or "verified" not in found.output_end:
        raise SystemExit(found.output_end)
    shards = len(list((fleet / "commits").iterdir()))
    return [what, f"{records:,}", f"{shards:,}", f"{found.cpu_s:.2f}", f"{found.seconds:.2f}", f"{found.peak_mb:.0f}"]


def _many_commits(directory: Path, fleet: Path, shards: int) -> None:
    """Write the small files of a fleet of many shards, as workers leave them, from a shard with one record."""
    from retouch.fleet.job import FleetJob

    taken([*_RETOUCH, *_run_command(directory, fleet, 1, 1)])
    job = json.loads((fleet / "fleet.json").read_bytes())
    sizes = {"shards": shards, "records": _IN_SHARD * shards, "shard_size": _IN_SHARD}
    job |= {**sizes, "inputs": job["inputs"] * shards}
    (fleet / "fleet.json").write_text(json.dumps(job), encoding="ascii")
    commit = json.loads((fleet / "commits" / "00000.json").read_bytes())
    commit |= {"fleet": FleetJob(**job).identity, "records": {**commit["records"], "verified": _IN_SHARD}}
    digest = next(iter(commit["files"].values()))
    for number in range(shards):
        out = f"out/{number:05}.e1.jsonl"
        data = {**commit, "shard": number, "files": {out: digest}}
        (fleet / "commits" / f"{number:05}.json").write_text(json.dumps(data), encoding="ascii")
        if number:
            shutil.copytree(fleet / "runs" / "00000.e1", fleet / "runs" / f"{number:05}.e1")
            shutil.copy2(fleet / "out" / "00000.e1.jsonl", fleet / out)
            shutil.copy2(fleet / "inputs" / "00000.jsonl", fleet / "inputs" / f"{number:05}.jsonl")


if __name__ == "__main__":
    main()
