"""What lies on the desk of somebody who goes through the wizard: the job, its run, its outcome, what was written."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retouch.engine.directory import IR, open_run
from retouch.engine.options import DEFAULT_OPTIONS
from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.drafts.store import Drafts
from retouch.recipes.rule.language.render import render_rule

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.options import RunOptions
    from retouch.engine.types import Model
    from retouch.engine.validation import ValidationResult
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.drafts.draft import Draft
    from retouch.recipes.rule.language.model import ExtractionRule
    from retouch.recipes.rule.rounds import Moment, RoundResult
    from retouch.recipes.rule.wizard.events import ChangeJob


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What a wizard works with: the job, the run folder, who answers and how.

    Approval writes into `output`; `rules` are those at hand, with which the new one may be in conflict.
    """

    job: RuleJob
    folder: Path
    model: Model
    output: Path
    options: RunOptions = DEFAULT_OPTIONS
    rules: tuple[ExtractionRule, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SessionCost:
    """What a session was charged: `unanswered` calls brought nothing; `cost` is in US dollars, None when unknown."""

    calls: int = 0
    unanswered: int = 0
    cost: float | None = 0.0
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(kw_only=True)
class SessionState:
    """The mutable part of a session.

    `begun` says that the present job was asked in `folder`. `outcome` is that of the last round or edit. `written` is
    what a person wrote last and did not get right, `problem` what is wrong with it. `moment` is the last thing that a
    round told, `came_chars` the length of the answer that is coming.
    """

    setup: Setup
    job: RuleJob
    folder: Path
    drafts: Drafts = field(default_factory=Drafts)
    waiting: Draft | None = None
    begun: bool = False
    outcome: RoundResult | None = None
    moment: Moment | None = None
    came_chars: int = 0
    written: str = ""
    problem: ValidationResult | None = None
    spent: SessionCost = field(default_factory=SessionCost)
    _before: int = 0

    @classmethod
    def laid(cls, setup: Setup, drafts: Drafts | None = None) -> SessionState:
        """Return the desk at the beginning; a draft that waits for the same paths lies on it."""
        desk = cls(setup=setup, job=setup.job, folder=setup.folder, drafts=drafts or Drafts())
        desk.waiting = _waiting(desk.drafts, setup.job)
        desk.move_to(setup.folder)
        return desk

    def move_to(self, folder: Path) -> None:
        """Work in another run folder; what was spent there before is not counted."""
        self.folder = folder
        self._before = open_run(folder).history.last_seq if (folder / IR).exists() else 0

    def change(self, effect: ChangeJob) -> None:
        """Change what is asked; the next round begins anew."""
        dates = (effect.dates, *self.job.dates) if effect.dates else self.job.dates
        form = "either" if effect.python else self.job.form
        self.job = replace(self.job, dates=dates, hint=effect.hint or self.job.hint, form=form)
        self.begun = False

    @property
    def questions(self) -> tuple[str, ...]:
        """What only a person can decide about the paths."""
        return tuple(table_of(self.job).questions.values())

    @property
    def text(self) -> str:
        """What an editor opens: what was written last, else what stands, else the rule that the detector writes."""
        standing = self.outcome.text if self.outcome is not None else ""
        return self.written or standing or render_rule(table_of(self.job).candidate.rule)

    @property
    def name(self) -> str:
        """The name that what stands has, or that the detector gives it."""
        outcome = self.outcome
        if outcome is not None and outcome.draft is not None:
            return outcome.draft.name
        artifact = outcome.artifact if outcome is not None else None
        return (artifact.rule if artifact is not None and artifact.rule else table_of(self.job).candidate.rule).name

    def count(self) -> None:
        """Look up in the ledger what this session has spent."""
        if not (self.folder / IR).exists():
            return
        attempts = [one for one in open_run(self.folder).history.attempts.values() if one.seq > self._before]
        replies = [one.reply for one in attempts if one.reply is not None]
        costs = [reply.cost for reply in replies]
        self.spent = SessionCost(
            calls=len(attempts),
            unanswered=len(attempts) - len(replies),
            cost=None if None in costs else sum(cost for cost in costs if cost is not None),
            input_tokens=sum(reply.input_tokens for reply in replies),
            output_tokens=sum(reply.output_tokens for reply in replies),
        )


def _waiting(drafts: Drafts, job: RuleJob) -> Draft | None:
    """Return the newest draft of the same paths when it waits: with one that was approved later, none does."""
    same = [draft for draft in drafts.every() if set(draft.job.paths) == set(job.paths)]
    return same[0] if same and same[0].state in {"PENDING", "MANUAL_EDIT"} else None
