"""The output tokens that blocks save compared with whole files, on real changes of large files from git history."""

from __future__ import annotations

import argparse
import importlib
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, quantiles
from typing import TYPE_CHECKING, Any

from edits_cases import CORPUS
from retouch.edits import apply_reply, changes_between, is_large_file, render_blocks
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SOURCES = ("py", "scala", "js", "ts", "tsx", "rs", "go", "java", "c", "cc", "cpp", "h", "sh", "md", "v", "sv", "yml")
CONTEXTS = (0, 1, 3)
HUNKS = ((1, 1), (2, 3), (4, 8), (9, 20), (21, 10_000))
HEAD = ("changes", "saved in all", "mean", "p10", "median", "p90", ">= 80 %", "costs more", "rebuilt")
SHARES = ((0, 0.1), (0.1, 0.2), (0.2, 0.4), (0.4, 1.01))


@dataclass(frozen=True, kw_only=True)
class Saved:
    """One change: bytes of the whole new file and of the reply in blocks, the number of blocks, the share of changed
    lines.
    """

    whole: int
    blocks: int
    count: int
    share: float
    holds: bool

    @property
    def part(self) -> float:
        return 1 - self.blocks / self.whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="+", type=Path, help="git directories or work trees")
    parser.add_argument("--changes", type=int, default=1_500)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="the directory of make_history_corpus.py")
    arguments = parser.parse_args()
    announce("Output saved by edits")
    pairs = [*real_changes(arguments.repositories, arguments.changes, arguments.corpus)]
    saved = {
        context: [of for before, after in pairs if (of := measured(before, after, context))] for context in CONTEXTS
    }
    print(table(("context lines", *HEAD), ([context, *figures(found)] for context, found in saved.items())))
    print("\n" + table(("blocks", *HEAD), by_blocks(saved[1])))
    print("\n" + table(("lines changed", *HEAD), by_share(saved[1])))


def by_blocks(saved: Sequence[Saved]) -> Iterator[list[object]]:
    """Return one row for each range of block counts."""
    for low, high in HUNKS:
        name = f"{low} to {high}" if high < 10_000 else f"{low} and more"
        yield [name, *figures([one for one in saved if low <= one.count <= high])]


def by_share(saved: Sequence[Saved]) -> Iterator[list[object]]:
    """Return one row for each range of shares of changed lines."""
    for low, high in SHARES:
        yield [f"{low:.0%} to {min(high, 1):.0%}", *figures([one for one in saved if low <= one.share < high])]


def real_changes(repositories: Sequence[Path], count: int, corpus: Path) -> Iterator[tuple[str, str]]:
    """Return texts before and after a change, equally many from each repository, selected with a fixed seed."""
    sys.path.insert(0, str(corpus))
    maker: Any = importlib.import_module("make_history_corpus")
    each = -(-count // len(repositories))
    for repository in repositories:
        changes = [one for one in maker.changes(str(repository), "HEAD") if one[1].rsplit(".", 1)[-1] in SOURCES]
        random.Random(5).shuffle(changes)
        got = 0
        for _, _, old, new in changes:
            if got == each:
                break
            before, after = maker.text(str(repository), old), maker.text(str(repository), new)
            if before and after and "\r" not in before + after and is_large_file(before):
                got += 1
                yield before, after


def measured(before: str, after: str, context: int) -> Saved | None:
    """Return the figures of a change, or None if only the final newline changes, which blocks cannot express."""
    blocks = changes_between(before, after, context=context)
    if not blocks:
        return None
    reply = render_blocks(blocks)
    result = apply_reply(reply, {"f": before})
    changed = sum(max(len(set(b.find) - set(b.replace)), len(set(b.replace) - set(b.find))) for b in blocks)
    return Saved(
        whole=len(after.encode()),
        blocks=len(reply.encode()),
        count=len(blocks),
        share=min(1.0, changed / max(1, before.count("\n"))),
        holds=(result.files.get("f") or "").rstrip("\n") == after.rstrip("\n"),
    )


def figures(found: Sequence[Saved]) -> list[object]:
    if len(found) < 2:
        return [len(found), *["-"] * 8]
    parts = sorted(one.part for one in found)
    tenths = quantiles(parts, n=10)
    return [
        len(found),
        *(
            f"{value:.1%}"
            for value in (1 - sum(one.blocks for one in found) / sum(one.whole for one in found), mean(parts))
        ),
        *(f"{value:.1%}" for value in (tenths[0], tenths[4], tenths[8])),
        f"{sum(part >= 0.8 for part in parts) / len(parts):.1%}",
        f"{sum(part < 0 for part in parts) / len(parts):.1%}",
        f"{sum(one.holds for one in found):,}",
    ]


if __name__ == "__main__":
    main()
