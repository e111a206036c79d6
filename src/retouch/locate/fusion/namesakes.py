"""Decides between definitions with the same name by the modules that the design really has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.locate.strategies.design import Design

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retouch.locate.index import SpanIndex
    from retouch.locate.values import Candidate


def namesakes_resolved(
    candidates: Sequence[Candidate], index: SpanIndex, modules: Collection[str]
) -> Sequence[Candidate]:
    """Return the candidates with those of the same name in the order in which they fit the design, best first.

    `modules` are the names of the design's Verilog modules, without numbers at the end. A definition fits by the share
    of the modules that it makes that are among them. Namesakes that become Verilog modules exchange their places and
    scores; other candidates stay. Without a difference, the order stays.
    """
    if not modules:
        return candidates
    names = frozenset(name.casefold() for name in modules)
    by_name: dict[str, list[int]] = {}
    fit = _Fit(index, names)
    for place, one in enumerate(candidates):
        if one.span.name.casefold() in names and fit.is_hardware(one):
            by_name.setdefault(one.span.name.casefold(), []).append(place)
    found = list(candidates)
    for places in by_name.values():
        if len(places) > 1:
            ordered = sorted(places, key=lambda place: fit.of(candidates[place]), reverse=True)
            for place, source in zip(places, ordered, strict=True):
                there = candidates[place]
                score = there.fused_score
                found[place] = replace(candidates[source], fused_score=score) if source != place else there
    return found


class _Fit:
    """How well definitions fit a design."""

    def __init__(self, index: SpanIndex, names: frozenset[str]) -> None:
        self._index, self._names = index, names
        self._design = Design(index)

    def is_hardware(self, candidate: Candidate) -> bool:
        """Return whether a definition becomes a Verilog module. Others are no namesakes of one."""
        return self._design.is_hardware(candidate.module_id)

    def of(self, candidate: Candidate) -> float:
        """Return the share of the modules that a definition makes that the design has. 0 if it makes none."""
        made = {name for span in candidate.members or (candidate.span,) for name in span.makes}
        known = {name.casefold() for name in made if self._is_module(name)}
        return len(known & self._names) / len(known) if known else 0.0

    def _is_module(self, name: str) -> bool:
        return any(self._design.is_hardware(span.module_id) for span in self._index.named(name))
