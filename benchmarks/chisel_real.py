"""Bugs in real Chisel: located, repaired by models that make typical mistakes, compiled by scalac, proved by Yosys.

    python benchmarks/chisel_real.py DIRECTORY --repositories DIRECTORY [--mutants N]

One line of a public Chisel project is changed. Both versions are compiled to Verilog by FIRRTL, and a bug counts only
if Yosys finds inputs for which the outputs differ. The diff between both, without its source locators, is the input. No
real model is called: the models know the line that was changed, and say NOT HERE if it is not shown to them.

DIRECTORY keeps the packages, the builds, the bugs and the repairs, so that a second run goes on where the first one
ended. To repair the bugs again, delete DIRECTORY/repairs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from contextlib import ExitStack
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from chisel_models import MODELS
from chisel_mutants import Mutant, diff_of, is_bug, proposals, stripped, with_line
from chisel_repairs import RepairOutcome, repaired_once, serving
from chisel_toolchain import PROJECTS, Builds, Unusable, set_up, unpacked
from retouch.locate.diffs.info import DiffInfo
from retouch.locate.fusion.unifier import HintUnifier
from retouch.locate.hint_config import HintConfig
from retouch.locate.index import SpanIndex
from retouch.locate.ranking import default_strategies, rank
from retouch.locate.strategies.question import LocateQuery
from retouch.recipes.chisel.compat import HINT_CONFIG
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LOCATED = ("diff", "bugs", "top-1", "top-3", "top-10")
REPAIRED = (
    "model",
    "bugs",
    "right module among the ten",
    "verified",
    "of them wrong",
    "among the ten, not verified",
    "right answers not proved",
    "calls per fix",
    "median s",
)
SHARES = {"hardfloat": 0.5, "yatcpu": 0.3, "book": 0.2}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("place", type=Path, help="the directory of packages, builds and bugs")
    parser.add_argument("--repositories", type=Path, required=True, help="the clones, as OWNER+NAME")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--only-mutants", action="store_true", help="make the bugs, and measure nothing")
    parser.add_argument("--only-kept", action="store_true", help="make no further bugs")
    parser.add_argument("--repairs", type=int, default=1000, help="how many of the bugs are repaired")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS), help="which models repair")
    parser.add_argument("--no-ranking", action="store_true", help="only repair")
    given = parser.parse_args()
    place: Path = given.place.resolve()
    announce("Real Chisel")
    classpath = set_up(place)
    found: dict[str, Builds] = {}
    cases: list[tuple[Builds, Mutant]] = []
    for project in PROJECTS:
        builds = Builds(project, unpacked(project, given.repositories.resolve(), place), place, classpath)
        found[project.name] = builds
        wanted = max(1, round(SHARES[project.name] * given.mutants))
        cases += [(builds, mutant) for mutant in made(builds, wanted, place, only_kept=given.only_kept)]
        if given.only_mutants:
            builds.close()
    if not given.only_mutants:
        print(f"{len(cases)} bugs:", ", ".join(f"{count} in {name}" for name, count in _counts(cases)), "\n")
        if not given.no_ranking:
            print(table(LOCATED, located(cases)), "\n", flush=True)
        some = sorted(cases, key=lambda case: sha256(case[1].name.encode()).digest())[: given.repairs]
        print(table(REPAIRED, repaired_rows(some, place, given.models)))
    for builds in found.values():
        builds.close()


def _counts(cases: Sequence[tuple[Builds, Mutant]]) -> list[tuple[str, int]]:
    return list(Counter(mutant.project for _, mutant in cases).items())


def located(cases: Sequence[tuple[Builds, Mutant]]) -> Iterator[list[Any]]:
    """Yield a row per kind of diff and way to rank."""
    for compiler in ("FIRRTL", "firtool"):
        ranks: dict[str, list[int]] = defaultdict(list)
        for builds, mutant in cases:
            wrong, right = verilog_of(builds, mutant, compiler)
            for name, rank_ in ranks_of(builds, mutant, wrong, right):
                ranks[name].append(rank_)
        for name, some in ranks.items():
            shares = [f"{sum(0 < one <= top for one in some) / len(some):.3f}" for top in (1, 3, 10)]
            yield [f"{compiler}, {name}", len(some), *shares]


def verilog_of(builds: Builds, mutant: Mutant, compiler: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the Verilog with the bug and without it. The builds are on disk."""
    text = with_line(builds.originals[mutant.path], mutant, mutant.wrong)
    wrong, right = (builds.build(texts, (mutant.top,)) for texts in ({mutant.path: text}, {}))
    if compiler == "FIRRTL":
        return wrong.verilog, right.verilog
    return builds.by_firtool(wrong), builds.by_firtool(right)


def ranks_of(
    builds: Builds, mutant: Mutant, wrong: Mapping[str, str], right: Mapping[str, str]
) -> Iterator[tuple[str, int]]:
    """Yield the rank of the right definition, 0 if it is not found, for each kind of diff and way to rank."""
    index = index_of(builds.folder)
    plain, full = diff_of(stripped(wrong), stripped(right)), diff_of(wrong, right)
    if not plain.strip():
        return
    diff = DiffInfo.from_text(plain)
    yield "stripped", place_of(mutant, [one.module_id for one in rank(diff, index)])
    yield "with locators", place_of(mutant, [one.module_id for one in rank(DiffInfo.from_text(full), index)])
    specified = HintConfig.from_mapping(HINT_CONFIG).rank_options()
    for name, text in (("stripped", plain), ("with locators", full)):
        ids = [one.module_id for one in rank(DiffInfo.from_text(text), index, options=specified)]
        yield f"{name}, the specification's formula", place_of(mutant, ids)
    hints = HintUnifier(index, default_strategies()).ask(LocateQuery(diff=diff, index=index))
    for source, name in (("fuzzy_grep", "stripped, BM25 only"), ("module_finder", "stripped, module name only")):
        own = sorted((hint for hint in hints if hint.source == source), key=lambda hint: -hint.confidence)
        yield name, place_of(mutant, list(dict.fromkeys(hint.module_id for hint in own)))


def place_of(mutant: Mutant, ids: Sequence[str]) -> int:
    """Return the rank of the right definition, from 1, or 0."""
    return ids.index(mutant.module_id) + 1 if mutant.module_id in ids else 0


@cache
def index_of(folder: Path) -> SpanIndex:
    """Return the index of a project's sources."""
    index = SpanIndex(folder)
    index.build()
    return index


def repaired_rows(cases: Sequence[tuple[Builds, Mutant]], place: Path, kinds: Sequence[str]) -> Iterator[list[Any]]:
    """Yield a row per model. Repairs that were made before are read from disk."""
    for kind in kinds:
        outcomes: list[RepairOutcome] = []
        with ExitStack() as stack:
            for builds in {mutant.project: builds for builds, mutant in cases}.values():
                stack.enter_context(serving(builds, place / f"{builds.project.name}.socket"))
            for builds, mutant in cases:
                outcome = repaired_once(builds, mutant, place, kind=kind)
                outcomes.append(outcome)
                print(mutant.project, mutant.name, kind, outcome, file=sys.stderr, flush=True)
        shown = [one for one in outcomes if one.was_shown]
        verified = [one for one in outcomes if one.status == "verified"]
        yield [
            kind,
            len(outcomes),
            len(shown),
            len(verified),
            sum(not one.is_right for one in verified),
            sum(one.status != "verified" for one in shown),
            sum(one.refused_by_tool for one in outcomes),
            f"{mean([one.calls for one in verified]):.2f}" if verified else "-",
            f"{median([one.seconds for one in verified]):.1f}" if verified else "-",
        ]


def made(builds: Builds, wanted: int, place: Path, *, only_kept: bool) -> list[Mutant]:
    """Return the bugs of a project. Proposals that are no bug are skipped, and so are new ones if `only_kept`."""
    folder = place / "mutants" / builds.project.name
    golden = {top: builds.build({}, (top,)) for top in builds.project.tops}
    failed = [top for top, built in golden.items() if not built.passed]
    if failed:
        raise Unusable(f"{builds.project.name} does not compile: {', '.join(failed)}")
    verilog = {top: built.verilog for top, built in golden.items()}
    found: list[Mutant] = []
    for mutant in proposals(builds, verilog, Random(1)):
        if len(found) == wanted:
            break
        case = folder / mutant.name
        if not (case / "why").exists() and not only_kept:
            why = is_bug(builds, mutant, verilog[mutant.top], case)
            case.mkdir(parents=True, exist_ok=True)
            (case / "why").write_text(why)
        if (case / "why").exists() and not (case / "why").read_text():
            found.append(mutant)
    return found


if __name__ == "__main__":
    main()
