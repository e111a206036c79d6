"""The strategies with the specification's own formulas, for those who configure its parameters."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import log1p
from statistics import mean
from typing import TYPE_CHECKING

from retouch.locate.diffs.comments import split_comments
from retouch.locate.diffs.locators import locators
from retouch.locate.strategies.fuzzy_grep import FuzzyGrep
from retouch.locate.strategies.places import PathResolver
from retouch.locate.strategies.question import word_query
from retouch.locate.strategies.source_locator import SourceLocator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.locate.diffs.locators import Locator
    from retouch.locate.strategies.question import LocateQuery
    from retouch.locate.values import JSON

IDENTIFIER_WEIGHTS = {"port": 1.0, "signal": 0.7, "module": 1.2}
_LEAST_LOCALITY = 0.5


@dataclass(frozen=True, kw_only=True)
class BreadcrumbLocator(SourceLocator):
    """Scores log1p(locators in the module) / log1p(`breadcrumb_scale`), at most 1, times a factor for the distance.

    The factor is 1 / (1 + mean distance in lines of Verilog / `locality_decay`), at least 0.5. With the Verilog file,
    all its locators count. Without it, those of the diff count, with distance 0.
    """

    locality_decay: float = 100.0
    breadcrumb_scale: float = 10.0

    def scores(self, question: LocateQuery) -> Mapping[str, float]:
        """Return the density of locators times the locality."""
        distances = self._distances(question)
        return {
            module_id: min(1.0, log1p(len(some)) / log1p(self.breadcrumb_scale)) * self.locality(mean(some))
            for module_id, some in distances.items()
        }

    def locality(self, distance: float) -> float:
        """Return the factor for a mean distance."""
        return max(_LEAST_LOCALITY, 1 / (1 + distance / self.locality_decay))

    def evidence(self, question: LocateQuery, module_id: str) -> dict[str, JSON]:
        """Return the evidence of the specification: the number of locators, their mean distance, and the factor."""
        some = self._distances(question)[module_id]
        return {
            **super().evidence(question, module_id),
            "breadcrumb_count": len(some),
            "mean_distance": round(mean(some), 2),
            "locality_factor": round(self.locality(mean(some)), 4),
        }

    def _distances(self, question: LocateQuery) -> Mapping[str, list[float]]:
        resolver = PathResolver(question.index, question.named_modules)
        found: dict[str, list[float]] = defaultdict(list)
        for locator, distance in _breadcrumbs(question):
            for file in resolver.files(locator.path):
                span = question.index.get_enclosing_module(file, locator.line)
                if span is not None:
                    found[span.module_id].append(distance)
        return found


@dataclass(frozen=True, kw_only=True)
class IdentifierGrep(FuzzyGrep):
    """Scores the modules that match single identifiers best: at most `top_k_per_identifier` for each.

    An identifier counts by the weight of its class in `identifier_weights` (port, signal, module). Instances count as
    signals.
    """

    identifier_weights: Mapping[str, float] = field(default_factory=lambda: IDENTIFIER_WEIGHTS)
    top_k_per_identifier: int = 3

    def scores(self, question: LocateQuery) -> Mapping[str, float]:
        """Return the sum over identifiers, relative to the best."""
        found: dict[str, float] = defaultdict(float)
        for kind, names in question.diff.identifiers.items():
            name = kind.removesuffix("s")
            weight = self.identifier_weights.get(name, self.identifier_weights.get("signal", 0.0))
            for one in dict.fromkeys(names):
                fits = question.fit(word_query({one: 1.0}))
                for module_id in sorted(fits, key=lambda each: (-fits[each], each))[: self.top_k_per_identifier]:
                    found[module_id] += weight * fits[module_id]
        best = max(found.values(), default=0.0)
        return {module_id: score / best for module_id, score in found.items()} if best else {}


def _breadcrumbs(question: LocateQuery) -> Iterator[tuple[Locator, float]]:
    diff = question.diff
    if not diff.rtl:
        yield from ((locator, 0.0) for locator, _ in diff.locators)
        return
    changed = sorted(diff.changed_lines)
    for number, line in enumerate(diff.rtl.split("\n"), 1):
        for locator in locators(split_comments(line)[1]):
            yield locator, float(min((abs(number - one) for one in changed), default=0))
