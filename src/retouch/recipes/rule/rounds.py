"""Rounds over one job, as a wizard or a command goes through them: a new one, a fresh one, a hint, YAML alone, an edit.

Each round is asked and checked by the engine in a run folder; what passes every check is a draft by the time a round
returns, so that a crash loses nothing that was paid for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.engine.budget import RetryBudget
from retouch.engine.core import Issue, Tier
from retouch.engine.disk import read_text, write_files
from retouch.engine.errors import BadInput, ModelError
from retouch.engine.loop import AS_USUAL, adopt, generate, regenerate
from retouch.engine.run import load_ir, open_run
from retouch.engine.targets import Targets
from retouch.engine.validation import ValidationResult
from retouch.recipes.rule.asking.context import RetryContext, WizardState, get_spinner_message
from retouch.recipes.rule.asking.source import UNIT, expect_hint
from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.drafts.store import Drafts
from retouch.recipes.rule.job import recipe
from retouch.recipes.rule.judging.artifact import Artifact, Heading
from retouch.recipes.rule.judging.assembly import FILES
from retouch.recipes.rule.judging.rows import Trial
from retouch.recipes.rule.judging.trial import tried
from retouch.recipes.rule.repairing.failures import failures_of, validated
from retouch.recipes.rule.repairing.retry import YAML_ONLY, repair, repeats

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence
    from pathlib import Path

    from retouch.engine.core import Attempt, Model
    from retouch.engine.loop import Way
    from retouch.engine.progress import Progress, RunResult
    from retouch.engine.recipe import Recipe
    from retouch.engine.repair import Repair
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.drafts.draft import Draft

HINT_BUDGET = RetryBudget(tier1_remaining=1, tier2_remaining=1, tier3_remaining=0, total_remaining=1)
Ending: TypeAlias = Literal["passed", "exhausted", "no_progress", "transport"]


@dataclass(frozen=True, kw_only=True)
class Moment:
    """Something that happened in a round: what to show, the failures so far, and the engine's own word."""

    message: str
    context: RetryContext
    progress: Progress


OnMoment: TypeAlias = Callable[[Moment], None]


@dataclass(frozen=True, kw_only=True)
class Outcome:
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


async def begin(
    job: RuleJob, folder: Path, model: Model, *, way: Way = AS_USUAL, on_moment: OnMoment | None = None
) -> Outcome:
    """Return the outcome of a new round with the full budget; a run that was interrupted is taken up."""
    around = _Around(job, way, on_moment, WizardState.ANALYZING)
    return await around.outcome(folder, generate(around.recipe, job, folder, model, around.way))


async def again(
    folder: Path, model: Model, *, rejected: bool = False, way: Way = AS_USUAL, on_moment: OnMoment | None = None
) -> Outcome:
    """Return the outcome of a fresh round with the full budget.

    A `rejected` answer is shown to the model as one that the person does not want; else nothing of before is told.
    """
    job = job_of(folder)
    around = _Around(job, way, on_moment, WizardState.REGENERATING if rejected else WizardState.ANALYZING)
    said = "the person looked at this answer and does not want it"
    told = (_told("REJECTED", said, "Look at the paths anew, and answer otherwise."),) if rejected else ()
    targets = Targets(units=(UNIT,), issues=told)
    return await around.outcome(folder, regenerate(around.recipe, folder, model, targets, way=around.way))


async def hint(
    folder: Path, model: Model, said: str, *, way: Way = AS_USUAL, on_moment: OnMoment | None = None
) -> Outcome:
    """Return the outcome of a round that a person's hint begins: one free answer, then one retry, none for tier 3.

    Raises:
        BadInput: the hint is empty or too long.
    """
    if not expect_hint(said):
        raise BadInput("the hint is empty", hint="Say what the parts of the paths mean.")
    around = _Around(job_of(folder), replace(way, budget=HINT_BUDGET), on_moment, WizardState.REGENERATING)
    targets = Targets(units=(UNIT,), from_errors=_is_failing(folder))
    asked = regenerate(around.recipe, folder, model, targets, hint=expect_hint(said), way=around.way)
    return await around.outcome(folder, asked)


async def yaml_only(folder: Path, model: Model, *, way: Way = AS_USUAL, on_moment: OnMoment | None = None) -> Outcome:
    """Return the outcome of a round that asks for YAML where Python failed: the same fields without computed ones."""
    around = _Around(job_of(folder), way, on_moment, WizardState.REGENERATING)
    wanted = _told(YAML_ONLY, "no function in Python is wanted any more", "Answer with a rule in YAML.")
    targets = Targets(units=(UNIT,), issues=(wanted,))
    return await around.outcome(folder, regenerate(around.recipe, folder, model, targets, way=around.way))


def check_edit(job: RuleJob, text: str) -> ValidationResult:
    """Return what all three tiers say of a text that a person wrote, of either kind; no model is asked."""
    return validated(job, text, Heading(asked="any"))


async def take_edit(folder: Path, text: str, *, way: Way = AS_USUAL) -> Outcome:
    """Return the outcome of an edit that passed: it stands as the answer, and is a draft.

    Raises:
        BadInput: it does not pass; `check_edit` says why.
    """
    job = job_of(folder)
    result = check_edit(job, text)
    if not result.valid or result.parsed is None:
        raise BadInput(f"the edited text does not pass: {result.error_message}", hint="Correct it, or discard it.")
    around = _Around(job, way, None, WizardState.VALIDATING)
    name = next((name for name in open_run(folder).history.written if name in FILES.values()), None)
    if name is None or ((folder / name).exists() and read_text(folder / name) == text):
        return around.of_text(folder, result)
    write_files(folder, {name: text})
    outcome = await around.outcome(folder, adopt(recipe, folder, way=replace(way, force=True)))
    if outcome.run is not None and name not in outcome.run.files:
        (folder / name).unlink(missing_ok=True)  # the text is of the other kind now, and stands in a file of its own
    return outcome


def job_of(folder: Path) -> RuleJob:
    """Return the job of a run folder."""
    return load_ir(folder, recipe).source


def _told(code: str, message: str, fix: str) -> Issue:
    return Issue(code=code, message=message, tier=Tier.SEMANTIC, unit=UNIT, fix=fix)


def _is_failing(folder: Path) -> bool:
    settled = open_run(folder).history.settled.get(UNIT)
    return settled is not None and any(issue.severity == "error" for issue in settled.issues)


class _Around:
    """What is around one round: who watches, what is left of the budget, and what becomes of the result."""

    def __init__(self, job: RuleJob, way: Way, on_moment: OnMoment | None, state: WizardState) -> None:
        self._job, self._state, self._on_moment = job, state, on_moment
        self._budget = way.budget or recipe.budget
        self.context = RetryContext(budget=self._budget)
        self._watch = way.watch
        self.way = replace(way, watch=self._seen)
        self.recipe: Recipe[RuleJob, Artifact] = replace(recipe, repair=self._repair)

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

    def _seen(self, progress: Progress) -> None:
        if self._watch is not None:
            self._watch(progress)
        if self._on_moment is not None:
            message = get_spinner_message(self._state, self.context)
            self._on_moment(Moment(message=message, context=self.context, progress=progress))

    async def outcome(self, folder: Path, work: Awaitable[RunResult]) -> Outcome:
        """Return what `work`, a verb of the engine, comes to."""
        try:
            run = await work
        except ModelError as error:
            return self._told(folder, None, error=f"{error.message}\n{error.hint}".strip())
        return self._told(folder, run)

    def _told(self, folder: Path, run: RunResult | None, *, error: str = "") -> Outcome:
        history = open_run(folder).history
        standing = history.adopted(UNIT) or history.answers.get((UNIT, 1))
        result = validated(self._job, standing.text) if standing is not None else ValidationResult()
        attempts = history.of_page((UNIT, 1))
        self.context = self._context(attempts)
        replies = [one.reply for one in history.attempts.values() if one.seq > history.round_start and one.reply]
        costs = [reply.cost for reply in replies]
        ending = self._ending(run, result, attempts, answered=standing is not None)
        lost = next((one.error for one in reversed(history.attempts.values()) if one.error), "") or ""
        artifact: Artifact | None = result.parsed if ending == "passed" else None
        return Outcome(
            ending=ending,
            job=self._job,
            folder=folder,
            result=result,
            context=self.context,
            history=tuple(failure.result for failure in failures_of(self._job, attempts) if failure.result.errors),
            draft=Drafts().create(self._job, artifact, run=str(folder.resolve())) if artifact is not None else None,
            error=error or (lost if ending == "transport" else ""),
            run=run,
            calls=len(replies),
            cost=None if None in costs else sum(cost for cost in costs if cost is not None),
            notes=run.notes if run is not None else (),
        )

    def of_text(self, folder: Path, result: ValidationResult) -> Outcome:
        """Return the outcome of a text that no model had a hand in."""
        draft = Drafts().create(self._job, result.parsed, run=str(folder.resolve()))
        return Outcome(ending="passed", job=self._job, folder=folder, result=result, context=self.context, draft=draft)

    def _ending(
        self, run: RunResult | None, result: ValidationResult, attempts: Sequence[Attempt], *, answered: bool
    ) -> Ending:
        state = dict(run.states).get(UNIT, "") if run is not None else "unanswered"
        if run is None or (state in {"unanswered", "failing"} and not _ended(attempts)):
            return "transport"
        if answered and result.valid:
            return "passed"
        return "no_progress" if state == "disputed" or repeats(attempts) else "exhausted"


def _ended(attempts: Sequence[Attempt]) -> bool:
    """Whether the last answer of a round came, whatever it was worth."""
    return bool(attempts) and attempts[-1].reply is not None
