"""How much memory a run of many queued pages holds, above the interpreter and the client that it uses.

    python benchmarks/models_memory.py [pages] [--at-once 32]

Each row is the peak of a process of its own against an instant server: one that asks a page through the bare adapter of
the provider, and runs of one page and of many. A page is that of the cost model: 1,200 tokens of shared system text,
550 of its own, an answer of about as many. The goal is 100 MB for 10,000 pages above the first.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import retouch
from models_overhead import MODEL, RECIPE, Pages, adapter, instant_server
from processes import taken
from retouch.engine.core import Prompt, RunOptions
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterable

SYSTEM = "Follow the rules of the house. " * 200
OWN = "Look up every key in the register, and copy the value as it stands. " * 36


def plan(source: Pages) -> Iterable[Prompt]:
    """Return one prompt per unit, each with a text of its own below the shared one."""
    return (Prompt(type_name=f"unit{n}", system=SYSTEM, user=f"Page {n}\n{OWN}") for n in range(source.pages))


JOB = replace(RECIPE, plan=plan)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="?", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=32)
    parser.add_argument("--inside", choices=("client", "run"), help="what the process that is measured does")
    arguments = parser.parse_args()
    if arguments.inside == "client":
        asyncio.run(adapter(arguments.at_once, arguments.at_once))
    elif arguments.inside == "run":
        asyncio.run(run(arguments.pages, arguments.at_once))
    else:
        compare(arguments.pages, arguments.at_once)


async def run(pages: int, at_once: int) -> None:
    """Generate so many pages into a folder that is thrown away."""
    from retouch.aio import generate

    model = retouch.open_model(f"anthropic:{MODEL}?concurrency={at_once}")
    way = retouch.Way(options=RunOptions(concurrency=at_once, compiler="none"))
    with tempfile.TemporaryDirectory() as folder:
        result = await generate(JOB, Pages(pages=pages), Path(folder) / "run", model, way)
    if (result.status, result.calls) != ("clean", pages):
        raise RuntimeError(f"the run is {result.status} after {result.calls} calls")


def compare(pages: int, at_once: int) -> None:
    """Measure each process and print."""
    announce("models: memory of a long queue")
    program = [sys.executable, __file__, "--at-once", str(at_once)]
    rows: list[list[object]] = []
    with instant_server():
        client = taken([*program, "--inside", "client"])
        rows.append(["the client alone", at_once, client.peak_mb, 0.0])
        for number in (at_once, pages):
            found = taken([*program, "--inside", "run", str(number)])
            if found.status:
                raise RuntimeError(found.said)
            rows.append(["a run", number, found.peak_mb, found.peak_mb - client.peak_mb])
    print(table(("what", "pages", "peak MB", "above the client"), rows))


if __name__ == "__main__":
    main()
