"""Converts scores to probabilities: how often a candidate with this margin over the others was the right place."""

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

Setting: TypeAlias = Literal["located", "named", "several", "nameless"]

# The score used in each setting: the fused score with locators, nearness with a name, words with neither.
_DECIDING_SCORE: Mapping[Setting, str] = {"located": "fused", "named": "nb", "several": "nb", "nameless": "fg"}


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A logistic curve over the margin of the first candidate and the strength of its rivals.

    `elsewhere` is the probability that one of the other candidates is right if the first one is not.
    """

    base: float
    margin: float
    rivals: float
    elsewhere: float

    def chance(self, lead: CandidateMargin) -> float:
        """Return the probability that the first candidate is right, 0 to 1."""
        return 1 / (1 + exp(-(self.base + self.margin * lead.margin + self.rivals * lead.rivals)))


@dataclass(frozen=True, kw_only=True)
class CandidateMargin:
    """How clearly the first of several candidates leads.

    `margin` is its lead over the best other candidate. `rivals` is log(1 + the sum of the others' scores relative to
    its own, at most 2 each).
    """

    margin: float
    rivals: float


_MOST_OF_A_RIVAL = 2.0


def margin_of(scores: Sequence[float]) -> CandidateMargin:
    """Return the margin of the first candidate by score. The others are in any order."""
    first, others = scores[0], scores[1:]
    shares = (min(_MOST_OF_A_RIVAL, score / first) if first else _MOST_OF_A_RIVAL for score in others if score > 0)
    return CandidateMargin(margin=first - max(others, default=0.0), rivals=log1p(sum(shares)))


def setting_of(candidates: Sequence[Candidate], *, several: bool = False) -> Setting:
    """Return the basis of the ranking: locators, several modules, a name, or only words."""
    if any(one.scores.get("sl", 0.0) > 0 for one in candidates):
        return "located"
    if not any(one.scores.get("nb", 0.0) > 0 for one in candidates):
        return "nameless"
    return "several" if several else "named"


def deciding_scores(candidates: Sequence[Candidate], setting: Setting) -> list[float]:
    """Return the scores that are used to compare candidates in a setting."""
    name = _DECIDING_SCORE[setting]
    return [one.fused_score if name == "fused" else one.scores.get(name, 0.0) for one in candidates]


def calibrated(
    candidates: Sequence[Candidate], curves: Mapping[Setting, Curve] | None = None, *, several: bool = False
) -> Sequence[Candidate]:
    """Return the candidates (best first) with their probabilities, which sum to at most 1.

    The first one's probability is read from the curve of its setting. The remainder is divided between the other
    candidates by rank. `several`: the ranking was joined from those of several changed modules.
    """
    if not candidates:
        return candidates
    setting = setting_of(candidates, several=several)
    curve = (curves or fitted())[setting]
    chance = curve.chance(margin_of(deciding_scores(candidates, setting)))
    ranks = mean_ranks({one.module_id: one.fused_score for one in candidates[1:]})
    total = sum(1 / (1 + rank) ** 2 for rank in ranks.values())
    left = (1 - chance) * curve.elsewhere
    parts = {module_id: min(chance, left / (1 + rank) ** 2 / total) for module_id, rank in ranks.items()}
    return [replace(one, probability=round(parts.get(one.module_id, chance), 4)) for one in candidates]


@cache
def fitted() -> Mapping[Setting, Curve]:
    """Return the curves that are part of the package. `calibration.json` documents the data they were fitted on."""
    data = json.loads((files("retouch.locate") / "calibration.json").read_text(encoding="utf-8"))
    return {cast("Setting", name): Curve(**numbers) for name, numbers in data["curves"].items()}
