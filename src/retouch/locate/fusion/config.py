"""How strategies are fused: the formula, and its numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Fusion: TypeAlias = Literal["ranks", "max-plus-bonus"]

# The names of strategies as candidates' scores have them.
SHORT = {"module_finder": "mf", "source_locator": "sl", "fuzzy_grep": "fg", "neighbourhood": "nb"}


@dataclass(frozen=True, kw_only=True)
class FusionConfig:
    """The numbers of a fusion, by the short names of strategies (mf, sl, fg, nb; another strategy's own name).

    `ranks` (weighted reciprocal rank): sum of weight / (k + rank), and of `added` times the score for strategies whose
    score says more than their rank; a strategy that no weight names weighs 1. `max-plus-bonus`: the best score and
    a bonus for each further strategy that hit.
    """

    fusion: Fusion = "ranks"
    k: float = 1.0
    weights: Mapping[str, float] = field(default_factory=lambda: {"mf": 0.5, "nb": 3.0})
    added: Mapping[str, float] = field(default_factory=lambda: {"sl": 5.0})
    cross_source_bonus: float = 0.05
    max_score: float = 1.0
