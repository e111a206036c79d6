"""Figures and statuses: the result of a verb, and a run directory as the user wants to see it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retouch._lib.counting import counted_are
from retouch.engine.batches import pending_in_batches
from retouch.engine.tiers import (
    EXIT_STATUS,
    TIERS,
    Status,
    TierOutcome,
    TierSummary,
    status_of,
    status_reason,
    tier_summaries,
)
from retouch.engine.types import Usage, errors_of, issues_from_json
from retouch.engine.unit import unit_state
from retouch.errors import LimitReached

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.directory import RunView
    from retouch.engine.history import History
    from retouch.engine.round import Round
    from retouch.engine.types import Attempt, Issue, Prompt


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """The result of a verb: the run's current status, and the usage of the replies that arrived during the verb.

    `states` are the states of the units: unanswered, answered, failing, exhausted, disputed or adopted. `notes` are
    sentences for the user, for example about a file that was kept because it has manual edits. `tiers` say what was
    checked.
    """

    run: Path
    status: Status
    tiers: tuple[TierSummary, ...] = ()
    issues: tuple[Issue, ...] = ()
    states: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()
    usage: Usage = Usage()
    notes: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """How many calls got a reply."""
        return self.usage.calls

    @property
    def tokens(self) -> int:
        """All tokens, input and output."""
        return self.usage.tokens

    @property
    def exit_status(self) -> int:
        """0 verified or unverified, 1 if issues or pages are left or a requested check could not judge, 3 exhausted."""
        if self.status == "unverified" and any(tier.requested for tier in self.tiers):
            return 1
        return EXIT_STATUS[self.status]

    @property
    def reason(self) -> str:
        """Why an `unverified` run is not verified, in words; "" for any other status."""
        return status_reason(self.status, self.tiers)

    def as_json(self) -> dict[str, JSON]:
        """Return the result as plain data with stable keys."""
        return {
            "run": str(self.run),
            "status": self.status,
            "tiers": [tier.to_json() for tier in self.tiers],
            "issues": [issue.summary() for issue in self.issues],
            "files": list(self.files),
            "calls": self.calls,
            "tokens": self.tokens,
            "input_tokens": self.usage.input_tokens,
            "output_tokens": self.usage.output_tokens,
            "cached_tokens": self.usage.cached_tokens,
            "notes": list(self.notes),
        }


def run_result(
    work: Round[Any, Any],
    directory: Path,
    *,
    files: Sequence[str] = (),
    notes: Sequence[str] = (),
    disk: Sequence[Issue] = (),
) -> RunResult:
    """Return the result of a verb; `disk` are issues of files that are not what was written."""
    history = work.history
    states = tuple((name, unit.status(history)) for name, unit in work.units.items())
    issues = (*(issue for unit in work.units.values() for issue in unit.issues(history)), *disk)
    plans = [(plan.tier, plan.name) for plan in work.recipe.tiers(work.source)]
    tiers = tier_summaries(plans, work.tier_outcomes().values())
    new = work.queue.new_attempts()
    limited = any((attempt.error or "").startswith(LimitReached.__name__) for attempt in new)
    found = {*(state for _, state in states), *(["exhausted"] if limited else [])}
    return RunResult(
        run=directory,
        status=status_of(found, failing=any(issue.is_failure for issue in issues), tiers=tiers),
        tiers=tiers,
        issues=issues,
        states=states,
        files=tuple(files),
        usage=Usage.of_attempts(new),
        notes=(*notes, *_batch_notes(history, directory)),
    )


def _batch_notes(history: History, directory: Path) -> list[str]:
    """Return a note for each model from which pages are pending in a batch."""
    counts = Counter(pending_in_batches(history).values())
    hint = f"'retouch resume {directory}' collects what has come"
    return [
        f"{counted_are(count, 'page')} on their way in a batch of {name!r}: {hint}" for name, count in counts.items()
    ]


def rejected_notes(work: Round[Any, Any], units: Iterable[str]) -> list[str]:
    """Return a note for each unit whose new answers were all worse than the current one, which therefore stays."""
    notes: list[str] = []
    for unit in units:
        made = [attempt for attempt in work.queue.new_attempts() if attempt.unit == unit]
        if any(attempt.taken for attempt in made) or not any(attempt.reply is not None for attempt in made):
            continue
        codes = ", ".join(dict.fromkeys(issue.code for attempt in made for issue in attempt.issues))
        why = f"worse ({codes})" if codes else "no better"
        notes.append(f"the new answer for {unit!r} was {why} and was left aside: the earlier one stands")
    return notes


@dataclass(frozen=True, kw_only=True)
class PageView:
    """One page: the model of its current answer, by the spec it was opened with, and what all its attempts used.

    `model` is "person" for a manual edit, and None without an answer.
    """

    page: int
    model: str | None
    attempts: int
    usage: Usage

    def as_json(self) -> dict[str, JSON]:
        """Return the page as plain data."""
        usage = self.usage
        return {
            "page": self.page,
            "model": self.model,
            "attempts": self.attempts,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
        }


@dataclass(frozen=True, kw_only=True)
class UnitView:
    """One unit: its state, its pages, its issues, and the outcomes of its tiers by their names."""

    unit: str
    state: str
    pages: tuple[PageView, ...]
    issues: tuple[Issue, ...]
    tiers: Mapping[str, TierOutcome]

    def as_json(self) -> dict[str, JSON]:
        """Return the unit as plain data."""
        issues: list[JSON] = [one.summary() for one in self.issues]
        return {
            "unit": self.unit,
            "state": self.state,
            "pages": [page.as_json() for page in self.pages],
            "issues": issues,
            "tiers": {name: one.outcome for name, one in self.tiers.items()},
        }


@dataclass(frozen=True, kw_only=True)
class Overview:
    """The whole run; its usage is that of its whole past, `disk` are files that are missing."""

    run: Path
    recipe: str
    units: tuple[UnitView, ...]
    attempts: tuple[Attempt, ...]
    disk: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """The run's status, as it was last checked."""
        failing = any(issue.is_failure for unit in self.units for issue in unit.issues) or bool(self.disk)
        return status_of((unit.state for unit in self.units), failing=failing, tiers=self.tiers)

    @property
    def tiers(self) -> tuple[TierSummary, ...]:
        """The tiers over all units."""
        names = dict.fromkeys(name for unit in self.units for name in unit.tiers)
        plans = [(number, name) for number, name in enumerate(names, 1)]
        return tier_summaries(plans, (unit.tiers for unit in self.units))

    @property
    def reason(self) -> str:
        """Why an `unverified` run is not verified, in words; "" for any other status."""
        return status_reason(self.status, self.tiers)

    @property
    def calls(self) -> int:
        """How many calls were made."""
        return len(self.attempts)

    @property
    def usage(self) -> Usage:
        """The usage of all calls that got a reply."""
        return Usage.of_attempts(self.attempts)

    def as_json(self, *, attempts: bool) -> dict[str, Any]:
        """Return the overview as plain data; every attempt with it if `attempts` is set."""
        usage = self.usage
        content: dict[str, Any] = {
            "run": str(self.run),
            "recipe": self.recipe,
            "status": self.status,
            "tiers": [tier.to_json() for tier in self.tiers],
            "units": [unit.as_json() for unit in self.units],
            "calls": self.calls,
            "tokens": usage.tokens,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
        }
        return {**content, "attempts": [_attempt_json(one) for one in self.attempts]} if attempts else content


def overview(view: RunView) -> Overview:
    """Return the overview of a run directory: from its ledger, with the states of the last validation."""
    pages: dict[str, list[Prompt]] = defaultdict(list)
    for prompt in [*view.prompts, *view.history.derived.values()]:
        pages[prompt.unit].append(prompt)
    notes = (note for note in reversed(view.history.notes) if note.kind == TIERS)
    found: Any = next((note.data["units"] for note in notes), dict[str, Any]())
    units = tuple(_unit(name, prompts, view, found) for name, prompts in pages.items())
    attempts = sorted(view.history.attempts.values(), key=lambda attempt: attempt.seq)
    missing = tuple(name for name in view.history.written if not (view.directory / name).exists())
    return Overview(run=view.directory, recipe=view.recipe, units=units, attempts=tuple(attempts), disk=missing)


def _unit(name: str, prompts: list[Prompt], view: RunView, checked: Mapping[str, Any]) -> UnitView:
    pages = tuple(_page(one, view) for one in prompts)
    summary = view.validation.get(name)
    complete = all(view.history.answer_to(prompt) is not None for prompt in prompts)
    if summary is not None and not (summary["state"] == "unanswered" and complete):
        issues = tuple(one for tier in summary["issues"].values() for one in issues_from_json(tier))
        stored: Mapping[str, Any] = checked.get(name, _UNCHECKED)
        tiers = {tier: TierOutcome.from_json(one) for tier, one in stored.items()}
        return UnitView(unit=name, state=summary["state"], pages=pages, issues=issues, tiers=tiers)
    # the run is being written, or ended before its last checkpoint: the ledger knows more
    settled = view.history.settled.get(name)
    issues = settled.issues if settled is not None else ()
    state = unit_state(
        adopted=view.history.adopted(name) is not None,
        failing=bool(errors_of(issues)),
        ended=settled.state if settled is not None else "",
        complete=complete,
    )
    unchecked = {tier: TierOutcome.from_json(one) for tier, one in _UNCHECKED.items()}
    return UnitView(unit=name, state=state, pages=pages, issues=issues, tiers=unchecked)


_UNCHECKED: Mapping[str, Mapping[str, Any]] = {
    "checks": {"outcome": "not_run", "why": "not checked yet", "next": "run: retouch validate DIR"}
}


def _page(prompt: Prompt, view: RunView) -> PageView:
    history = view.history
    attempts = [history.attempts[seq] for seq in history.by_page.get(prompt.key, ())]
    answer = history.adopted(prompt.unit) or history.answer_to(prompt)
    source = history.attempts.get(answer.attempt) if answer is not None and answer.attempt is not None else None
    model = "person" if answer is not None else None
    if source is not None:
        model = source.model
    return PageView(page=prompt.page, model=model, attempts=len(attempts), usage=Usage.of_attempts(attempts))


def _attempt_json(attempt: Attempt) -> dict[str, Any]:
    reply = attempt.reply
    return {
        "seq": attempt.seq,
        "unit": attempt.unit,
        "page": attempt.page,
        "why": attempt.why,
        "model": attempt.model,
        "at": attempt.at,
        "finish": reply.finish if reply is not None else None,
        "error": attempt.error,
        "input_tokens": reply.input_tokens if reply is not None else None,
        "output_tokens": reply.output_tokens if reply is not None else None,
        "cached_tokens": reply.cached_tokens if reply is not None else None,
        "seconds": attempt.seconds,
        "taken": attempt.taken,
        "issues": [issue.summary() for issue in attempt.issues],
    }
