"""Checks whether a probability of 90 % is correct, and fits the calibration curves.

    python benchmarks/locate_calibration.py DIRECTORY [--chisel PLACE] [--write FILE]

DIRECTORY is the data set of hints with its Scala trees unpacked in it. PLACE is the directory of `chisel_real.py`: its
bugs are cases, too. Each design is evaluated with curves fitted on the other ones. There is a curve for each kind of
evidence: source locators, a module's name, several modules (the cases of `locate_several.py`), and no name (all names
of modules in the diff are replaced). `--write` fits on all of them and writes the curves: FILE is
src/retouch/locate/calibration.json.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from math import exp
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from chisel_mutants import kept_bugs
from hint_cases import Case, HasTruth, read_cases
from locate_several import independent, index_of, shared
from retouch.locate.calibration import (
    CandidateMargin,
    Curve,
    Setting,
    calibrated,
    deciding_scores,
    margin_of,
    setting_of,
)
from retouch.locate.diffs.info import DiffInfo
from retouch.locate.ranking import rank
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.locate.values import Candidate

SETTINGS: tuple[Setting, ...] = ("named", "several", "nameless", "located")
PENALTY = 0.1
STEPS = 50
HEADS = ("chance said", "candidates", "mean", "right")
BANDS = (0.9, 0.8, 0.6, 0.4, 0.2, 0.0)
REAL = "real"
SAME_DESIGN = {"book": "chiselbook"}


@dataclass(frozen=True, kw_only=True)
class Sample:
    """The ranking of one case, its correct candidates, and the weight of the case in a fit.

    `kind` is the origin of the case, `real` for a bug in real Chisel.
    """

    design: str
    kind: str
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
    samples: dict[Setting, list[Sample]] = {
        setting: _balanced(list(gathered(arguments.folder, cases, arguments.chisel, setting)), setting)
        for setting in SETTINGS
    }
    for setting, some in samples.items():
        said = list(left_out(some, setting))
        print(f"{setting}, {len(some)} cases\n\n{table(HEADS, bands(said))}\n")
        if own := [one for one in said if one[0].kind == REAL]:
            print(f"{setting}, of these {len(own)} bugs in real Chisel\n\n{table(HEADS, bands(own))}\n")
    if arguments.write:
        arguments.write.write_text(json.dumps(described(samples), indent=2) + "\n", encoding="utf-8")


def gathered(folder: Path, cases: Sequence[Case], chisel: Path | None, setting: Setting) -> Iterator[Sample]:
    """Yield the cases in one setting, if anything is found for them."""
    if setting == "several":
        rows = [dict(case.row) for case in cases]
        for one in (*shared(folder / "rtl" / "rocket", folder / "trees" / "rocket"), *independent(folder, rows)):
            yield _sample(one, "rocket" if one.kind == "shared" else "several designs", one.kind, one.text, one.tree)
    for case in cases if setting != "several" else ():
        text = case.row["unified_diff_locators" if setting == "located" else "unified_diff"]
        if text:
            yield _sample(
                case, case.design, case.kind, without_names(text) if setting == "nameless" else text, case.tree
            )
    for bug in kept_bugs(chisel) if chisel else ():
        text = bug.located if setting == "located" else bug.plain
        is_one = len(DiffInfo.from_text(text).parts) == 1
        if is_one if setting == "named" else not is_one or setting != "several":
            shown = without_names(text) if setting == "nameless" else text
            yield _sample(bug, bug.project, REAL, shown, bug.tree)


def without_names(text: str) -> str:
    """Return a diff in which all changed modules have another name, one that nothing has."""
    diff = DiffInfo.from_text(text)
    names = {diff.verilog_module, *diff.modules, *(name for file in diff.files for name in file.modules)}
    for name in sorted(names - {""}, key=len, reverse=True):
        text = re.sub(rf"\b{re.escape(name)}(?:_\d+)?\b", "Zqx", text)
    return re.sub(r"^(---|\+\+\+) .*", r"\1 a/Zqx.v", text, flags=re.MULTILINE)


def _sample(case: HasTruth, design: str, kind: str, text: str, tree: Path) -> Sample:
    found = rank(DiffInfo.from_text(text), index_of(tree))
    right = [case.is_right(one.span.file, one.span.name) for one in found]
    design = SAME_DESIGN.get(design, design)
    return Sample(design=design, kind=kind, candidates=found, right=right, weight=1.0)


def _balanced(samples: Sequence[Sample], setting: Setting) -> list[Sample]:
    """Return the samples that have the setting's kind of evidence, with weights.

    With locators, most of which are the solution, each kind of case has the same weight. Otherwise the weights are
    between those of equal cases and those of equal designs.
    """
    is_several = setting == "several"
    some = [one for one in samples if one.candidates and setting_of(one.candidates, several=is_several) == setting]
    groups = [sample.kind if setting == "located" else sample.design for sample in some]
    number = Counter(groups)
    power = 1.0 if setting == "located" else 0.5
    weights = [(len(some) / len(number) / number[group]) ** power for group in groups]
    return [replace(one, weight=weight) for one, weight in zip(some, weights, strict=True)]


def left_out(samples: Sequence[Sample], setting: Setting) -> Iterator[tuple[Sample, float, bool]]:
    """Yield the probabilities of the first ten candidates of each case, and whether they are right."""
    for design in dict.fromkeys(sample.design for sample in samples):
        curve = fitted([sample for sample in samples if sample.design != design], setting)
        for sample in (sample for sample in samples if sample.design == design):
            curves = dict.fromkeys(SETTINGS, curve)
            for one, right in zip(calibrated(sample.candidates, curves)[:10], sample.right, strict=False):
                yield sample, one.probability or 0.0, right


def bands(said: Sequence[tuple[Sample, float, bool]]) -> Iterator[list[Any]]:
    """Yield for bands of probability the number of candidates, and how many of these are correct."""
    for low, high in zip(BANDS, (1.01, *BANDS), strict=False):
        here = [(chance, right) for _, chance, right in said if low <= chance < high]
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
    number = sum(len(some) for some in samples.values())
    return {
        "fitted_on": f"{number} cases of {', '.join(designs)}",
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
