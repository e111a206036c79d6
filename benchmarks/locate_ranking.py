"""How often the definition that a Verilog diff came from is found, compared with simpler methods.

    python benchmarks/locate_ranking.py DIRECTORY

DIRECTORY is the data set of hints with its Scala trees unpacked in it. Cases without their tree are skipped and
counted. Equal scores count as in random order. "Left out" selects the weights of the fusion on all designs but one and
evaluates that one. bm25s and ripgrep are skipped with a message if they are not installed.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import time
from collections import defaultdict
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from hint_cases import Case, by_design, means, of_candidates, read_cases, worth
from retouch.locate.diffs.rtl import design_modules
from retouch.locate.fusion.config import FusionConfig
from retouch.locate.fusion.unifier import HintUnifier
from retouch.locate.indexing.words import pieces, terms
from retouch.locate.ranking import default_strategies, rank
from retouch.locate.strategies.question import LocateQuery
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.index import SpanIndex
    from retouch.locate.values import Hint, Span

HEADS = ("way", "cases", "top-1", "top-3", "top-10", "MRR", "top-1 by design")
GRID = [
    FusionConfig(k=k, weights={"mf": mf, "fg": fg, "nb": nb})
    for k, mf, fg, nb in product((0.5, 1.0, 3.0), (0.25, 0.5, 1.0), (0.5, 1.0), (1.0, 2.0, 3.0))
]
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the data set of hints, its trees unpacked")
    folder = parser.parse_args().folder
    cases, absent = read_cases(folder)
    announce("Ranking")
    print(f"{len(cases)} cases; {len(absent)} skipped, because their trees are missing\n")
    hints = [answers(case.diff(), case.index()) for case in cases]
    print(table(HEADS, stripped(cases, hints)), "\n")
    print(table(HEADS, located(cases)), "\n")
    print(f"one query: {median(spent_ms(cases)):.3g} ms (median of {len(cases)}, CPU)")


def answers(diff: DiffInfo, index: SpanIndex) -> list[Hint]:
    return HintUnifier(index, default_strategies()).ask(LocateQuery(diff=diff, index=index))


def fused(case: Case, hints: Sequence[Hint], config: FusionConfig) -> list[float]:
    unifier = HintUnifier(case.index(), default_strategies(), config)
    return worth(case, of_candidates(unifier.aggregate_evidence(hints)))


def stripped(cases: Sequence[Case], hints: Sequence[Sequence[Hint]]) -> Iterator[list[Any]]:
    """Yield a row for each method, for diffs without source locators."""
    pairs = list(zip(cases, hints, strict=True))
    yield row("retouch", cases, [fused(case, each, FusionConfig()) for case, each in pairs])
    yield row("retouch, weights chosen with the design left out", cases, left_out(cases, hints))
    with_rtl = [case for case in cases if case.row["rtl_file"]]
    yield row("retouch, the cases with a Verilog file", with_rtl, [ranked(case) for case in with_rtl])
    yield row("  and with that file", with_rtl, [ranked(case, rtl=True) for case in with_rtl])
    yield row("  and with the names of the design's modules", with_rtl, [of_design(case) for case in with_rtl])
    bonus = FusionConfig(fusion="max-plus-bonus")
    yield row("same signals, the max-plus-bonus formula", cases, [fused(case, each, bonus) for case, each in pairs])
    for name, said in (("module_finder", "name match only"), ("fuzzy_grep", "our BM25 only")):
        only = [worth(case, of_one(each, name)) for case, each in pairs]
        yield row(said, cases, only)
    for said, missing, way in (("BM25 only (bm25s)", no_bm25s(), with_bm25s), ("ripgrep", no_ripgrep(), with_ripgrep)):
        if missing:
            print(f"{said} is skipped: {missing}")
        else:
            yield row(said, cases, [worth(case, way(case)) for case in cases])


def located(cases: Sequence[Case]) -> Iterator[list[Any]]:
    """Yield a row per kind for diffs with their source locators, and one for locators from the Verilog file."""
    kinds: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.row["unified_diff_locators"]:
            kinds[case.kind].append(case)
    for kind, some in sorted(kinds.items()):
        yield row(f"locators in the diff, {kind}", some, [ranked(case, locators=True) for case in some])
    some = [case for case in cases if case.row["rtl_file"]]
    yield row("locators in the Verilog file", some, [ranked(case, locators=True, rtl=True) for case in some])


def row(said: str, cases: Sequence[Case], found: Sequence[Sequence[float]]) -> list[Any]:
    return [said, len(cases), *means(found), by_design(cases, found)]


def of_design(case: Case) -> list[float]:
    """Return the worth of the ranking that knows the changed module's file, and which modules the design has."""
    file = case.folder / case.row["rtl_file"]
    diff = replace(case.diff(rtl=True), design=modules_below(file.parent))
    return worth(case, of_candidates(rank(diff, case.index())))


@cache
def modules_below(folder: Path) -> frozenset[str]:
    """Return the modules of a design."""
    return design_modules(folder)


def ranked(case: Case, *, locators: bool = False, rtl: bool = False) -> list[float]:
    return worth(case, of_candidates(rank(case.diff(locators=locators, rtl=rtl), case.index())))


def left_out(cases: Sequence[Case], hints: Sequence[Sequence[Hint]]) -> list[list[float]]:
    """Return the scores of cases with the weights that are best for the other designs (top-1, then MRR)."""
    results = [[fused(case, each, config) for case, each in zip(cases, hints, strict=True)] for config in GRID]
    chosen: dict[str, int] = {}
    for design in {case.design for case in cases}:
        kept = [at for at, case in enumerate(cases) if case.design != design]
        scores = [means([found[at] for at in kept]) for found in results]
        chosen[design] = max(range(len(GRID)), key=lambda at: (scores[at][0], scores[at][-1]))
    return [results[chosen[case.design]][at] for at, case in enumerate(cases)]


def of_one(hints: Iterable[Hint], source: str) -> Iterator[tuple[float, str, str]]:
    return ((hint.confidence, hint.span.file, hint.span.name) for hint in hints if hint.source == source)


def spent_ms(cases: Sequence[Case]) -> Iterator[float]:
    for case in cases:
        diff, index = case.diff(), case.index()
        started = time.process_time()
        rank(diff, index)
        yield (time.process_time() - started) * 1000


def no_bm25s() -> str:
    return "" if find_spec("bm25s") else "bm25s is not installed"


def no_ripgrep() -> str:
    return "" if shutil.which("rg") else "rg is not on PATH"


def with_bm25s(case: Case) -> Iterator[tuple[float, str, str]]:
    """Rank with bm25s over the words of all identifiers, queried with those of the diff including context."""
    index = case.index()
    spans = index.get_all_modules()
    engine = _engines.get(case.tree) or _engines.setdefault(case.tree, _indexed(index, spans))
    query = [word for name in case.diff().weights for word in terms(name)]
    known = [word for word in query if word in engine.vocab_dict]
    scores: Sequence[float] = engine.get_scores(known) if known else [0.0] * len(spans)
    return ((float(score), span.file, span.name) for score, span in zip(scores, spans, strict=True))


_engines: dict[Path, Any] = {}


def _indexed(index: SpanIndex, spans: Sequence[Span]) -> Any:
    lines = {file: index.lines(file) for file in index.files()}
    texts = ["\n".join(lines[span.file][span.start_line - 1 : span.end_line]) for span in spans]
    engine = import_module("bm25s").BM25(k1=1.2, b=0.75)
    words = [[word for name in _IDENTIFIER.findall(text) for word in terms(name)] for text in texts]
    engine.index(words, show_progress=False)
    return engine


def with_ripgrep(case: Case) -> Iterator[tuple[float, str, str]]:
    """Rank by the number of different parts of the changed lines' identifiers that ripgrep finds in a definition."""
    names = [name for name, weight in case.diff().weights.items() if weight == 1.0]
    parts = {part for name in names for part in pieces(name)}
    if not parts:
        return
    command = ["rg", "-n", "-o", "-i", "-F", "-g", "*.scala", *(f"-e{part}" for part in sorted(parts)), "."]
    out = subprocess.run(command, cwd=case.tree, capture_output=True, text=True, check=False).stdout
    found: dict[Span, set[str]] = defaultdict(set)
    index = case.index()
    for (file, line), words in grouped(out).items():
        span = index.get_enclosing_module(file, line)
        if span:
            found[span] |= words
    yield from ((float(len(words)), span.file, span.name) for span, words in found.items())


def grouped(out: str) -> Mapping[tuple[str, int], set[str]]:
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    for line in out.splitlines():
        file, number, word = line.split(":", 2)
        found[file.removeprefix("./"), int(number)].add(word.lower())
    return found


if __name__ == "__main__":
    main()
