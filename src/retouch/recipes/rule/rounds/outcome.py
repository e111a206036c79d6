"""The events of a round, and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import unified_diff
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.detecting.assumptions import PLAIN_WORDS
from retouch.recipes.rule.judging.rows import Trial
from retouch.recipes.rule.judging.trial import tried
from retouch.recipes.rule.language.render import render_rule

if TYPE_CHECKING:
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.options import Progress
    from retouch.engine.overview import RunResult
    from retouch.engine.tiers import ValidationResult
    from retouch.recipes.rule.asking.context import RetryContext
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.drafts.draft import Draft
    from retouch.recipes.rule.judging.artifact import Artifact

Ending: TypeAlias = Literal["passed", "exhausted", "no_progress", "transport"]


@dataclass(frozen=True, kw_only=True)
class Moment:
    """An event of a round: the status line, the failures so far, and the engine's progress event."""

    message: str
    context: RetryContext
    progress: Progress


OnMoment: TypeAlias = Callable[[Moment], None]


@dataclass(frozen=True, kw_only=True)
class RoundResult:
    """The result of a round.

    `result` is the validation of the current answer, the best one so far: its text, issues and rows. `history` are the
    failures of this round, oldest first. `error` explains why no response arrived, with the next step. `run` is None if
    the round failed. `cost` is in US dollars, None if unknown.
    """

    ending: Ending
    job: RuleJob
    folder: Path
    result: ValidationResult
    context: RetryContext
    history: tuple[ValidationResult, ...] = ()
    draft: Draft | None = None
    error: str = ""
    run: RunResult | None = None
    calls: int = 0
    cost: float | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def artifact(self) -> Artifact | None:
        """The current artifact, or None if the answer cannot be read."""
        return self.result.parsed

    @property
    def trial(self) -> Trial:
        """The rows of all samples. They are empty if nothing can be tried."""
        artifact: Artifact | None = self.result.validated
        return tried(self.job, artifact) if artifact is not None else Trial(rows=())

    @property
    def text(self) -> str:
        """The text to edit: the best artifact, else the best answer as the model wrote it, else ""."""
        return self.artifact.text if self.artifact is not None else self.result.raw_output or ""

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions about ambiguous dates, which only the user can answer."""
        return tuple(table_of(self.job).questions.values())

    @property
    def open_questions(self) -> tuple[str, ...]:
        """All questions that only the user can answer. The key in brackets accepts what the rule assumes."""
        table = table_of(self.job)
        open_ones = table.open_assumptions(self.job.accepted)
        return (*table.questions.values(), *(f"{one.question} [{one.key}]" for one in open_ones))

    @property
    def stated(self) -> tuple[str, ...]:
        """What the rule assumes without a question: its constants in one line, and what else the samples suggest."""
        every = table_of(self.job).candidate.assumptions
        found = [one for one in every if not one.open]
        asked = any(one.key == PLAIN_WORDS for one in every)
        fixed = [repr(one.key.partition(":")[2]) for one in found if one.kind == "fixed" and not asked]
        constants = (f"fixed here: {', '.join(fixed)}",) if fixed else ()
        return (*constants, *(one.question for one in found if one.kind != "fixed"))

    def _about_samples(self) -> dict[str, JSON]:
        candidate = table_of(self.job).candidate
        accepted = self.job.accepted
        assumptions: list[JSON] = [
            {**one.as_json(), "accepted": one.is_accepted(accepted)} for one in candidate.assumptions
        ]
        shapes: list[JSON] = [{"name": one.name, "glob": one.glob.text} for one in candidate.shapes]
        noise: list[JSON] = [*self.job.named_noise, *self.job.noise]
        return {"assumptions": assumptions, "shapes": shapes, "noise": noise, "left": [*candidate.left]}

    @property
    def changes(self) -> str:
        """What the answer changes about the rule that code inferred, as a diff, or "" if that is nothing."""
        artifact = self.artifact
        if artifact is None or artifact.rule is None:
            return ""
        inferred = render_rule(table_of(self.job).candidate.rule).splitlines(keepends=True)
        answered = render_rule(artifact.rule).splitlines(keepends=True)
        return "".join(unified_diff(inferred, answered, "inferred", "answered", n=1))

    def as_json(self) -> dict[str, JSON]:
        """Return the result as plain data: the keys of the run's result, if there is one, and its own."""
        artifact, trial = self.artifact, self.trial
        return {
            **(self.run.as_json() if self.run is not None else {}),
            "kind": artifact.kind if artifact is not None else None,
            "rule": artifact.text if artifact is not None else None,
            "changes": self.changes,
            "coverage": trial.coverage,
            "engine": trial.engine,
            "draft": self.draft.id if self.draft is not None else None,
            "questions": list(self.open_questions),
            **self._about_samples(),
            "ending": self.ending,
            "paths": [row.as_json() for row in trial.rows],
        }
