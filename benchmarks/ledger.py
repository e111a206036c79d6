"""What the chain of hashes costs: rows written and read per second, with and without it, in one run.

    python benchmarks/ledger.py [--rows 20000] [--repeats 5]

A row holds a text of 2,000 characters, as most rows of a run do. Rows are written as fast as they come (no sync in
between) and each with a sync. "Without" is version 1: the same code, with the hash left out.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from retouch.engine import chain, ledger
from retouch.engine.ledger import Ledger, folded
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.engine.chain import StoredRow
    from retouch.engine.ledger import LedgerRow

TEXT = "An answer of a model, as long as most are.\n" * 47
SYNCED = 400  # rows


def written(path: Path, rows: int, *, synced: bool) -> float:
    """Return the rows written per second."""
    began = time.perf_counter()
    writer = Ledger(path, next_seq=1)
    for number in range(rows):
        writer.append("note:row", {"number": number, "text": TEXT})
        if synced:
            writer.synced_now()
    writer.close()
    return rows / (time.perf_counter() - began)


def read(path: Path, rows: int) -> float:
    """Return the rows read per second."""
    began = time.perf_counter()
    found = folded(path, _count)
    assert (rows, None) == (found.value, found.damage)
    return rows / (time.perf_counter() - began)


def _no_hash(_previous: str, _row: StoredRow) -> str:
    return ""


def _count(entries: Iterable[LedgerRow]) -> int:
    return sum(1 for _ in entries)


def measured(rows: int) -> tuple[float, float, float]:
    """Return the rows per second: written, written with a sync each, read."""
    with TemporaryDirectory() as folder:
        fast = written(Path(folder) / "fast.db", rows, synced=False)
        slow = written(Path(folder) / "slow.db", SYNCED, synced=True)
        return fast, slow, read(Path(folder) / "fast.db", rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    announce("The chain of hashes")
    hashed = chain.chain_hash
    found: dict[str, list[tuple[float, float, float]]] = {"without": [], "with": []}
    for _ in range(arguments.repeats):
        for name, function in (("without", _no_hash), ("with", hashed)):
            chain.chain_hash = ledger.chain_hash = function
            found[name].append(measured(arguments.rows))
    medians = {name: [median(column) for column in zip(*rows, strict=True)] for name, rows in found.items()}
    heads = ("chain", "written, rows/s", "written with a sync each", "read, rows/s")
    ratio = [one / other for one, other in zip(medians["with"], medians["without"], strict=True)]
    print(table(heads, [["without", *medians["without"]], ["with", *medians["with"]], ["ratio", *ratio]]))


if __name__ == "__main__":
    main()
