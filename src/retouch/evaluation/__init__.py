"""Evaluation: which model is cheapest at equal quality for a recipe and its sources. The recipe's tiers are the grader.

Modules, each importing only those above it
    intervals    exact confidence intervals of paired differences
    sampling     the sources, their groups of units, and a seeded sample
    plan         models, trials, directories; `evaluation.json`
    outcomes     what a run on disk shows about each unit
    running      make the runs that are not finished, under common limits
    comparing    figures per model, paired comparisons, the frontier
    picture      the result as SVG
    result       the result from the runs on disk
    replay       check stored runs again
    attempts     the attempts of a ledger as plain data, one at a time
"""

from retouch.evaluation.comparing import ModelComparison, ModelFigures, TierSuccess
from retouch.evaluation.intervals import GroupDifference, Interval, interval_of
from retouch.evaluation.outcomes import is_finished
from retouch.evaluation.plan import (
    EvaluationPlan,
    EvaluationRun,
    known_directories,
    models_in,
    planned_directories,
    stored_plan,
)
from retouch.evaluation.replay import ReplayedRun, replay, runs_below
from retouch.evaluation.result import EvaluationResult, evaluation_result
from retouch.evaluation.running import Observer, RunFailure, Workplace
from retouch.evaluation.sampling import EvaluationSource, evaluation_source, sample, with_unique_labels

__all__ = [
    "EvaluationPlan",
    "EvaluationResult",
    "EvaluationRun",
    "EvaluationSource",
    "GroupDifference",
    "Interval",
    "ModelComparison",
    "ModelFigures",
    "Observer",
    "ReplayedRun",
    "RunFailure",
    "TierSuccess",
    "Workplace",
    "evaluation_result",
    "evaluation_source",
    "interval_of",
    "is_finished",
    "known_directories",
    "models_in",
    "planned_directories",
    "replay",
    "runs_below",
    "sample",
    "stored_plan",
    "with_unique_labels",
]
