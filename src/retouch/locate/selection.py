"""Selects the next candidate: the best untried one of the highest tier, or a random one of the best."""

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
    """The next candidate and the reason. `candidate` is None for every reason except "selected".

    `probability` is the calibrated probability that the candidate is right, None without a calibration.
    """

    candidate: Candidate | None
    reason: Reason
    tier: Tier | None = None
    probability: float | None = None


@dataclass(frozen=True, kw_only=True)
class SelectionPolicy:
    """The parameters of the selection: the specification's values, but greedy instead of random.

    The thresholds apply to the calibrated probability, or to the fused score if there is none. One of the best
    `top_n_selection` candidates of a tier is drawn with weight `fused_score ** tau` plus noise up to `epsilon_noise`.
    If `tau` is infinite, the best one is selected. 1 is the specification's draw. Candidates below `tier_low` are only
    selected if `explore_below_low` is set and all other candidates were tried.

    A candidate that failed in a way that may change is tried at most `max_attempts` times.
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
        above_threshold = candidate.fused_score if candidate.probability is None else candidate.probability
        least = (self.tier_high, self.tier_medium, self.tier_low, -math.inf)
        return next(tier for tier, enough in zip(TIERS, least, strict=True) if above_threshold >= enough)

    def weights(self, scores: Sequence[float], random: Random) -> list[float]:
        """Return the weight of each score in the draw. The noise is drawn in their order."""
        return [score**self.tau + random.uniform(0.0, self.epsilon_noise) for score in scores]

    def drawn(self, weighted: Sequence[tuple[Candidate, float]], random: Random) -> Candidate:
        """Return one of the candidates, which are paired with their scores. If greedy, the first of the best."""
        best = sorted(weighted, key=lambda one: one[1], reverse=True)[: self.top_n_selection]
        if self.tau == GREEDY:
            return best[0][0]
        weights = self.weights([score for _, score in best], random)
        chances = weights if sum(weights) > 0 else [1.0] * len(weights)
        return random.choices([candidate for candidate, _ in best], weights=chances)[0]


class CandidateSelector:
    """Selects candidates by tier and by the trials in the ledger. Equal calls give equal results."""

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
        """Return the next candidate for a case, or the reason why there is none.

        Untried candidates come first, by tier. Then those whose failure may change. Then, if the policy explores, those
        below the lowest tier. `span_hashes` are the hashes of the modules' current content.
        """
        if not candidates:
            return Selection(candidate=None, reason="no_candidates")
        if any(record.outcome_last == "success" and record.is_proved for record in self.ledger.of_case(case_id)):
            return Selection(candidate=None, reason="already_solved")
        known = {
            one.module_id: self.ledger.standing(one.module_id, commit_hash, case_id=case_id, span_hashes=span_hashes)
            for one in candidates
        }
        random = self._random(case_id, iteration)
        above_threshold = [one for one in candidates if self.policy.tier_of(one) != "explore"]
        groups = [above_threshold, list(candidates)] if self.policy.explore_below_low else [above_threshold]
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
        """Return the candidates in the order in which they would be tried if none succeeds, and the last selection."""
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
        """Record the outcome of trying a module in the ledger."""
        self.ledger.mark_tried(
            module_id, outcome, iteration, commit_hash, score, notes, case_id=case_id, span_sha256=span_sha256
        )

    def _random(self, case_id: str, iteration: int) -> Random:
        seed = f"{self.policy.base_seed}\0{case_id}\0{iteration}"
        return Random(sha256(seed.encode()).digest())  # noqa: S311 - reproducible on purpose

    def _untried(
        self, candidates: Sequence[Candidate], known: dict[str, TrialRecord | None]
    ) -> list[tuple[Candidate, float]]:
        """Return candidates with their scores: those never tried, or without an outcome."""
        found: list[tuple[Candidate, float]] = []
        for candidate in candidates:
            record = known[candidate.module_id]
            if record is None or (not record.tried and record.attempts_here < self.policy.max_attempts):
                found.append((candidate, candidate.fused_score))
        return found

    def _again(
        self, candidates: Sequence[Candidate], known: dict[str, TrialRecord | None]
    ) -> list[tuple[Candidate, float]]:
        """Return tried candidates whose failure may change. Each attempt halves their score."""
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
