"""Which candidate is tried next: the best of the highest tier that was not tried yet, or a draw among the best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.locate.trials import TrialLedger

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retouch.locate.trial_events import Outcome, TrialRecord
    from retouch.locate.trials import Hashes
    from retouch.locate.values import Candidate

Tier: TypeAlias = Literal["high", "medium", "low", "explore"]
Reason: TypeAlias = Literal["selected", "exhausted", "below_threshold", "no_candidates", "already_solved"]
TIERS: tuple[Tier, ...] = ("high", "medium", "low", "explore")
MAY_CHANGE = frozenset({"compile_fail", "lec_fail", "apply_fail", "none"})
GREEDY = math.inf


@dataclass(frozen=True, kw_only=True)
class Selection:
    """What is tried next, and why: `candidate` is None for every reason but "selected".

    `probability` is the calibrated chance that the candidate is right, None without a calibration.
    """

    candidate: Candidate | None
    reason: Reason
    tier: Tier | None = None
    probability: float | None = None


@dataclass(frozen=True, kw_only=True)
class SelectionPolicy:
    """How a candidate is selected; the specification's numbers, and greedy where the specification draws.

    The thresholds are of the calibrated probability, or of the fused score where there is none. Of the best
    `top_n_selection` of a tier one is drawn with weight `fused_score ** tau` plus noise up to `epsilon_noise`; `tau`
    infinite takes the best, 1 is the specification's draw. Below `tier_low` nothing is selected, unless
    `explore_below_low` is set and all else was tried.
    A candidate that failed in a way that may change is tried `max_attempts` times at most.
    """

    tier_high: float = 0.95
    tier_medium: float = 0.70
    tier_low: float = 0.50
    tau: float = GREEDY
    epsilon_noise: float = 0.01
    top_n_selection: int = 5
    explore_below_low: bool = False
    max_attempts: int = 3
    base_seed: int = 0

    def tier_of(self, candidate: Candidate) -> Tier:
        """Return the tier of a candidate."""
        sure = candidate.fused_score if candidate.probability is None else candidate.probability
        least = (self.tier_high, self.tier_medium, self.tier_low, -math.inf)
        return next(tier for tier, enough in zip(TIERS, least, strict=True) if sure >= enough)

    def weights(self, scores: Sequence[float], random: Random) -> list[float]:
        """Return the weight of each score in the draw, the noise in their order."""
        return [score**self.tau + random.uniform(0.0, self.epsilon_noise) for score in scores]

    def drawn(self, weighted: Sequence[tuple[Candidate, float]], random: Random) -> Candidate:
        """Return one of the candidates, which come with their scores; the first of the best ones when greedy."""
        best = sorted(weighted, key=lambda one: one[1], reverse=True)[: self.top_n_selection]
        if self.tau == GREEDY:
            return best[0][0]
        weights = self.weights([score for _, score in best], random)
        chances = weights if sum(weights) > 0 else [1.0] * len(weights)
        return random.choices([candidate for candidate, _ in best], weights=chances)[0]


class CandidateSelector:
    """Selects candidates by tier and by what the ledger says was tried; equal calls give equal answers."""

    TIER_HIGH = SelectionPolicy.tier_high
    TIER_MEDIUM = SelectionPolicy.tier_medium
    TIER_LOW = SelectionPolicy.tier_low

    def __init__(self, trial_ledger: str | Path | TrialLedger, policy: SelectionPolicy = SelectionPolicy()) -> None:
        self.ledger = trial_ledger if isinstance(trial_ledger, TrialLedger) else TrialLedger(trial_ledger)
        self.policy = policy

    def select(
        self,
        candidates: Sequence[Candidate],
        commit_hash: str,
        iteration: int,
        *,
        case_id: str = "",
        span_hashes: Hashes | None = None,
    ) -> Selection:
        """Return the candidate to try next for a case, or why there is none.

        Untried ones come first, the highest tier first; then those whose failure may change; then, if the policy
        explores, those below the lowest tier. `span_hashes` are the hashes of the modules' texts as they are now.
        """
        if not candidates:
            return Selection(candidate=None, reason="no_candidates")
        if any(record.outcome_last == "success" for record in self.ledger.of_case(case_id)):
            return Selection(candidate=None, reason="already_solved")
        known = {
            one.module_id: self.ledger.standing(one.module_id, commit_hash, case_id=case_id, span_hashes=span_hashes)
            for one in candidates
        }
        random = self._random(case_id, iteration)
        sure = [one for one in candidates if self.policy.tier_of(one) != "explore"]
        groups = [sure, list(candidates)] if self.policy.explore_below_low else [sure]
        for group in groups:
            for open_ones in (self._untried(group, known), self._again(group, known)):
                if open_ones:
                    return self._of_best_tier(open_ones, random)
        left = self._untried(candidates, known) or self._again(candidates, known)
        return Selection(candidate=None, reason="below_threshold" if left else "exhausted")

    def in_order(
        self,
        candidates: Sequence[Candidate],
        commit_hash: str,
        *,
        case_id: str = "",
        span_hashes: Hashes | None = None,
        most: int = 5,
    ) -> tuple[list[Candidate], Selection]:
        """Return the candidates in the order they would be tried if none helped, and the selection that ended it."""
        left = list(candidates)
        found: list[Candidate] = []
        last = Selection(candidate=None, reason="no_candidates")
        while len(found) < most:
            last = self.select(left, commit_hash, len(found) + 1, case_id=case_id, span_hashes=span_hashes)
            if last.candidate is None:
                break
            found.append(last.candidate)
            left.remove(last.candidate)
        return found, last

    def record_outcome(
        self,
        module_id: str,
        outcome: Outcome,
        iteration: int,
        commit_hash: str,
        score: float,
        notes: str = "",
        *,
        case_id: str = "",
        span_sha256: str = "",
    ) -> None:
        """Note in the ledger what came of trying a module."""
        self.ledger.mark_tried(
            module_id, outcome, iteration, commit_hash, score, notes, case_id=case_id, span_sha256=span_sha256
        )

    def _random(self, case_id: str, iteration: int) -> Random:
        seed = f"{self.policy.base_seed}\0{case_id}\0{iteration}"
        return Random(sha256(seed.encode()).digest())  # noqa: S311 - reproducible on purpose

    def _untried(
        self, candidates: Sequence[Candidate], known: dict[str, TrialRecord | None]
    ) -> list[tuple[Candidate, float]]:
        """Return candidates with their scores: those that were never tried, or whose trial came to nothing."""
        found: list[tuple[Candidate, float]] = []
        for candidate in candidates:
            record = known[candidate.module_id]
            if record is None or (not record.tried and record.attempts_here < self.policy.max_attempts):
                found.append((candidate, candidate.fused_score))
        return found

    def _again(
        self, candidates: Sequence[Candidate], known: dict[str, TrialRecord | None]
    ) -> list[tuple[Candidate, float]]:
        """Return tried candidates whose failure may change, each attempt halving their score."""
        found: list[tuple[Candidate, float]] = []
        for candidate in candidates:
            record = known[candidate.module_id]
            tries = record.attempts_here if record is not None else 0
            if record is not None and record.outcome_last in MAY_CHANGE and tries < self.policy.max_attempts:
                found.append((candidate, candidate.fused_score * 0.5**tries))
        return found

    def _of_best_tier(self, weighted: Sequence[tuple[Candidate, float]], random: Random) -> Selection:
        present = {self.policy.tier_of(one) for one, _ in weighted}
        tier: Tier = next(tier for tier in TIERS if tier in present)
        chosen = self.policy.drawn([pair for pair in weighted if self.policy.tier_of(pair[0]) == tier], random)
        return Selection(candidate=chosen, reason="selected", tier=tier, probability=chosen.probability)
