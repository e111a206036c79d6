"""What a round tells while it goes on, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.judging.rows import Trial
from retouch.recipes.rule.judging.trial import tried

if TYPE_CHECKING:
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.options import Progress
    from retouch.engine.overview import RunResult
    from retouch.engine.validation import ValidationResult
    from retouch.recipes.rule.asking.context import RetryContext
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.drafts.draft import Draft
    from retouch.recipes.rule.judging.artifact import Artifact

Ending: TypeAlias = Literal["passed", "exhausted", "no_progress", "transport"]


@dataclass(frozen=True, kw_only=True)
class Moment:
    """Something that happened in a round: what to show, the failures so far, and the engine's own word."""

    message: str
    context: RetryContext
    progress: Progress


OnMoment: TypeAlias = Callable[[Moment], None]


@dataclass(frozen=True, kw_only=True)
class RoundResult:
    """What a round came to.

    `result` speaks of what stands now, the best answer so far: its text, issues, and rows. `history` are the failures
    of this round, oldest first. `error` says why no answer came, with what to do. `run` is None when the round broke
    off. `cost` is in US dollars, None when unknown.
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
        """What stands, when it can be read."""
        return self.result.parsed

    @property
    def trial(self) -> Trial:
        """The rows of all samples; none while nothing can be tried."""
        artifact: Artifact | None = self.result.validated
        return tried(self.job, artifact) if artifact is not None else Trial(rows=())

    @property
    def text(self) -> str:
        """What an editor opens: the best artifact, else the best answer as it came, "" when there is none."""
        return self.artifact.text if self.artifact is not None else self.result.raw_output or ""

    @property
    def questions(self) -> tuple[str, ...]:
        """What only a person can decide, such as which of two numbers is the month."""
        return tuple(table_of(self.job).questions.values())

    def as_json(self) -> dict[str, JSON]:
        """Return the outcome as plain data: the keys of the run's result, when it did not break off, and its own."""
        artifact, trial = self.artifact, self.trial
        return {
            **(self.run.as_json() if self.run is not None else {}),
            "kind": artifact.kind if artifact is not None else None,
            "rule": artifact.text if artifact is not None else None,
            "coverage": trial.coverage,
            "engine": trial.engine,
            "draft": self.draft.id if self.draft is not None else None,
            "questions": list(self.questions),
            "ending": self.ending,
            "paths": [row.as_json() for row in trial.rows],
        }
