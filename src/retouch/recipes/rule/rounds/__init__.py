"""Rounds over one job, as a wizard or a command goes through them: a new one, a fresh one, a hint, YAML alone, an edit.

Each round is asked and checked by the engine in a run folder; what passes every check is a draft by the time a round
returns, so that a crash loses nothing that was paid for.
"""

from retouch.recipes.rule.rounds.outcome import Ending, Moment, OnMoment, RoundResult
from retouch.recipes.rule.rounds.verbs import (
    HINT_BUDGET,
    again,
    begin,
    check_edit,
    hint,
    job_of,
    take_edit,
    yaml_only,
)

__all__ = [
    "HINT_BUDGET",
    "Ending",
    "Moment",
    "OnMoment",
    "RoundResult",
    "again",
    "begin",
    "check_edit",
    "hint",
    "job_of",
    "take_edit",
    "yaml_only",
]
