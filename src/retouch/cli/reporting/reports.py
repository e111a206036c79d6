"""The results of one run, or of all runs of a job, a fleet or a tree, as the formats for other programs need them."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import TYPE_CHECKING, Any

from retouch.cli.jobs import FLEET, JOB, RUN, SHARDS, holds_runs, recipe_of_job, runs_below
from retouch.cli.reporting.findings import PlacedIssue, located
from retouch.engine.tiers import STATUSES, TierSummary, exit_status_of, status_reason
from retouch.engine.types import Issue, Tier, Usage
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.directory import RunView
    from retouch.engine.overview import Overview, RunResult
    from retouch.engine.tiers import Status

_NO_ANSWER = frozenset({"unanswered"})


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """The result of one run: its status with the reason, its tiers, the state of each unit, and its findings.

    `usage` is that of the whole run. `next` is the one command to run next. `passed` is whether the exit status is 0.
    """

    run: Path
    recipe: str
    status: Status
    reason: str
    passed: bool
    tiers: Sequence[TierSummary] = ()
    states: Sequence[tuple[str, str]] = ()
    findings: Sequence[PlacedIssue] = ()
    usage: Usage = Usage()
    next: str = ""

    @property
    def heading(self) -> str:
        """The status with its reason as text."""
        return f"{self.status}: {self.reason}" if self.reason else self.status

    @property
    def hides_its_failure(self) -> bool:
        """Whether the run did not pass, and no error among its findings shows it."""
        return not self.passed and not any(one.issue.is_error for one in self.findings)

    def unanswered(self) -> list[str]:
        """Return the units without an answer."""
        return [name for name, state in self.states if state in _NO_ANSWER]


@dataclass(frozen=True, kw_only=True)
class Reports:
    """The reports of all runs of a directory, and the exit status of the command.

    `was_read` is False if the directory is no run, or a broken one.
    """

    runs: Sequence[RunReport]
    exit_status: int
    notes: Sequence[str] = field(default=())
    was_read: bool = True

    @property
    def usage(self) -> Usage:
        """The usage of all runs."""
        return sum((one.usage for one in self.runs), Usage())

    @property
    def next(self) -> str:
        """The one command to run next: that of the first run with the worst status."""
        worst = max(self.runs, key=lambda one: STATUSES.index(one.status), default=None)
        return worst.next if worst is not None else ""


def holds_several(folder: Path) -> bool:
    """Return whether a directory is a job, a fleet, or has runs below it."""
    return recipe_of_job(folder) is not None or holds_runs(folder)


def report_of_result(view: RunView, result: RunResult, *, strict: bool) -> RunReport:
    """Return the report of a run that was just checked. `view` is the run as it is after the check."""
    from retouch.cli.outcome import next_command

    usage = Usage.of_attempts(view.history.attempts.values())
    return RunReport(
        run=result.run,
        recipe=view.recipe,
        status=result.status,
        reason=result.reason,
        passed=_passed(result.status, result.tiers, strict=strict),
        tiers=result.tiers,
        states=result.states,
        findings=located(view, result.issues),
        usage=replace(usage, cost=None) if result.lost_ledger else usage,
        next=next_command(result.run, result.status, result.tiers, result.issues, result.states),
    )


def report_of_overview(view: RunView, found: Overview, *, strict: bool) -> RunReport:
    """Return the report of a run as it was checked last."""
    from retouch.cli.outcome import next_command

    issues = found.issues
    states = [(unit.unit, unit.shown_state) for unit in found.units]
    return RunReport(
        run=found.run,
        recipe=found.recipe,
        status=found.status,
        reason=status_reason(found.status, found.tiers, issues),
        passed=_passed(found.status, found.tiers, strict=strict),
        tiers=found.tiers,
        states=states,
        findings=located(view, issues),
        usage=found.known_usage,
        next=next_command(found.run, found.status, found.tiers, issues, states),
    )


def _passed(status: Status, tiers: Sequence[TierSummary], *, strict: bool) -> bool:
    return exit_status_of(status, tiers) == 0 and not (strict and status == "unverified")


def reports_below(folder: Path, verb: Callable[[], int | None], *, strict: bool) -> Reports:
    """Return the reports of a directory with several runs, after `verb` was done for it with JSON as its output.

    The directory itself has a report too, with its own status: a status of a job or a fleet is more than those of its
    runs.
    """
    from retouch.engine.directory import open_run
    from retouch.engine.overview import overview

    output = io.StringIO()
    with redirect_stdout(output):
        exit_status = verb() or 0
    data: dict[str, Any] = json.loads(output.getvalue())
    runs: list[RunReport] = []
    for run in _runs_of(folder):
        view = open_run(run)
        runs.append(report_of_overview(view, overview(view), strict=strict))
    whole = _whole(folder, data, runs, exit_status=exit_status, strict=strict)
    return Reports(runs=[whole, *runs], exit_status=exit_status, notes=[str(note) for note in data.get("notes", ())])


def _whole(
    folder: Path, data: Mapping[str, Any], runs: Sequence[RunReport], *, exit_status: int, strict: bool
) -> RunReport:
    """Return the report of a job, a fleet or a tree, with its own files' issues."""
    status: Status = data["status"]
    passed = exit_status == 0 and status in ("verified", "unverified") and not (strict and status == "unverified")
    bad = sum(not one.passed for one in runs)
    worst = max(runs, key=lambda one: STATUSES.index(one.status), default=None)
    again = ""
    if (folder / JOB).is_file() and not passed:
        again = f"retouch resume {quote(str(folder))}{'' if status == 'incomplete' else ' --retry-dead'}"
    return RunReport(
        run=folder,
        recipe=str(data.get("recipe", "")),
        status=status,
        reason=f"{bad} of {len(runs)} runs did not pass" if bad else "",
        passed=passed,
        findings=[_own_finding(folder, one) for one in data.get("file_issues", ())],
        next=again or (worst.next if worst is not None else ""),
    )


def _own_finding(folder: Path, summary: Mapping[str, Any]) -> PlacedIssue:
    issue = Issue.from_json({**summary, "tier": Tier(summary["tier"])})
    name = issue.unit if issue.unit and (folder / issue.unit).is_file() else "job.json"
    return PlacedIssue(issue=issue, file=folder / name)


def _runs_of(folder: Path) -> Iterator[Path]:
    """Yield the runs of a job, a fleet, or a tree.

    Raises:
        BadInput: it is a fleet whose runs are elsewhere.
    """
    if recipe_of_job(folder) is not None:
        yield from sorted(found.parent for found in folder.glob(f"{SHARDS}/*/{RUN}"))
        return
    if (folder / FLEET).is_file():
        from retouch.fleet.job import fleet_place
        from retouch.fleet.upkeep import fleet_runs

        yield from fleet_runs(fleet_place(str(folder)))
        return
    found = sorted(runs_below(folder))
    if not found:
        raise BadInput(f"{str(folder)!r} holds no run", hint="Name the directory of a run.")
    yield from found
