"""Explains why a definition is a candidate: as text, and by the source lines that are evidence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from retouch.locate.indexing.words import terms
from retouch.locate.strategies.question import word_query

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.index import SpanIndex
    from retouch.locate.values import JSON, Candidate, Hint

_MOST_NAMED = 5
_MOST_WORD_LINES = 12
_LEAST_OF_BEST = 0.3
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_TIES = {
    "extends": "is extended by",
    "makes": "is made by",
    "mentions": "is mentioned by",
    "contains": "is inside",
    "calls": "is called by",
}


@dataclass(frozen=True, kw_only=True)
class EvidenceLine:
    """One source line that is evidence for a candidate, with the reason and a weight (at most 1)."""

    file: str
    line: int
    why: str
    weight: float


def reasons(candidate: Candidate) -> list[str]:
    """Return the reasons for a candidate, in the order of the strategies: names, locators, words, neighbours."""
    explain = {"module_finder": _name, "source_locator": _locators, "fuzzy_grep": _words, "neighbourhood": _way}
    return [text for hint in candidate.all_evidence if hint.source in explain for text in explain[hint.source](hint)]


def evidence_lines(candidate: Candidate, diff: DiffInfo, index: SpanIndex) -> list[EvidenceLine]:
    """Return the source lines that are evidence for a candidate, best first, without duplicates.

    A line of a locator has weight 1, a line that defines a name assigned in the diff 0.9, and a line with words of the
    diff up to 0.8. At most 12 of the latter are returned.
    """
    found: dict[tuple[str, int], EvidenceLine] = {}
    every = [*_located_lines(candidate), *_naming_lines(candidate, index), *_word_lines(candidate, diff, index)]
    for one in sorted(every, key=lambda each: (-each.weight, each.file, each.line)):
        found.setdefault((one.file, one.line), one)
    return list(found.values())


def _name(hint: Hint) -> Iterator[str]:
    ratio = f" ({hint.evidence['fuzzy_ratio']:.2f})" if hint.evidence["how"] == "similar name" else ""
    yield f"name: {hint.evidence['how']}{ratio} as Verilog module {hint.evidence['verilog_module']}"


def _locators(hint: Hint) -> Iterator[str]:
    lines = _texts(hint.evidence["locators"])
    if lines:
        yield f"locators: {_some([line.rpartition('/')[2] for line in lines])}"
    used = [_simple(one) for one in _texts(hint.evidence["used"])]
    if used:
        yield f"locators in what it uses: {_some(used)}"


def _words(hint: Hint) -> Iterator[str]:
    if words := list(_mapping(hint.evidence["identifiers"])):
        yield f"words: {_some(words)}"
    if single := [one for one in _mapping(hint.evidence.get("operations", {})) if " " not in one]:
        yield f"operations: {_some(single)}"


def _way(hint: Hint) -> Iterator[str]:
    made = _mapping(hint.evidence["made_here"])
    if made:
        yield f"gives the names: {_some(sorted(made, key=lambda name: -cast('float', made[name])))}"
    steps = [_mapping(step) for step in cast("Sequence[JSON]", hint.evidence["way"])]
    if steps:
        steps_text = (f"{_TIES[str(step['tie'])]} {_simple(str(step['from']))}" for step in reversed(steps))
        yield f"neighbour: {', which '.join(steps_text)}"


def _located_lines(candidate: Candidate) -> Iterator[EvidenceLine]:
    for hint in candidate.all_evidence:
        for place in _texts(hint.evidence["locators"]) if hint.source == "source_locator" else ():
            file, _, line = place.rpartition(":")
            yield EvidenceLine(file=file, line=int(line), why="locator", weight=1.0)


def _naming_lines(candidate: Candidate, index: SpanIndex) -> Iterator[EvidenceLine]:
    names = {
        name
        for hint in candidate.all_evidence
        if hint.source == "neighbourhood"
        for name in _mapping(hint.evidence["made_here"])
    }
    if not names:
        return
    gives = re.compile(rf"\b(?:val|var|def)\s+({'|'.join(map(re.escape, sorted(names)))})\b")
    for file, number, text in _lines(candidate, index):
        if found := gives.search(text):
            yield EvidenceLine(file=file, line=number, why=f"gives {found[1]}", weight=0.9)


def _word_lines(candidate: Candidate, diff: DiffInfo, index: SpanIndex) -> list[EvidenceLine]:
    query = word_query(diff.weights)
    worth = {word: weight * index.words.idf(word) for word, weight in query.items()}
    scored: list[tuple[float, str, int, list[str]]] = []
    for file, number, text in _lines(candidate, index):
        words = [word for name in _IDENTIFIER.findall(text) for word in terms(name)]
        here = [word for word in dict.fromkeys(words) if word in worth]
        if here:
            scored.append((sum(worth[word] for word in here), file, number, here))
    scored.sort(key=lambda one: (-one[0], one[1:3]))
    best = scored[0][0] if scored else 0.0
    return [
        EvidenceLine(file=file, line=number, why=f"words {_some(here)}", weight=round(0.8 * score / best, 4))
        for score, file, number, here in scored[:_MOST_WORD_LINES]
        if score >= _LEAST_OF_BEST * best
    ]


def _lines(candidate: Candidate, index: SpanIndex) -> Iterator[tuple[str, int, str]]:
    for span in candidate.members or (candidate.span,):
        for number, text in enumerate(index.text(span).split("\n"), span.start_line):
            yield span.file, number, text


def _texts(value: JSON) -> list[str]:
    return [str(one) for one in cast("Sequence[JSON]", value)]


def _mapping(value: JSON) -> Mapping[str, JSON]:
    return cast("Mapping[str, JSON]", value)


def _simple(module_id: str) -> str:
    return module_id.rpartition("::")[2]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"
