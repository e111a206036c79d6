"""The definition whose text has the words of the diff: BM25 over parts of identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.locate.strategies.base import ScoringStrategy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.locate.strategies.question import LocateQuery
    from retouch.locate.values import JSON

_MOST_SHOWN = 12


class FuzzyGrep(ScoringStrategy):
    """Scores how well the words of a module fit those of the diff, as a share of the best."""

    @property
    def name(self) -> str:
        """`fuzzy_grep`, its name in the specification."""
        return "fuzzy_grep"

    def scores(self, question: LocateQuery) -> Mapping[str, float]:
        """Return the share of the best BM25."""
        return question.words

    def evidence(self, question: LocateQuery, module_id: str) -> dict[str, JSON]:
        """Return the words that matched with what each adds to the score (at most 12), and how many did."""
        matched = question.matched(question.query, module_id)
        shown: dict[str, JSON] = {word: round(score, 4) for word, score in list(matched.items())[:_MOST_SHOWN]}
        return {"identifiers": shown, "hit_count": len(matched)}
