"""The configuration of the fusion of strategies: the formula and its parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Fusion: TypeAlias = Literal["ranks", "max-plus-bonus"]

# The short names of strategies in candidates' scores.
SHORT = {"module_finder": "mf", "source_locator": "sl", "fuzzy_grep": "fg", "neighbourhood": "nb"}


@dataclass(frozen=True, kw_only=True)
class FusionConfig:
    """The parameters of a fusion, by the short names of strategies (mf, sl, fg, nb; otherwise the strategy's own name).

    `ranks` (weighted reciprocal rank): the sum of weight / (k + rank), plus `added` times the score for strategies
    whose score is more informative than their rank. A strategy without a weight has weight 1. `max-plus-bonus`: the
    best score, plus a bonus for each further strategy with a hit.
    """

    fusion: Fusion = "ranks"
    k: float = 1.0
    weights: Mapping[str, float] = field(default_factory=lambda: {"mf": 0.5, "nb": 3.0})
    added: Mapping[str, float] = field(default_factory=lambda: {"sl": 5.0})
    cross_source_bonus: float = 0.05
    max_score: float = 1.0
