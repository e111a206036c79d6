"""Extracts trials from a run. The ledger of trials is an index over runs that can be rebuilt from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache, partial
from typing import TYPE_CHECKING, cast

from retouch.engine.directory import IR, load_ir, open_run
from retouch.engine.recipe import find_recipe
from retouch.engine.record import cached_result
from retouch.errors import Invalid, RetouchError
from retouch.locate.indexing.contents import read_contents
from retouch.locate.languages.scala import scala
from retouch.locate.trial_events import TrialEvent
from retouch.recipes.chisel.answers import MORE_WANTED, REJECTED, marked, read
from retouch.recipes.chisel.checking import NOT_PROVED, proof_of, recalled, steps
from retouch.recipes.chisel.pages import also_shown, group_shown, shows
from retouch.recipes.chisel.source import UNIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from retouch.engine.history import History
    from retouch.engine.types import Attempt
    from retouch.locate.trial_events import Outcome
    from retouch.locate.values import Span
    from retouch.recipes.chisel.answers import Fix
    from retouch.recipes.chisel.proofs import Proof
    from retouch.recipes.chisel.source import FixJob, Suspect

_OUTCOMES: dict[Outcome, str] = {
    "success": "passed",
    "compile_fail": "does not compile",
    "lec_fail": "the hardware differs",
    "apply_fail": "the edits do not match",
    "rejected": "NOT HERE",
    "none": "no result",
}


def events_of_run(folder: Path) -> list[TrialEvent]:
    """Return the trials of a run directory of this recipe, oldest first. The result is the same at every call.

    Attempts for another job in the same directory, before its source changed, are ignored.

    Raises:
        BadInput: it is not a run of this recipe.
        BrokenFile: one of its files is damaged.
    """
    job: FixJob = load_ir(folder, find_recipe("chisel")).source
    history = open_run(folder).history
    return [
        event for number, one in enumerate(_attempts(job, history), 1) for event in _events(job, one, number, history)
    ]


def _attempts(job: FixJob, history: History) -> list[Attempt]:
    return [attempt for attempt in history.attempts.values() if shows(job, attempt)]


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


def trial_rows(job: FixJob, folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield for each answer its number, the modules it is about, its outcome, what was shown for it, and a note."""
    history = open_run(folder).history
    for number, attempt in enumerate(_attempts(job, history), 1):
        group = job.groups[group_shown(job, attempt)]
        found = _outcome(job, attempt, history) or TrialOutcome(outcome="none", notes="no tool has judged it")
        changed = [one.name for one in job.suspects if one.module_id in found.touched] or [one.name for one in group]
        proof = NOT_PROVED.get(cast("Proof", found.proof), "") or found.proof
        yield str(number), ", ".join(changed), _OUTCOMES[found.outcome], proof, found.notes.partition("\n")[0]


def _events(job: FixJob, attempt: Attempt, number: int, history: History) -> Iterator[TrialEvent]:
    group = job.groups[group_shown(job, attempt)]
    yield from (_event(job, suspect, attempt, number) for suspect in group)
    found = _outcome(job, attempt, history)
    if found is None:
        return
    unchanged = TrialOutcome(outcome="none", notes="shown, but not changed by the edits")
    for suspect in job.suspects:
        if suspect.module_id in found.touched or (suspect in group and not found.touched):
            yield _event(job, suspect, attempt, number, found)
        elif suspect in group:
            yield _event(job, suspect, attempt, number, unchanged)
    known = {suspect.module_id for suspect in job.suspects}
    for module_id in found.touched:
        if module_id not in known:  # an edit in a definition that is no candidate
            other = replace(group[0], module_id=module_id, score=0.0, sources={}, span_sha256="")
            yield _event(job, other, attempt, number, found)


@dataclass(frozen=True, kw_only=True)
class TrialOutcome:
    """The outcome of an attempt, the ids of the modules that it changed, a note, and what was shown for a success."""

    outcome: Outcome
    touched: tuple[str, ...] = ()
    notes: str = ""
    proof: str = ""


def _event(
    job: FixJob, suspect: Suspect, attempt: Attempt, number: int, found: TrialOutcome | None = None
) -> TrialEvent:
    kind = "attempt_started" if found is None else "outcome"
    outcome = "none" if found is None else found.outcome
    proof = "" if found is None else found.proof
    verdict = "" if found is None else f" {outcome} {proof}".rstrip()  # a later verdict is an event of its own
    return TrialEvent(
        event=kind,
        case_id=job.case_id,
        module_id=suspect.module_id,
        time=attempt.at,
        iteration=number,
        outcome=outcome,
        score=suspect.score,
        sources=suspect.sources,
        commit=job.commit,
        span_sha256=suspect.span_sha256,
        notes="" if found is None else found.notes,
        proof=proof,
        id=f"{attempt.at} {attempt.seq} {suspect.module_id} {kind}{verdict}",
    )


def _outcome(job: FixJob, attempt: Attempt, history: History) -> TrialOutcome | None:
    """Return the outcome of an attempt, None if it is unknown."""
    if attempt.reply is None:
        return TrialOutcome(outcome="none", notes=attempt.error) if attempt.error else None
    if attempt.reply.finish != "end":
        return TrialOutcome(outcome="none", notes=f"the reply ended with {attempt.reply.finish!r}")
    try:
        answer = marked(job, group_shown(job, attempt), attempt.reply.text, also_shown(job, attempt))
        found = read(job, UNIT, (answer,))
    except Invalid as refusal:
        if refusal.code == MORE_WANTED:
            return TrialOutcome(outcome="none", notes=refusal.message)
        return TrialOutcome(outcome="rejected" if refusal.code == REJECTED else "apply_fail", notes=refusal.message)
    if found.value is None:
        first = next(issue for issue in found.issues if issue.severity == "error")
        return TrialOutcome(outcome="apply_fail", notes=first.message)
    fix = found.value
    touched = fix.touched or _definitions_changed(job, fix)
    return _checked(job, replace(fix, touched=touched), history)


def _definitions_changed(job: FixJob, fix: Fix) -> tuple[str, ...]:
    """Return the ids of the definitions that a fix changed, for one that changed no candidate.

    Lines outside of every definition, such as imports, belong to none.
    """
    found: dict[str, None] = {}
    for path, text in fix.texts.items():
        before, after = job.file(path).text, text
        spans = definitions(path, before)
        pieces = SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False).get_opcodes()
        for tag, first, last, _, _ in pieces:
            lines = range(first + 1, max(last, first + 1) + 1) if tag != "equal" else range(0)
            around = [span for span in spans if any(span.start_line <= line <= span.end_line for line in lines)]
            if around:
                smallest = min(around, key=lambda span: span.end_line - span.start_line)
                found[smallest.module_id] = None
    return tuple(found)


@lru_cache(maxsize=64)
def definitions(path: str, text: str) -> Sequence[Span]:
    """Return the definitions in a Scala file."""
    return read_contents(scala(), path, text.encode("utf-8", "surrogateescape")).spans


def _checked(job: FixJob, fix: Fix, history: History) -> TrialOutcome | None:
    failures: dict[str, Outcome] = {"compile": "compile_fail", "lec": "lec_fail"}
    recall = partial(cached_result, history)
    for step in steps(job):
        ran = recalled(job, fix, step, recall)
        if ran is None:
            return None  # it was not run, or could not judge
        if not ran.succeeded:
            return TrialOutcome(outcome=failures[step], touched=fix.touched, notes=ran.first_error_line)
    return TrialOutcome(outcome="success", touched=fix.touched, proof=proof_of(job, fix, recall) or "")
