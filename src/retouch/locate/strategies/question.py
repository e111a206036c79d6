"""A query of one diff on one index, with cached facts that several strategies need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

from retouch.locate.diffs.comments import split_comments
from retouch.locate.diffs.verilog import COMMON, KEYWORDS, identifiers
from retouch.locate.indexing.words import pieces, subwords
from retouch.locate.strategies.design import Design
from retouch.locate.strategies.names import BEGINS, NameMatch, match_names
from retouch.locate.strategies.operations import OperationMatch, OperationWindows
from retouch.locate.strategies.places import LocatorHits, PathResolver
from retouch.locate.strategies.prefixes import made_here
from retouch.locate.strategies.reach import ReachedModule, family_of, reached

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.index import SpanIndex
    from retouch.locate.values import Span

OPERATION_WEIGHT = 0.5
_SUBWORD_WEIGHT = 0.5
_SURE_NAME = 0.75
_NEAR_BEST = 0.15
_FIELDS = {"own": 0.8, "code": 0.2}  # an inner definition counts a little for the outer one, too


@dataclass(frozen=True, kw_only=True, eq=False)
class LocateQuery:
    """A diff, the index to search, and `prefixes` that a flow adds to module names."""

    diff: DiffInfo
    index: SpanIndex
    prefixes: tuple[str, ...] = ()
    builder: object = None

    @cached_property
    def design(self) -> Design:
        """The relations between the source's classes."""
        return Design(self.index)

    @cached_property
    def verilog_modules(self) -> tuple[str, ...]:
        """The changed Verilog modules, without numbers and prefixes."""
        return tuple(dict.fromkeys(self._without_prefix(name) for name in self.diff.modules))

    @cached_property
    def names(self) -> Mapping[str, NameMatch]:
        """The modules with a name similar to that of a changed Verilog module, and their inner implementations."""
        spans = self.index.get_all_modules()
        matches = match_names(self.verilog_modules, dict.fromkeys(span.name.lower() for span in spans))
        found = {span.module_id: match for name, match in matches.items() for span in self.index.named_like(name)}
        for module_id, match in list(found.items()):
            for inner in self.design.implementations(module_id) if match.score >= BEGINS else ():
                if inner not in found or found[inner].score < match.score:
                    found[inner] = replace(match, how="implements what has the name")
        return found

    @cached_property
    def query(self) -> Mapping[str, float]:
        """The words of the diff with their weights: parts of names, and words inside them with half the weight."""
        return word_query(self.diff.weights)

    @cached_property
    def words(self) -> Mapping[str, float]:
        """The match between the words of each module and those of the diff, relative to the best."""
        return _relative(self._fits[0])

    @cached_property
    def words_and_operations(self) -> Mapping[str, float]:
        """The same for the words and, in modules that are no Verilog modules of their own, the operations."""
        found = dict(self._fits[0])
        for module_id, score in self.operation_match.scores().items():
            found[module_id] = found.get(module_id, 0.0) + OPERATION_WEIGHT * score
        return _relative(found)

    @cached_property
    def operation_match(self) -> OperationMatch:
        """The match of the diff's operations with those of all modules that become no Verilog modules of their own."""
        if "operation_windows" not in self.index.derived:
            spans = [one for one in self.index.get_all_modules() if not self.design.is_hardware(one.module_id)]
            self.index.derived["operation_windows"] = OperationWindows.of(self.index, spans)
        return cast("OperationWindows", self.index.derived["operation_windows"]).match(self.diff)

    @cached_property
    def named_modules(self) -> Mapping[str, float]:
        """The modules that certainly have the name of a changed Verilog module, with their scores."""
        best = max((match.score for match in self.names.values()), default=0.0)
        least = max(_SURE_NAME, best - _NEAR_BEST)
        return {module_id: match.score for module_id, match in self.names.items() if match.score >= least}

    @cached_property
    def whole_words(self) -> Mapping[str, float]:
        """The match between the words of each module and the whole Verilog module, or the diff without it."""
        if not self.diff.rtl:
            return self.words
        return self.fit(text_query([split_comments(line)[0] for line in self.diff.rtl.splitlines()]))

    @cached_property
    def family(self) -> frozenset[str]:
        """The modules that the Verilog modules consist of."""
        return family_of(self.design, self.named_modules)

    @cached_property
    def reach(self) -> Mapping[str, ReachedModule]:
        """The modules near the named ones."""
        return reached(self.design, self.named_modules, self.family)

    @cached_property
    def made_here(self) -> Mapping[str, Mapping[str, float]]:
        """The names that reachable modules define and the diff assigns, with their shares."""
        return made_here(self)

    @cached_property
    def located(self) -> LocatorHits:
        """The places of the source locators of changed lines: from the diff, otherwise from the Verilog file."""
        weighted = self.diff.locators
        return PathResolver(self.index, self.named_modules).located(weighted) if weighted else LocatorHits()

    def given_share(self, module_id: str) -> float:
        """Return the share of the words of changed lines that a module defines as names, from 0 to 1."""
        changed = {word: weight for word, weight in self.query.items() if weight >= 1}
        spans = self.index.members(module_id)
        given = {word for span in spans for word in self.index.matched(changed, span, weights={"defines": 1.0})}
        return len(given) / len(changed) if changed else 0.0

    def fit(self, query: Mapping[str, float]) -> Mapping[str, float]:
        """Return the match of modules with a query, relative to the best. Of several members, the best counts."""
        return _relative(self._fitting(query)[0])

    def matched(self, query: Mapping[str, float], module_id: str) -> Mapping[str, float]:
        """Return how much each word of a query adds to a module's match, largest first."""
        return self.index.matched(query, self.main_span(module_id), weights=_FIELDS)

    def main_span(self, module_id: str) -> Span:
        """Return the member that matches the diff's words best, otherwise the first class, trait or object."""
        best = self._fits[1].get(module_id)
        return best or min(self.index.members(module_id), key=_order)

    @cached_property
    def _fits(self) -> tuple[Mapping[str, float], Mapping[str, Span]]:
        return self._fitting(self.query)

    def _fitting(self, query: Mapping[str, float]) -> tuple[Mapping[str, float], Mapping[str, Span]]:
        """Return the BM25 scores of modules, and the best member of each."""
        ranked = self.index.ranked(query, weights=_FIELDS)
        fits: dict[str, float] = {}
        members: dict[str, Span] = {}
        for span, score in ranked:
            module_id = span.module_id
            if module_id not in fits:
                fits[module_id], members[module_id] = score, span
        return fits, members

    def _without_prefix(self, name: str) -> str:
        return next((name[len(each) :] for each in self.prefixes if name.startswith(each) and name != each), name)


def _relative(scores: Mapping[str, float]) -> Mapping[str, float]:
    best = max(scores.values(), default=1.0)
    return {module_id: score / best for module_id, score in scores.items()}


def word_query(weights: Mapping[str, float]) -> dict[str, float]:
    """Return the words of weighted identifiers with their weights."""
    found: dict[str, float] = {}
    for name, weight in weights.items():
        for word in pieces(name):
            found[word] = max(found.get(word, 0.0), weight)
        for word in subwords(name):
            found[word] = max(found.get(word, 0.0), weight * _SUBWORD_WEIGHT)
    return {word: weight for word, weight in found.items() if word not in COMMON and word not in KEYWORDS}


def text_query(codes: Sequence[str]) -> dict[str, float]:
    """Return the words of Verilog lines, all with the same weight."""
    return word_query({name: 1.0 for code in codes for name in identifiers(code)})


def _order(span: Span) -> int:
    return ("class", "trait", "object").index(span.kind) if span.kind in ("class", "trait", "object") else 3
