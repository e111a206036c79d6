"""Finds the definition whose text has the words of the diff: BM25 over parts of identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.locate.strategies.base import ScoringStrategy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.locate.strategies.question import LocateQuery
    from retouch.locate.values import JSON

_MOST_SHOWN = 12


class FuzzyGrep(ScoringStrategy):
    """Scores the match between the words of a module and those of the diff, relative to the best."""

    @property
    def name(self) -> str:
        """`fuzzy_grep`, as in the specification."""
        return "fuzzy_grep"

    def scores(self, question: LocateQuery) -> Mapping[str, float]:
        """Return the BM25 scores relative to the best."""
        return question.words

    def evidence(self, question: LocateQuery, module_id: str) -> dict[str, JSON]:
        """Return the matched words with their contributions to the score (at most 12), and their number."""
        matched = question.matched(question.query, module_id)
        shown: dict[str, JSON] = {word: round(score, 4) for word, score in list(matched.items())[:_MOST_SHOWN]}
        return {"identifiers": shown, "hit_count": len(matched)}
