"""The base classes of strategies, which map a diff and an index to hints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

from retouch.locate.strategies.question import LocateQuery
from retouch.locate.values import JSON, Hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.index import SpanIndex
    from retouch.locate.values import Span

MOST_HINTS = 60


class HintStrategy(ABC):
    """Suggests modules for a diff. The class is named in the specification. Derive from it to add your own strategy."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The `source` of this strategy's hints."""

    @abstractmethod
    def generate_hints(self, diff_info: DiffInfo, span_index: SpanIndex, builder: object = None) -> list[Hint]:
        """Return at most one hint per module. `builder` is for strategies that need more than the index."""

    def answer(self, question: LocateQuery) -> list[Hint]:
        """Return the hints for a query. Strategies share its derived facts."""
        return self.generate_hints(question.diff, question.index, question.builder)


class ScoringStrategy(HintStrategy):
    """A strategy that scores modules. The evidence for a score is only computed when it is read."""

    def generate_hints(self, diff_info: DiffInfo, span_index: SpanIndex, builder: object = None) -> list[Hint]:
        """Return the hints for a diff, best first."""
        return self.answer(LocateQuery(diff=diff_info, index=span_index, builder=builder))

    def answer(self, question: LocateQuery) -> list[Hint]:
        """Return the hints for a query, best first, at most 60."""
        scores = self.scores(question)
        best = sorted(scores, key=lambda module_id: (-scores[module_id], module_id))[:MOST_HINTS]
        return [
            Hint(
                module_id=module_id,
                span=self.span(question, module_id),
                confidence=min(1.0, scores[module_id]),
                source=self.name,
                evidence=LateEvidence(lambda module_id=module_id: self.evidence(question, module_id)),
            )
            for module_id in best
            if scores[module_id] > 0
        ]

    def span(self, question: LocateQuery, module_id: str) -> Span:
        """Return the member of a module that the evidence refers to: by default the first class, trait or object."""
        return question.main_span(module_id)

    @abstractmethod
    def scores(self, question: LocateQuery) -> Mapping[str, float]:
        """Return a score from 0 to 1 per module id."""

    @abstractmethod
    def evidence(self, question: LocateQuery, module_id: str) -> dict[str, JSON]:
        """Return the evidence for a module's score."""


class LateEvidence(Mapping[str, JSON]):
    """A mapping that is computed at its first use."""

    def __init__(self, make: Callable[[], dict[str, JSON]]) -> None:
        self._make = make
        self._made: dict[str, JSON] | None = None

    def __getitem__(self, key: str) -> JSON:
        return self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def _all(self) -> dict[str, JSON]:
        if self._made is None:
            self._made = self._make()
        return self._made
