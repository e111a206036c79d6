"""Finds the definitions whose lines have the operations of a diff: all that remains of logic without names."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from retouch.locate.diffs.operations import operations
from retouch.locate.indexing.bm25 import BM25
from retouch.locate.languages.operations import line_operations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.index import SpanIndex
    from retouch.locate.values import Span

_WINDOW = 8  # lines with operations; the next window starts in the middle of the last one
_LENGTH_MATTERS = 0.4  # less than usual for BM25, because windows are about equally long
_CONTEXT = 0.3
_PAIR = 0.5
_MOST_OF_ONE = 3.0
_MOST_HUNKS = 8


@dataclass(frozen=True, kw_only=True)
class OperationWindows:
    """The operations of some definitions, as windows of a few lines: a BM25 index, and the module of each window."""

    words: BM25
    modules: Sequence[str]

    @classmethod
    def of(cls, index: SpanIndex, spans: Iterable[Span]) -> OperationWindows:
        """Return the windows of some definitions."""
        words = BM25(b=_LENGTH_MATTERS)
        modules: list[str] = []
        for span in spans:
            for counts in _windows(line_operations(index.text(span))):
                words.add(len(modules), counts)
                modules.append(span.module_id)
        return cls(words=words, modules=modules)

    def match(self, diff: DiffInfo) -> OperationMatch:
        """Return the best windows for each hunk of a diff."""
        return OperationMatch(words=self.words, hunks=[(query, self._best(query)) for query in _queries(diff)])

    def _best(self, query: Mapping[str, float]) -> Mapping[str, tuple[float, int]]:
        """Return the best window of each module, with its score."""
        found: dict[str, tuple[float, int]] = {}
        for window, score in self.words.scores(query).items():
            module_id = self.modules[window]
            found[module_id] = max(found.get(module_id, (0.0, window)), (score, window))
        return found


@dataclass(frozen=True, kw_only=True)
class OperationMatch:
    """For each hunk of a diff its weighted operations, and the best window of each module with its score."""

    words: BM25
    hunks: Sequence[tuple[Mapping[str, float], Mapping[str, tuple[float, int]]]]

    def scores(self) -> Mapping[str, float]:
        """Return for each module the sum over hunks of its best window's score."""
        totals: dict[str, float] = defaultdict(float)
        for _, best in self.hunks:
            for module_id, (score, _) in best.items():
                totals[module_id] += score
        return totals

    def contributions(self, module_id: str) -> Mapping[str, float]:
        """Return how much each operation adds to a module's score, largest first."""
        totals: dict[str, float] = defaultdict(float)
        for query, best in self.hunks:
            _, window = best.get(module_id, (0.0, None))
            for word, score in self.words.parts(query, window).items() if window is not None else ():
                totals[word] += score
        return dict(sorted(totals.items(), key=lambda item: -item[1]))


def _windows(lines: Sequence[Sequence[str]]) -> Iterator[Counter[str]]:
    for start in range(0, max(1, len(lines) - _WINDOW // 2), _WINDOW // 2):
        words = [word for line in lines[start : start + _WINDOW] for word in line]
        if words:
            yield Counter([*words, *(pair for pair, _ in _pairs([(word, 0.0) for word in words]))])


def _pairs(words: Iterable[tuple[str, float]]) -> Iterator[tuple[str, float]]:
    """Yield the pairs of neighbouring operations, with the higher weight. Their order is lost, because Verilog may
    compute them in another one.
    """
    plain = [(word, weight) for word, weight in words if not word.startswith("#")]
    return ((" ".join(sorted((one, other))), max(weight, its)) for (one, weight), (other, its) in pairwise(plain))


def _queries(diff: DiffInfo) -> Iterator[Mapping[str, float]]:
    """Yield the operations of each hunk with their weights: their number on changed lines, and less on those around."""
    hunks = (hunk for file in diff.files for hunk in file.near_hunks)
    for _, hunk in zip(range(_MOST_HUNKS), hunks, strict=False):
        found: dict[str, float] = defaultdict(float)
        sides: dict[str, list[tuple[str, float]]] = {"-": [], "+": []}
        for line in hunk:
            weight = 1.0 if line.is_changed else _CONTEXT
            for word in operations(line.code):
                found[word] += weight
                for side in sides if line.sign == " " else line.sign:
                    sides[side].append((word, weight))
        for words in sides.values():
            for pair, weight in _pairs(words):
                found[pair] += _PAIR * (weight if weight == 1.0 else weight / len(sides))
        yield {word: min(number, _MOST_OF_ONE) for word, number in found.items()}
