"""Cases of Verilog diffs with a known source, and the quality of a ranking of them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from math import comb
from statistics import mean
from typing import TYPE_CHECKING, Any, Protocol

from retouch.locate.diffs.info import DiffInfo
from retouch.locate.index import SpanIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch.locate.values import Candidate

TOPS = (1, 3, 10)
_NEARLY = 1e-12
_COMMENT = re.compile(r"//[^\n]*")
_HISTORIES = {"chiselbook_hist": "chiselbook"}  # older commits of the same design


class HasTruth(Protocol):
    """A case with known right definitions."""

    def is_right(self, file: str, name: str) -> bool: ...


@dataclass(frozen=True, kw_only=True)
class Case:
    """One row of the data set, and the directory that its paths are relative to."""

    folder: Path
    row: Mapping[str, Any]

    @property
    def design(self) -> str:
        """The design. Older commits of a design count as the same design."""
        name: str = self.row["design"]
        return _HISTORIES.get(name, name)

    @property
    def kind(self) -> str:
        """The origin of the case."""
        return self.row["kind"]

    @property
    def tree(self) -> Path:
        """The directory of the Scala sources."""
        return self.folder / self.row["tree"]

    def index(self) -> SpanIndex:
        """Return the index of the case's sources."""
        return _index(self.tree)

    def diff(self, *, locators: bool = False, rtl: bool = False) -> DiffInfo:
        """Return the diff, with its source locators, or with the Verilog file, if they are requested and available.

        The Verilog file is given without its locators. With `locators`, they come from it and not from the diff.
        """
        text = self.row["unified_diff_locators" if locators and not rtl else "unified_diff"]
        file = self.row["rtl_file"] if rtl else None
        verilog = (self.folder / file).read_text(encoding="utf-8") if file else ""
        return DiffInfo.from_text(text, rtl=verilog if locators else _COMMENT.sub("", verilog))

    def is_right(self, file: str, name: str) -> bool:
        """Return whether a definition is the changed one, or an equally correct one."""
        row = self.row
        others = [(one["file"], one["name"]) for one in row["alt_truth"]]
        return (file, name) in [(row["true_file"], row["true_name"]), *others]


@cache
def _index(tree: Path) -> SpanIndex:
    index = SpanIndex(tree)
    index.build()
    return index


def read_cases(folder: Path) -> tuple[list[Case], list[Case]]:
    """Return the cases of a data directory whose trees are available, and the other cases."""
    lines = (folder / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [Case(folder=folder, row=json.loads(line)) for line in lines]
    return [case for case in cases if case.tree.is_dir()], [case for case in cases if not case.tree.is_dir()]


def worth(case: HasTruth, scored: Iterable[tuple[float, str, str]]) -> list[float]:
    """Return the expected top-1, top-3, top-10 and reciprocal rank if equal scores are in random order.

    `scored` has score, file and simple name of each candidate.
    """
    scores: dict[float, list[bool]] = defaultdict(list)
    for score, file, name in scored:
        if score > 0:
            scores[round(score / _NEARLY) * _NEARLY].append(case.is_right(file, name))
    above = 0
    for score in sorted(scores, reverse=True):
        if any(scores[score]):
            tied, right = len(scores[score]), sum(scores[score])
            chances = [_chance(drawn, tied, right) for drawn in range(1, tied + 1)]
            first = [after - before for before, after in zip([0.0, *chances], chances, strict=False)]
            reciprocal = sum(chance / (above + at) for at, chance in enumerate(first, 1))
            return [*(_chance(top - above, tied, right) for top in TOPS), reciprocal]
        above += len(scores[score])
    return [0.0] * (len(TOPS) + 1)


def of_candidates(candidates: Sequence[Candidate]) -> Iterator[tuple[float, str, str]]:
    """Yield score, file and name of candidates."""
    return ((one.fused_score, one.span.file, one.span.name) for one in candidates)


def means(found: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean of each column."""
    return [mean(column) for column in zip(*found, strict=True)]


def by_design(cases: Sequence[Case], found: Sequence[Sequence[float]]) -> str:
    """Return the top-1 of each design in one line."""
    parts: dict[str, list[float]] = defaultdict(list)
    for case, one in zip(cases, found, strict=True):
        parts[case.design].append(one[0])
    return ", ".join(f"{design} {mean(each):.2f}" for design, each in sorted(parts.items()))


def _chance(drawn: int, tied: int, right: int) -> float:
    """Return the probability that one of `right` is among `drawn` of `tied`."""
    if drawn <= 0:
        return 0.0
    return 1.0 if drawn >= tied else 1 - comb(tied - right, drawn) / comb(tied, drawn)
