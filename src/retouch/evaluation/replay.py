"""Checks stored runs again, for example after a change of the recipe, and reports regressions. Nothing is sent."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retouch.engine.directory import load_ir, open_run
from retouch.engine.overview import overview
from retouch.engine.stored_files import IR
from retouch.engine.targets import changed_units
from retouch.engine.tiers import STATUSES, Status
from retouch.engine.verbs import validate
from retouch.errors import BadInput
from retouch.evaluation.outcomes import codes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.engine.recipe import Recipe
    from retouch.engine.tiers import TierSummary
    from retouch.engine.types import Issue


@dataclass(frozen=True, kw_only=True)
class ReplayedRun:
    """A stored run, its status `before` and `after` its answers were checked again, and the reason for the new one.

    `codes` counts new errors by their code, once per unit. `unchecked` names the tiers that fewer units passed than
    before, for example because a compiler is missing. `replanned` counts the units whose prompts the recipe would now
    plan differently: their stored answers were checked all the same.
    """

    run: Path
    before: Status
    after: Status
    reason: str
    codes: Mapping[str, int]
    unchecked: tuple[str, ...]
    replanned: int

    @property
    def is_regression(self) -> bool:
        """Whether the status became worse, an error is new, or a tier passes for fewer units."""
        return STATUSES.index(self.after) > STATUSES.index(self.before) or bool(self.codes or self.unchecked)

    @property
    def has_changed(self) -> bool:
        """Whether the status changed, or anything became worse."""
        return self.after != self.before or self.is_regression

    def to_json(self) -> dict[str, JSON]:
        """Return the run as plain data."""
        return {
            "run": str(self.run),
            "before": self.before,
            "after": self.after,
            "reason": self.reason,
            "regression": self.is_regression,
            "new_codes": dict(self.codes),
            "unchecked": list(self.unchecked),
            "replanned": self.replanned,
        }


def runs_below(directories: Iterable[Path]) -> list[Path]:
    """Return the run directories among `directories` and anywhere below them, sorted, each once.

    Raises:
        BadInput: one of the directories contains no run.
    """
    found: dict[Path, None] = {}
    for directory in directories:
        runs = [directory] if (directory / IR).exists() else sorted(one.parent for one in directory.rglob(IR))
        if not runs:
            raise BadInput(f"{str(directory)!r} contains no run", hint="Name run directories, or a directory of runs.")
        found.update(dict.fromkeys(runs))
    return list(found)


async def replay(recipe: Recipe[Any, Any], directory: Path, options: RunOptions) -> ReplayedRun:
    """Check a run again with the recipe as it is now, and compare its status with the stored one.

    Nothing is called and nothing is changed, so that the stored status stays the baseline of the next replay.

    Raises:
        BrokenFile: the run is damaged.
    """
    view = open_run(directory)
    stored = overview(view)
    result = await validate(recipe, directory, write=False, options=options)
    replanned = changed_units(recipe.plan(load_ir(directory, recipe).source), view.prompts)
    requested = {prompt.unit for prompt in view.prompts}
    before = _errors(issue for unit in stored.units for issue in unit.issues)
    return ReplayedRun(
        run=directory,
        before=stored.status,
        after=result.status,
        reason=result.reason,
        codes=Counter(code for _, code in sorted(_errors(result.issues) - before)),
        unchecked=tuple(_passed_less(stored.tiers, result.tiers)),
        replanned=sum(name in requested for name in replanned),
    )


def _errors(issues: Iterable[Issue]) -> set[tuple[str, str]]:
    """Return the unit and the code of each error."""
    return {(issue.unit, code) for issue in issues for code in codes_of([issue])}


def _passed_less(before: Iterable[TierSummary], after: Iterable[TierSummary]) -> Iterable[str]:
    passed = {tier.name: tier.passed for tier in after}
    return (tier.name for tier in before if passed.get(tier.name, 0) < tier.passed)
