"""Finds the definition whose text has the words of the diff: BM25 over parts of identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.locate.strategies.base import ScoringStrategy
from retouch.locate.strategies.reach import OTHER_MODULE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.locate.strategies.question import LocateQuery
    from retouch.locate.values import JSON

_MOST_SHOWN = 12


class FuzzyGrep(ScoringStrategy):
    """Scores the match between the words of a module and those of the diff, relative to the best.

    If no class has the name of the Verilog module, its lines are likely to come from a helper: a class that becomes a
    separate Verilog module would have its own name there. Such classes count a quarter. A helper's names are often lost
    on the way to Verilog, so the operations of its lines (additions, choices, constants) count, too.
    """

    @property
    def name(self) -> str:
        """`fuzzy_grep`, as in the specification."""
        return "fuzzy_grep"

    def scores(self, question: LocateQuery) -> Mapping[str, float]:
        """Return the scores relative to the best, less for other Verilog modules."""
        if question.named_modules:
            return question.words
        found = question.words_and_operations
        others = {one for one in found if question.design.is_hardware(one)}
        return {one: score * (OTHER_MODULE if one in others else 1.0) for one, score in found.items()}

    def evidence(self, question: LocateQuery, module_id: str) -> dict[str, JSON]:
        """Return the matched words with their contributions to the score (at most 12), and their number.

        Without the module's name, `operations` are the operations that count most, with their contributions.
        """
        matched = question.matched(question.query, module_id)
        shown: dict[str, JSON] = {"identifiers": _shown(matched), "hit_count": len(matched)}
        if question.named_modules:
            return shown
        return {**shown, "operations": _shown(question.operation_match.contributions(module_id))}


def _shown(matched: Mapping[str, float]) -> dict[str, JSON]:
    return {word: round(score, 4) for word, score in list(matched.items())[:_MOST_SHOWN]}
