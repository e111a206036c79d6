"""Ranks the candidates for a diff. Most users only need this function."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retouch.locate.calibration import calibrated
from retouch.locate.fusion.across import INNER, across
from retouch.locate.fusion.config import FusionConfig
from retouch.locate.fusion.namesakes import namesakes_resolved
from retouch.locate.fusion.unifier import HintUnifier
from retouch.locate.strategies.fuzzy_grep import FuzzyGrep
from retouch.locate.strategies.module_finder import ModuleFinder
from retouch.locate.strategies.neighbourhood import Neighbourhood
from retouch.locate.strategies.question import LocateQuery
from retouch.locate.strategies.source_locator import SourceLocator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.index import SpanIndex
    from retouch.locate.strategies.base import HintStrategy
    from retouch.locate.values import Candidate


@dataclass(frozen=True, kw_only=True)
class RankOptions:
    """Options of the ranking: `prefixes` that a flow adds to module names, the fusion, and the strategies.

    Without `strategies`, `default_strategies` are used.
    """

    prefixes: tuple[str, ...] = ()
    fusion: FusionConfig = field(default_factory=FusionConfig)
    strategies: tuple[HintStrategy, ...] = ()


def default_strategies() -> Sequence[HintStrategy]:
    """Return the four strategies in the order of their scores: names, locators, words, neighbourhood."""
    return ModuleFinder(), SourceLocator(), FuzzyGrep(), Neighbourhood()


def rank(diff: DiffInfo, index: SpanIndex, *, options: RankOptions | None = None) -> Sequence[Candidate]:
    """Return the modules of `index` that the diff may come from, best first. Empty if none is similar.

    If the diff changes several Verilog modules and has no source locators, each of them is located alone, and a
    definition that all of them share, for example a helper, gains. If the modules of the design are known
    (`diff.design`), they decide between definitions with the same name.

    Raises:
        LocateError: a required package is not installed.
    """
    chosen = options or RankOptions()
    unifier = HintUnifier(index, chosen.strategies or default_strategies(), chosen.fusion)
    parts = (diff,) if diff.locators else diff.parts
    queries = [LocateQuery(diff=part, index=index, prefixes=chosen.prefixes) for part in parts]
    rankings = [unifier.aggregate_evidence(unifier.ask(query)) for query in queries]
    found = rankings[0] if len(rankings) == 1 else _joined(queries, rankings)
    return calibrated(namesakes_resolved(found, index, diff.design), several=len(rankings) > 1)


def _joined(queries: Sequence[LocateQuery], rankings: Sequence[Sequence[Candidate]]) -> Sequence[Candidate]:
    """Return one ranking of the rankings of several changed modules."""
    weights = [INNER if is_inner else 1.0 for is_inner in _inner([query.diff for query in queries])]
    pairs = zip(queries, rankings, strict=True)
    return across(rankings, weights=weights, unshared={one for pair in pairs for one in _foreign(*pair)})


def _foreign(query: LocateQuery, ranking: Sequence[Candidate]) -> list[str]:
    """Return the ids of candidates that become other Verilog modules than the query's: they have no line in it."""
    others = [one.module_id for one in ranking if one.module_id not in query.family] if query.named_modules else []
    return [module_id for module_id in others if query.design.is_hardware(module_id)]


def _inner(parts: Sequence[DiffInfo]) -> list[bool]:
    """Return for each part whether its inputs changed together with their connections in another part."""
    outside = [frozenset[str]().union(*(one.changed_connections for one in parts if one is not part)) for part in parts]
    return [bool(part.changed_inputs & names) for part, names in zip(parts, outside, strict=True)]
