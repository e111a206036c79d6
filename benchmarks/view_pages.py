"""How long a large run takes to open in the viewer, and to be written as files.

    python benchmarks/view_pages.py [--units 10000]

The run is that of `large_run.py`. Times are CPU seconds of this process: reading the run, its first page, a
search through all prompts and answers, the page of a unit, and the report as one file and as a directory.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.testclient import TestClient

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

BASE = "http://127.0.0.1:8400"


def main() -> None:
    """Print a line for each step."""
    from benchmarks.large_run import work
    from retouch.engine.directory import open_run
    from retouch.report import report, report_files
    from retouch.view.runs import RunStore
    from retouch.view.server import viewer

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=10_000)
    parser.add_argument("--run", type=Path, help="a run of this kind that is there already")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        run: Path = given.run or Path(scratch) / "run"
        if given.run is None:
            work("generate", run, given.units)
        ledger = (run / "ledger.db").stat().st_size
        sys.stdout.write(f"{given.units:,} units, ledger {ledger / 1e6:.1f} MB\n")
        store = RunStore(run)
        app, address = viewer(store, port=8400)
        client = TestClient(app, base_url=BASE)
        timed("read the run", lambda: store.run("")[0].name)
        timed("first page", lambda: client.get(address.removeprefix(BASE)).text)
        timed("search", lambda: client.get("/units?q=quantity").text)
        timed("a unit", lambda: client.get("/unit?unit=r77").text)
        text = timed("report, one file", lambda: asyncio.run(report(open_run(run))))
        files = timed("report, directory", lambda: "".join(asyncio.run(report_files(open_run(run))).values()))
        sys.stdout.write(f"one file / ledger {len(text) / ledger:.2f}, directory / ledger {len(files) / ledger:.2f}\n")


def timed(name: str, do: Callable[[], str]) -> str:
    """Do it, print its CPU seconds and the size of its result, and return the result."""
    start = time.process_time()
    found = do()
    sys.stdout.write(f"{name:20} {time.process_time() - start:6.2f} s CPU {len(found) / 1e6:8.2f} MB\n")
    return found


if __name__ == "__main__":
    main()
