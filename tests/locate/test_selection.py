"""Which candidate is tried next, and why none is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.locate.selection import CandidateSelector, SelectionPolicy
from tests.locate.test_trials import candidate

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.locate.trial_events import Outcome

GREEDY, SEED = SelectionPolicy(), SelectionPolicy(tau=1.0)
ONE, TWO, THREE = (f"{name}.scala::M" for name in "ABC")


def selector(folder: Path, policy: SelectionPolicy = GREEDY) -> CandidateSelector:
    return CandidateSelector(folder / "trials.jsonl", policy)


def test_the_best_of_the_highest_tier_is_selected(tmp_path: Path) -> None:
    found = selector(tmp_path).select([candidate(ONE, 0.72), candidate(TWO, 0.96), candidate(THREE, 0.99)], "c", 1)
    assert found.candidate is not None
    assert (THREE, "selected", "high", None) == (found.candidate.module_id, found.reason, found.tier, found.probability)


def test_a_calibrated_probability_decides_about_the_tier(tmp_path: Path) -> None:
    unsure = replace(candidate(ONE, 0.99), probability=0.6)
    sure = replace(candidate(TWO, 0.8), probability=0.71)
    found = selector(tmp_path).select([unsure, sure], "c", 1)
    assert found.candidate is not None
    assert (TWO, "medium", 0.71) == (found.candidate.module_id, found.tier, found.probability)


def test_nothing_is_selected_of_nothing(tmp_path: Path) -> None:
    assert "no_candidates" == selector(tmp_path).select([], "c", 1).reason


def test_below_the_lowest_tier_nothing_is_selected_unless_asked(tmp_path: Path) -> None:
    weak = [candidate(ONE, 0.4)]
    assert "below_threshold" == selector(tmp_path).select(weak, "c", 1).reason
    found = selector(tmp_path, SelectionPolicy(explore_below_low=True)).select(weak, "c", 1)
    assert ("selected", "explore") == (found.reason, found.tier)


@pytest.mark.parametrize("outcome", ["compile_fail", "lec_fail", "apply_fail"])
def test_a_tried_candidate_comes_again_only_after_the_untried(tmp_path: Path, outcome: Outcome) -> None:
    one = selector(tmp_path)
    both = [candidate(ONE, 0.9), candidate(TWO, 0.55)]
    one.record_outcome(ONE, outcome, 1, "c", 0.9)
    assert [TWO, ONE] == [each.module_id for each in one.in_order(both, "c")[0]]


def test_a_rejected_candidate_never_comes_again(tmp_path: Path) -> None:
    one = selector(tmp_path)
    one.record_outcome(ONE, "rejected", 1, "c", 0.9)
    assert "exhausted" == one.select([candidate(ONE, 0.9)], "c", 2).reason


def test_a_candidate_is_tried_three_times_at_most(tmp_path: Path) -> None:
    one = selector(tmp_path)
    reasons: list[str] = []
    for iteration in range(1, 5):
        found = one.select([candidate(ONE, 0.9)], "c", iteration)
        reasons.append(found.reason)
        one.record_outcome(ONE, "lec_fail", iteration, "c", 0.9)
    assert ["selected", "selected", "selected", "exhausted"] == reasons


def test_attempts_that_came_to_nothing_end_too(tmp_path: Path) -> None:
    one = selector(tmp_path)
    for iteration in range(1, 4):
        assert "selected" == one.select([candidate(ONE, 0.9)], "c", iteration).reason
        one.ledger.start(ONE, iteration, "c", 0.9)
    assert "exhausted" == one.select([candidate(ONE, 0.9)], "c", 4).reason


def test_each_attempt_halves_the_weight_of_a_retry(tmp_path: Path) -> None:
    one = selector(tmp_path)
    both = [candidate(ONE, 0.9), candidate(TWO, 0.7)]
    for module in (ONE, ONE, TWO):
        one.record_outcome(module, "lec_fail", 1, "c", 0.9)
    found = one.select(both, "c", 4)
    assert found.candidate is not None
    assert TWO == found.candidate.module_id


def test_a_solved_case_is_said_to_be_solved_and_another_is_not(tmp_path: Path) -> None:
    one = selector(tmp_path)
    one.record_outcome(ONE, "success", 1, "c", 0.9, case_id="bug")
    both = [candidate(ONE, 0.9), candidate(TWO, 0.7)]
    assert ["already_solved", "selected"] == [one.select(both, "c", 2, case_id=case).reason for case in ("bug", "new")]


def test_a_changed_span_is_tried_as_if_it_were_new(tmp_path: Path) -> None:
    one = selector(tmp_path)
    for iteration in range(3):
        one.record_outcome(ONE, "rejected", iteration, "c", 0.9, span_sha256="old")
    assert "exhausted" == one.select([candidate(ONE, 0.9)], "c", 4, span_hashes={ONE: "old"}).reason
    assert "selected" == one.select([candidate(ONE, 0.9)], "c", 4, span_hashes={ONE: "new"}).reason


def test_the_order_ends_with_the_reason(tmp_path: Path) -> None:
    order, last = selector(tmp_path).in_order([candidate(ONE, 0.9), candidate(TWO, 0.2)], "c")
    assert ([ONE], "below_threshold") == ([each.module_id for each in order], last.reason)


def test_with_tau_one_the_weights_are_the_seeds_scores_and_noise() -> None:
    scores = [0.96, 0.99, 1.0]
    noise = Random(5)
    assert [score + noise.uniform(0.0, 0.01) for score in scores] == SEED.weights(scores, Random(5))


def test_with_tau_one_a_candidate_is_drawn_as_often_as_it_weighs(tmp_path: Path) -> None:
    one = selector(tmp_path, SEED)
    pair = [candidate(ONE, 0.9), candidate(TWO, 0.7), candidate(THREE, 0.6)]
    drawn: Counter[str] = Counter()
    for iteration in range(2_000):
        found = one.select(pair, "c", iteration)
        assert found.candidate is not None
        drawn[found.candidate.module_id] += 1
    assert {ONE, TWO} == set(drawn), "the seed stays in the highest tier"
    assert 0.5625 == pytest.approx(drawn[ONE] / 2_000, abs=0.04)


def test_only_the_best_five_of_a_tier_are_drawn(tmp_path: Path) -> None:
    many = [candidate(f"{number}.scala::M", 0.70 + number / 100) for number in range(20)]
    one = selector(tmp_path, SEED)
    found = [one.select(many, "c", iteration).candidate for iteration in range(100)]
    assert {15, 16, 17, 18, 19} == {int(each.module_id.partition(".")[0]) for each in found if each is not None}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.integers(0, 99), st.sampled_from([0.5, 1.0, 2.0]))
@settings(max_examples=40, deadline=None)
def test_equal_calls_give_equal_answers_and_stay_in_the_highest_tier(
    tmp_path_factory: pytest.TempPathFactory, scores: list[float], iteration: int, tau: float
) -> None:
    folder = tmp_path_factory.mktemp("equal")
    policy = SelectionPolicy(tau=tau, explore_below_low=True)
    all_of_them = [candidate(f"{number}.scala::M", score) for number, score in enumerate(scores)]
    first = selector(folder, policy).select(all_of_them, "c", iteration, case_id="bug")
    assert first == selector(folder, policy).select(all_of_them, "c", iteration, case_id="bug")
    assert first.candidate is not None
    tiers = [policy.tier_of(each) for each in all_of_them]
    assert first.tier == min(tiers, key=("high", "medium", "low", "explore").index)


def test_greedy_takes_the_first_of_equal_scores(tmp_path: Path) -> None:
    pair = [candidate(TWO, 0.9), candidate(ONE, 0.9)]
    assert {TWO} == {selector(tmp_path).select(pair, "c", n).candidate.module_id for n in range(5)}  # pyright: ignore[reportOptionalMemberAccess]
