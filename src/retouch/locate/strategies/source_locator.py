"""Finds the definitions that the compiler's source locators refer to, and their callers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.locate.strategies.base import ScoringStrategy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.locate.strategies.question import LocateQuery
    from retouch.locate.values import JSON

_CALLER = 0.25
_CALLER_BY_NAMES = 0.35


class SourceLocator(ScoringStrategy):
    """Scores the share of locators that are in a module.

    A change in a caller appears at the helper's lines. Therefore the module's own family gets a part of the share of
    its callees: 25 %, and up to 60 % depending on the share of changed names that it defines.
    """

    @property
    def name(self) -> str:
        """`source_locator`."""
        return "source_locator"

    def scores(self, question: LocateQuery) -> Mapping[str, float]:
        """Return the share of locators, including the callers' part of their callees' share."""
        located = question.located
        if not located.weights:
            return {}
        total = sum(located.weights.values()) + located.outside
        found = {module_id: weight / total for module_id, weight in located.weights.items()}
        helped = {caller: sum(found[one] for one in _callees(question, caller)) for caller in question.family}
        for caller, share in helped.items():
            if share:
                part = _CALLER + _CALLER_BY_NAMES * question.given_share(caller)
                found[caller] = found.get(caller, 0.0) + share * part
        return found

    def evidence(self, question: LocateQuery, module_id: str) -> dict[str, JSON]:
        """Return the `locators` in the module (`file:line`), their number, and the callees `used` with others."""
        lines = question.located.lines.get(module_id, [])
        used: list[JSON] = [*_callees(question, module_id)] if module_id in question.family else []
        return {"locators": list(lines), "breadcrumb_count": len(lines), "used": used}


def _callees(question: LocateQuery, caller: str) -> list[str]:
    links = question.design.links(caller)
    return [one.module_id for one in links if one.tie != "extends" and one.module_id in question.located.weights]
