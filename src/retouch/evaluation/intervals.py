"""Confidence intervals for the difference between two models, exact for any number of groups and any distribution.

The method is Hartigan's ("Using Subsample Values as Typical Values", Journal of the American Statistical Association
64, 1969): if the differences of independent groups are symmetric around the true difference, the means of all
2^n - 1 nonempty subsets of n groups divide the line into 2^n parts that contain it with equal probability. So the k-th
smallest and the k-th largest mean enclose it with probability 1 - 2k / 2^n. For two models that are equal, exchanging
them changes nothing. Their differences are therefore symmetric around 0, however skewed costs are, and the interval
contains 0 at least as often as its level promises. It is the inverse of Fisher's test by sign flips.

A bootstrap or a t interval would need a library or a distribution, and promises its level for many groups only. Here
too few groups give no interval at all: with fewer than 6 of them, no difference can be shown at 95 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SUBSETS = 1_999  # drawn at random if there are more
_ALL_UP_TO = 10  # groups


@dataclass(frozen=True, kw_only=True)
class GroupDifference:
    """The difference of two models in one independent group: the sum over its units, and the number of units."""

    total: float
    units: int


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An estimated difference per unit with its confidence interval. `low` and `high` are None with too few groups."""

    estimate: float
    low: float | None
    high: float | None
    level: float
    groups: int
    units: int

    @property
    def shows_difference(self) -> bool:
        """Whether the interval excludes 0. Only then may one model be called better."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def groups_needed(level: float) -> int:
    """Return the smallest number of groups for which an interval of this level exists.

    assert 6 == groups_needed(0.95)
    """
    groups = 1
    while _rank(level, 2**groups) < 1:
        groups += 1
    return groups


def interval_of(differences: Sequence[GroupDifference], *, level: float = 0.95, seed: int = 0) -> Interval:
    """Return the mean difference per unit over all groups, with its confidence interval.

    With up to 10 groups all subsets are used, else 1,999 random ones, drawn with `seed`.

    Raises:
        ValueError: there are no differences.
    """
    if not differences:
        raise ValueError("there are no differences to compute an interval from")
    units = sum(one.units for one in differences)
    estimate = sum(one.total for one in differences) / units
    means = sorted(_subset_means(differences, Random(seed)))  # noqa: S311 - no secret
    rank = _rank(level, len(means) + 1)
    low, high = (means[rank - 1], means[-rank]) if rank else (None, None)
    return Interval(estimate=estimate, low=low, high=high, level=level, groups=len(differences), units=units)


def _rank(level: float, parts: int) -> int:
    """Return how many of the equally likely parts of the line may be cut off on each side."""
    return int(round((1 - level) / 2, 12) * parts)


def _subset_means(differences: Sequence[GroupDifference], random: Random) -> list[float]:
    """Return the means of all nonempty subsets of the groups, or of random ones if there are many."""
    totals = [_subset_sums([one.total for one in part]) for part in _parts(differences)]
    units = [_subset_sums([one.units for one in part]) for part in _parts(differences)]
    if len(differences) <= _ALL_UP_TO:
        return [total / count for total, count in zip(totals[0][1:], units[0][1:], strict=True)]
    means: list[float] = []
    for _ in range(SUBSETS):
        bits = random.getrandbits(len(differences)) or 1
        total = count = 0.0
        for sums, counts in zip(totals, units, strict=True):
            place = bits & (len(sums) - 1)
            bits >>= _ALL_UP_TO
            total += sums[place]
            count += counts[place]
        means.append(total / count)
    return means


def _parts(differences: Sequence[GroupDifference]) -> list[Sequence[GroupDifference]]:
    """Return the groups in parts for which all subsets can be listed."""
    return [differences[start : start + _ALL_UP_TO] for start in range(0, len(differences), _ALL_UP_TO)]


def _subset_sums(values: Sequence[float]) -> list[float]:
    """Return the sum of each subset of the values, the empty one first."""
    sums = [0.0]
    for value in values:
        sums += [one + value for one in sums]
    return sums
