"""The mutable state of a wizard session: the source, its run, the last result, and the user's edits."""

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
    from retouch.engine.tiers import ValidationResult
    from retouch.engine.types import Model
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.drafts.draft import Draft
    from retouch.recipes.rule.language.model import ExtractionRule, Field
    from retouch.recipes.rule.rounds import Moment, RoundResult
    from retouch.recipes.rule.wizard.events import ChangeSource


@dataclass(frozen=True, kw_only=True)
class Setup:
    """The wizard's settings: the source, the run directory, the model and its options.

    Approved rules are written into `output`. `rules` are your existing rules, which the new one may conflict with.
    """

    job: RuleJob
    folder: Path
    model: Model
    output: Path
    options: RunOptions = DEFAULT_OPTIONS
    rules: tuple[ExtractionRule, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SessionCost:
    """The usage of a session. `unanswered` calls had no response. `cost` is in US dollars, None if unknown."""

    calls: int = 0
    unanswered: int = 0
    cost: float | None = 0.0
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(kw_only=True)
class SessionState:
    """The mutable part of a session.

    - `begun`: the current source was already sent in `folder`.
    - `outcome`: the result of the last round or edit.
    - `written`: the user's last text that did not pass; `problem` is its validation.
    - `at_path`, `at_field`: the sample and the field under the cursor.
    - `changes`: the rule and the source before each change of the fields, for undo.
    - `moment`: the last event of the current round; `received_chars` is the length of the response so far.
    """

    setup: Setup
    job: RuleJob
    folder: Path
    drafts: Drafts = field(default_factory=Drafts)
    waiting: Draft | None = None
    begun: bool = False
    outcome: RoundResult | None = None
    moment: Moment | None = None
    received_chars: int = 0
    written: str = ""
    at_path: str = ""
    at_field: str = ""
    changes: list[tuple[str, RuleJob]] = field(default_factory=list)
    problem: ValidationResult | None = None
    spent: SessionCost = field(default_factory=SessionCost)
    _before: int = 0

    @classmethod
    def initial(cls, setup: Setup, drafts: Drafts | None = None) -> SessionState:
        """Return the state at the start. It includes a waiting draft for the same paths."""
        data = cls(setup=setup, job=setup.job, folder=setup.folder, drafts=drafts or Drafts())
        data.waiting = _waiting(data.drafts, setup.job)
        data.move_to(setup.folder)
        return data

    def move_to(self, folder: Path) -> None:
        """Continue in another run directory. Earlier usage of that run is not counted."""
        self.folder = folder
        self._before = open_run(folder).history.last_seq if (folder / IR).exists() else 0

    def change(self, effect: ChangeSource) -> None:
        """Change the request. The next round starts a new conversation."""
        dates = (effect.dates, *self.job.dates) if effect.dates else self.job.dates
        form = "either" if effect.python else self.job.form
        self.job = replace(self.job, dates=dates, hint=effect.hint or self.job.hint, form=form)
        self.begun = False

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions about the paths that only the user can answer."""
        return tuple(table_of(self.job).questions.values())

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the current rule."""
        artifact = self.outcome.artifact if self.outcome is not None else None
        return artifact.rule.fields if artifact is not None and artifact.rule is not None else ()

    @property
    def text(self) -> str:
        """The text to edit: the user's last text, else the current artifact, else the detector's rule."""
        current = self.outcome.text if self.outcome is not None else ""
        return self.written or current or render_rule(table_of(self.job).candidate.rule)

    @property
    def name(self) -> str:
        """The name of the current artifact, or of the detector's rule."""
        outcome = self.outcome
        if outcome is not None and outcome.draft is not None:
            return outcome.draft.name
        artifact = outcome.artifact if outcome is not None else None
        return (artifact.rule if artifact is not None and artifact.rule else table_of(self.job).candidate.rule).name

    def count(self) -> None:
        """Update the usage of this session from the ledger."""
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
    """Return the newest draft of the same paths, if it is still waiting for approval."""
    same = [draft for draft in drafts.every() if set(draft.job.paths) == set(job.paths)]
    return same[0] if same and same[0].state in {"PENDING", "MANUAL_EDIT"} else None
