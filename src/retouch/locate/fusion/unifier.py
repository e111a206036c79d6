"""Runs strategies and combines their hints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.locate.fusion.config import SHORT, FusionConfig
from retouch.locate.fusion.formulas import fused
from retouch.locate.strategies.question import LocateQuery
from retouch.locate.values import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.index import SpanIndex
    from retouch.locate.strategies.base import HintStrategy
    from retouch.locate.values import Hint


class HintUnifier:
    """Ranks candidates by the hints of several strategies.

    `fusion_config` is a FusionConfig, or a mapping with the specification's keys (`cross_source_bonus`, `max_score`),
    which selects `max-plus-bonus`.
    """

    def __init__(
        self,
        span_index: SpanIndex,
        strategies: Sequence[HintStrategy],
        fusion_config: FusionConfig | Mapping[str, float] | None = None,
    ) -> None:
        self.span_index = span_index
        self.strategies = strategies
        self.fusion_config = _config(fusion_config)

    def run_strategies(self, diff_info: DiffInfo, builder: object = None) -> list[Hint]:
        """Return the hints of all strategies, in the order of the strategies."""
        return self.ask(LocateQuery(diff=diff_info, index=self.span_index, builder=builder))

    def ask(self, question: LocateQuery) -> list[Hint]:
        """Return the hints of all strategies for a query. The strategies share its derived facts."""
        return [hint for strategy in self.strategies for hint in strategy.answer(question)]

    def aggregate_evidence(self, hints: Iterable[Hint]) -> list[Candidate]:
        """Return one candidate per module with a hint, best first.

        Equal scores are ordered by the score of the name, then the shorter span, then the id. The order of the hints
        has no influence. If one strategy has two hints for a module, the one with higher confidence counts.
        """
        best: dict[str, dict[str, Hint]] = defaultdict(dict)
        for hint in hints:
            known = best[hint.module_id].get(hint.source)
            if known is None or known.confidence < hint.confidence:
                best[hint.module_id][hint.source] = hint
        names = [strategy.name for strategy in self.strategies]
        sources = list(dict.fromkeys([*names, *sorted({name for each in best.values() for name in each})]))
        scores = {
            SHORT.get(source, source): {one: each[source].confidence for one, each in best.items() if source in each}
            for source in sources
        }
        found = fused(scores, self.fusion_config)
        hints_of = {one: [each[name] for name in sources if name in each] for one, each in best.items()}
        return sorted((self._candidate(one, hints_of[one], score) for one, score in found.items()), key=_order)

    def run_and_aggregate(self, diff_info: DiffInfo, builder: object = None) -> list[Candidate]:
        """Return the candidates for a diff, best first."""
        return self.aggregate_evidence(self.run_strategies(diff_info, builder))

    @staticmethod
    def default_fusion_config() -> dict[str, float]:
        """Return the parameters of `max-plus-bonus`. Pass them as `fusion_config` to use this formula."""
        return {"cross_source_bonus": 0.05, "max_score": 1.0}

    _default_fusion_config = default_fusion_config  # its name in the specification

    def _candidate(self, module_id: str, hints: Sequence[Hint], score: float) -> Candidate:
        scores = {SHORT.get(hint.source, hint.source): hint.confidence for hint in hints}
        return Candidate(
            module_id=module_id,
            span=max(hints, key=lambda hint: hint.confidence).span,
            scores={**dict.fromkeys(SHORT.values(), 0.0), **scores},
            fused_score=score,
            sources_hit=sum(value > 0 for value in scores.values()),
            all_evidence=hints,
            members=self.span_index.members(module_id),
        )


def _config(given: FusionConfig | Mapping[str, float] | None) -> FusionConfig:
    if not isinstance(given, Mapping):
        return given or FusionConfig()
    usual = FusionConfig(fusion="max-plus-bonus")
    bonus = given.get("cross_source_bonus", usual.cross_source_bonus)
    return replace(usual, cross_source_bonus=bonus, max_score=given.get("max_score", usual.max_score))


def _order(candidate: Candidate) -> tuple[float, float, int, str]:
    lines = candidate.span.end_line - candidate.span.start_line
    return -candidate.fused_score, -candidate.scores.get("mf", 0.0), lines, candidate.module_id
