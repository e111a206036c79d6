"""Opens what a glob fixes where a labelled value is: a label is a field, so that other paths have other values."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.patterns import quoted
from retouch.recipes.rule.detecting.placing import span_of
from retouch.recipes.rule.globs.parsing import escaped

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retouch.recipes.rule.detecting.columns import Column


_SEVERAL = re.compile(r"\{[^{}]+,[^{}]+\}\Z")  # extensions


_FIXED = re.compile(r"\[[^\]]*\]|\{[^}]*\}|\\.|\(\?.|([0-9A-Za-z]+)")  # words, which are not in any of the rest


def opened(
    glob: str, columns: Sequence[Column], row: Sequence[str], names: Collection[str]
) -> tuple[str, tuple[Column, ...]]:
    """Return the glob and the columns without the labelled values of the path `row` as fixed words.

    Only a word that stands once in its segment of the glob, between separators, or once in that of the path is opened,
    and the extensions of which the samples have several if whole file names are labelled.
    """
    segments, done = glob.split("/"), [*columns]
    inside: dict[int, set[int]] = defaultdict(set)
    for column in columns:
        index, start, end = span_of(column, row)
        if column.name not in names or column.pieces or not 0 < -index <= len(segments) or "**" in segments[index:]:
            continue
        word = row[index][start:end]
        inside[index] |= {*range(start, end)}
        if index == -1 and word == row[-1]:
            segments[-1] = _SEVERAL.sub("*", segments[-1])  # the extension is a part of the value
        literal = _alone(escaped(word))
        if len(literal.findall(segments[index])) != 1:
            continue
        segments[index] = literal.sub("*", segments[index])
        inner = "[0-9A-Za-z]+" if word.isalnum() else ".+?"
        beside = row[index][max(start - 1, 0) : start] + row[index][end : end + 1]
        inner = _by_runs(word) if word.isdigit() or (word.isalnum() and any(map(str.isalnum, beside))) else inner
        done = [_without(one, column.source, word, inner) for one in done]
    for index, chars in inside.items():
        for word in _words_within(segments[index], row[index], chars):
            segments[index] = re.sub(r"\*+", "*", _with_other(segments[index], word, "*"))
            done = [_opened(one, index, word) for one in done]
    return "/".join(segments), tuple(done)


def _words_within(segment: str, text: str, chars: Collection[int]) -> list[str]:
    """Return the words that a segment of a glob fixes, and that are once in a text, all of it in labelled values."""
    words = dict.fromkeys(hit[1] for hit in _FIXED.finditer(segment) if hit[1])
    return [one for one in words if text.count(one) == 1 and {*_places(text, one)} <= {*chars}]


def _places(text: str, word: str) -> range:
    return range(text.index(word), text.index(word) + len(word))


def _with_other(text: str, word: str, other: str) -> str:
    """Return a glob or a pattern with another text instead of a fixed word."""
    return _FIXED.sub(lambda hit: other if hit[1] == word else hit[0], text)


def _opened(column: Column, index: int, word: str) -> Column:
    place = -1 if column.source == "filename" else column.source
    if place != index or column.pattern is None:
        return column
    return replace(column, pattern=_with_other(column.pattern, word, _by_runs(word)))


def _by_runs(word: str) -> str:
    """Return the pattern of other letters and digits in the place of those of a word."""
    return re.sub("[A-Za-z]+|[0-9]+", lambda hit: "[0-9]+" if hit[0].isdigit() else "[A-Za-z]+", word)


def _alone(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![0-9A-Za-z]){re.escape(text)}(?![0-9A-Za-z])")


def _without(column: Column, source: object, word: str, inner: str) -> Column:
    """Return a column whose pattern no longer fixes a word of the segment `source`."""
    if column.source != source or column.pattern is None:
        return column
    return replace(column, pattern=_alone(quoted(word)).sub(lambda _hit: inner, column.pattern))
