"""Extracts trials from a run. The ledger of trials is an index over runs that can be rebuilt from them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from retouch.engine.directory import IR, load_ir, open_run
from retouch.engine.record import cached_result
from retouch.errors import Invalid, RetouchError
from retouch.locate.trial_events import TrialEvent
from retouch.recipes.chisel.answers import REJECTED, marked, read
from retouch.recipes.chisel.checking import recalled, steps
from retouch.recipes.chisel.job import recipe
from retouch.recipes.chisel.pages import group_shown, shows
from retouch.recipes.chisel.source import UNIT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from retouch.engine.history import History
    from retouch.engine.types import Attempt
    from retouch.locate.trial_events import Outcome
    from retouch.recipes.chisel.answers import Fix
    from retouch.recipes.chisel.source import FixJob, Suspect


def events_of_run(folder: Path) -> list[TrialEvent]:
    """Return the trials of a run directory of this recipe, oldest first. The result is the same at every call.

    Attempts for another job in the same directory, before its source changed, are ignored.

    Raises:
        BadInput: it is not a run of this recipe.
        BrokenFile: one of its files is damaged.
    """
    job = load_ir(folder, recipe).source
    history = open_run(folder).history
    attempts = (attempt for attempt in history.attempts.values() if shows(job, attempt))
    return [event for number, attempt in enumerate(attempts, 1) for event in _events(job, attempt, number, history)]


def events_below(folder: Path) -> list[TrialEvent]:
    """Return the trials of every run of this recipe directly below `folder`, oldest first.

    Runs that cannot be read are skipped, because listing trials must not fail for them.
    """
    found: list[TrialEvent] = []
    for place in sorted(folder.glob(f"*/{IR}")):
        try:
            found += events_of_run(place.parent)
        except RetouchError:
            continue
    return sorted(found, key=lambda event: event.time)


def _events(job: FixJob, attempt: Attempt, number: int, history: History) -> Iterator[TrialEvent]:
    group = job.groups[group_shown(job, attempt)]
    yield from (_event(job, suspect, attempt, number) for suspect in group)
    outcome, touched, notes = _outcome(job, attempt, history)
    if outcome is None:
        return
    for suspect in job.suspects:
        if suspect.module_id in touched or (suspect in group and not touched):
            yield _event(job, suspect, attempt, number, outcome=outcome, notes=notes)
        elif suspect in group:
            unchanged_note = "shown, but not changed by the edits"
            yield _event(job, suspect, attempt, number, outcome="none", notes=unchanged_note)


def _event(
    job: FixJob, suspect: Suspect, attempt: Attempt, number: int, *, outcome: Outcome | None = None, notes: str = ""
) -> TrialEvent:
    kind = "attempt_started" if outcome is None else "outcome"
    return TrialEvent(
        event=kind,
        case_id=job.case_id,
        module_id=suspect.module_id,
        time=attempt.at,
        iteration=number,
        outcome=outcome or "none",
        score=suspect.score,
        sources=suspect.sources,
        commit=job.commit,
        span_sha256=suspect.span_sha256,
        notes=notes,
        id=f"{attempt.at} {attempt.seq} {suspect.module_id} {kind}",
    )


def _outcome(job: FixJob, attempt: Attempt, history: History) -> tuple[Outcome | None, tuple[str, ...], str]:
    """Return the outcome of an attempt (None if unknown), the candidates that it changed, and a note."""
    if attempt.reply is None:
        return ("none", (), attempt.error) if attempt.error else (None, (), "")
    if attempt.reply.finish != "end":
        return "none", (), f"the reply ended with {attempt.reply.finish!r}"
    try:
        found = read(job, UNIT, (marked(group_shown(job, attempt), attempt.reply.text),))
    except Invalid as refusal:
        return ("rejected" if refusal.code == REJECTED else "apply_fail"), (), refusal.message
    if found.value is None:
        first = next(issue for issue in found.issues if issue.severity == "error")
        return "apply_fail", (), first.message
    outcome, notes = _checked(job, found.value, history)
    return outcome, found.value.touched, notes


def _checked(job: FixJob, fix: Fix, history: History) -> tuple[Outcome | None, str]:
    failures: dict[str, Outcome] = {"compile": "compile_fail", "lec": "lec_fail"}
    for step in steps(job):
        ran = recalled(job, fix, step, partial(cached_result, history))
        if ran is None:
            return None, ""
        if not ran.succeeded:
            return failures[step], ran.first_error_line
    return "success", ""
