"""The names of the specification can be imported from one module."""

from __future__ import annotations

from retouch.recipes.chisel import compat

NAMES = {
    "CandidateSelector",
    "DiffInfo",
    "HINT_CONFIG",
    "HintConfig",
    "HintStrategy",
    "HintUnifier",
    "ModuleCandidate",
    "ModuleHint",
    "ModuleSpan",
    "SpanIndex",
    "TrialLedger",
    "TrialRecord",
}


def test_every_name_of_the_specification_is_offered_and_nothing_else():
    assert NAMES == set(compat.__all__)
    assert all(callable(getattr(compat, name)) for name in NAMES - {"HINT_CONFIG"})
