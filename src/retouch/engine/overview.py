"""A run folder as a person wants to see it: folded from its ledger, with the states of the last validation."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retouch.engine.overview import issue_summary, status_of, unit_state
from retouch.engine.types import issues_from

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.directory import RunView
    from retouch.engine.overview import Status
    from retouch.engine.types import Attempt, Issue, Prompt


@dataclass(frozen=True, kw_only=True)
class PageView:
    """One page: the model whose answer stands (None without one), and what all its attempts used."""

    page: int
    model: str | None
    attempts: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int


@dataclass(frozen=True, kw_only=True)
class UnitView:
    """One unit: how it stands, its pages, its issues."""

    unit: str
    state: str
    pages: tuple[PageView, ...]
    issues: tuple[Issue, ...]


@dataclass(frozen=True, kw_only=True)
class Overview:
    """The whole run; tokens are those of its whole past."""

    run: Path
    recipe: str
    units: tuple[UnitView, ...]
    attempts: tuple[Attempt, ...]

    @property
    def status(self) -> Status:
        """How the run stands."""
        failing = any(issue.severity == "error" for unit in self.units for issue in unit.issues)
        return status_of((unit.state for unit in self.units), failing=failing)

    @property
    def calls(self) -> int:
        """How many calls were made."""
        return len(self.attempts)

    @property
    def input_tokens(self) -> int:
        """All tokens that went in."""
        return sum(one.reply.input_tokens for one in self.attempts if one.reply is not None)

    @property
    def output_tokens(self) -> int:
        """All tokens that came out."""
        return sum(one.reply.output_tokens for one in self.attempts if one.reply is not None)

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.input_tokens + self.output_tokens

    def as_json(self, *, attempts: bool) -> dict[str, Any]:
        """Return the overview as plain data, with every attempt if asked for."""
        content: dict[str, Any] = {
            "run": str(self.run),
            "recipe": self.recipe,
            "status": self.status,
            "units": [_unit_json(unit) for unit in self.units],
            "calls": self.calls,
            "tokens": self.tokens,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cached_tokens": sum(one.reply.cached_tokens for one in self.attempts if one.reply is not None),
        }
        return {**content, "attempts": [_attempt_json(one) for one in self.attempts]} if attempts else content


def overview(view: RunView) -> Overview:
    """Return what `view` comes to."""
    pages: dict[str, list[Prompt]] = defaultdict(list)
    for prompt in [*view.prompts, *view.history.derived.values()]:
        pages[prompt.type_name].append(prompt)
    units = tuple(_unit(name, prompts, view) for name, prompts in pages.items())
    attempts = sorted(view.history.attempts.values(), key=lambda attempt: attempt.seq)
    return Overview(run=view.folder, recipe=view.recipe, units=units, attempts=tuple(attempts))


def _unit(name: str, prompts: list[Prompt], view: RunView) -> UnitView:
    summary = view.validation.get(name)
    if summary is not None:
        issues = tuple(one for tier in summary["issues"].values() for one in issues_from(tier))
        state = summary["state"]
    else:  # the run is being written, or ended before its first checkpoint: the ledger knows
        settled = view.history.settled.get(name)
        issues = settled.issues if settled is not None else ()
        state = unit_state(
            adopted=view.history.adopted(name) is not None,
            failing=any(issue.severity == "error" for issue in issues),
            ended=settled.state if settled is not None else "",
            complete=all(view.history.answer_to(prompt) is not None for prompt in prompts),
        )
    return UnitView(unit=name, state=state, pages=tuple(_page(one, view) for one in prompts), issues=issues)


def _page(prompt: Prompt, view: RunView) -> PageView:
    history = view.history
    attempts = [history.attempts[seq] for seq in history.by_page.get(prompt.key, ())]
    replies = [attempt.reply for attempt in attempts if attempt.reply is not None]
    answer = history.adopted(prompt.type_name) or history.answer_to(prompt)
    standing = history.attempts.get(answer.attempt) if answer is not None and answer.attempt is not None else None
    model = "person" if answer is not None else None
    if standing is not None:
        model = standing.reply.model if standing.reply is not None else standing.model
    return PageView(
        page=prompt.page,
        model=model,
        attempts=len(attempts),
        input_tokens=sum(reply.input_tokens for reply in replies),
        output_tokens=sum(reply.output_tokens for reply in replies),
        cached_tokens=sum(reply.cached_tokens for reply in replies),
    )


def _unit_json(unit: UnitView) -> dict[str, Any]:
    pages = [{key: getattr(page, key) for key in PageView.__dataclass_fields__} for page in unit.pages]
    return {
        "unit": unit.unit,
        "state": unit.state,
        "pages": pages,
        "issues": [issue_summary(one) for one in unit.issues],
    }


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
        "issues": [issue_summary(issue) for issue in attempt.issues],
    }
