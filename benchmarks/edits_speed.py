"""The time to parse and apply a reply: by size of the file and by number of edits, exact and failing."""

from __future__ import annotations

import argparse
import gc
import os
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from retouch.edits import EditBlock, apply_reply, render_blocks
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK_EVERY = 10
SIZES = (1_000, 10_000, 100_000, 1_000_000)
COUNTS = (10, 1_000)
NAME = "big.py"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--huge-mb", type=int, default=0, help="also one edit in a file of this many megabytes")
    arguments = parser.parse_args()
    announce("Speed of edits")
    print("CPU ms, median of the rounds; texts are Python's own library.\n")
    print(
        table(
            ("lines of the file", "edits", "all exact", "one line of each misquoted", "nothing resembles it"),
            sizes(arguments.rounds),
        )
    )
    if arguments.huge_mb:
        print("\n" + table(("file", "one exact edit, CPU s"), [huge(arguments.huge_mb)]))


def sizes(rounds: int) -> Iterator[list[object]]:
    """Yield 100 edits in files of growing size, then growing numbers of edits in one of 20,000 lines."""
    for count, size in [(100, 20_000), *((100, size) for size in SIZES), *((count, 20_000) for count in COUNTS)]:
        lines = library(size)
        fewer = rounds if size <= 100_000 else 3
        times = [taken(lines, count, way, fewer) for way in ("exact", "misquoted", "strange")]
        yield [f"{size:,}", count, *times]


def taken(lines: list[str], count: int, way: str, rounds: int) -> float:
    text = "\n".join(lines) + "\n"
    reply = render_blocks(edits(lines, count, way))
    wanted = "applied" if way == "exact" else "refused"
    times: list[float] = []
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        result = apply_reply(reply, {NAME: text})
        times.append((time.process_time() - start) * 1000)
        if result.outcome != wanted:
            raise SystemExit(f"{way}: {result.outcome}, {[issue.message for issue in result.issues[:2]]}")
    return median(times)


def edits(lines: list[str], count: int, way: str) -> Iterator[EditBlock]:
    """Return blocks of five lines, spread over the file. Each has a line that occurs once."""
    step = max(MARK_EVERY, len(lines) // count // MARK_EVERY * MARK_EVERY)
    for number in range(1, count + 1):
        start = (number - 1) * step % len(lines)
        find = lines[start : start + 5]
        if way == "misquoted":
            find[2] += " misquoted"
        elif way == "strange":
            find = [f"zyx_{number}_{line}_qwv" for line in range(5)]
        yield EditBlock(number=number, find=tuple(find), replace=(*find[:3], f"changed_{number} = True", *find[4:]))


def library(size: int) -> list[str]:
    """Return that many lines of the standard library, with a unique line every ten."""
    lines: list[str] = []
    sources = sorted(Path(os.__file__).parent.glob("*.py"))
    while len(lines) < size:
        for source in sources:
            lines += source.read_text(encoding="utf-8", errors="replace").split("\n")
    lines = [line.replace("\r", "") for line in lines[:size]]
    for number in range(0, size, MARK_EVERY):
        lines[number] = f"# part {number}"
    return lines


def huge(megabytes: int) -> list[object]:
    lines = library(20_000)
    block = "\n".join(lines) + "\n"
    text = block * (megabytes * 1_000_000 // len(block)) + "the_last = 1\n"
    start = time.process_time()
    result = apply_reply(
        render_blocks([EditBlock(number=1, find=("the_last = 1",), replace=("the_last = 2",))]), {NAME: text}
    )
    if result.outcome != "applied":
        raise SystemExit(str(result.issues))
    return [f"{len(text) / 1e6:.0f} MB", time.process_time() - start]


if __name__ == "__main__":
    main()
