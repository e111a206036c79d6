"""Rounds of one source, as the wizard or a command runs them: new, fresh, with a hint, YAML only, or an edit.

The engine requests and checks each round in a run directory. An artifact that passes every check is saved as a draft
before the round returns, so that a crash loses nothing that was paid for.
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
