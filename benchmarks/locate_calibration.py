"""Checks whether a probability of 90 % is correct, and fits the calibration curves.

    python benchmarks/locate_calibration.py DIRECTORY [--write FILE] [--chisel PLACE]

DIRECTORY is the data set of hints with its Scala trees unpacked in it. Each design is evaluated with curves fitted on
the other ones. `--write` fits on all of them and writes the curves: FILE is src/retouch/locate/calibration.json. PLACE
is the directory of `chisel_real.py`: the curves of the package, which are not fitted on them, are evaluated on it.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from math import exp
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from chisel_mutants import kept_bugs
from hint_cases import Case, read_cases
from retouch.locate.calibration import CandidateMargin, Curve, Setting, calibrated, deciding_scores, margin_of
from retouch.locate.calibration import fitted as package_curves
from retouch.locate.diffs.info import DiffInfo
from retouch.locate.index import SpanIndex
from retouch.locate.ranking import rank
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.locate.values import Candidate

SETTINGS: tuple[Setting, ...] = ("named", "nameless", "located")
HARD = {"rocket": 2.0}  # the one design whose logic is mostly in helpers counts twice, to avoid overconfidence
PENALTY = 0.1
STEPS = 50
HEADS = ("chance said", "candidates", "mean", "right")
BANDS = (0.9, 0.8, 0.6, 0.4, 0.2, 0.0)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """The ranking of one case, its correct candidates, and the weight of the case in a fit."""

    design: str
    candidates: Sequence[Candidate]
    right: Sequence[bool]
    weight: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the data set of hints, its trees unpacked")
    parser.add_argument("--write", type=Path, metavar="FILE", help="fit on all designs and write the curves")
    parser.add_argument("--chisel", type=Path, metavar="PLACE", help="the directory of chisel_real.py")
    arguments = parser.parse_args()
    cases, absent = read_cases(arguments.folder)
    announce("Calibration")
    print(f"{len(cases)} cases; {len(absent)} skipped, because their trees are missing\n")
    samples: dict[Setting, list[Sample]] = {setting: list(gathered(cases, setting)) for setting in SETTINGS}
    for setting, some in samples.items():
        shown = table(HEADS, bands(some, setting))
        print(f"{setting}, {len(some)} cases\n\n{shown}\n")
    chisel: Path | None = arguments.chisel
    for setting in SETTINGS:
        if chisel is None:
            break
        some = list(real(chisel, setting))
        shown = table(HEADS, _rows_of(_said(some, package_curves()[setting])))
        print(f"real bugs, {setting}, {len(some)} cases\n\n{shown}\n")
    if arguments.write:
        arguments.write.write_text(json.dumps(described(samples), indent=2) + "\n", encoding="utf-8")


def gathered(cases: Sequence[Case], setting: Setting) -> Iterator[Sample]:
    """Yield the cases in one setting. Without a name, candidates are ranked by their words alone."""
    located = setting == "located"
    some = [case for case in cases if case.row["unified_diff_locators"] or not located]
    kinds = Counter(case.kind for case in some)
    for case in some:
        found = rank(case.diff(locators=located), case.index())
        if setting == "nameless":
            found = nameless(found)
        weight = len(some) / len(kinds) / kinds[case.kind] if located else HARD.get(case.design, 1.0)
        yield Sample(
            design=case.design,
            candidates=found,
            right=[case.is_right(one.span.file, one.span.name) for one in found],
            weight=weight,
        )


def real(place: Path, setting: Setting) -> Iterator[Sample]:
    """Yield the bugs in real Chisel in one setting, if anything is found for them."""
    for bug in kept_bugs(place):
        found = rank(DiffInfo.from_text(bug.located if setting == "located" else bug.plain), _index(bug.tree))
        found = nameless(found) if setting == "nameless" else found
        right = [one.module_id == bug.module_id for one in found]
        if found:
            yield Sample(design=bug.project, candidates=found, right=right, weight=1.0)


@cache
def _index(tree: Path) -> SpanIndex:
    index = SpanIndex(tree)
    index.build()
    return index


def nameless(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates as they would be ranked if no name matched."""
    alone = [replace(one, scores={"fg": one.scores["fg"]}, fused_score=one.scores["fg"]) for one in candidates]
    return sorted((one for one in alone if one.fused_score > 0), key=lambda one: -one.fused_score)


def bands(samples: Sequence[Sample], setting: Setting) -> Iterator[list[Any]]:
    """Yield for bands of probability the number of candidates, and how many of these are correct."""
    said: list[tuple[float, bool]] = []
    for design in dict.fromkeys(sample.design for sample in samples):
        curve = fitted([sample for sample in samples if sample.design != design], setting)
        said += _said([sample for sample in samples if sample.design == design], curve)
    yield from _rows_of(said)


def _said(samples: Sequence[Sample], curve: Curve) -> list[tuple[float, bool]]:
    """Return the probabilities of the first ten candidates of each case, and whether they are right."""
    curves = dict.fromkeys(SETTINGS, curve)
    found = [(calibrated(sample.candidates, curves)[:10], sample.right) for sample in samples]
    return [(one.probability or 0.0, yes) for some, right in found for one, yes in zip(some, right, strict=False)]


def _rows_of(said: Sequence[tuple[float, bool]]) -> Iterator[list[Any]]:
    for low, high in zip(BANDS, (1.01, *BANDS), strict=False):
        here = [(chance, right) for chance, right in said if low <= chance < high]
        if here:
            yield [f"{low:.1f} and more", len(here), mean(one for one, _ in here), mean(right for _, right in here)]


def fitted(samples: Sequence[Sample], setting: Setting) -> Curve:
    """Return the best fitting curve (weighted logistic regression, ridge on the slopes).

    If few samples are wrong, the margin's slope can be negative, which is meaningless. Then the margin is not used.
    """
    margins = [margin_of(deciding_scores(one.candidates, setting)) for one in samples]
    base, margin, rivals = _logistic(_rows(samples, margins))
    if margin < 0:
        base, margin, rivals = _logistic(_rows(samples, [replace(one, margin=0.0) for one in margins]))
    missed = [any(sample.right[:10]) for sample in samples if not sample.right[0]]
    elsewhere = (sum(missed) + 1) / (len(missed) + 2)
    return Curve(base=base, margin=margin, rivals=rivals, elsewhere=elsewhere)


def described(samples: Mapping[Setting, Sequence[Sample]]) -> dict[str, Any]:
    curves = {setting: asdict(fitted(some, setting)) for setting, some in samples.items()}
    designs = sorted({sample.design for some in samples.values() for sample in some})
    return {
        "fitted_on": f"{len(samples['named'])} cases of {', '.join(designs)}",
        "fitted_by": f"benchmarks/locate_calibration.py, {datetime.now(UTC):%Y-%m-%d}",
        "curves": {name: {key: round(value, 4) for key, value in curve.items()} for name, curve in curves.items()},
    }


def _rows(samples: Sequence[Sample], margins: Sequence[CandidateMargin]) -> list[tuple[list[float], bool, float]]:
    pairs = zip(samples, margins, strict=True)
    return [([1.0, stand.margin, stand.rivals], sample.right[0], sample.weight) for sample, stand in pairs]


def _logistic(rows: Sequence[tuple[list[float], bool, float]]) -> list[float]:
    """Return the weights of a logistic regression, by Newton's method."""
    found = [0.0, 0.0, 0.0]
    for _ in range(STEPS):
        slope = [0.0, *(-PENALTY * 2 * one for one in found[1:])]
        bend = [[2 * PENALTY if i == j > 0 else 1e-9 * (i == j) for j in range(3)] for i in range(3)]
        for features, right, weight in rows:
            chance = 1 / (1 + exp(-sum(one * other for one, other in zip(found, features, strict=True))))
            for i in range(3):
                slope[i] += weight * (right - chance) * features[i]
                for j in range(3):
                    bend[i][j] += weight * chance * (1 - chance) * features[i] * features[j]
        found = [one + step for one, step in zip(found, _solved(bend, slope), strict=True)]
    return found


def _solved(matrix: list[list[float]], vector: list[float]) -> list[float]:
    """Return the solution of a small symmetric system, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, vector, strict=True)]
    for at, pivot in enumerate(rows):
        for other in (row for row in rows if row is not pivot):
            factor = other[at] / pivot[at]
            other[:] = [one - factor * two for one, two in zip(other, pivot, strict=True)]
    return [row[-1] / row[at] for at, row in enumerate(rows)]


if __name__ == "__main__":
    main()
