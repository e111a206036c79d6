"""The rounds: the request, the budget and the reported issues of each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch._lib.disk import read_text, write_files
from retouch.engine.directory import load_ir, open_run
from retouch.engine.options import DEFAULT_OPTIONS
from retouch.engine.targets import Targets
from retouch.engine.types import Issue, RetryBudget, Tier
from retouch.engine.verbs import adopt, generate, regenerate
from retouch.errors import BadInput
from retouch.recipes.rule.asking.context import WizardState
from retouch.recipes.rule.asking.source import UNIT, expect_hint
from retouch.recipes.rule.job import recipe
from retouch.recipes.rule.judging.artifact import Heading
from retouch.recipes.rule.judging.assembly import FILES
from retouch.recipes.rule.repairing.failures import validated
from retouch.recipes.rule.repairing.retry import YAML_ONLY
from retouch.recipes.rule.rounds.round import RuleRound

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.options import RunOptions
    from retouch.engine.tiers import ValidationResult
    from retouch.engine.types import Model
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.rounds.outcome import OnMoment, RoundResult

HINT_BUDGET = RetryBudget(tier1_remaining=1, tier2_remaining=1, tier3_remaining=0, total_remaining=1)


def _user_issue(code: str, message: str, fix: str) -> Issue:
    return Issue(code=code, message=message, tier=Tier.SEMANTIC, unit=UNIT, fix=fix)


_REJECTED = _user_issue(
    "REJECTED",
    "the person looked at this answer and does not want it",
    "Look at the paths anew, and answer otherwise.",
)
_HINTED = _user_issue("HINT", "the person says more about these paths", "Let the answer do what the person says.")
_NO_PYTHON = _user_issue(YAML_ONLY, "no function in Python is wanted any more", "Answer with a rule in YAML.")


async def begin(
    job: RuleJob,
    folder: Path,
    model: Model,
    *,
    options: RunOptions = DEFAULT_OPTIONS,
    on_moment: OnMoment | None = None,
) -> RoundResult:
    """Return the result of a new round with the full budget. An interrupted run is resumed."""
    round_ = RuleRound(job, options, on_moment, WizardState.ANALYZING)
    return await round_.run_verb(folder, generate(round_.recipe, job, folder, model, round_.options))


async def again(
    folder: Path,
    model: Model,
    *,
    rejected: bool = False,
    options: RunOptions = DEFAULT_OPTIONS,
    on_moment: OnMoment | None = None,
) -> RoundResult:
    """Return the result of a fresh round with the full budget.

    If the answer was `rejected`, the model sees it with the note that the user does not want it. Otherwise the model
    sees nothing of the earlier rounds.
    """
    state = WizardState.REGENERATING if rejected else WizardState.ANALYZING
    round_ = RuleRound(job_of(folder), options, on_moment, state, refused=_REJECTED if rejected else None)
    targets = Targets(units=(UNIT,), issues=(_REJECTED,) if rejected else ())
    return await round_.run_verb(folder, regenerate(round_.recipe, folder, model, targets, options=round_.options))


async def hint(
    folder: Path, model: Model, text: str, *, options: RunOptions = DEFAULT_OPTIONS, on_moment: OnMoment | None = None
) -> RoundResult:
    """Return the result of a round with the user's hint: one free answer, then one retry, none for tier 3.

    Raises:
        BadInput: the hint is empty or too long.
    """
    if not expect_hint(text):
        raise BadInput("the hint is empty", hint="Describe the parts of the paths.")
    options = replace(options, budget=HINT_BUDGET)
    round_ = RuleRound(job_of(folder), options, on_moment, WizardState.REGENERATING, refused=_HINTED)
    targets = Targets(units=(UNIT,), from_errors=_is_failing(folder))
    work = regenerate(round_.recipe, folder, model, targets, hint=expect_hint(text), options=round_.options)
    return await round_.run_verb(folder, work)


async def yaml_only(
    folder: Path, model: Model, *, options: RunOptions = DEFAULT_OPTIONS, on_moment: OnMoment | None = None
) -> RoundResult:
    """Return the result of a round that requests YAML after Python failed: the same fields without computed ones."""
    round_ = RuleRound(job_of(folder), options, on_moment, WizardState.REGENERATING)
    targets = Targets(units=(UNIT,), issues=(_NO_PYTHON,))
    return await round_.run_verb(folder, regenerate(round_.recipe, folder, model, targets, options=round_.options))


def check_edit(job: RuleJob, text: str) -> ValidationResult:
    """Return the result of all three tiers for the user's text, of either kind. No model is called."""
    return validated(job, text, Heading(requested_form="any"))


async def take_edit(folder: Path, text: str, *, options: RunOptions = DEFAULT_OPTIONS) -> RoundResult:
    """Return the result of an edit that passed. It becomes the current answer and a draft.

    Raises:
        BadInput: it does not pass; `check_edit` has the reason.
    """
    job = job_of(folder)
    result = check_edit(job, text)
    if not result.valid or result.parsed is None:
        raise BadInput(f"the edited text does not pass: {result.error_message}", hint="Correct it, or discard it.")
    round_ = RuleRound(job, options, None, WizardState.VALIDATING)
    name = next((name for name in open_run(folder).history.written if name in FILES.values()), None)
    if name is None or ((folder / name).exists() and read_text(folder / name) == text):
        return round_.of_text(folder, result)
    write_files(folder, {name: text})
    outcome = await round_.run_verb(folder, adopt(recipe, folder, options=replace(options, force=True)))
    if outcome.run is not None and name not in outcome.run.files:
        (folder / name).unlink(missing_ok=True)  # the text is of the other kind now and has its own file
    return outcome


def job_of(folder: Path) -> RuleJob:
    """Return the source of a run directory."""
    return load_ir(folder, recipe).source


def _is_failing(folder: Path) -> bool:
    settled = open_run(folder).history.settled.get(UNIT)
    return settled is not None and any(issue.severity == "error" for issue in settled.issues)
