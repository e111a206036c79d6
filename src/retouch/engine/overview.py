"""Figures and statuses: the result of a verb, and a run directory as the user wants to see it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from retouch.engine.batches import pending_in_batches
from retouch.engine.types import Usage, errors_of, issues_from_json
from retouch.engine.unit import unit_state
from retouch.errors import LimitReached

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.directory import RunView
    from retouch.engine.history import History
    from retouch.engine.round import Round
    from retouch.engine.types import Attempt, Issue, Prompt

Status: TypeAlias = Literal["clean", "issues", "exhausted", "incomplete"]


def status_of(states: Iterable[str], *, failing: bool) -> Status:
    """Return the status of a run from the states of its units, and from whether any error remains."""
    found = set(states)
    if "exhausted" in found:
        return "exhausted"
    if "unanswered" in found:
        return "incomplete"
    return "issues" if failing else "clean"


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """The result of a verb: the run's current status, and the usage of the replies that arrived during the verb.

    `states` are the states of the units: unanswered, answered, failing, exhausted, disputed or adopted. `notes` are
    sentences for the user, for example about a file that was kept because it has manual edits.
    """

    run: Path
    status: Status
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
        """0 clean, 1 issues remain, 3 a budget is exhausted."""
        return {"clean": 0, "issues": 1, "incomplete": 1, "exhausted": 3}[self.status]

    def as_json(self) -> dict[str, JSON]:
        """Return the result as plain data with stable keys."""
        return {
            "run": str(self.run),
            "status": self.status,
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
    work: Round[Any, Any], directory: Path, *, files: Sequence[str] = (), notes: Sequence[str] = ()
) -> RunResult:
    """Return the result of a verb."""
    history = work.history
    states = tuple((name, unit.status(history)) for name, unit in work.units.items())
    issues = tuple(issue for unit in work.units.values() for issue in unit.issues(history))
    new = work.queue.new_attempts()
    limited = any((attempt.error or "").startswith(LimitReached.__name__) for attempt in new)
    found = {*(state for _, state in states), *(["exhausted"] if limited else [])}
    return RunResult(
        run=directory,
        status=status_of(found, failing=bool(errors_of(issues))),
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
    return [f"{count} pages are on their way in a batch of {name!r}: {hint}" for name, count in counts.items()]


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
    """One page: the model of its current answer (None without one), and what all its attempts used."""

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
    """One unit: its state, its pages, its issues."""

    unit: str
    state: str
    pages: tuple[PageView, ...]
    issues: tuple[Issue, ...]

    def as_json(self) -> dict[str, JSON]:
        """Return the unit as plain data."""
        issues: list[JSON] = [one.summary() for one in self.issues]
        return {"unit": self.unit, "state": self.state, "pages": [p.as_json() for p in self.pages], "issues": issues}


@dataclass(frozen=True, kw_only=True)
class Overview:
    """The whole run; its usage is that of its whole past."""

    run: Path
    recipe: str
    units: tuple[UnitView, ...]
    attempts: tuple[Attempt, ...]

    @property
    def status(self) -> Status:
        """The run's status."""
        failing = any(issue.is_error for unit in self.units for issue in unit.issues)
        return status_of((unit.state for unit in self.units), failing=failing)

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
    units = tuple(_unit(name, prompts, view) for name, prompts in pages.items())
    attempts = sorted(view.history.attempts.values(), key=lambda attempt: attempt.seq)
    return Overview(run=view.directory, recipe=view.recipe, units=units, attempts=tuple(attempts))


def _unit(name: str, prompts: list[Prompt], view: RunView) -> UnitView:
    summary = view.validation.get(name)
    if summary is not None:
        issues = tuple(one for tier in summary["issues"].values() for one in issues_from_json(tier))
        state = summary["state"]
    else:  # the run is being written, or ended before its first checkpoint: the ledger knows
        settled = view.history.settled.get(name)
        issues = settled.issues if settled is not None else ()
        state = unit_state(
            adopted=view.history.adopted(name) is not None,
            failing=bool(errors_of(issues)),
            ended=settled.state if settled is not None else "",
            complete=all(view.history.answer_to(prompt) is not None for prompt in prompts),
        )
    return UnitView(unit=name, state=state, pages=tuple(_page(one, view) for one in prompts), issues=issues)


def _page(prompt: Prompt, view: RunView) -> PageView:
    history = view.history
    attempts = [history.attempts[seq] for seq in history.by_page.get(prompt.key, ())]
    answer = history.adopted(prompt.unit) or history.answer_to(prompt)
    source = history.attempts.get(answer.attempt) if answer is not None and answer.attempt is not None else None
    model = "person" if answer is not None else None
    if source is not None:
        model = source.reply.model if source.reply is not None else source.model
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
