"""How much memory a run of many queued pages holds, above the interpreter and the client that it uses.

    python benchmarks/models_memory.py [pages] [--at-once 32]

Each row is the peak of a process of its own against an instant server: one that asks a page through the bare adapter of
the provider, runs of one page and of many, a run that goes on after half of its answers, and what reads and checks the
finished one. A page is that of the cost model: 1,200 tokens of shared system text, 550 of its own, and an answer of
about as many. The goal is 100 MB for 10,000 pages above the first.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import retouch
from models_overhead import MODEL, RECIPE, Pages, adapter, instant_server
from processes import taken
from retouch.engine.types import Prompt
from retouch.errors import ModelError
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.engine.types import OnEvent, Reply, Request

SYSTEM = "Follow the rules of the house. " * 200
OWN = "Look up every key in the register, and copy the value as it stands. " * 36


def plan(source: Pages) -> Iterable[Prompt]:
    """Return one prompt per unit, each with a text of its own below the shared one."""
    return (Prompt(unit=f"unit{n}", system=SYSTEM, user=f"Page {n}\n{OWN}") for n in range(source.pages))


JOB = replace(RECIPE, plan=plan)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="?", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=32)
    parser.add_argument("--inside", choices=tuple(INSIDE), help="what the process that is measured does")
    parser.add_argument("--folder", type=Path, help="the run folder of that process")
    arguments = parser.parse_args()
    if arguments.inside is None:
        compare(arguments.pages, arguments.at_once)
    else:
        asyncio.run(INSIDE[arguments.inside](arguments.pages, arguments.at_once, arguments.folder))


async def client(_pages: int, at_once: int, _folder: Path) -> None:
    """Call the client alone."""
    await adapter(at_once, at_once)


async def run(pages: int, at_once: int, folder: Path) -> None:
    """Generate what is missing of so many pages."""
    from retouch.aio import generate

    model = retouch.open_model(f"anthropic:{MODEL}?concurrency={at_once}")
    result = await generate(JOB, Pages(pages=pages), folder, model, way(at_once))
    if result.status != "verified":
        raise RuntimeError(f"the run is {result.status} after {result.calls} calls")


async def half(pages: int, at_once: int, folder: Path) -> None:
    """Generate until half of the pages have an answer."""
    from retouch.aio import generate

    model = retouch.open_model(f"anthropic:{MODEL}?concurrency={at_once}")
    calls = count(1)

    async def ending(request: Request, *, on_event: OnEvent | None = None) -> Reply:
        if next(calls) > pages // 2:
            raise ModelError("this is where it was stopped")
        return await model(request, on_event=on_event)

    with suppress(ModelError):
        await generate(JOB, Pages(pages=pages), folder, ending, way(at_once))


async def show(_pages: int, _at_once: int, folder: Path) -> None:
    """Read the run as `retouch show` does."""
    from retouch.engine.directory import open_run
    from retouch.engine.overview import overview

    overview(open_run(folder))


async def check(_pages: int, at_once: int, folder: Path) -> None:
    """Check the run as `retouch validate` does."""
    from retouch.aio import validate

    await validate(JOB, folder, options=way(at_once))


INSIDE = {"client": client, "run": run, "half": half, "show": show, "check": check}


def way(at_once: int) -> retouch.RunOptions:
    return retouch.RunOptions(concurrency=at_once, compiler="none")


def compare(pages: int, at_once: int) -> None:
    """Measure each process and print."""
    announce("models: memory of a long queue")
    program = [sys.executable, __file__, "--at-once", str(at_once)]
    rows: list[list[object]] = []
    with instant_server(), tempfile.TemporaryDirectory() as parent:

        def peak(inside: str, number: int, folder: str) -> float:
            found = taken([*program, "--inside", inside, "--folder", f"{parent}/{folder}", str(number)])
            if found.status:
                raise RuntimeError(found.said)
            return found.peak_mb

        alone = peak("client", at_once, "none")
        peak("half", pages, "stopped")
        for what, inside, number, folder in (
            ("the client alone", "client", at_once, "none"),
            ("a run", "run", at_once, "short"),
            ("a run", "run", pages, "long"),
            ("the same after half of it", "run", pages, "stopped"),
            ("shown", "show", pages, "stopped"),
            ("validated", "check", pages, "stopped"),
        ):
            found = peak(inside, number, folder)
            rows.append([what, number, found, max(0.0, found - alone)])
    print(table(("what", "pages", "peak MB", "above the client"), rows))


if __name__ == "__main__":
    main()
