"""The public names of the specification, for programs that use them."""

from __future__ import annotations

from retouch.locate.diffs.info import DiffInfo
from retouch.locate.fusion.unifier import HintUnifier
from retouch.locate.index import SpanIndex
from retouch.locate.selection import CandidateSelector
from retouch.locate.strategies.base import HintStrategy
from retouch.locate.trial_events import TrialRecord
from retouch.locate.trials import TrialLedger
from retouch.locate.values import ModuleCandidate, ModuleHint, ModuleSpan

__all__ = [
    "CandidateSelector",
    "DiffInfo",
    "HintStrategy",
    "HintUnifier",
    "ModuleCandidate",
    "ModuleHint",
    "ModuleSpan",
    "SpanIndex",
    "TrialLedger",
    "TrialRecord",
]
