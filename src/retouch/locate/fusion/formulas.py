"""The two formulas that combine several scores to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.locate.fusion.ranks import mean_ranks

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from retouch.locate.fusion.config import FusionConfig


def fused(scores: Mapping[str, Mapping[str, float]], config: FusionConfig) -> dict[str, float]:
    """Return one score from 0 to 1 per module, from the scores from 0 to 1 of each strategy (strategy -> module ->
    score).

    A score of 0 counts as no score.
    """
    hits = {name: {one: score for one, score in each.items() if score > 0} for name, each in scores.items()}
    return max_plus_bonus(hits, config) if config.fusion == "max-plus-bonus" else reciprocal_ranks(hits, config)


def reciprocal_ranks(scores: Mapping[str, Mapping[str, float]], config: FusionConfig) -> dict[str, float]:
    """Return the weighted sum of reciprocal ranks, relative to the maximum of a module that is first everywhere.

    Source: Cormack, Clarke and Buettcher, Reciprocal Rank Fusion (SIGIR 2009), with weights and k = 1. A strategy with
    an added score is ignored if it has no hints, because most diffs have no locators.
    """
    found: dict[str, float] = {}
    attainable = 0.0
    for name, each in scores.items():
        if name in config.added:
            attainable += config.added[name] if each else 0.0
            parts = {one: config.added[name] * score for one, score in each.items()}
        else:
            weight = config.weights.get(name, 1.0)
            attainable += weight / (config.k + 1)
            parts = {one: weight / (config.k + rank) for one, rank in mean_ranks(each).items()}
        for one, part in parts.items():
            found[one] = found.get(one, 0.0) + part
    return {one: min(1.0, score / attainable) for one, score in found.items()} if attainable else {}


def max_plus_bonus(scores: Mapping[str, Mapping[str, float]], config: FusionConfig) -> dict[str, float]:
    """Return min(max_score, best score + cross_source_bonus * (strategies that hit - 1))."""
    return {
        one: min(config.max_score, max(hits) + config.cross_source_bonus * (len(hits) - 1))
        for one in _modules(scores)
        if (hits := [each[one] for each in scores.values() if one in each])
    }


def _modules(scores: Mapping[str, Mapping[str, float]]) -> Collection[str]:
    return dict.fromkeys(one for each in scores.values() for one in each)
