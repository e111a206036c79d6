"""From scores to chances: how often a candidate that stands out as much as this one was the right place."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import exp, log1p
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from retouch.locate.fusion.ranks import mean_ranks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.locate.values import Candidate

Setting: TypeAlias = Literal["located", "named", "nameless"]

# What tells candidates apart in each setting: everything with locators, nearness with a name, words without one.
_TOLD_BY: Mapping[Setting, str] = {"located": "fused", "named": "nb", "nameless": "fg"}


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A logistic curve over how far the first candidate is ahead of the others, and over how many rivals it has.

    `elsewhere` is the chance that one of the others is right when the first one is not.
    """

    base: float
    margin: float
    rivals: float
    elsewhere: float

    def chance(self, standing: CandidateMargin) -> float:
        """Return the chance that the first candidate is right, 0 to 1."""
        return 1 / (1 + exp(-(self.base + self.margin * standing.margin + self.rivals * standing.rivals)))


@dataclass(frozen=True, kw_only=True)
class CandidateMargin:
    """How the first of several candidates stands out.

    `margin` is what it is ahead of the best other one; `rivals` is log(1 + the sum of the others' scores as shares of
    its own, 2 at most each).
    """

    margin: float
    rivals: float


_MOST_OF_A_RIVAL = 2.0


def standing(scores: Sequence[float]) -> CandidateMargin:
    """Return how the first of the candidates stands out by their scores; the others are in any order."""
    first, others = scores[0], scores[1:]
    shares = (min(_MOST_OF_A_RIVAL, score / first) if first else _MOST_OF_A_RIVAL for score in others if score > 0)
    return CandidateMargin(margin=first - max(others, default=0.0), rivals=log1p(sum(shares)))


def setting_of(candidates: Sequence[Candidate]) -> Setting:
    """Return what the ranking of some candidates rests on: locators, a name, or words alone."""
    if any(one.scores.get("sl", 0.0) > 0 for one in candidates):
        return "located"
    return "named" if any(one.scores.get("nb", 0.0) > 0 for one in candidates) else "nameless"


def told(candidates: Sequence[Candidate], setting: Setting) -> list[float]:
    """Return the scores that tell candidates apart in a setting."""
    name = _TOLD_BY[setting]
    return [one.fused_score if name == "fused" else one.scores.get(name, 0.0) for one in candidates]


def calibrated(candidates: Sequence[Candidate], curves: Mapping[Setting, Curve] | None = None) -> Sequence[Candidate]:
    """Return the candidates, which are best first, with their probabilities; these sum to 1 at most.

    The first one's is read off the curve of its setting; what is left for the others falls with their rank.
    """
    if not candidates:
        return candidates
    setting = setting_of(candidates)
    curve = (curves or fitted())[setting]
    chance = curve.chance(standing(told(candidates, setting)))
    ranks = mean_ranks({one.module_id: one.fused_score for one in candidates[1:]})
    total = sum(1 / (1 + rank) ** 2 for rank in ranks.values())
    left = (1 - chance) * curve.elsewhere
    parts = {module_id: min(chance, left / (1 + rank) ** 2 / total) for module_id, rank in ranks.items()}
    return [replace(one, probability=round(parts.get(one.module_id, chance), 4)) for one in candidates]


@cache
def fitted() -> Mapping[Setting, Curve]:
    """Return the curves that ship with the package; the file beside this module says what they were fitted on."""
    data = json.loads((files("retouch.locate") / "calibration.json").read_text(encoding="utf-8"))
    return {cast("Setting", name): Curve(**numbers) for name, numbers in data["curves"].items()}
