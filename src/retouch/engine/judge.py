"""Verdicts on a unit's answers, from the recipe's reader, automatic fixes and checks."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from retouch.engine.recipe import Read
from retouch.engine.record import SecretsInText, without_secrets
from retouch.engine.types import Issue, Tier, errors_of
from retouch.errors import Invalid, RecipeBug

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Attempt, Prompt

S = TypeVar("S")
V = TypeVar("V")
UNANSWERED = "UNANSWERED"
NO_REPLY = "got no reply: "  # in a message, before the server's message
NOTHING_FAILED = 5
"""One past the last tier: the rank in `badness` of an answer that failed no tier."""


def badness(issues: Iterable[Issue], *, complete: bool = True) -> tuple[int, int, int]:
    """Return a sort key for an answer with these issues. Smaller is better.

    It is the only order of answers: first the failed tier (later is better; an answer with missing pages, `complete`
    False, fails before all tiers), then the number of errors, then the number of warnings.
    """
    errors = warnings = 0
    failed = NOTHING_FAILED
    for issue in issues:
        if issue.is_error:
            errors += 1
            failed = min(failed, int(issue.tier))
        else:
            warnings += issue.severity == "warning"
    return -(failed if complete else 0), errors, warnings


@dataclass(frozen=True)
class UnitVerdict(Generic[V]):
    """The issues of one unit, and its value if it can be read. `complete` is False while a page is missing."""

    value: V | None
    issues: tuple[Issue, ...]
    complete: bool = True

    @property
    def errors(self) -> tuple[Issue, ...]:
        """The issues that must be repaired."""
        return errors_of(self.issues)

    @property
    def repairable(self) -> tuple[Issue, ...]:
        """The errors that a model can repair.

        Errors are excluded if `detail` marks them as the decision of a `person`, or as the failure of a `tool`.
        """
        return tuple(issue for issue in self.errors if not issue.detail.get("person") and not issue.detail.get("tool"))

    @property
    def checkable(self) -> bool:
        """Whether tier 3 can check it: it is readable and has no error so far."""
        return self.value is not None and not self.errors

    @property
    def badness(self) -> tuple[int, int, int]:
        """The sort key of verdicts. Smaller is better."""
        return badness(self.issues, complete=self.complete)

    def with_issues(self, issues: Iterable[Issue]) -> UnitVerdict[V]:
        """Return the verdict with the issues of tier 3 appended."""
        return replace(self, issues=(*self.issues, *issues))


@dataclass(frozen=True, kw_only=True)
class EarlyOutcome:
    """The errors of one page, while other pages of its unit are awaited. `text` is None if it was not accepted."""

    errors: tuple[Issue, ...]
    text: str | None


@dataclass(eq=False)
class Judge(Generic[S, V]):
    """Reads units and caches the verdicts of unchanged units."""

    recipe: Recipe[S, V]
    source: S
    options: RunOptions
    prompts: Sequence[Prompt] = ()
    _read: dict[str, tuple[tuple[str, ...], UnitVerdict[V]]] = field(
        init=False, default_factory=dict[str, "tuple[tuple[str, ...], UnitVerdict[V]]"]
    )

    @cached_property
    def _secrets(self) -> SecretsInText:
        return SecretsInText(self.prompts)

    def read(self, unit: str, pages: tuple[str, ...]) -> UnitVerdict[V]:
        """Return the verdict of tiers 1 and 2 on the pages of one unit.

        Raises:
            RecipeBug: the recipe reported an issue for another unit.
        """
        remembered = self._read.get(unit)
        if remembered is not None and remembered[0] == pages:
            return remembered[1]
        try:
            read = self.recipe.read(self.source, unit, pages)
        except Invalid as invalid:
            read = Read[V](None, (as_issue(invalid, unit),))
        self._expect_known_units(read.issues, {unit})
        read = Read(read.value, (*without_secrets(read.issues), *self._secrets.issues(unit, pages)))
        if read.value is None and not errors_of(read.issues):
            raise RecipeBug(f"recipe {self.recipe.name!r} gave {unit!r} neither a value nor an error")
        verdict = UnitVerdict(read.value, tuple(read.issues))
        self._read[unit] = (pages, verdict)
        return verdict

    def page_errors(self, unit: str, page: int, text: str) -> tuple[Issue, ...]:
        """Return the errors of one page that are known without the other pages of its unit."""
        errors = errors_of(self.recipe.page_errors(self.source, unit, page, text))
        self._expect_known_units(errors, {unit})
        return tuple(without_secrets(errors))

    def fixed(
        self, unit: str, pages: tuple[str, ...], verdict: UnitVerdict[V]
    ) -> tuple[tuple[str, ...], UnitVerdict[V]]:
        """Return the pages after automatic fixes, and their verdict, if that is better. Else return the given ones."""
        if not verdict.issues:
            return pages, verdict
        fixed = self.recipe.mend(self.source, unit, pages, verdict.issues)
        if fixed is None or tuple(fixed) == pages:
            return pages, verdict
        if len(fixed) != len(pages):
            raise RecipeBug(f"recipe {self.recipe.name!r} mended {len(pages)} pages of {unit!r} into {len(fixed)}")
        after = self.read(unit, tuple(fixed))
        return (tuple(fixed), after) if after.badness < verdict.badness else (pages, verdict)

    async def check(self, values: Mapping[str, V]) -> dict[str, list[Issue]]:
        """Check all `values` together and return the issues of tier 3 by unit.

        Raises:
            RecipeBug: an issue names a unit that does not exist.
        """
        found = self.recipe.check(self.source, values, self.options)
        issues = await found if inspect.isawaitable(found) else found
        by_unit: dict[str, list[Issue]] = {unit: [] for unit in values}
        self._expect_known_units(issues := without_secrets(issues), set(by_unit))
        for issue in issues:
            by_unit[issue.unit].append(issue)
        return by_unit

    def _expect_known_units(self, issues: Sequence[Issue], units: set[str]) -> None:
        for issue in issues:
            if issue.unit not in units:
                known = ", ".join(sorted(units)[:20])
                message = f"recipe {self.recipe.name!r} blamed {issue.unit!r} for {issue.code}; the units are: {known}"
                raise RecipeBug(message, hint="An issue names the unit that is to blame.")


def as_issue(invalid: Invalid, unit: str, *, page: int | None = None) -> Issue:
    """Return the issue of a raised `Invalid`. Its tier is SYNTAX unless it names another."""
    return Issue(
        code=invalid.code,
        message=invalid.message,
        tier=Tier(invalid.tier or Tier.SYNTAX),
        unit=unit,
        page=invalid.page or page,
        line=invalid.line,
        detail=invalid.detail,
        fix=invalid.fix,
    )


def error_signature(issues: Iterable[Issue]) -> frozenset[tuple[Any, ...]]:
    """Return a signature of a set of errors. Two answers with equal signatures have the same errors."""
    return frozenset((issue.code, issue.page, issue.message) for issue in errors_of(issues))


def unit_state(*, adopted: bool, failing: bool, ended: str, complete: bool) -> str:
    """Return the state of a unit: unanswered, answered, failing, exhausted, disputed or adopted.

    `ended` is "exhausted" or "disputed" if its retries ended without success. `complete` is whether every page has an
    answer.
    """
    if adopted:
        return "adopted"
    if failing and ended:
        return ended
    if not complete:
        return "unanswered"
    return "failing" if failing else "answered"


def unanswered(unit: str, page: int, attempt: Attempt | None) -> Issue:
    """Return the engine's own issue for a page without an answer. `attempt` is the last failed one."""
    what, fix, detail = "has not been requested yet", "Run 'retouch generate' again.", dict[str, "JSON"]()
    if attempt is not None and attempt.reply is None:
        what, fix = f"{NO_REPLY}{attempt.error}", "Run 'retouch generate' again; what arrived is kept."
        detail = {"transport": True}
    elif attempt is not None and attempt.reply is not None:
        finish, cap = attempt.reply.finish, attempt.request.max_output_tokens
        what = {
            "repeated": "repeated itself without end and was stopped",
            "length": f"was cut off at the output limit of {cap} tokens",
            "refused": "was refused by the model",
            "filtered": "was withheld by the provider's filter",
        }.get(finish, f"ended with {finish!r}")
        fix = "Answer this page completely, and with nothing else."
        detail = {"finish": finish}
    message = f"page {page} of {unit!r} {what}"
    return Issue(code=UNANSWERED, message=message, tier=Tier.SYNTAX, unit=unit, page=page, detail=detail, fix=fix)
