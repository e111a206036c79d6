"""Tiers: the declared checks of a run, their outcomes per unit, and the resulting status.

Every tier of every unit is `passed`, `failed` or `not_run`. "Not run" has a reason, and the command that would run it.
A run is `verified` only if every declared tier ran on the current files and passed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.recipe import TierPlan
    from retouch.engine.types import Issue


Outcome: TypeAlias = Literal["passed", "failed", "not_run"]
Status: TypeAlias = Literal["verified", "unverified", "issues", "incomplete", "exhausted"]
STATUSES: tuple[Status, ...] = ("verified", "unverified", "issues", "incomplete", "exhausted")
"""All statuses of a run, best to worst."""

TIERS = "tiers"
"""The kind of notes with the outcomes of all tiers by unit."""

_GROUP_TIER = 3  # from this tier on, the units of a group are checked together
_UNCHECKED = "not checked yet"
_NOTHING = "nothing was checked"

EXIT_STATUS: Mapping[Status, int] = {"verified": 0, "unverified": 0, "issues": 1, "incomplete": 1, "exhausted": 3}


@dataclass(frozen=True, kw_only=True)
class TierOutcome:
    """The outcome of one tier for one unit. `why` and `next` are set if it was not run.

    `requested` is whether an option requested the check that could not run. `blocked` is whether an earlier failure or
    a missing answer prevented it, which the issues explain.
    """

    outcome: Outcome
    why: str = ""
    next: str = ""
    requested: bool = False
    blocked: bool = False

    def to_json(self) -> dict[str, JSON]:
        """Return the outcome as plain data."""
        data: dict[str, JSON] = {"outcome": self.outcome}
        more: dict[str, JSON] = {
            "why": self.why,
            "next": self.next,
            "requested": self.requested,
            "blocked": self.blocked,
        }
        return {**data, **more} if self.outcome == "not_run" else data

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> TierOutcome:
        """Return the outcome that `to_json` wrote."""
        return _PASSED if data == _PASSED_JSON else TierOutcome(**dict(data))


_PASSED, _PASSED_JSON = TierOutcome(outcome="passed"), {"outcome": "passed"}  # of nearly all units


@dataclass(frozen=True, kw_only=True)
class UnitFacts:
    """The input of a unit's tier outcomes: its group, its issues, and whether every page has an answer.

    `checked` is whether tier 3 has checked the current answers.
    """

    name: str
    group: str
    issues: Sequence[Issue]
    answered: bool
    checked: bool = True


@dataclass(frozen=True, kw_only=True)
class TierSummary:
    """One tier over all units of a run: the counts of passed, failed and not run, a reason, and a next step."""

    tier: int
    name: str
    passed: int
    failed: int
    not_run: int
    why: str = ""
    next: str = ""
    requested: bool = False
    blocked: bool = False

    def to_json(self) -> dict[str, JSON]:
        """Return the summary with the keys that commands print."""
        return {
            "tier": self.tier,
            "name": self.name,
            "passed": self.passed,
            "failed": self.failed,
            "not_run": self.not_run,
            "why": self.why,
            "next": self.next,
        }


def exit_status_of(status: Status, tiers: Iterable[TierSummary]) -> int:
    """Return the exit status: 0 verified or unverified, 1 issues or incomplete, 3 exhausted.

    It is 1 for an unverified run too if a check that an option requested could not run.
    """
    if status == "unverified" and any(tier.requested for tier in tiers):
        return 1
    return EXIT_STATUS[status]


def tier_outcomes(plans: Sequence[TierPlan], units: Iterable[UnitFacts]) -> dict[str, dict[str, TierOutcome]]:
    """Return, per unit, the outcome of each declared tier by its name."""
    groups: dict[str, list[UnitFacts]] = {}
    for unit in units:
        groups.setdefault(unit.group, []).append(unit)
    found: dict[str, dict[str, TierOutcome]] = {}
    for members in groups.values():
        of_groups = [(plan, _group_facts(plan.tier, members)) for plan in plans]
        for unit in members:
            fine = unit.answered and not unit.issues  # most units
            found[unit.name] = {
                plan.name: _PASSED
                if fine and plan.tier < _GROUP_TIER and not plan.why
                else _unit_outcome(plan, unit, group)
                for plan, group in of_groups
            }
    return found


@dataclass(frozen=True, kw_only=True)
class _GroupFacts:
    """Facts of a group about one tier that hold for all its units: computed once, so that large groups stay cheap.

    `waits_for` is the first unit whose earlier tier failed. `report` is the first issue that explains, for the whole
    group, why the tier was not run. A unit's own report comes before it.
    """

    waits_for: str | None = None
    report: Issue | None = None


def _group_facts(tier: int, members: Sequence[UnitFacts]) -> _GroupFacts:
    if tier < _GROUP_TIER:
        return _GroupFacts()
    reports = (issue for unit in members for issue in unit.issues if was_not_run(issue, tier))
    report = next((issue for issue in reports if not issue.detail.get("of_unit")), None)
    waits_for = next((unit.name for unit in members if _blocks_group(unit, tier)), None)
    return _GroupFacts(waits_for=waits_for, report=report)


def _unit_outcome(plan: TierPlan, unit: UnitFacts, group: _GroupFacts) -> TierOutcome:
    failed = min((int(issue.tier) for issue in unit.issues if issue.is_failure), default=0)
    if failed == plan.tier and unit.answered:
        return TierOutcome(outcome="failed")
    if not unit.answered:
        return TierOutcome(outcome="not_run", why=f"{unit.name!r} has no answer yet", blocked=True)
    if 0 < failed < plan.tier:
        return TierOutcome(outcome="not_run", why=f"tier {failed} failed for {unit.name!r}", blocked=True)
    unsure = min((int(issue.tier) for issue in unit.issues if _could_not_judge(issue)), default=0)
    if 0 < unsure < plan.tier:
        return TierOutcome(outcome="not_run", why=f"tier {unsure} could not judge {unit.name!r}", blocked=True)
    if plan.why:
        return TierOutcome(outcome="not_run", why=plan.why, next=plan.next)
    told = next((issue for issue in unit.issues if was_not_run(issue, plan.tier)), group.report)
    if told is not None:
        requested = bool(told.detail.get("requested") or told.detail.get("tool"))
        short = told.detail.get("not_run")
        why = short if isinstance(short, str) else told.message
        return TierOutcome(
            outcome="not_run", why=why, next=str(told.detail.get("next") or told.fix), requested=requested
        )
    if plan.tier >= _GROUP_TIER:
        if group.waits_for is not None:
            return TierOutcome(outcome="not_run", why=f"it waits for {group.waits_for!r}", blocked=True)
        if not unit.checked:
            return TierOutcome(outcome="not_run", why=_UNCHECKED, next="retouch validate DIR", blocked=True)
    return _PASSED


def _could_not_judge(issue: Issue) -> bool:
    return issue.is_error and bool(issue.detail.get("tool"))


def was_not_run(issue: Issue, tier: int) -> bool:
    """Return whether an issue reports that the check of a tier was not run."""
    return int(issue.tier) == tier and bool(issue.detail.get("not_run") or issue.detail.get("tool"))


def _blocks_group(unit: UnitFacts, tier: int) -> bool:
    return not unit.answered or any(issue.is_failure and int(issue.tier) < tier for issue in unit.issues)


def tier_summaries(
    plans: Sequence[tuple[int, str]], outcomes: Iterable[Mapping[str, TierOutcome]]
) -> tuple[TierSummary, ...]:
    """Return, per tier (number and name), the counts of units that passed, failed, and were not run.

    `why` is the first reason that does not follow from another failure, if there is one.
    """
    rows = list(outcomes)
    summaries: list[TierSummary] = []
    for tier, name in plans:
        of_tier = [row[name] for row in rows if name in row]
        not_run = sorted((one for one in of_tier if one.outcome == "not_run"), key=lambda one: one.blocked)
        first = not_run[0] if not_run else TierOutcome(outcome="passed")
        summaries.append(
            TierSummary(
                tier=tier,
                name=name,
                passed=sum(one.outcome == "passed" for one in of_tier),
                failed=sum(one.outcome == "failed" for one in of_tier),
                not_run=len(not_run),
                why=first.why,
                next=first.next,
                requested=any(one.requested for one in not_run),
                blocked=bool(not_run) and first.blocked,
            )
        )
    return tuple(summaries)


def status_of(states: Iterable[str], *, failing: bool, tiers: Sequence[TierSummary]) -> Status:
    """Return the status of a run from the states of its units, remaining failures, and its tiers.

    A run without units, or without tiers, is `unverified`: nothing was checked.
    """
    found = set(states)
    if "exhausted" in found:
        return "exhausted"
    if "unanswered" in found:
        return "incomplete"
    if failing:
        return "issues"
    return "verified" if found and tiers and not any(tier.not_run for tier in tiers) else "unverified"


def status_reason(status: Status, tiers: Sequence[TierSummary], issues: Iterable[Issue] = ()) -> str:
    """Return the reason for an `unverified` status and a note about waived checks, as text, or "".

    For example "not compiled (no C# compiler; run: retouch csharp compiler install)" or "2 clauses waived". If a check
    passed only because the user waived it, the recipe adds an issue whose detail `waived` is the noun.
    """
    if status not in ("verified", "unverified"):
        return ""
    waived = Counter(str(issue.detail["waived"]) for issue in issues if issue.detail.get("waived"))
    parts = [f"{count} {noun if count == 1 else f'{noun}s'} waived" for noun, count in waived.items()]
    if status == "unverified":
        parts.insert(0, _not_run_reason(tiers))
    return "; ".join(parts)


def _not_run_reason(tiers: Sequence[TierSummary]) -> str:
    first = next((tier for tier in tiers if tier.not_run), None)
    if first is None:
        return _NOTHING
    head, _, detail = first.why.partition(": ")
    step = f"run: {first.next}" if first.next.startswith("retouch ") else first.next.rstrip(".")
    more = "; ".join(part for part in (detail, step) if part)
    return f"{head} ({more})" if more else head


@dataclass(frozen=True)
class ValidationResult:
    """The result of a check. The `error_...` properties describe the first error of the earliest failed tier.

    `raw_output` is the checked text, `parsed` is the result of tier 1, `validated` of tier 2, and `preview` the input
    of tier 3. Each is None if the recipe does not provide it.
    """

    issues: Sequence[Issue] = ()
    raw_output: str | None = None
    parsed: Any = None
    validated: Any = None
    preview: Sequence[Mapping[str, Any]] | None = None

    @property
    def errors(self) -> list[Issue]:
        """The issues that must be fixed, in order."""
        return [issue for issue in self.issues if issue.severity == "error"]

    @property
    def warnings(self) -> list[Issue]:
        """The issues that you should review."""
        return [issue for issue in self.issues if issue.severity == "warning"]

    @property
    def has_errors(self) -> bool:
        """Whether anything must be fixed."""
        return bool(self.errors)

    @property
    def valid(self) -> bool:
        """Whether nothing must be fixed."""
        return not self.errors

    @property
    def tier(self) -> int:
        """The tier that failed, 3 if none did."""
        return min((int(issue.tier) for issue in self.errors), default=3)

    @property
    def error_type(self) -> str | None:
        """The code of the first error."""
        return self._first.code if self._first is not None else None

    @property
    def error_message(self) -> str | None:
        """The message of the first error."""
        return self._first.message if self._first is not None else None

    @property
    def error_line(self) -> int | None:
        """The line of the first error, from 1."""
        return self._first.line if self._first is not None else None

    @property
    def error_path(self) -> list[str] | None:
        """The parts of the path of the first error, such as ["extract", "date", "from"]."""
        path = self._first.path if self._first is not None else None
        return path.split(".") if path else None

    @property
    def short_message(self) -> str:
        """A short text of the first error: its detail "short" if the recipe provides it."""
        if self._first is None:
            return "nothing is wrong"
        return str(self._first.detail.get("short") or self._first.message)

    @property
    def _first(self) -> Issue | None:
        return min(self.errors, key=lambda issue: issue.tier, default=None)
