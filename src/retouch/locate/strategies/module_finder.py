"""Finds the class that has the name of the Verilog module, or a similar one."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from retouch.locate.strategies.base import ScoringStrategy
from retouch.locate.strategies.names import BEGINS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.locate.strategies.question import LocateQuery
    from retouch.locate.values import JSON

_TIED = 0.85  # what modules with equal names share; the rest depends on the match of their words


class ModuleFinder(ScoringStrategy):
    """Scores names: 1 if equal (ignoring case and numbers at the end), 0.9 without suffix, 0.8 for a common prefix."""

    @property
    def name(self) -> str:
        """`module_finder`."""
        return "module_finder"

    def scores(self, question: LocateQuery) -> Mapping[str, float]:
        """Return the similarity of names. Modules with equal names differ by the match of their words."""
        scores = {module_id: match.score for module_id, match in question.names.items()}
        tied: dict[float, list[str]] = defaultdict(list)
        for module_id, score in scores.items():
            if score >= BEGINS:
                tied[score].append(module_id)
        for score, module_ids in tied.items():
            if len(module_ids) > 1:
                best = max(question.whole_words.get(one, 0.0) for one in module_ids) or 1.0
                for one in module_ids:
                    scores[one] = score * (_TIED + (1 - _TIED) * question.whole_words.get(one, 0.0) / best)
        return scores

    def evidence(self, question: LocateQuery, module_id: str) -> dict[str, JSON]:
        """Return the Verilog module, how its name matches, and `fuzzy_ratio`, the similarity of the letters."""
        match = question.names[module_id]
        return {"verilog_module": match.verilog_module, "how": match.how, "fuzzy_ratio": match.ratio}
