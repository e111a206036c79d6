"""What a unit's answers are worth: reading, mending by rule, and the order in which one answer beats another."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from retouch.engine.recipe import Read
from retouch.engine.secrets_in_text import SecretsInText, without_secrets
from retouch.engine.types import Tier
from retouch.errors import Invalid, RecipeBug

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch.engine.options import RunOptions
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Issue, Prompt

S = TypeVar("S")
V = TypeVar("V")
READ_BY_ALL = 4  # one past the last tier: nothing failed


@dataclass(frozen=True)
class Verdict(Generic[V]):
    """What stands against one unit, and its value when it can be read; `complete` is False while a page is missing."""

    value: V | None
    issues: tuple[Issue, ...]
    complete: bool = True

    @property
    def errors(self) -> tuple[Issue, ...]:
        """The issues that must be mended."""
        return tuple(issue for issue in self.issues if issue.severity == "error")

    @property
    def mendable(self) -> tuple[Issue, ...]:
        """The errors that a model may be asked to mend: all but those whose `detail` says that a `person` decides."""
        return tuple(issue for issue in self.errors if not issue.detail.get("person"))

    @property
    def checkable(self) -> bool:
        """Whether tier 3 may judge it: it can be read, and nothing is wrong so far."""
        return self.value is not None and not self.errors

    @property
    def tier(self) -> Tier:
        """The first tier that failed; only asked of a verdict with errors."""
        return min(issue.tier for issue in self.errors)

    @property
    def badness(self) -> tuple[int, int, int]:
        """Smaller is better: how early a tier failed, then errors, then warnings."""
        failed = 0 if not self.complete else min((int(issue.tier) for issue in self.errors), default=READ_BY_ALL)
        warnings = sum(1 for issue in self.issues if issue.severity == "warning")
        return -failed, len(self.errors), warnings


class Judge(Generic[S, V]):
    """Reads units and remembers what it read, so that an unchanged unit costs nothing."""

    def __init__(self, recipe: Recipe[S, V], source: S, options: RunOptions, *, prompts: Sequence[Prompt] = ()) -> None:
        self._recipe = recipe
        self._secrets = SecretsInText(prompts)
        self._source = source
        self._options = options
        self._read: dict[str, tuple[tuple[str, ...], Verdict[V]]] = {}

    def read(self, unit: str, pages: tuple[str, ...]) -> Verdict[V]:
        """Return the verdict of tiers 1 and 2 on the pages of one unit.

        Raises:
            RecipeBug: the recipe blamed another unit than the one it read.
        """
        remembered = self._read.get(unit)
        if remembered is not None and remembered[0] == pages:
            return remembered[1]
        verdict = self._reading(unit, pages)
        self._read[unit] = (pages, verdict)
        return verdict

    def _reading(self, unit: str, pages: tuple[str, ...]) -> Verdict[V]:
        try:
            read = self._recipe.read(self._source, unit, pages)
        except Invalid as invalid:
            read = Read[V](None, (as_issue(invalid, unit),))
        self._known(read.issues, {unit})
        read = Read(read.value, (*without_secrets(read.issues), *self._secrets.issues(unit, pages)))
        if read.value is None and not any(issue.severity == "error" for issue in read.issues):
            raise RecipeBug(f"recipe {self._recipe.name!r} gave {unit!r} neither a value nor an error")
        return Verdict(read.value, tuple(read.issues))

    def mend(self, unit: str, pages: tuple[str, ...], verdict: Verdict[V]) -> tuple[tuple[str, ...], Verdict[V]]:
        """Return pages repaired by rule, and their verdict, when that is better; else what was given."""
        if not verdict.issues:
            return pages, verdict
        mended = self._recipe.mend(self._source, unit, pages, verdict.issues)
        if mended is None or tuple(mended) == pages:
            return pages, verdict
        if len(mended) != len(pages):
            raise RecipeBug(f"recipe {self._recipe.name!r} mended {len(pages)} pages of {unit!r} into {len(mended)}")
        after = self.read(unit, tuple(mended))
        return (tuple(mended), after) if after.badness < verdict.badness else (pages, verdict)

    async def check(self, values: Mapping[str, V], units: Iterable[str]) -> dict[str, list[Issue]]:
        """Return the issues of tier 3 by unit, judged over `values` together.

        Raises:
            RecipeBug: an issue names a unit that is not there.
        """
        found = self._recipe.check(self._source, values, self._options)
        issues = await found if inspect.isawaitable(found) else found
        by_unit: dict[str, list[Issue]] = {unit: [] for unit in units}
        self._known(issues := without_secrets(issues), set(by_unit))
        for issue in issues:
            by_unit[issue.unit].append(issue)
        return by_unit

    def _known(self, issues: Sequence[Issue], units: set[str]) -> None:
        for issue in issues:
            if issue.unit not in units:
                known = ", ".join(sorted(units)[:20])
                message = f"recipe {self._recipe.name!r} blamed {issue.unit!r} for {issue.code}; the units are: {known}"
                raise RecipeBug(message, hint="An issue names the unit that is to blame, by its type_name.")


def as_issue(invalid: Invalid, unit: str, *, page: int | None = None) -> Issue:
    """Return the one issue that a raised `Invalid` is short for; its tier is SYNTAX unless it says another."""
    from retouch.engine.types import Issue

    return Issue(
        code=invalid.code,
        message=invalid.message,
        tier=invalid.tier or Tier.SYNTAX,
        unit=unit,
        page=invalid.page or page,
        line=invalid.line,
        detail=invalid.detail,
        fix=invalid.fix,
    )


def with_check(verdict: Verdict[V], issues: Iterable[Issue]) -> Verdict[V]:
    """Return `verdict` with the issues of tier 3 behind its own."""
    return replace(verdict, issues=(*verdict.issues, *issues))


def signature(issues: Iterable[Issue]) -> frozenset[tuple[Any, ...]]:
    """Return what makes two sets of issues the same complaint."""
    return frozenset((issue.code, issue.page, issue.message) for issue in issues if issue.severity == "error")
