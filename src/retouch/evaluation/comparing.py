"""Compares models by their unit outcomes: figures per model, paired differences with intervals, and the frontier.

Two models are compared on the same units in the same trials. Units of one group depend on each other, and so do the
trials of one unit. So each group of units is one observation. If there are too few groups, each trial of each group is
one: then the interval is valid for these sources only, and does not generalize to similar ones. Trials in which both
models repeat their answers word by word are one observation, since they show nothing new.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.engine.tiers import STATUSES
from retouch.engine.types import Usage
from retouch.evaluation.intervals import GroupDifference, Interval, groups_needed, interval_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.evaluation.outcomes import UnitOutcome

LEVEL = 0.95
Scope: TypeAlias = Literal["sources like these", "these sources"]
Metric: TypeAlias = Literal["verified", "passed", "first", "cost", "tokens"]
METRICS: tuple[Metric, ...] = ("verified", "passed", "first", "cost", "tokens")
"""What is compared per unit: is it verified, did no check fail, has its first answer no error, its US dollars, its
tokens."""
_LOWER_IS_BETTER = frozenset({"cost", "tokens"})


@dataclass(frozen=True, kw_only=True)
class TierSuccess:
    """How many of the `of` units that declare a tier passed it with their first answer, and in the end.

    For `not_run` of them the check could not be run.
    """

    tier: int
    name: str
    first: int
    final: int
    not_run: int
    of: int

    def to_json(self) -> dict[str, JSON]:
        """Return the tier as plain data."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class ModelFigures:
    """The figures of one model over all its runs.

    `statuses` counts units by their status, once per trial. `usage` includes calls of units that were derived from
    answers. `codes` counts units by the code of an error: in the first answer, and in the end. `repairs` counts calls
    by the strategy of the repair: all, and those whose answer passed every check that ran on it. `p50_s` is the median
    of the time that the calls of a unit took together. `missing_runs` have not begun. `lost_calls` got no reply because
    their process was killed: what they cost is unknown.
    """

    model: str
    statuses: Mapping[str, int]
    usage: Usage
    tiers: tuple[TierSuccess, ...]
    codes: Mapping[str, tuple[int, int]]
    repairs: Mapping[str, tuple[int, int]]
    first_passed: int
    p50_s: float | None
    missing_runs: int
    lost_calls: int

    @property
    def units(self) -> int:
        """How many units were requested, once per trial, in the runs that have begun."""
        return sum(self.statuses.values())

    @property
    def verified(self) -> int:
        """How many units are verified."""
        return self.statuses["verified"]

    @property
    def share(self) -> float:
        """The share of verified units, from 0 to 1."""
        return self.verified / self.units if self.units else 0.0

    @property
    def passed_share(self) -> float:
        """The share of units in which no check failed, from 0 to 1: verified and unverified ones."""
        return (self.verified + self.statuses["unverified"]) / self.units if self.units else 0.0

    @property
    def cost_per_unit(self) -> float | None:
        """The cost of all calls by the number of units, in US dollars, None if it is unknown."""
        return None if self.usage.cost is None or not self.units else self.usage.cost / self.units

    @property
    def cost_to_verified(self) -> float | None:
        """The cost of all calls by the number of verified units, in US dollars.

        None if a price is unknown or nothing is verified.
        """
        return None if self.usage.cost is None or not self.verified else self.usage.cost / self.verified

    def to_json(self) -> dict[str, JSON]:
        """Return the figures as plain data."""
        usage = self.usage
        return {
            "model": self.model,
            "units": self.units,
            **{name: self.statuses[name] for name in STATUSES},
            "first_answers_passed": self.first_passed,
            "cost": usage.cost,
            "cost_to_verified": self.cost_to_verified,
            "calls": usage.calls,
            "tokens": usage.tokens,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
            "p50_s": self.p50_s,
            "tiers": [one.to_json() for one in self.tiers],
            "codes": {code: {"first": first, "final": final} for code, (first, final) in self.codes.items()},
            "repairs": {name: {"calls": calls, "passed": passed} for name, (calls, passed) in self.repairs.items()},
            "missing_runs": self.missing_runs,
            "lost_calls": self.lost_calls,
        }


@dataclass(frozen=True, kw_only=True)
class ModelComparison:
    """The paired difference of two models in one metric, `a` minus `b`, per unit.

    `interval` is None if they have no common units, if a price is unknown, or if nothing of either is verified.
    """

    a: str
    b: str
    metric: Metric
    scope: Scope
    interval: Interval | None

    @property
    def better(self) -> str | None:
        """The model that is better in this metric, or None unless the interval shows it."""
        if self.interval is None or not self.interval.shows_difference:
            return None
        is_higher = self.interval.estimate > 0
        return self.a if is_higher == (self.metric not in _LOWER_IS_BETTER) else self.b

    @property
    def finding(self) -> str:
        """What the interval shows: "better", "no difference seen", "too few groups", or "not comparable"."""
        if self.interval is None:
            return "not comparable"
        if self.interval.low is None:
            return "too few groups"
        return "better" if self.better else "no difference seen"

    def to_json(self) -> dict[str, JSON]:
        """Return the comparison as plain data."""
        found = self.interval
        return {
            "a": self.a,
            "b": self.b,
            "metric": self.metric,
            "finding": self.finding,
            "better": self.better,
            "difference": found.estimate if found is not None else None,
            "low": found.low if found is not None else None,
            "high": found.high if found is not None else None,
            "level": found.level if found is not None else None,
            "scope": self.scope,
            "groups": found.groups if found is not None else 0,
            "units": found.units if found is not None else 0,
        }


def figures_of(
    model: str, outcomes: Iterable[UnitOutcome], tiers: Sequence[tuple[int, str]], *, missing_runs: int = 0
) -> ModelFigures:
    """Return the figures of one model. `tiers` are the number and the name of each tier that the recipe declares."""
    own = [one for one in outcomes if one.model == model]
    units = [one for one in own if one.is_planned]
    done = [one for one in units if one.status != "incomplete"]
    counts = Counter(one.status for one in units)
    first_codes = Counter(code for one in units if one.first is not None for code in one.first.codes)
    final_codes = Counter(code for one in units for code in one.codes)
    repairs = Counter(name for one in own for name, _ in one.repairs)
    repaired = Counter(name for one in own for name, passed in one.repairs if passed)
    order = sorted({*first_codes, *final_codes}, key=lambda code: (-first_codes[code], -final_codes[code], code))
    return ModelFigures(
        model=model,
        statuses={name: counts[name] for name in STATUSES},
        usage=sum((one.usage for one in own), Usage()),
        tiers=tuple(_success(number, name, done) for number, name in tiers),
        codes={code: (first_codes[code], final_codes[code]) for code in order},
        repairs={name: (calls, repaired[name]) for name, calls in repairs.most_common()},
        first_passed=sum(_passed_first(one) for one in units),
        p50_s=median(one.seconds for one in done) if done else None,
        missing_runs=missing_runs,
        lost_calls=sum(one.lost_calls for one in own),
    )


def _passed_first(one: UnitOutcome) -> bool:
    return one.first is not None and not one.first.failed_tier


def _success(tier: int, name: str, units: Sequence[UnitOutcome]) -> TierSuccess:
    """Return the success in one tier. A first answer can only have passed a tier that was run at all."""
    outcomes = [(one, one.tiers[name]) for one in units if name in one.tiers]
    unseen = [one for one, tier_ in outcomes if tier_.outcome == "not_run" and not tier_.blocked]
    ran = [one for one, tier_ in outcomes if tier_.outcome != "not_run"]
    return TierSuccess(
        tier=tier,
        name=name,
        first=sum(one.first is not None and not 0 < one.first.failed_tier <= tier for one in ran),
        final=sum(tier_.outcome == "passed" for _, tier_ in outcomes),
        not_run=len(unseen),
        of=len(outcomes),
    )


def comparisons_of(models: Sequence[str], outcomes: Iterable[UnitOutcome], *, seed: int) -> list[ModelComparison]:
    """Return the paired comparisons of all models in all metrics.

    With several pairs, each interval has a higher level (Bonferroni), so that all of one metric hold together at 95 %.
    """
    by_model: dict[str, dict[tuple[str, int], list[UnitOutcome]]] = {name: {} for name in models}
    for one in outcomes:
        if one.model in by_model:
            by_model[one.model].setdefault((one.cluster, one.trial), []).append(one)
    pairs = list(combinations(models, 2))
    level = 1 - (1 - LEVEL) / max(len(pairs), 1)
    return [
        _compare(a, b, metric, _common_cells(by_model[a], by_model[b]), level=level, seed=seed)
        for a, b in pairs
        for metric in METRICS
    ]


_Cell: TypeAlias = "tuple[Sequence[UnitOutcome], Sequence[UnitOutcome]]"


def _common_cells(
    a: Mapping[tuple[str, int], Sequence[UnitOutcome]], b: Mapping[tuple[str, int], Sequence[UnitOutcome]]
) -> dict[tuple[str, int], _Cell]:
    """Return the groups, by trial, that both models have finished."""

    def is_done(units: Sequence[UnitOutcome]) -> bool:
        return all(one.status != "incomplete" for one in units)

    def planned(units: Sequence[UnitOutcome]) -> set[str]:
        return {one.unit for one in units if one.is_planned}

    common = (key for key in a if key in b and is_done(a[key]) and is_done(b[key]))
    return {key: (a[key], b[key]) for key in common if planned(a[key]) and planned(a[key]) == planned(b[key])}


_VALUES: Mapping[str, Callable[[UnitOutcome], float | None]] = {
    "verified": lambda one: float(one.status == "verified"),
    "passed": lambda one: float(one.status in ("verified", "unverified")),
    "first": lambda one: float(_passed_first(one)),
    "cost": lambda one: one.usage.cost,
    "tokens": lambda one: float(one.usage.tokens),
}


def _compare(
    a: str, b: str, metric: Metric, cells: Mapping[tuple[str, int], _Cell], *, level: float, seed: int
) -> ModelComparison:
    clusters = {cluster for cluster, _ in cells}
    scope: Scope = "sources like these" if len(clusters) >= groups_needed(level) else "these sources"
    sums: dict[tuple[str, ...], GroupDifference] = {}
    for (cluster, _), cell in cells.items():
        value = _difference(cell, metric)
        if value is None:
            return ModelComparison(a=a, b=b, metric=metric, scope=scope, interval=None)
        key = (cluster,) if scope == "sources like these" else (cluster, *_fingerprints(cell))
        known = sums.get(key, GroupDifference(total=0.0, units=0))
        units = sum(one.is_planned for one in cell[0])
        sums[key] = GroupDifference(total=known.total + value, units=known.units + units)
    outcomes = (one for cell in cells.values() for units_ in cell for one in units_)
    is_judged = metric != "verified" or any(one.status == "verified" for one in outcomes)
    interval = interval_of(list(sums.values()), level=level, seed=seed) if sums and is_judged else None
    return ModelComparison(a=a, b=b, metric=metric, scope=scope, interval=interval)


def _fingerprints(cell: _Cell) -> tuple[str, ...]:
    return tuple(one.fingerprint for units in cell for one in units)


def _difference(cell: _Cell, metric: Metric) -> float | None:
    """Return the difference of the sums over a group, None if a price is unknown."""
    sums: list[float] = []
    for units in cell:
        counted = units if metric in _LOWER_IS_BETTER else [one for one in units if one.is_planned]
        values = [_VALUES[metric](one) for one in counted]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None
        sums.append(sum(known))
    return sums[0] - sums[1]


def frontier(figures: Sequence[ModelFigures], comparisons: Iterable[ModelComparison]) -> dict[str, str | None]:
    """Return, per model, the model that dominates it in cost and quality, or None if it is on the frontier.

    A model is only dominated if the interval of one metric shows that the other is better there, and if the other is at
    least as good in the second metric as it was measured.
    """
    measured = {one.model: one for one in figures}
    found: dict[str, str | None] = dict.fromkeys(measured)
    for one in comparisons:
        if one.metric not in ("verified", "cost") or one.better is None:
            continue
        winner, loser = measured[one.better], measured[one.a if one.better == one.b else one.b]
        if one.metric == "cost":
            as_good = winner.share >= loser.share
        else:
            costs = (winner.cost_per_unit, loser.cost_per_unit)
            as_good = costs[0] is not None and costs[1] is not None and costs[0] <= costs[1]
        if as_good and found[loser.model] is None:
            found[loser.model] = winner.model
    return found
