"""Decides whether a changed policy is an improvement, by executing scenarios on both versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.idle_rules import analyse
from retouch.recipes.policy.deciding.evaluation import ON_DISK, Surroundings
from retouch.recipes.policy.scenarios.execution import execute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.scenarios.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class ChangeEffect:
    """The effect of a rule change: ids of scenarios that pass now, ids that fail now, and rules that became dead."""

    fixed: tuple[str, ...]
    broken: tuple[str, ...]
    newly_dead: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        """True if the change fixes at least one scenario, breaks none and adds no dead rule."""
        return bool(self.fixed) and not self.broken and not self.newly_dead


def judge_change(
    before: Policy, after: Policy, scenarios: Sequence[Scenario], *, surroundings: Surroundings = ON_DISK
) -> ChangeEffect:
    """Return the effect of changing `before` to `after`. Every scenario is executed on both."""
    was = {one.scenario.id: one.passed for one in execute(before, scenarios, surroundings=surroundings)}
    now = {one.scenario.id: one.passed for one in execute(after, scenarios, surroundings=surroundings)}
    dead = set(analyse(before).dead)
    return ChangeEffect(
        fixed=tuple(one for one, passed in now.items() if passed and not was[one]),
        broken=tuple(one for one, passed in now.items() if not passed and was[one]),
        newly_dead=tuple(name for name in analyse(after).dead if name not in dead),
    )
