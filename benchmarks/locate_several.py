"""How often the source of a change is found if the change is in several Verilog modules.

    python benchmarks/locate_several.py DIRECTORY [--chisel PLACE]

DIRECTORY is the data set of hints with its Scala trees unpacked in it. Two kinds of cases are made from it. "Shared":
one source line, named by source locators in several Verilog modules, is mutated in each of them; the definition around
it is right. "Independent": the diffs of two cases of other modules are joined, or all diffs of one commit; each place
is right. Locators are removed. "As one" ranks the diff with all modules together, as one query. PLACE is the directory
of `chisel_real.py`: its bugs that change several modules are cases, too.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chisel_mutants import kept_bugs
from hint_cases import means, of_candidates, worth
from retouch.locate import DiffInfo, SpanIndex, rank
from retouch.locate.calibration import calibrated
from retouch.locate.diffs.verilog import stem
from retouch.locate.fusion.unifier import HintUnifier
from retouch.locate.ranking import default_strategies
from retouch.locate.strategies.question import LocateQuery
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.locate.values import Candidate

SEED = 7
MOST_MODULES = 4
MOST_LINES = 3
MOST_PER_DEFINITION = 6
PAIRS_PER_TREE = 15
SWAPS = ((" & ", " | "), (" | ", " & "), (" == ", " != "), (" + ", " - "), (" < ", " >= "), ("? ", "? ~"))
_COMMENT = re.compile(r"\s*//.*")
_LOCATED = re.compile(r"//\s*@\[(.*)\]")
_PLACE = re.compile(r"(\S+\.scala) (\d+):")


@dataclass(frozen=True, kw_only=True)
class SeveralCase:
    """A diff of several modules, its sources, and the right (file, name) pairs."""

    kind: str
    tree: Path
    text: str
    right: frozenset[tuple[str, str]]

    def is_right(self, file: str, name: str) -> bool:
        return (file, name) in self.right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the data set of hints, its trees unpacked")
    parser.add_argument("--chisel", type=Path, metavar="PLACE", help="the directory of chisel_real.py")
    given = parser.parse_args()
    folder: Path = given.folder
    rows = [json.loads(line) for line in (folder / "dev.jsonl").read_text(encoding="utf-8").splitlines()]
    cases = [*shared(folder / "rtl" / "rocket", folder / "trees" / "rocket"), *independent(folder, rows)]
    cases += real(given.chisel) if given.chisel is not None else ()
    announce("Several modules")
    print(table(("cases", "number", "way", "top-1", "top-3", "top-10", "MRR"), results(cases)))


def results(cases: Sequence[SeveralCase]) -> Iterator[list[Any]]:
    for kind in dict.fromkeys(case.kind for case in cases):
        some = [case for case in cases if case.kind == kind]
        for name, way in (("as one", as_one), ("retouch", alone)):
            yield [kind, len(some), name, *means([worth(case, of_candidates(way(case))) for case in some])]


def alone(case: SeveralCase) -> Sequence[Candidate]:
    return rank(DiffInfo.from_text(case.text), index_of(case.tree))


def as_one(case: SeveralCase) -> Sequence[Candidate]:
    index = index_of(case.tree)
    unifier = HintUnifier(index, default_strategies())
    return calibrated(
        unifier.aggregate_evidence(unifier.ask(LocateQuery(diff=DiffInfo.from_text(case.text), index=index)))
    )


def real(place: Path) -> Iterator[SeveralCase]:
    """Yield the bugs in real Chisel that change several Verilog modules."""
    for bug in kept_bugs(place):
        if len(DiffInfo.from_text(bug.plain).parts) > 1:
            yield SeveralCase(kind="real bugs", tree=bug.tree, text=bug.plain, right=frozenset([(bug.file, bug.name)]))


@cache
def index_of(tree: Path) -> SpanIndex:
    index = SpanIndex(tree)
    index.build()
    return index


def shared(rtl: Path, tree: Path) -> Iterator[SeveralCase]:
    """Yield one case for each source line in several modules, at most 6 for a definition."""
    if not tree.is_dir():
        return
    index = index_of(tree)
    modules = {path.stem: path.read_text(encoding="utf-8").split("\n") for path in sorted(rtl.glob("*.sv"))}
    seen: Counter[str] = Counter()
    drawn = random.Random(SEED)
    places = sorted(_places(modules, index).items())
    drawn.shuffle(places)
    for (file, line), lines_of in places:
        span = index.get_enclosing_module(file, line)
        if span is None or len({stem(name) for name in lines_of}) < 2 or seen[span.module_id] >= MOST_PER_DEFINITION:
            continue
        seen[span.module_id] += 1
        chosen = drawn.sample(sorted(lines_of), min(len(lines_of), MOST_MODULES))
        text = "".join(_mutated_diff(name, modules[name], lines_of[name][:MOST_LINES]) for name in chosen)
        yield SeveralCase(kind="shared", tree=tree, text=text, right=frozenset([(span.file, span.name)]))


def _places(modules: dict[str, list[str]], index: SpanIndex) -> dict[tuple[str, int], dict[str, list[int]]]:
    """Return the mutable Verilog lines of each source line, by module. File names that are not unique are left out."""
    files: dict[str, list[str]] = defaultdict(list)
    for file in index.files():
        files[file.rpartition("/")[2]].append(file)
    found: dict[tuple[str, int], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for name, lines in modules.items():
        for at, line in enumerate(lines):
            located = _LOCATED.search(line)
            named = set(_PLACE.findall(located[1])) if located else set[tuple[str, str]]()
            if len(named) == 1 and _mutated(line) != line:
                ((short, number),) = named
                if len(files[short]) == 1:
                    found[files[short][0], int(number)][name].append(at)
    return found


def _mutated(line: str) -> str:
    code = _COMMENT.sub("", line)
    return next((code.replace(old, new, 1) for old, new in SWAPS if old in code), line)


def _mutated_diff(name: str, lines: Sequence[str], changed: Iterable[int]) -> str:
    before = [_COMMENT.sub("", line) for line in lines]
    after = [*before]
    for at in changed:
        after[at] = _mutated(lines[at])
    return "\n".join(unified_diff(before, after, f"a/{name}.sv", f"b/{name}.sv", lineterm="")) + "\n"


def independent(folder: Path, rows: Sequence[dict[str, Any]]) -> Iterator[SeveralCase]:
    """Yield the diffs of commits with several modules, and pairs of single changes of one tree."""
    commits: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    trees: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["kind"] == "real_history":
            commits[row["old"], row["new"]].append(row)
        else:
            trees[row["tree"]].append(row)
    drawn = random.Random(SEED)
    pairs = [drawn.sample(some, 2) for some in trees.values() if len(some) > 1 for _ in range(PAIRS_PER_TREE)]
    for some in [*commits.values(), *pairs]:
        tree = folder / some[0]["tree"]
        if len({stem(row["module"]) for row in some}) > 1 and tree.is_dir():
            text = "".join(row["unified_diff"].rstrip("\n") + "\n" for row in some)
            right = frozenset(pair for row in some for pair in _right(row))
            yield SeveralCase(kind="independent", tree=tree, text=text, right=right)


def _right(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield row["true_file"], row["true_name"]
    yield from ((one["file"], one["name"]) for one in row["alt_truth"])


if __name__ == "__main__":
    main()
