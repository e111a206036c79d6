"""Opens what a glob fixes where a labelled value is: a label is a field, so that other paths have other values."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.patterns import quoted
from retouch.recipes.rule.detecting.placing import span_of
from retouch.recipes.rule.globs.parsing import escaped

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retouch.recipes.rule.detecting.columns import Column


_SEVERAL = re.compile(r"\{[^{}]+,[^{}]+\}\Z")  # extensions


def opened(
    glob: str, columns: Sequence[Column], row: Sequence[str], names: Collection[str]
) -> tuple[str, tuple[Column, ...]]:
    """Return the glob and the columns without the labelled values of the path `row` as fixed words.

    Only a word that stands once in its segment of the glob, between separators, is opened, and the extensions of which
    the samples have several if whole file names are labelled.
    """
    segments, done = glob.split("/"), [*columns]
    for column in columns:
        index, start, end = span_of(column, row)
        if column.name not in names or column.pieces or not 0 < -index <= len(segments) or "**" in segments[index:]:
            continue
        word = row[index][start:end]
        if index == -1 and word == row[-1]:
            segments[-1] = _SEVERAL.sub("*", segments[-1])  # the extension is a part of the value
        literal = _alone(escaped(word))
        if len(literal.findall(segments[index])) != 1:
            continue
        segments[index] = literal.sub("*", segments[index])
        inner = "[0-9]+" if word.isdigit() else "[0-9A-Za-z]+" if word.isalnum() else ".+?"
        done = [_without(one, column.source, word, inner) for one in done]
    return "/".join(segments), tuple(done)


def _alone(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![0-9A-Za-z]){re.escape(text)}(?![0-9A-Za-z])")


def _without(column: Column, source: object, word: str, inner: str) -> Column:
    """Return a column whose pattern no longer fixes a word of the segment `source`."""
    if column.source != source or column.pattern is None:
        return column
    return replace(column, pattern=_alone(quoted(word)).sub(lambda _hit: inner, column.pattern))
