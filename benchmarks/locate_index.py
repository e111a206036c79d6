"""The time to index a source tree: cold, warm, after a change, and on copies of it, and the agreement of both parsers.

TREES is a directory of source trees, such as `hints/trees` as written by tools/unpack_corpus.py.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from retouch.locate import SpanIndex, open_source
from retouch.locate.indexing.contents import read_contents
from retouch.locate.indexing.words import terms
from retouch.locate.languages.scala import by_braces, scala
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.locate import Span
    from retouch.locate.languages.front import Front

COPIES = (4, 16)
QUERY_NAMES = 25
ABOUT = """\
CPU seconds, each tree in a separate process. All but cold are the median of the rounds. Cold and warm begin with the
listing of the files; warm reads the cache. Then one line is added to the file of median size: changed is the build
that finds it, saved is writing the cache after it. The query has the names of 25 definitions.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path, help="a directory with one directory per source tree; it is not changed")
    parser.add_argument("--copied", default="xiangshan", help="the tree to copy several times (%(default)s)")
    parser.add_argument("--most", type=int, default=COPIES[-1], help="the largest number of copies (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)  # used by the separate process
    arguments = parser.parse_args()
    if arguments.one:
        print(*measured(arguments.trees, arguments.rounds))
        return
    announce("locate: the index")
    print(ABOUT)
    trees = sorted(one for one in arguments.trees.iterdir() if one.is_dir())
    heads = ("tree", "files", "MB", "spans", "cold", "warm", "first query", "query", "changed", "saved", "MB held")
    rows = [row(tree, 1, arguments.rounds) for tree in trees]
    more = [number for number in COPIES if number <= arguments.most]
    rows += [row(arguments.trees / arguments.copied, number, arguments.rounds) for number in more]
    print(table(heads, rows))
    print("\nThe grammar compared with the scanner of braces, which is independent of it:\n")
    heads = ("tree", "spans by grammar", "different ids", "places not read", "spans by braces", "in both", "same lines")
    print(table(heads, (agreement(tree) for tree in trees)))


def row(tree: Path, number: int, rounds: int) -> list[object]:
    """Return the figures for copies of a tree, measured in a separate process because of its memory."""
    with TemporaryDirectory() as folder:
        for copy in range(number):
            shutil.copytree(tree, Path(folder) / "tree" / str(copy))
        command = [sys.executable, __file__, folder, "--rounds", str(rounds), "--one"]
        told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    files, size, spans, *seconds, held_kib = told
    name = f"{tree.name} x {number}" if number > 1 else tree.name
    return [name, int(files), int(size) / 1e6, int(spans), *map(float, seconds), int(held_kib) / 1024]


def measured(folder: Path, rounds: int) -> list[object]:
    """Return the figures of `folder`/tree: counts, seconds, and the peak memory of this process in KiB."""
    import resource

    tree, cache = folder / "tree", folder / "kept.json"
    start = time.process_time()
    index = SpanIndex(tree)
    done = index.build()
    cold = time.process_time() - start
    index.save(cache)
    sizes = {file: (tree / file).stat().st_size for file in index.files()}
    changed = sorted(sizes, key=lambda file: sizes[file])[len(sizes) // 2]
    words = query(index.get_all_modules())
    steps = [round_of(tree, cache, words, tree / changed) for _ in range(rounds)]
    held_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return [done.files, sum(sizes.values()), done.spans, cold, *map(median, zip(*steps, strict=True)), held_kib]


def round_of(tree: Path, cache: Path, words: dict[str, float], changed: Path) -> list[float]:
    """Return the seconds of a warm start, two queries, a build after a change, and writing the cache."""
    clock = [time.process_time()]
    index = SpanIndex.load(cache, tree)
    index.build()
    clock.append(time.process_time())
    for _ in range(2):
        index.ranked(words)
        clock.append(time.process_time())
    with changed.open("a") as file:
        file.write("// one line more\n")
    clock.append(time.process_time())
    assert 1 == len(index.build().parsed)
    clock.append(time.process_time())
    index.save(cache)
    clock.append(time.process_time())
    seconds = [after - before for before, after in pairwise(clock)]
    return [*seconds[:3], *seconds[4:]]


def query(spans: Sequence[Span]) -> dict[str, float]:
    """Return the terms for names of definitions from all parts of a tree."""
    named = [span for span in spans if span.defines]
    some = named[:: max(1, len(named) // QUERY_NAMES)][:QUERY_NAMES]
    return {term: 1.0 for span in some for term in terms(span.defines[0])}


def agreement(tree: Path) -> list[object]:
    """Return the results of both parsers for a tree, and how much of them is equal."""
    grammar, errors = spans_of(tree, scala())
    braces, _ = spans_of(tree, by_braces())
    known = {span.span_id: span for span in braces}
    pairs = [(span, known[span.span_id]) for span in grammar if span.span_id in known]
    same = sum((one.start_line, one.end_line) == (other.start_line, other.end_line) for one, other in pairs)
    different = len({span.span_id for span in grammar})
    return [tree.name, len(grammar), different, errors, len(braces), len(pairs), same]


def spans_of(tree: Path, front: Front) -> tuple[list[Span], int]:
    """Return the definitions of a tree, and the number of places that could not be parsed."""
    source = open_source(tree)
    files = source.list(front.patterns[0], [*front.skip, *front.tests])
    read = [read_contents(front, file, data) for file, data in source.read_all(files)]
    return [span for one in read for span in one.spans], sum(one.errors for one in read)


if __name__ == "__main__":
    main()
