"""Locates source code to repair: spans, evidence about them, and their ranking. Independent of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.locate.diffs.info import BadDiff, DiffInfo
    from retouch.locate.diffs.rtl import find_rtl
    from retouch.locate.errors import LocateError
    from retouch.locate.evidence import EvidenceLine, evidence_lines, reasons
    from retouch.locate.fusion.config import FusionConfig
    from retouch.locate.fusion.unifier import HintUnifier
    from retouch.locate.hint_config import HintConfig
    from retouch.locate.identity import FileRef, split_module_id
    from retouch.locate.index import SpanIndex
    from retouch.locate.opening import open_index, refresh_index
    from retouch.locate.ranking import RankOptions, default_strategies, rank
    from retouch.locate.selection import CandidateSelector, Selection, SelectionPolicy
    from retouch.locate.sources import LocalFiles, open_source
    from retouch.locate.strategies.base import HintStrategy
    from retouch.locate.text_ranking import TextWeights, files_of_text, rank_text
    from retouch.locate.trial_events import TrialRecord
    from retouch.locate.trials import TrialLedger, case_id_of, span_hashes
    from retouch.locate.values import (
        Candidate,
        FileSource,
        Hint,
        ModuleCandidate,
        ModuleHint,
        ModuleSpan,
        Span,
    )

_HOMES = {
    "retouch.locate.diffs.info": ("BadDiff", "DiffInfo"),
    "retouch.locate.diffs.rtl": ("find_rtl",),
    "retouch.locate.errors": ("LocateError",),
    "retouch.locate.evidence": ("EvidenceLine", "evidence_lines", "reasons"),
    "retouch.locate.fusion.config": ("FusionConfig",),
    "retouch.locate.fusion.unifier": ("HintUnifier",),
    "retouch.locate.hint_config": ("HintConfig",),
    "retouch.locate.identity": ("FileRef", "split_module_id"),
    "retouch.locate.index": ("SpanIndex",),
    "retouch.locate.opening": ("open_index", "refresh_index"),
    "retouch.locate.ranking": ("RankOptions", "default_strategies", "rank"),
    "retouch.locate.selection": ("CandidateSelector", "SelectionPolicy", "Selection"),
    "retouch.locate.sources": ("LocalFiles", "open_source"),
    "retouch.locate.strategies.base": ("HintStrategy",),
    "retouch.locate.text_ranking": ("TextWeights", "files_of_text", "rank_text"),
    "retouch.locate.trial_events": ("TrialRecord",),
    "retouch.locate.trials": ("TrialLedger", "case_id_of", "span_hashes"),
    "retouch.locate.values": (
        "Candidate",
        "FileSource",
        "Hint",
        "ModuleCandidate",
        "ModuleHint",
        "ModuleSpan",
        "Span",
    ),
}
__getattr__ = lazy_attributes(__name__, {name: home for home, names in _HOMES.items() for name in names})
__all__ = [  # noqa: RUF022 - grouped as in the table of homes
    "BadDiff",
    "DiffInfo",
    "find_rtl",
    "LocateError",
    "EvidenceLine",
    "evidence_lines",
    "reasons",
    "FusionConfig",
    "HintUnifier",
    "HintConfig",
    "FileRef",
    "split_module_id",
    "SpanIndex",
    "open_index",
    "refresh_index",
    "RankOptions",
    "default_strategies",
    "rank",
    "CandidateSelector",
    "SelectionPolicy",
    "Selection",
    "LocalFiles",
    "open_source",
    "HintStrategy",
    "TextWeights",
    "files_of_text",
    "rank_text",
    "TrialRecord",
    "TrialLedger",
    "case_id_of",
    "span_hashes",
    "Candidate",
    "FileSource",
    "Hint",
    "ModuleCandidate",
    "ModuleHint",
    "ModuleSpan",
    "Span",
]
