"""The public names of the specification, for programs that use them, with its arguments and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from retouch.locate.diffs.info import DiffInfo
from retouch.locate.fusion.unifier import HintUnifier
from retouch.locate.hint_config import HintConfig
from retouch.locate.index import SpanIndex
from retouch.locate.selection import CandidateSelector
from retouch.locate.strategies.base import HintStrategy
from retouch.locate.strategies.specification import IDENTIFIER_WEIGHTS
from retouch.locate.trial_events import TrialRecord
from retouch.locate.trials import TrialLedger
from retouch.locate.values import Candidate, Hint, Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.locate.values import JSON, SpanKind

__all__ = [
    "HINT_CONFIG",
    "CandidateSelector",
    "DiffInfo",
    "HintConfig",
    "HintStrategy",
    "HintUnifier",
    "ModuleCandidate",
    "ModuleHint",
    "ModuleSpan",
    "SpanIndex",
    "TrialLedger",
    "TrialRecord",
]

HINT_CONFIG: dict[str, object] = {
    "cross_source_bonus": 0.05,
    "max_fused_score": 1.0,
    "tier_high": 0.95,
    "tier_medium": 0.70,
    "tier_low": 0.50,
    "locality_decay": 100,
    "breadcrumb_scale": 10,
    "identifier_weights": IDENTIFIER_WEIGHTS,
    "top_k_per_identifier": 3,
    "epsilon_noise": 0.01,
    "top_n_selection": 5,
}


class ModuleSpan(Span):
    """A `Span` with the specification's five arguments. The name has no enclosing definition."""

    def __init__(self, file: str, name: str, start_line: int, end_line: int, span_type: str) -> None:
        super().__init__(
            file=file,
            name=name,
            qualified=name,
            kind=cast("SpanKind", span_type),
            start_line=start_line,
            end_line=end_line,
            name_line=start_line,
        )


class ModuleHint(Hint):
    """A `Hint` with the specification's arguments in their order."""

    def __init__(
        self, module_id: str, span: Span, confidence: float, source: str, evidence: Mapping[str, JSON] | None = None
    ) -> None:
        super().__init__(module_id=module_id, span=span, confidence=confidence, source=source, evidence=evidence or {})


class ModuleCandidate(Candidate):
    """A `Candidate` with the specification's arguments in their order."""

    def __init__(
        self,
        module_id: str,
        span: Span,
        scores: Mapping[str, float],
        fused_score: float,
        sources_hit: int,
        all_evidence: Sequence[Hint] = (),
    ) -> None:
        super().__init__(
            module_id=module_id,
            span=span,
            scores=scores,
            fused_score=fused_score,
            sources_hit=sources_hit,
            all_evidence=all_evidence,
            members=(span,),
        )
