"""The memory of a run with many queued pages, above the interpreter and the client library.

    python benchmarks/models_memory.py [pages] [--at-once 32]

Each row is the peak of a separate process with an instant server: one that requests a page with the bare provider
adapter, runs of one page and of many, a run that resumes after half of its responses, and the commands that read and
check the finished run. A page is that of the cost model: 1,200 tokens of shared system text, 550 of its own, and an
answer of about the same size. The goal is at most 100 MB for 10,000 pages more than for one.
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
    """Return one prompt per unit, each with its own text after the shared one."""
    return (Prompt(unit=f"unit{n}", system=SYSTEM, user=f"Page {n}\n{OWN}") for n in range(source.pages))


JOB = replace(RECIPE, plan=plan)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="?", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=32)
    parser.add_argument("--inside", choices=tuple(INSIDE), help="the task of the measured process")
    parser.add_argument("--folder", type=Path, help="the run directory of that process")
    arguments = parser.parse_args()
    if arguments.inside is None:
        compare(arguments.pages, arguments.at_once)
    else:
        asyncio.run(INSIDE[arguments.inside](arguments.pages, arguments.at_once, arguments.folder))


async def client(_pages: int, at_once: int, _folder: Path) -> None:
    """Call the client alone."""
    await adapter(at_once, at_once)


async def run(pages: int, at_once: int, folder: Path) -> None:
    """Generate the missing ones of that many pages."""
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
            raise ModelError("the run is stopped here")
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
                raise RuntimeError(found.output_end)
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
