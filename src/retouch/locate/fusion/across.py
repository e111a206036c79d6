"""Combines the rankings of the Verilog modules that one diff changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from retouch.locate.values import Candidate

SHARED = 0.5
INNER = 0.5  # for a module whose inputs changed: most of that is decided around it


def across(
    rankings: Sequence[Sequence[Candidate]], *, weights: Sequence[float] = (), unshared: Collection[str] = ()
) -> list[Candidate]:
    """Return one ranking, best first, from the rankings of several changed modules (each best first, one or more).

    `weights` multiply the scores of each ranking. The ids of `unshared` are never shared.

    A definition is either the place of one module, or shared by all: for example a helper or a base class. Therefore
    its score is 1 / (1 + rank) in the order of the best scores, plus half of that in the order of the lowest scores,
    relative to the maximum. A definition that some module does not lead to is not shared.
    """
    if weights:
        pairs = zip(rankings, weights, strict=True)
        rankings = [[replace(one, fused_score=weight * one.fused_score) for one in some] for some, weight in pairs]
    scores = [{one.module_id: one.fused_score for one in ranking} for ranking in rankings]
    best: dict[str, Candidate] = {}
    for one in (one for ranking in rankings for one in ranking):
        if one.module_id not in best or best[one.module_id].fused_score < one.fused_score:
            best[one.module_id] = one
    own = _ranks({name: one.fused_score for name, one in best.items()})
    lowest = {name: min(each.get(name, 0.0) for each in scores) for name in best if name not in unshared}
    shared = _ranks({name: score for name, score in lowest.items() if score > 0})
    combined = {name: _part(own, name) + SHARED * _part(shared, name) for name in best}
    most = (1 + SHARED) / 2
    found = [replace(one, fused_score=combined[name] / most) for name, one in best.items()]
    return sorted(found, key=lambda one: (-one.fused_score, own[one.module_id], one.module_id))


def _ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """Return the rank of each key, 1 for the highest score. Equal scores share the better rank: both may be right."""
    found: dict[str, int] = {}
    rank, last = 0, None
    for number, (name, score) in enumerate(sorted(scores.items(), key=lambda item: -item[1]), 1):
        rank, last = (rank, last) if score == last else (number, score)
        found[name] = rank
    return found


def _part(ranks: Mapping[str, int], name: str) -> float:
    return 1 / (1 + ranks[name]) if name in ranks else 0.0
