"""How much of the ledger of trials survives damage, and the cost of one record, compared with one JSON file.

    python benchmarks/locate_trials.py [--records 2000]

The other method is that of this recipe's origin, rewritten here in a few lines: all records are in one JSON file, which
is rewritten in place with each change, and treated as empty if it cannot be parsed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from retouch.locate import TrialLedger
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Callable

DAMAGES: dict[str, Callable[[bytes, Random], bytes]] = {
    "cut anywhere": lambda data, chance: data[: chance.randrange(len(data))],
    "one byte changed": lambda data, chance: _changed(data, chance.randrange(len(data))),
    "512 bytes of zeros": lambda data, chance: _zeroed(data, chance.randrange(len(data) - 512)),
}
TRIES = 20


class WholeFile:
    """One JSON file, rewritten in place with each change, and treated as empty if it is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.records: dict[str, Any] = json.loads(path.read_bytes())
        except (ValueError, FileNotFoundError):
            self.records = {}

    def mark_tried(self, module_id: str, outcome: str) -> None:
        """Record the result of trying a module."""
        self.records[module_id] = {"tried": True, "attempts": 1, "outcome_last": outcome, "score": 0.5, "notes": ""}
        self.path.write_text(json.dumps(self.records, indent=2))


def _changed(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


def _zeroed(data: bytes, at: int) -> bytes:
    return data[:at] + bytes(512) + data[at + 512 :]


def filled(folder: Path, records: int) -> dict[str, tuple[Path, float, float]]:
    """Return the file of each method with that many records, the seconds of the last hundred, and of reading it."""
    ledger, whole = TrialLedger(folder / "trials.jsonl"), WholeFile(folder / "trials.json")
    noting: dict[str, Callable[[str], None]] = {
        "ledger": lambda module: ledger.mark_tried(module, "lec_fail", 1, "abc", 0.5),
        "one JSON file": lambda module: whole.mark_tried(module, "lec_fail"),
    }
    paths = {"ledger": ledger.ledger_path, "one JSON file": whole.path}
    reading: dict[str, Callable[[], object]] = {
        "ledger": lambda: TrialLedger(ledger.ledger_path),
        "one JSON file": lambda: WholeFile(whole.path),
    }
    found: dict[str, tuple[Path, float, float]] = {}
    for name, note in noting.items():
        for number in range(records - 100):
            note(f"src/M{number}.scala::M{number}")
        began = time.perf_counter()
        for number in range(records - 100, records):
            note(f"src/M{number}.scala::M{number}")
        noted_s = time.perf_counter() - began
        began = time.perf_counter()
        reading[name]()
        found[name] = paths[name], noted_s, time.perf_counter() - began
    return found


def kept(name: str, path: Path) -> int:
    """Return the number of records that exist after another one was written."""
    if name == "ledger":
        TrialLedger(path).mark_tried("new.scala::New", "rejected", 1, "abc", 0.5)
        return len(TrialLedger(path).records) - 1
    WholeFile(path).mark_tried("new.scala::New", "rejected")
    return len(WholeFile(path).records) - 1


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--records", type=int, default=2_000)
    records = parser.parse_args().records
    announce("locate: the ledger of trials")
    with tempfile.TemporaryDirectory() as place:
        ways = filled(Path(place), records)
        rows = [[name, f"{noted * 10:.1f}", f"{read * 1000:.0f}"] for name, (_, noted, read) in ways.items()]
        print(table(["way", "ms per record, on disk", "ms to read all"], rows))
        print()
        lost: list[list[str]] = []
        for damage, spoil in DAMAGES.items():
            row = [damage]
            for name, (path, _, _) in ways.items():
                data, chance = path.read_bytes(), Random(7)
                left = [_after(name, path, spoil(data, chance)) for _ in range(TRIES)]
                path.write_bytes(data)
                row.append(f"{sum(left) / len(left) / records:.1%} ({min(left):,} at worst)")
            lost.append(row)
        print(table(["damage", *(f"{name}: records kept" for name in ways)], lost))


def _after(name: str, path: Path, data: bytes) -> int:
    path.write_bytes(data)
    return kept(name, path)


if __name__ == "__main__":
    main()
