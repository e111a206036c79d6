"""Finds definitions near the one with the Verilog module's name, because logic is often in a helper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.locate.strategies.base import ScoringStrategy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.locate.strategies.question import LocateQuery
    from retouch.locate.values import JSON

_MADE_HERE = 2.0  # weight of a definition of a signal's name, relative to the match of words


class Neighbourhood(ScoringStrategy):
    """Scores the nearness to the named module, times the match: of words, and of names that the module defines."""

    @property
    def name(self) -> str:
        """`neighbourhood`."""
        return "neighbourhood"

    def scores(self, question: LocateQuery) -> Mapping[str, float]:
        """Return nearness times match."""
        return {module_id: _score(question, module_id, one.nearness) for module_id, one in question.reach.items()}

    def evidence(self, question: LocateQuery, module_id: str) -> dict[str, JSON]:
        """Return the `way` from the named module, the `nearness`, and the names `made_here` with their shares."""
        way: list[JSON] = []
        at = question.reach[module_id]
        target = module_id
        while at.tie:
            way.insert(0, {"from": at.source, "tie": at.tie, "to": target})
            target, at = at.source, question.reach[at.source]
        made: dict[str, JSON] = {name: round(share, 4) for name, share in question.made_here.get(module_id, {}).items()}
        return {"way": way, "nearness": round(question.reach[module_id].nearness, 4), "made_here": made}


def _score(question: LocateQuery, module_id: str, nearness: float) -> float:
    made = _MADE_HERE * nearness * sum(question.made_here.get(module_id, {}).values())
    return nearness * (question.words.get(module_id, 0.0) + made) / (1 + _MADE_HERE)
