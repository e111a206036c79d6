"""The result of an evaluation: the figures of each model, their comparisons, and `result.json` with the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch._lib.disk import write_files
from retouch._lib.json_text import json_text
from retouch.evaluation.comparing import comparisons_of, figures_of, frontier
from retouch.evaluation.outcomes import outcomes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from retouch._lib.json_text import JSON
    from retouch.evaluation.comparing import ModelComparison, ModelFigures
    from retouch.evaluation.outcomes import UnitOutcome
    from retouch.evaluation.plan import EvaluationPlan
    from retouch.evaluation.running import RunFailure

RESULT, PICTURE = "result.json", "result.svg"
EvaluationStatus: TypeAlias = Literal["complete", "incomplete", "exhausted"]
EVALUATION_EXIT: dict[EvaluationStatus, int] = {"complete": 0, "incomplete": 1, "exhausted": 3}


@dataclass(frozen=True, kw_only=True)
class EvaluationResult:
    """The figures and comparisons of all models of a plan.

    `status` is "complete" if every run has a result for each of its units, "exhausted" if the cost limit was reached,
    else "incomplete". It is not a statement about the answers. `dominated` names, per model, a better one, None if
    there is none. `notes` are sentences for the user.
    """

    plan: EvaluationPlan
    status: EvaluationStatus
    figures: tuple[ModelFigures, ...]
    comparisons: tuple[ModelComparison, ...]
    dominated: Mapping[str, str | None]
    notes: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """0 if complete, 1 if incomplete, 3 if the cost limit was reached. The quality of answers does not count."""
        return EVALUATION_EXIT[self.status]

    def to_json(self) -> dict[str, JSON]:
        """Return the result as plain data. It contains no prompts, answers, units or messages of issues."""
        plan = self.plan
        models: list[JSON] = [{**one.to_json(), "dominated_by": self.dominated[one.model]} for one in self.figures]
        sampled: dict[str, JSON] = {
            "units": plan.units,
            "planned": plan.planned,
            "requested": plan.sample,
            "seed": plan.seed,
        }
        return {
            "evaluation": str(plan.directory),
            "recipe": plan.recipe,
            "status": self.status,
            "trials": plan.trials,
            "sources": len(plan.sources),
            "sample": sampled,
            "models": models,
            "comparisons": [one.to_json() for one in self.comparisons],
            "notes": list(self.notes),
        }

    def save(self) -> None:
        """Write `result.json` and `result.svg` into the directory of the evaluation."""
        from retouch.evaluation.picture import picture

        write_files(self.plan.directory, {RESULT: json_text(self.to_json()), PICTURE: picture(self)})


def evaluation_result(
    plan: EvaluationPlan, *, failures: Iterable[RunFailure] = (), is_limit_reached: bool = False
) -> EvaluationResult:
    """Return the result from the runs on disk. `failures` are runs that ended with an error in this command."""
    outcomes: list[UnitOutcome] = []
    missing = dict.fromkeys(plan.models, 0)
    for run in plan.runs():
        found = outcomes_of(run)
        outcomes += found
        missing[run.model] += not found
    declared = (tier for one in plan.sources for tier in one.recipe.tiers(one.source))
    tiers = sorted({(tier.tier, tier.name) for tier in declared})
    figures = tuple(figures_of(name, outcomes, tiers, missing_runs=missing[name]) for name in plan.models)
    comparisons = tuple(comparisons_of(plan.models, outcomes, seed=plan.seed))
    is_complete = not any(one.missing_runs or one.statuses["incomplete"] for one in figures)
    return EvaluationResult(
        plan=plan,
        status="complete" if is_complete else "exhausted" if is_limit_reached else "incomplete",
        figures=figures,
        comparisons=comparisons,
        dominated=frontier(figures, comparisons),
        notes=(*_notes(figures, failures), *_notes_on_trials(plan, outcomes)),
    )


def _notes(figures: Iterable[ModelFigures], failures: Iterable[RunFailure]) -> Iterable[str]:
    for one in figures:
        if one.lost_calls:
            yield f"{one.model}: {one.lost_calls} calls have no reply, so their cost is unknown and not included"
        unseen = [tier.name for tier in one.tiers if tier.not_run]
        if unseen:
            yield f"{one.model}: {', '.join(unseen)} could not be checked for every unit; those are not verified"
    for failure in failures:
        yield f"{failure.run.name}: {failure.message}" + (f" ({failure.hint})" if failure.hint else "")


def _notes_on_trials(plan: EvaluationPlan, outcomes: Iterable[UnitOutcome]) -> Iterable[str]:
    """Yield a note for each model whose trials all had the same answers."""
    answers: dict[str, dict[tuple[str, str], list[str]]] = {}
    for one in outcomes:
        if one.usage.calls:
            answers.setdefault(one.model, {}).setdefault((one.cluster, one.unit), []).append(one.fingerprint)
    for model in plan.models:
        found = [texts for texts in answers.get(model, {}).values() if len(texts) > 1]
        if found and all(len(set(texts)) == 1 for texts in found):
            yield f"{model}: all trials gave the same answers, so that more trials show nothing new"
