"""The intervals keep their level for any number of groups, and claim nothing with too few of them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.evaluation.intervals import GroupDifference, Interval, groups_needed, interval_of

if TYPE_CHECKING:
    from collections.abc import Callable

REPETITIONS = 400
AMOUNTS = st.lists(st.integers(-100, 100), min_size=1, max_size=9)


def differences(*totals: float) -> list[GroupDifference]:
    return [GroupDifference(total=total, units=1) for total in totals]


def share(random: Random) -> float:
    """Whether a unit is verified."""
    return float(random.random() < 0.8)


def cost(random: Random) -> float:
    """A cost, very skewed: repairs multiply it."""
    return random.lognormvariate(0, 1.5)


def test_the_interval_of_six_groups_is_between_the_smallest_and_the_largest_mean() -> None:
    found = interval_of(differences(1, 2, 3, 4, 5, 6))
    assert Interval(estimate=3.5, low=1, high=6, level=0.95, groups=6, units=6) == found


def test_five_groups_are_too_few_however_clear_they_are() -> None:
    found = interval_of(differences(1, 1, 1, 1, 1))
    assert (1, None, None, False) == (found.estimate, found.low, found.high, found.shows_difference)


@pytest.mark.parametrize(("level", "groups"), [(0.95, 6), (1 - 0.05 / 3, 7), (1 - 0.05 / 10, 9)])
def test_a_higher_level_needs_more_groups(level: float, groups: int) -> None:
    assert groups == groups_needed(level)
    assert interval_of(differences(*[1] * (groups - 1)), level=level).low is None
    assert 1 == interval_of(differences(*[1] * groups), level=level).low


@pytest.mark.slow
@pytest.mark.parametrize("draw", [share, cost])
@pytest.mark.parametrize("groups", [7, 10, 13])
def test_equal_models_are_called_equal_in_95_of_100_repetitions(groups: int, draw: Callable[[Random], float]) -> None:
    covered = 0
    for seed in range(REPETITIONS):
        random = Random(seed)
        found = interval_of(differences(*(draw(random) - draw(random) for _ in range(groups))), seed=seed)
        covered += not found.shows_difference
    assert 0.95 - 0.025 <= covered / REPETITIONS  # 0.025: two standard errors of 400 repetitions


def test_the_level_is_not_kept_by_never_showing_anything() -> None:
    shown = 0
    for seed in range(REPETITIONS // 4):
        random = Random(seed)
        shown += interval_of(differences(*(random.gauss(1, 1) for _ in range(12)))).shows_difference
    assert REPETITIONS // 4 * 0.8 < shown


def test_a_true_difference_is_inside_as_often_as_promised() -> None:
    inside = 0
    for seed in range(REPETITIONS):
        random = Random(seed)
        found = interval_of(differences(*(0.3 + random.gauss(0, 1) for _ in range(10))))
        inside += found.low is not None and found.high is not None and found.low <= 0.3 <= found.high
    assert 0.95 - 0.025 <= inside / REPETITIONS <= 0.95 + 0.025


def test_a_large_group_weighs_as_much_as_its_units() -> None:
    found = interval_of([GroupDifference(total=9, units=9), *differences(0)])
    assert (0.9, 10, 2) == (found.estimate, found.units, found.groups)


@settings(deadline=None)
@given(AMOUNTS)
def test_exchanging_the_models_turns_the_interval_around(amounts: list[int]) -> None:
    there, back = interval_of(differences(*amounts)), interval_of(differences(*(-one for one in amounts)))
    assert there.estimate == pytest.approx(-back.estimate)
    if there.low is None or there.high is None or back.low is None or back.high is None:
        assert there.low == there.high == back.low == back.high
    else:
        assert (there.low, there.high) == (pytest.approx(-back.high), pytest.approx(-back.low))
        assert there.low <= there.estimate + 1e-9 or there.high >= there.estimate - 1e-9


def test_the_same_seed_draws_the_same_subsets() -> None:
    random = Random(1)
    drawn = differences(*(random.random() - 0.4 for _ in range(40)))
    assert interval_of(drawn, seed=3) == interval_of(drawn, seed=3)
    assert interval_of(drawn, seed=3) != interval_of(drawn, seed=4)


def test_no_differences_have_no_interval() -> None:
    with pytest.raises(ValueError, match="no differences"):
        interval_of([])
