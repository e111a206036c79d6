"""Finds labelled values in paths of another shape: where the same pattern, or the same directory, is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.endings import without_ending
from retouch.recipes.rule.detecting.patterns import quoted
from retouch.recipes.rule.detecting.placing import span_of
from retouch.recipes.rule.detecting.readings import agree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.rule.detecting.columns import Column

ALL = 0.98  # the share of the paths that a pattern must fit
SHARED = 0.5  # the share of the values of a directory that the other shape has too


def beside(columns: Sequence[Column], found: Sequence[Column], row: Sequence[str]) -> list[Column]:
    """Return the columns that take no characters of a path that `found` ones take."""
    spans = [span_of(one, row) for one in found]
    return [one for one in columns if not any(_overlap(span_of(one, row), span) for span in spans)]


def _overlap(span: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return span[0] == other[0] != 0 and span[1] < other[2] and other[1] < span[2]


def read_alike(column: Column, known_rows: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> Column | None:
    """Return the column of `rows` that has the pattern or is the directory of one of `known_rows`, or None."""
    if column.rest:
        return None
    for place in _places(column, rows, known_rows):
        texts = [row[place] for row in rows]
        pattern, values = column.pattern, list[str | None](texts)
        if pattern is None:
            top = len({*map(len, rows)}) == 1 and len(rows[0]) + place == len(known_rows[0]) + _index(column)
            here = {row[place - 1] for row in rows if -place < len(row)}
            above = {row[_index(column) - 1] for row in known_rows if -_index(column) < len(row)}
            shared = len({*values} & {*column.values})
            alike = shared >= SHARED * min(len({*values}), len({*column.values})) or (top and bool(here & above))
        else:
            pattern, values = _read(pattern, [row[_index(column)] for row in known_rows], texts)
            alike = sum(one is not None for one in values) >= ALL * len(values)
        source = "filename" if place == -1 else place
        one = replace(column, source=source, pattern=pattern, values=tuple(values), pieces=(), at=0, rival=None)
        one = replace(one, optional=None in values)
        if alike and agree(one, (column.type, column.format)):
            return one
    return None


def _read(pattern: str, known: Sequence[str], texts: Sequence[str]) -> tuple[str, list[str | None]]:
    """Return a pattern and what it finds in texts: the one of `known` texts, with the extension of these if need be."""
    ends, others = _ending(known), _ending(texts)
    patterns = [pattern]
    if ends and others and pattern.endswith(f"{quoted(ends)}$"):
        patterns.append(f"{pattern.removesuffix(f'{quoted(ends)}$')}{quoted(others)}$")
    found: list[str | None] = []
    for one in patterns:
        hits = [re.search(one, text, re.DOTALL) for text in texts]
        found = [None if hit is None else hit[1] for hit in hits]
        if found.count(None) <= (1 - ALL) * len(found):
            return one, found
    return pattern, found


def _ending(texts: Sequence[str]) -> str:
    """Return the extension that all file names have, or ""."""
    bodies, _, _ = without_ending(tuple(texts))
    ends = {text[len(body) :] for text, body in zip(texts, bodies, strict=True)}
    return ends.pop() if len(ends) == 1 else ""


def _index(column: Column) -> int:
    return -1 if column.source == "filename" else int(column.source) if isinstance(column.source, int) else 0


def _places(column: Column, rows: Sequence[Sequence[str]], known_rows: Sequence[Sequence[str]]) -> Iterator[int]:
    """Yield the segments that may be the same: counted from the file name, then from the top."""
    index = _index(column)
    if index == 0:
        return
    depth = min(map(len, rows))
    shifted = index - (depth - len(known_rows[0]))
    for place in dict.fromkeys((shifted, index) if column.pattern is None else (index, shifted)):
        if -depth <= place < 0 and (place == -1) == (index == -1):
            yield place
