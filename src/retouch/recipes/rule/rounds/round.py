"""The context of the engine's verbs in one round."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.engine.directory import open_run
from retouch.engine.tiers import ValidationResult
from retouch.errors import ModelError
from retouch.recipes.rule.asking.context import RetryContext, WizardState, get_spinner_message
from retouch.recipes.rule.asking.source import UNIT
from retouch.recipes.rule.drafts.store import Drafts
from retouch.recipes.rule.job import recipe
from retouch.recipes.rule.judging.assembly import FILES
from retouch.recipes.rule.judging.checks import check
from retouch.recipes.rule.repairing.failures import failures_of, validated
from retouch.recipes.rule.repairing.retry import repair, repeats
from retouch.recipes.rule.rounds.outcome import Moment, RoundResult

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.options import Progress, RunOptions
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Recipe
    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Issue
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.drafts.draft import Draft
    from retouch.recipes.rule.judging.artifact import Artifact
    from retouch.recipes.rule.rounds.outcome import Ending, OnMoment


class RuleRound:
    """The context of one round: the observer, the remaining budget, and the result.

    `refused` is an issue against the current answer, which passes every check. While it is set, the current answer
    counts as failing, so that the model is called again before another answer is dropped for it.
    """

    def __init__(
        self,
        job: RuleJob,
        options: RunOptions,
        on_moment: OnMoment | None,
        state: WizardState,
        *,
        refused: Issue | None = None,
    ) -> None:
        self._job, self._state, self._on_moment, self._refused = job, state, on_moment, refused
        self._budget = options.budget or recipe.budget
        self.context = RetryContext(budget=self._budget)
        self._watch = options.watch
        self.options = replace(options, watch=self._observe)
        self.recipe: Recipe[RuleJob, Artifact] = replace(recipe, repair=self._repair, check=self._check)
        self._refused_text: str | None = None

    async def _check(self, job: RuleJob, values: Mapping[str, Artifact], options: RunOptions) -> list[Issue]:
        found = await check(job, values, options)
        again = any(artifact.text == self._refused_text for artifact in values.values())
        return [*found, self._refused] if again and self._refused is not None else found

    def _repair(self, job: RuleJob, unit: str, issues: Sequence[Issue], attempts: Sequence[Attempt]) -> Repair | None:
        self.context = self._context(attempts)
        self.context.grant()
        return repair(job, unit, issues, attempts)

    def _context(self, attempts: Sequence[Attempt]) -> RetryContext:
        context = RetryContext(budget=self._budget)
        for number, failure in enumerate(failures_of(self._job, attempts)):
            if number:
                context.grant()
            if failure.result.errors:
                context.add_failure(failure.result)
        return context

    def _observe(self, progress: Progress) -> None:
        if self._watch is not None:
            self._watch(progress)
        if self._on_moment is not None:
            message = get_spinner_message(self._state, self.context)
            self._on_moment(Moment(message=message, context=self.context, progress=progress))

    async def run_verb(self, folder: Path, work: Awaitable[RunResult]) -> RoundResult:
        """Return the result of `work`, a verb of the engine."""
        if self._refused is not None:
            current = current_answer(folder)
            artifact: Artifact | None = validated(self._job, current).parsed if current is not None else None
            self._refused_text = artifact.text if artifact is not None else None
        try:
            run = await work
        except ModelError as error:
            return self._round_result(folder, None, error=f"{error.message}\n{error.hint}".strip())
        return self._round_result(folder, run)

    def _round_result(self, folder: Path, run: RunResult | None, *, error: str = "") -> RoundResult:
        history = open_run(folder).history
        current = current_answer(folder)
        result = validated(self._job, current) if current is not None else ValidationResult()
        attempts = history.checked_attempts((UNIT, 1))
        self.context = self._context(attempts)
        replies = [one.reply for one in history.attempts.values() if one.seq > history.round_start and one.reply]
        costs = [reply.cost for reply in replies]
        ending = self._ending(run, result, attempts, answered=current is not None)
        lost = next((one.error for one in reversed(history.attempts.values()) if one.error), "") or ""
        draft, unsaved = self._draft(folder, result.parsed) if ending == "passed" else (None, "")
        if run is not None and unsaved:
            run = replace(run, notes=(*run.notes, unsaved))
        return RoundResult(
            ending=ending,
            job=self._job,
            folder=folder,
            result=result,
            context=self.context,
            history=tuple(failure.result for failure in failures_of(self._job, attempts) if failure.result.errors),
            draft=draft,
            error=error or (lost if ending == "transport" else ""),
            run=run,
            calls=len(replies),
            cost=None if None in costs else sum(cost for cost in costs if cost is not None),
            notes=run.notes if run is not None else (),
        )

    def _draft(self, folder: Path, artifact: Artifact) -> tuple[Draft | None, str]:
        """Return the draft of an artifact that passed, or the note that it could not be saved."""
        try:
            return Drafts().create(self._job, artifact, run=str(folder.resolve())), ""
        except OSError as error:
            where = folder / FILES[artifact.kind]
            return (
                None,
                f"the draft could not be saved ({error.strerror}: {error.filename}); the artifact is in {where}",
            )

    def of_text(self, folder: Path, result: ValidationResult) -> RoundResult:
        """Return the result of a text that no model wrote."""
        draft = Drafts().create(self._job, result.parsed, run=str(folder.resolve()))
        return RoundResult(
            ending="passed", job=self._job, folder=folder, result=result, context=self.context, draft=draft
        )

    def _ending(
        self, run: RunResult | None, result: ValidationResult, attempts: Sequence[Attempt], *, answered: bool
    ) -> Ending:
        state = dict(run.states).get(UNIT, "") if run is not None else "unanswered"
        if run is None or (state in {"unanswered", "failing"} and not _ended(attempts)):
            return "transport"
        if answered and result.valid and state not in {"exhausted", "disputed"}:
            return "passed"
        last = attempts[-1].reply.text if attempts and attempts[-1].reply is not None else None
        same = last is not None and self._refused_text is not None and _text_of(self._job, last) == self._refused_text
        return "no_progress" if same or state == "disputed" or repeats(attempts) else "exhausted"


def current_answer(folder: Path) -> str | None:
    """Return the current answer, or None."""
    history = open_run(folder).history
    answer = history.adopted(UNIT) or history.answers.get((UNIT, 1))
    return answer.text if answer is not None else None


def _text_of(job: RuleJob, answer: str) -> str | None:
    artifact: Artifact | None = validated(job, answer).parsed
    return artifact.text if artifact is not None else None


def _ended(attempts: Sequence[Attempt]) -> bool:
    """Return whether the last request of a round was answered, even by an invalid answer."""
    return bool(attempts) and attempts[-1].reply is not None
