"""Tier 3: checks groups of readable units together, and reverts new answers that made a group worse."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from retouch.engine.judge import badness

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Container, Iterable, Mapping, Sequence

    from retouch.engine.judge import Judge, UnitVerdict
    from retouch.engine.types import Issue
    from retouch.engine.unit import Unit

V = TypeVar("V")
GroupIssues = dict[str, "list[Issue]"]


@dataclass(eq=False)
class GroupChecks(Generic[V]):
    """Checks groups of units and reverts answers that made a group worse. Results of unchanged groups are cached.

    `revert` restores the previous answers of a unit. `on_check` is called before each check, and
    `on_checked` after it.
    """

    judge: Judge[Any, V]
    group_of: Callable[[str], str]
    revert: Callable[[Unit[V], Sequence[Issue]], None]
    on_check: Callable[[], None]
    on_checked: Callable[[GroupIssues], None]
    _values: dict[str, dict[str, V]] = field(init=False, default_factory=dict[str, "dict[str, V]"])
    _found: dict[str, GroupIssues] = field(init=False, default_factory=dict[str, "GroupIssues"])

    async def check(self, units: Iterable[Unit[V]]) -> AsyncGenerator[list[Unit[V]]]:
        """Check every group that changed since its last check. Yield the units whose issues need a decision."""
        for name, members in self._by_group(units).items():
            if all(unit.is_checkable for unit in members) and self._has_changed(name, members):
                found = self._found[name] = await self._issues_of(name, members)
                yield [unit for unit in members if unit.check(found[unit.name])]
                self._values[name] = _readable_values(members)

    async def remember(self, units: Iterable[Unit[V]], targets: Container[str]) -> list[Unit[V]]:
        """Check the current answers in the groups of the `targets`, so that new answers are compared with them.

        Returns the units of the groups that could be checked.
        """
        checked: list[Unit[V]] = []
        for name, members in self._by_group(units).items():
            if any(unit.name in targets for unit in members) and all(unit.is_checkable for unit in members):
                found = self._found[name] = await self._check(_readable_values(members))
                self._values[name] = _readable_values(members)
                for unit in members:
                    unit.judge_with(found[unit.name])
                checked += members
        return checked

    async def check_alternatives(
        self, units: Iterable[Unit[V]], others: Mapping[str, UnitVerdict[V]]
    ) -> dict[str, UnitVerdict[V]]:
        """Return the tier 3 verdicts by unit, with `others` in place of the current answers. Nothing is stored.

        All of `units` and `others` must be checkable.
        """
        verdicts: dict[str, UnitVerdict[V]] = {}
        for members in self._by_group(units).values():
            readings = {unit.name: others.get(unit.name) or unit.reading for unit in members}
            known = {name: one for name, one in readings.items() if one is not None}
            found = await self._check({name: one.value for name, one in known.items() if one.value is not None})
            verdicts |= {name: one.with_issues(found[name]) for name, one in known.items()}
        return verdicts

    def _by_group(self, units: Iterable[Unit[V]]) -> dict[str, list[Unit[V]]]:
        groups: dict[str, list[Unit[V]]] = {}
        for unit in units:
            groups.setdefault(self.group_of(unit.name), []).append(unit)
        return groups

    def _has_changed(self, name: str, units: list[Unit[V]]) -> bool:
        return any(unit.needs_check for unit in units) or self._values.get(name) != _readable_values(units)

    async def _check(self, values: Mapping[str, V]) -> GroupIssues:
        self.on_check()
        found = await self.judge.check(values)
        self.on_checked(found)
        return found

    async def _issues_of(self, name: str, units: list[Unit[V]]) -> GroupIssues:
        """Revert new answers that made a group worse, and return the group's issues."""
        last = self._found.get(name)
        if last is not None and self._values.get(name) == _readable_values(units):
            return last
        found = await self._check(_readable_values(units))
        if last is None:
            return found
        for is_suspect in (_improved_nothing, _has_new_answer):
            if _group_badness({name: issues for name, issues in found.items() if name in last}) <= _group_badness(last):
                return found
            for unit in [unit for unit in units if is_suspect(unit, found, last)]:
                self.revert(unit, found[unit.name])
            found = await self._check(_readable_values(units))
        return found


def _improved_nothing(unit: Unit[Any], found: GroupIssues, last: GroupIssues) -> bool:
    now, then = found[unit.name], last.get(unit.name, [])
    return _has_new_answer(unit, found, last) and badness(now)[1:] >= badness(then)[1:]


def _has_new_answer(unit: Unit[Any], _found: GroupIssues, last: GroupIssues) -> bool:
    return unit.can_revert and unit.name in last  # else its earlier answers were not readable


def _group_badness(found: GroupIssues) -> tuple[int, ...]:
    """Return the number of errors, then of warnings. The tier is always 3, so it is left out."""
    return badness([issue for issues in found.values() for issue in issues])[1:]


def _readable_values(units: Iterable[Unit[V]]) -> dict[str, V]:
    readings = {unit.name: unit.reading for unit in units}
    return {name: r.value for name, r in readings.items() if r is not None and r.value is not None}
