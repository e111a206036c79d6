"""What a run of an evaluation shows about each unit: its status, its first answer, and what it used."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retouch._lib.hashing import canonical_hash
from retouch.engine.directory import open_run
from retouch.engine.events import CallIntended, PartReceived, UnitSettled, parse_event
from retouch.engine.ledger import LEDGER, folded
from retouch.engine.overview import overview
from retouch.engine.stored_files import IR
from retouch.engine.tiers import Status, TierOutcome, status_of, tier_summaries
from retouch.engine.types import COMPARE, Usage, errors_of, strategy_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.directory import RunView
    from retouch.engine.history import History
    from retouch.engine.ledger import LedgerRow
    from retouch.engine.overview import Overview, UnitView
    from retouch.engine.types import Attempt, Issue
    from retouch.evaluation.plan import EvaluationRun

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")
_FIRST = "answer"  # the reason of a first call


@dataclass(frozen=True, kw_only=True)
class FirstVerdict:
    """The lowest tier that the first answer of a unit failed, 0 if none, and the codes of its errors."""

    failed_tier: int = 0
    codes: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class UnitOutcome:
    """One unit of one run. `first` is None if it has no answer yet. `codes` are those of the errors that remain.

    `cluster` names the group of units that depend on each other, across all sources. `fingerprint` is the hash of all
    replies: trials with equal ones are no independent observations. If the unit was not planned but derived from
    answers, `is_planned` is False: then it only counts for the usage. `repairs` are the strategy of each repair, and
    whether its answer passed every check that ran on it.
    """

    model: str
    trial: int
    cluster: str
    unit: str
    status: Status
    tiers: Mapping[str, TierOutcome]
    usage: Usage
    seconds: float
    fingerprint: str = ""
    lost_calls: int = 0
    first: FirstVerdict | None = None
    codes: frozenset[str] = frozenset()
    repairs: tuple[tuple[str, bool], ...] = ()
    is_planned: bool = True


@dataclass(kw_only=True)
class _FirstChecks:
    """The checks of first answers in a ledger: the first replies by page, and their errors."""

    attempts: dict[int, tuple[str, int]] = field(default_factory=dict[int, "tuple[str, int]"])
    errors: dict[int, list[Issue]] = field(default_factory=dict[int, "list[Issue]"])

    def take(self, row: LedgerRow, history: History) -> None:
        """Take one row. Of several first calls to a page, the last one counts: earlier ones got no answer."""
        if row.kind not in (CallIntended.kind, PartReceived.kind, UnitSettled.kind):
            return
        event = parse_event(row.kind, row.data, history.texts, attempt=row.attempt, unit=row.unit)
        if isinstance(event, CallIntended) and event.why == _FIRST:
            self.attempts[row.seq] = event.request.prompt.key
        elif isinstance(event, PartReceived) and event.unit is not None:  # only first answers are packed
            self.attempts[row.seq] = event.unit, event.page
        elif isinstance(event, UnitSettled):
            for checked in event.attempts:
                if checked.seq in self.attempts:
                    self.errors.setdefault(checked.seq, []).extend(errors_of(checked.issues))


def first_verdicts(directory: Path, history: History) -> dict[str, FirstVerdict]:
    """Return the verdict on the first answer of each unit that has one that was checked.

    A unit's first answer are the first replies to all its pages. It fails a tier if any check found an error in it
    there, as long as it was the current answer. Automatic fixes come before the verdict.
    """

    def fold(rows: Iterable[LedgerRow]) -> _FirstChecks:
        checks = _FirstChecks()
        for row in rows:
            checks.take(row, history)
        return checks

    checks = folded(directory / LEDGER, fold).value
    pages: dict[tuple[str, int], int] = {}
    for seq, key in sorted(checks.attempts.items()):
        if key not in pages and history.attempts[seq].has_answer:
            pages[key] = seq
    found: dict[str, list[Issue]] = {}
    unchecked = {unit for (unit, _), seq in pages.items() if seq not in checks.errors}
    for (unit, _), seq in pages.items():
        found.setdefault(unit, []).extend(checks.errors.get(seq, ()))
    return {unit: _verdict(issues) for unit, issues in found.items() if unit not in unchecked}


def _verdict(errors: Sequence[Issue]) -> FirstVerdict:
    return FirstVerdict(
        failed_tier=min((int(issue.tier) for issue in errors if issue.is_failure), default=0), codes=codes_of(errors)
    )


def codes_of(issues: Iterable[Issue]) -> frozenset[str]:
    """Return the codes of the errors. A code that is no identifier might be a user's text, and becomes OTHER."""
    return frozenset(one.code if _CODE.fullmatch(one.code) else "OTHER" for one in issues if one.is_error)


def is_finished(run: EvaluationRun) -> bool:
    """Return whether a run has a result for every unit that it requests, so that it need not continue."""
    if not (run.directory / IR).exists():
        return False
    view = open_run(run.directory)
    units = {unit.unit: unit for unit in overview(view).units}
    if not units.keys() >= set(run.source.units):
        return False
    return all(_is_settled(unit, view.history) for unit in units.values())


def _is_settled(unit: UnitView, history: History) -> bool:
    """Return whether all planned calls and checks of a unit are done."""
    last = history.settled.get(unit.unit)
    is_retrying = last is not None and bool(last.retried) and not last.state
    is_checked = unit.unit in history.outcomes
    return not (is_retrying or unit.unchecked or unit.state == "unanswered") and is_checked


def outcomes_of(run: EvaluationRun) -> list[UnitOutcome]:
    """Return the outcome of each unit of a run as it is on disk, [] if it has not begun."""
    if not (run.directory / IR).exists():
        return []
    view = open_run(run.directory)
    seen = overview(view)
    firsts = first_verdicts(run.directory, view.history)
    attempts: dict[str, list[Attempt]] = defaultdict(list)
    for one in seen.attempts:
        if one.why != COMPARE:
            attempts[one.unit].append(one)
    requested = frozenset(run.source.units)
    return [_outcome(run, view, seen, unit, attempts[unit.unit], firsts, requested) for unit in seen.units]


def _outcome(
    run: EvaluationRun,
    view: RunView,
    seen: Overview,
    unit: UnitView,
    attempts: Sequence[Attempt],
    firsts: Mapping[str, FirstVerdict],
    requested: frozenset[str],
) -> UnitOutcome:
    return UnitOutcome(
        model=run.model,
        trial=run.trial,
        cluster=f"{run.source.label}\n{run.source.recipe.group(run.source.source, unit.unit)}",
        unit=unit.unit,
        status=_status(unit, view.history, seen),
        tiers=unit.tiers,
        usage=_usage(attempts),
        seconds=sum(one.seconds or 0.0 for one in attempts),
        fingerprint=canonical_hash([one.reply.text for one in attempts if one.reply is not None]),
        lost_calls=sum(one.reply is None and one.error is None for one in attempts),
        first=firsts.get(unit.unit),
        codes=codes_of(unit.issues),
        repairs=tuple(
            (name, one.is_checked and not errors_of(one.issues))
            for one in attempts
            if (name := strategy_of(one)) not in ("", _FIRST)
        ),
        is_planned=unit.unit in requested,
    )


def _usage(attempts: Iterable[Attempt]) -> Usage:
    """Return the usage of replies, also of those that broke off."""
    replies = ((one, one.reply or one.received) for one in attempts)
    return Usage.of_replies((reply, one.calls) for one, reply in replies)


def _status(unit: UnitView, history: History, seen: Overview) -> Status:
    """Return the status of one unit, as `status_of` does for a run. Changed files and damage affect every unit."""
    if not _is_settled(unit, history):
        return "incomplete"
    issues = (*unit.issues, *seen.disk, *seen.damage)
    tiers = tier_summaries([(number, name) for number, name in enumerate(unit.tiers, 1)], [unit.tiers])
    return status_of([unit.state], failing=any(issue.is_failure for issue in issues), tiers=tiers)
