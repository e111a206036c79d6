"""Tier 3: units that are judged together, once all of them can be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from retouch.engine.judge import signature, with_check

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from retouch.engine.calls import PlannedCall
    from retouch.engine.judge import Judge, Verdict
    from retouch.engine.types import Issue
    from retouch.engine.unit import Unit

V = TypeVar("V")
Found = dict[str, "list[Issue]"]


@dataclass(frozen=True, kw_only=True)
class Consequences(Generic[V]):
    """What a round does about a group's verdict: grant repairs of a unit, or go back to what stood before.

    What is gone back from has the issues of tier 3 that are given.
    """

    decide: Callable[[Unit[V]], list[PlannedCall]]
    go_back: Callable[[Unit[V], Sequence[Issue]], None]
    checking: Callable[[], None]


class Groups(Generic[V]):
    """Checks groups of units, from memory where nothing changed, and undoes what made a group worse."""

    def __init__(self, judge: Judge[Any, V], group_of: Callable[[str], str], then: Consequences[V]) -> None:
        self._judge = judge
        self._group_of = group_of
        self._then = then
        self._values: dict[str, dict[str, V]] = {}
        self._found: dict[str, Found] = {}

    async def judged(self, units: Iterable[Unit[V]]) -> list[PlannedCall]:
        """Return the repairs that tier 3 asks for, of every group that changed since it was last checked."""
        asks: list[PlannedCall] = []
        for name, members in self._by_group(units).items():
            if all(_ready(unit) for unit in members) and self._changed_since(name, members):
                asks += await self._of_group(name, members)
                self._values[name] = _values(members)
        return asks

    async def remember(self, units: Iterable[Unit[V]], asked: Container[str]) -> list[Unit[V]]:
        """Judge what stands in the groups of the `asked` units, so that new answers are compared with it.

        Returns the units of the groups that could be judged.
        """
        judged: list[Unit[V]] = []
        for name, members in self._by_group(units).items():
            if any(unit.name in asked for unit in members) and all(_ready(unit) for unit in members):
                found = self._found[name] = await self._check(_values(members))
                self._values[name] = _values(members)
                for unit in members:
                    unit.verdict = with_check(_reading(unit), found[unit.name])
                judged += members
        return judged

    async def beside(self, units: Iterable[Unit[V]], others: Mapping[str, Verdict[V]]) -> dict[str, Verdict[V]]:
        """Return what tier 3 says, by unit, with `others` in the place of what stands; nothing is remembered.

        All of `units` and `others` must be such that tier 3 may judge them.
        """
        verdicts: dict[str, Verdict[V]] = {}
        for members in self._by_group(units).values():
            readings = {unit.name: others.get(unit.name) or _reading(unit) for unit in members}
            found = await self._check({name: one.value for name, one in readings.items() if one.value is not None})
            verdicts |= {name: with_check(one, found[name]) for name, one in readings.items()}
        return verdicts

    def _by_group(self, units: Iterable[Unit[V]]) -> dict[str, list[Unit[V]]]:
        groups: dict[str, list[Unit[V]]] = {}
        for unit in units:
            groups.setdefault(self._group_of(unit.name), []).append(unit)
        return groups

    def _changed_since(self, name: str, units: list[Unit[V]]) -> bool:
        return any(unit.unchecked for unit in units) or self._values.get(name) != _values(units)

    async def _check(self, values: Mapping[str, V]) -> Found:
        self._then.checking()
        return await self._judge.check(values, values)

    async def _of_group(self, name: str, units: list[Unit[V]]) -> list[PlannedCall]:
        last = self._found.get(name)
        same = last is not None and self._values.get(name) == _values(units)
        found = (
            last if last is not None and same else await self._kept_best(units, await self._check(_values(units)), last)
        )
        self._found[name] = found
        asks: list[PlannedCall] = []
        for unit in units:
            before, unit.before, unit.unchecked = unit.verdict, None, False
            unit.verdict = with_check(_reading(unit), found[unit.name])
            if unit.complaint and signature(unit.verdict.errors) == unit.complaint:
                unit.rung += 1
            if found[unit.name] or before is None or before.issues != unit.verdict.issues:
                asks += self._then.decide(unit)
        return asks

    async def _kept_best(self, units: list[Unit[V]], found: Found, last: Found | None) -> Found:
        """Undo new answers while the group is worse than at its last check: first those that helped nothing."""
        if last is None:
            return found
        for undo in (_helped_nothing, _changed):
            if _weight({name: issues for name, issues in found.items() if name in last}) <= _weight(last):
                return found
            for unit in [unit for unit in units if undo(unit, found, last)]:
                self._then.go_back(unit, found[unit.name])
            found = await self._check(_values(units))
        return found


def _reading(unit: Unit[V]) -> Verdict[V]:
    assert unit.reading is not None  # noqa: S101 - only ready units are judged
    return unit.reading


def _ready(unit: Unit[Any]) -> bool:
    return unit.reading is not None and unit.reading.checkable


def _helped_nothing(unit: Unit[Any], found: Found, last: Found) -> bool:
    now, then = found[unit.name], last.get(unit.name, [])
    return _changed(unit, found, last) and _weight({"": now}) >= _weight({"": then})


def _changed(unit: Unit[Any], _found: Found, last: Found) -> bool:
    return unit.before is not None and unit.name in last  # else what stood before could not even be read


def _weight(found: Mapping[str, list[Issue]]) -> tuple[int, int]:
    issues = [issue for of_unit in found.values() for issue in of_unit]
    errors = sum(1 for issue in issues if issue.severity == "error")
    return errors, sum(1 for issue in issues if issue.severity == "warning")


def _values(units: Iterable[Unit[V]]) -> dict[str, V]:
    readings = {unit.name: unit.reading for unit in units}
    return {name: r.value for name, r in readings.items() if r is not None and r.value is not None}
