"""Models are compared on the same units, and one is only called better if the interval shows it."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from retouch.evaluation.comparing import ModelComparison, comparisons_of, figures_of, frontier
from tests.evaluation.conftest import outcomes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.evaluation.outcomes import UnitOutcome


def compared(
    found: Iterable[UnitOutcome], metric: str = "verified", models: tuple[str, ...] = ("a", "b")
) -> ModelComparison:
    return next(one for one in comparisons_of(models, found, seed=0) if one.metric == metric)


def test_equal_models_show_no_difference_in_95_of_100_evaluations() -> None:
    claims = {"verified": 0, "cost": 0}
    for seed in range(300):
        random = Random(seed)
        drawn = [[random.random() < 0.7 for _ in range(9)] for _ in "ab"]
        prices = [[random.lognormvariate(0, 1) for _ in range(9)] for _ in "ab"]
        found = [*outcomes("a", drawn[0], costs=prices[0]), *outcomes("b", drawn[1], costs=prices[1])]
        for metric in claims:
            claims[metric] += compared(found, metric).better is not None
    assert max(claims.values()) / 300 <= 0.05 + 0.025  # 0.025: two standard errors of 300 repetitions


def test_a_clear_difference_is_shown() -> None:
    found = compared([*outcomes("a", [True] * 8), *outcomes("b", [False] * 8)])
    assert ("better", "a", 1.0) == (found.finding, found.better, found.interval and found.interval.estimate)


def test_lower_costs_are_better() -> None:
    found = [*outcomes("a", [1] * 8, costs=[2.0] * 8), *outcomes("b", [1] * 8, costs=[1.0] * 8)]
    assert "b" == compared(found, "cost").better


def test_five_groups_show_nothing_however_clear_they_are() -> None:
    found = compared([*outcomes("a", [1] * 5), *outcomes("b", [0] * 5)])
    assert ("too few groups", None) == (found.finding, found.better)


def test_trials_of_few_groups_speak_for_these_sources_only() -> None:
    found = compared([*outcomes("a", [1] * 2, trials=4), *outcomes("b", [0] * 2, trials=4)])
    assert ("better", "these sources", 8) == (found.finding, found.scope, found.interval and found.interval.groups)


def test_trials_with_the_same_answers_are_one_observation() -> None:
    both = [*outcomes("a", [1] * 2, trials=4), *outcomes("b", [0] * 2, trials=4)]
    found = compared([replace(one, fingerprint=f"{one.model} {one.cluster}") for one in both])
    assert ("too few groups", 2) == (found.finding, found.interval and found.interval.groups)


def test_trials_of_many_groups_are_averaged_and_not_counted_as_groups() -> None:
    found = compared([*outcomes("a", [1] * 6, trials=3), *outcomes("b", [0] * 6, trials=3)])
    assert ("sources like these", 6, 18) == (
        found.scope,
        found.interval and found.interval.groups,
        found.interval and found.interval.units,
    )


def test_only_groups_that_both_have_finished_are_compared() -> None:
    a = list(outcomes("a", [1] * 8))
    b = [replace(one, status="incomplete") if one.cluster == "group 3" else one for one in outcomes("b", [0] * 7)]
    found = compared([*a, *b]).interval
    assert (6, 1.0) == (found and found.groups, found and found.estimate)


def test_an_unknown_price_makes_costs_incomparable_and_nothing_else() -> None:
    found = [*outcomes("a", [1] * 8, costs=[None] * 8), *outcomes("b", [0] * 8)]
    assert ("not comparable", None) == (compared(found, "cost").finding, compared(found, "cost").better)
    assert "a" == compared(found).better


def test_models_without_a_verified_unit_are_not_called_equal() -> None:
    found = [*outcomes("a", [0] * 8), *outcomes("b", [0] * 8)]
    assert "not comparable" == compared(found).finding
    assert "no difference seen" == compared(found, "passed").finding


def test_three_models_need_more_groups_than_two() -> None:
    found = [*outcomes("a", [1] * 6), *outcomes("b", [0] * 6), *outcomes("c", [0] * 6)]
    assert "better" == compared(found).finding
    assert "too few groups" == compared(found, models=("a", "b", "c")).finding


def test_cost_to_verified_counts_all_calls_and_verified_units_only() -> None:
    figures = figures_of("a", outcomes("a", [1, 1, 0, 0], costs=[1.0, 1.0, 3.0, 3.0]), [])
    assert (4.0, 2.0, 0.5) == (figures.cost_to_verified, figures.cost_per_unit, figures.share)


def test_cost_to_verified_is_unknown_without_a_price_or_a_verified_unit() -> None:
    assert figures_of("a", outcomes("a", [1, 1], costs=[1.0, None]), []).cost_to_verified is None
    assert figures_of("a", outcomes("a", [0, 0]), []).cost_to_verified is None
    assert figures_of("a", [], []).cost_per_unit is None


def test_calls_of_derived_units_are_paid_for_but_are_no_units() -> None:
    own = list(outcomes("a", [1] * 6, costs=[1.0] * 6))
    judges = [replace(one, unit="judge", is_planned=False) for one in own]
    figures = figures_of("a", [*own, *judges], [])
    assert (6, 12.0) == (figures.units, figures.usage.cost)
    found = compared([*own, *judges, *outcomes("b", [1] * 6, costs=[1.0] * 6)], "cost")
    assert (1.0, 6) == (found.interval and found.interval.estimate, found.interval and found.interval.units)


def test_a_model_is_dominated_only_by_one_that_is_shown_to_be_better() -> None:
    cheap = list(outcomes("a", [1] * 8, costs=[1.0] * 8))
    dear = list(outcomes("b", [1] * 8, costs=[2.0] * 8))
    close = list(outcomes("c", [1] * 8, costs=[0.9, 1.1] * 4))
    found = [*cheap, *dear, *close]
    figures = [figures_of(name, found, []) for name in "abc"]
    assert {"a": None, "b": "a", "c": None} == frontier(figures, comparisons_of("abc", found, seed=0))


def test_a_better_and_dearer_model_is_on_the_frontier_with_the_cheap_one() -> None:
    found = [*outcomes("a", [1] * 8, costs=[2.0] * 8), *outcomes("b", [0] * 8, costs=[1.0] * 8)]
    figures = [figures_of(name, found, []) for name in "ab"]
    assert {"a": None, "b": None} == frontier(figures, comparisons_of("ab", found, seed=0))
