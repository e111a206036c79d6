"""Ranks the functions of a repository for a text: words, names, traceback frames, failing tests, and their files."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import TYPE_CHECKING

from retouch.locate.indexing.words import terms
from retouch.locate.prose import read_text_evidence
from retouch.locate.sources.paths import is_below
from retouch.locate.values import Candidate, Hint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch.locate.index import SpanIndex
    from retouch.locate.prose import TextEvidence
    from retouch.locate.values import Span

_FIELDS = {"own": 0.8, "code": 0.2}
_FROM_TEST = 0.6  # the weight of a word of a failing test's code
_HOP = 0.5
_FILE_SHARE = 0.15
_MOST_CALLED = 12


@dataclass(frozen=True, kw_only=True)
class TextWeights:
    """The weights of the signals, each of which is from 0 to 1.

    `words` is BM25, `name` the words of the function's own name, `mention` its exact name, `path` the words of its
    path, `file` the best match of its file, `frame` the traceback, `called` what frames and failing tests call.
    """

    words: float = 1.0
    name: float = 0.6
    mention: float = 0.8
    path: float = 0.4
    file: float = 0.4
    frame: float = 1.5
    called: float = 0.6


@dataclass(frozen=True, kw_only=True, eq=False)
class TextQuery:
    """A text, and the index of a repository. `tests` are directories whose functions are evidence and no candidates."""

    evidence: TextEvidence
    index: SpanIndex
    tests: Sequence[str] = ("tests", "test")

    @cached_property
    def functions(self) -> Mapping[str, Span]:
        """The candidates: outermost functions and methods outside of test directories, by module id."""
        spans = self.index.get_all_modules()
        functions = {span.module_id for span in spans if span.kind == "function"}
        return {
            span.module_id: span
            for span in spans
            if span.kind == "function"
            and not is_below(span.file, self.tests)
            and not span.file.rpartition("/")[2].startswith(("test_", "conftest"))
            and f"{span.file}::{span.qualified.rpartition('.')[0]}" not in functions
        }

    @cached_property
    def query(self) -> Mapping[str, float]:
        """The words of the text, and with less weight those of the code of the tests that it names."""
        found = dict(self.evidence.words)
        for word in (word for name in self.test_names for word in terms(name)):
            found[word] = max(found.get(word, 0.0), _FROM_TEST)
        return found

    @cached_property
    def test_names(self) -> Sequence[str]:
        """The identifiers in the bodies of the failing tests, if the index contains them."""
        names: dict[str, None] = {}
        for test in self.evidence.tests:
            for span in self.index.named(test):
                names.update(dict.fromkeys((*span.refers, *span.makes)))
        return list(names)

    @cached_property
    def words(self) -> Mapping[str, float]:
        """The match of each function's words, relative to the best."""
        ranked = self.index.ranked(self.query, self.functions.values(), weights=_FIELDS)
        best = ranked[0][1] if ranked else 1.0
        return {span.module_id: score / best for span, score in ranked}

    def rarity(self, word: str) -> float:
        """Return the weight of a word, about 0 for a word in every function."""
        fields = self.index.fields["code"]
        return log(1 + (len(fields) + 1) / (fields.frequency(word) + 1))


def signals(query: TextQuery) -> Mapping[str, Mapping[str, float]]:
    """Return the scores from 0 to 1 of each signal, by module id."""
    frames = _frames(query)
    return {
        "words": query.words,
        "name": _names(query),
        "mention": _mentions(query),
        "path": _paths(query),
        "file": _files(query),
        "frame": frames,
        "called": _called(query, frames),
    }


def fuse_signals(query: TextQuery, found: Mapping[str, Mapping[str, float]], weights: TextWeights) -> dict[str, float]:
    """Return the weighted sum of the signals relative to its maximum, by module id."""
    used = {name: weight for name, weight in vars(weights).items() if found.get(name)}
    most = sum(used.values()) or 1.0
    totals: dict[str, float] = defaultdict(float)
    for name, weight in used.items():
        for one, score in found[name].items():
            totals[one] += weight * score / most
    return {one: score for one, score in totals.items() if one in query.functions}


def rank_text(text: str, index: SpanIndex, *, weights: TextWeights | None = None) -> list[Candidate]:
    """Return the functions that `text` is about, best first. Empty if no word of it is known.

    `text` is a traceback, the output of a failing test, an issue, or a commit message. Scores are from 0 to 1. There is
    no probability. If the index contains the tests, the code of the tests that the text names is used as well.
    """
    query = TextQuery(evidence=read_text_evidence(text), index=index)
    found = signals(query)
    fused = fuse_signals(query, found, weights or TextWeights())
    order = sorted(fused, key=lambda one: (-fused[one], one))
    return [_candidate(query, found, one, fused[one]) for one in order if fused[one] > 0]


def _candidate(query: TextQuery, found: Mapping[str, Mapping[str, float]], one: str, score: float) -> Candidate:
    span = query.functions[one]
    scores = {name: each[one] for name, each in found.items() if each.get(one, 0.0) > 0}
    hints = [
        Hint(module_id=one, span=span, confidence=min(1.0, value), source=name, evidence={})
        for name, value in scores.items()
    ]
    if "words" in scores:
        matched = query.index.matched(query.query, span, weights=_FIELDS)
        hints = [
            replace(hint, evidence={"words": list(matched)[:8]}) if hint.source == "words" else hint for hint in hints
        ]
    return Candidate(
        module_id=one,
        span=span,
        scores=scores,
        fused_score=score,
        sources_hit=len(scores),
        all_evidence=hints,
        members=[span],
    )


def _names(query: TextQuery) -> dict[str, float]:
    """Return how much of each function's name, with that of its class, the text contains."""
    found: dict[str, float] = {}
    for one, span in query.functions.items():
        owner, _, name = span.qualified.rpartition(".")
        own, outer = set(terms(name)), set(terms(owner.rpartition(".")[2]))
        said = sum(query.rarity(word) for word in own if word in query.query)
        around = sum(query.rarity(word) for word in outer if word in query.query)
        if said or around:
            total = sum(map(query.rarity, own)) + 0.5 * sum(map(query.rarity, outer))
            found[one] = (said + 0.5 * around) / (total + 2.0)
    return found


def _mentions(query: TextQuery) -> dict[str, float]:
    """Return the functions that the text names exactly. A name with many definitions counts less."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for one, span in query.functions.items():
        by_name[span.name].append(one)
        owner = span.qualified.rpartition(".")[0].rpartition(".")[2]
        if owner:
            by_name[owner].append(one)
    found: dict[str, float] = {}
    most = max(query.evidence.names.values(), default=1.0)
    for name, weight in query.evidence.names.items():
        for one in by_name.get(name, ()):
            is_own = query.functions[one].name == name
            share = weight / most / (1 + log(len(by_name[name]))) * (1.0 if is_own else 0.5)
            found[one] = min(1.0, found.get(one, 0.0) + share)
    return found


def _paths(query: TextQuery) -> dict[str, float]:
    """Return how much of each function's path the text contains. A file that it names counts fully."""
    by_file: dict[str, float] = {}
    for file in {span.file for span in query.functions.values()}:
        if any(_is_same_file(file, path) for path in query.evidence.files):
            by_file[file] = 1.0
            continue
        parts = file.removesuffix(".py").split("/")
        words = {word for part in parts[-2:] for word in terms(part)}
        said = sum(query.rarity(word) for word in words if word in query.query)
        if said:
            by_file[file] = said / (sum(map(query.rarity, words)) + 4.0)
    return {one: by_file[span.file] for one, span in query.functions.items() if span.file in by_file}


def _files(query: TextQuery) -> dict[str, float]:
    """Return the match of each function's file: that of its three best functions."""
    best: dict[str, list[float]] = defaultdict(list)
    for one, score in query.words.items():
        best[query.functions[one].file].append(score)
    by_file = {file: sum(sorted(scores, reverse=True)[:3]) / 3 for file, scores in best.items()}
    most = max(by_file.values(), default=1.0) or 1.0
    return {one: by_file[span.file] / most for one, span in query.functions.items() if span.file in by_file}


def _frames(query: TextQuery) -> dict[str, float]:
    """Return the functions of a traceback. The innermost one of the repository counts 1, each further one half."""
    found: dict[str, float] = {}
    share = 1.0
    for path, line in reversed(query.evidence.frames):
        for file in (file for file in query.index.files() if _is_same_file(file, path)):
            inner = query.index.get_enclosing_module(file, line)
            one = _outermost(query, inner) if inner is not None else ""
            if one and one not in found:
                found[one] = share
                share *= _HOP
    return found


def _outermost(query: TextQuery, span: Span) -> str:
    parts = span.qualified.split(".")
    ids = (f"{span.file}::{'.'.join(parts[:end])}" for end in range(1, len(parts) + 1))
    return next((one for one in ids if one in query.functions), "")


def _called(query: TextQuery, frames: Mapping[str, float]) -> dict[str, float]:
    """Return what the failing tests and the functions of a traceback call, and what these call in turn."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for one, span in query.functions.items():
        by_name[span.name].append(one)
        if span.name == "__init__" and "." in span.qualified:
            by_name[span.qualified.split(".")[-2]].append(one)
    reached: dict[str, float] = {}
    names: dict[str, float] = dict.fromkeys(query.test_names, 1.0)
    for one, share in frames.items():
        for name in query.functions[one].refers:
            names[name] = max(names.get(name, 0.0), share)
    for _ in range(2):
        fresh = _reached_by(by_name, names)
        fresh = {one: share for one, share in fresh.items() if one not in reached}
        reached |= fresh
        names = {}
        for one, share in fresh.items():
            for name in query.functions[one].refers:
                names[name] = max(names.get(name, 0.0), share * _HOP)
    return reached


def _reached_by(by_name: Mapping[str, Sequence[str]], names: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, share in names.items():
        called = by_name.get(name, ())
        for one in called if len(called) <= _MOST_CALLED else ():
            found[one] = max(found.get(one, 0.0), share / (1 + log(len(called))))
    return found


def _is_same_file(file: str, path: str) -> bool:
    """Return whether a path of a text, which may be absolute or shortened, is that of an indexed file."""
    path = path.removeprefix("./")
    return f"/{file}".endswith(f"/{path}") or f"/{path}".endswith(f"/{file}")


def reasons_of_text(candidate: Candidate) -> list[str]:
    """Return why a function was found, most important first, for a user."""
    words = next((hint.evidence.get("words") for hint in candidate.all_evidence if hint.source == "words"), None)
    shown = {
        "frame": "in the traceback",
        "mention": "named in the text",
        "called": "called by the failing code",
        "path": "its path is in the text",
        "name": "words of its name",
    }
    found = [said for name, said in shown.items() if candidate.scores.get(name, 0.0) > _FILE_SHARE]
    return [*found, f"words: {', '.join(map(str, words))}"] if isinstance(words, list) and words else found


def files_of_text(candidates: Iterable[Candidate], most: int) -> list[str]:
    """Return the files of the best candidates, at most `most`: a file counts by 1 / (1 + rank) of its functions."""
    totals: dict[str, float] = defaultdict(float)
    for rank, one in enumerate(candidates):
        totals[one.span.file] += 1 / (1 + rank)
    return sorted(totals, key=lambda file: (-totals[file], file))[:most]
