"""Finds where a labelled path has the values of its labels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.readings import agree, decoded, has_value, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.readings import Kind

_RUNS = re.compile(r"[0-9]+|[A-Za-z]+|[^0-9A-Za-z]")
_LETTERS = re.compile(r"[A-Za-z]+(?=[-_= ]?\Z)")
_NO_COLUMN = 1.0  # costs of a place: that no column has it,
_INSIDE = 2.0  # that it is part of a word or number,
_NAMED = 2.5  # (less) that the letters before it begin the name of the label, as `ch` of `ch1` that of `channel`,
_LETTER = 0.1  # for each of them,
_BACKWARDS = 1.2  # that the label before is further back in the path,
_OVERLAPS = 8.0  # that another label has some of its characters,
_MISSING = 50.0  # and that there is none
_MOST = 64  # assignments that are kept for each label


@dataclass(frozen=True, kw_only=True)
class LabelPlace:
    """The characters `start` to `end` of the segment `index`, from the end, which have the value of a label.

    If they are a column, or what several segments make, `column` is its number, and the latter have the index 0.
    """

    name: str
    kind: Kind
    index: int = 0
    start: int = 0
    end: int = 0
    column: int | None = None
    cost: float = 0.0

    @property
    def span(self) -> tuple[int, int, int]:
        """The segment and the characters."""
        return self.index, self.start, self.end

    def overlaps(self, other: LabelPlace) -> bool:
        """Return whether both have a character of the path, or are the same column."""
        if self.index == 0 or other.index == 0:
            return self.column is not None and self.column == other.column
        return self.index == other.index and self.start < other.end and other.start < self.end


def placed(
    columns: Sequence[Column],
    row: Sequence[str],
    labels: Mapping[str, JSON],
    *,
    at: int = 0,
    known: Mapping[str, tuple[int, int]] | None = None,
) -> list[LabelPlace]:
    """Return the places of labels in the path `row`, which is sample `at` of the columns. Some may have none.

    Columns are preferred, then values between separators, and labels that stand in the path in the order in which they
    are given. `known` are the segments and the first characters of places that the user says.
    """
    best: list[tuple[float, tuple[LabelPlace, ...]]] = [(0.0, ())]
    for name, wanted in labels.items():
        places = [*_in_columns(columns, row, at, name, wanted)]
        spans = {one.span for one in places}
        places += [one for one in _in_text(row, name, wanted) if one.span not in spans]
        places = _whole_numbers(places) if isinstance(wanted, float) else places
        if known and name in known:
            places = [*_at(row, name, wanted, known[name], places)]
        grown = [(cost + _added(before, one), (*before, one)) for cost, before in best for one in places]
        best = sorted([*grown, *((cost + _MISSING, before) for cost, before in best)], key=lambda one: one[0])[:_MOST]
    return [*best[0][1]]


def _whole_numbers(places: Sequence[LabelPlace]) -> list[LabelPlace]:
    """Return the places that are no part of a longer number, as `1` is of `1.0`."""
    longer = [[one for one in places if one.overlaps(each) and _width(one) > _width(each)] for each in places]
    return [each for each, others in zip(places, longer, strict=True) if not others]


def _width(place: LabelPlace) -> int:
    return place.end - place.start


def _added(before: Sequence[LabelPlace], one: LabelPlace) -> float:
    """Return the cost of a further place."""
    cost = one.cost + _OVERLAPS * any(map(one.overlaps, before))
    last = next((each for each in reversed(before) if each.index), None)
    return cost + _BACKWARDS * (last is not None and one.index != 0 and one.span < last.span)


def _at(
    row: Sequence[str], name: str, wanted: JSON, known: tuple[int, int], places: Sequence[LabelPlace]
) -> Iterator[LabelPlace]:
    """Yield the place that the user says, with the type of the value there."""
    index, start = known
    there = [one for one in places if (one.index, one.start) == known]
    if there:
        yield there[0]
    elif row[index].startswith(str(wanted), start):
        yield LabelPlace(name=name, kind=("string", None), index=index, start=start, end=start + len(str(wanted)))


def _in_columns(
    columns: Sequence[Column], row: Sequence[str], at: int, name: str, wanted: JSON
) -> Iterator[LabelPlace]:
    """Yield the columns that have a value in a sample, those that are called like the label first."""
    for number, column in sorted(enumerate(columns), key=lambda one: one[1].name != name):
        value = decoded(column, column.values[at])
        if wanted is None and value in (None, *column.nulls):
            yield LabelPlace(name=name, kind=(column.type, column.format), column=number)
            continue
        own = (column.type, column.format)
        same = value is not None and wanted is not None and has_value(value, own, wanted)
        kind = own if same else kind_of(value, wanted)
        if kind is not None and agree(column, kind):
            index, start, end = span_of(column, row)
            if index and row[index][start:end] != column.values[at]:
                continue  # its pattern finds another piece
            cost = -_named(row[index][:start], name) if index else 0.0
            yield LabelPlace(name=name, kind=kind, index=index, start=start, end=end, column=number, cost=cost)


def span_of(column: Column, row: Sequence[str]) -> tuple[int, int, int]:
    """Return the segment and the characters that a column takes of a path, or zeros if it has no such segment, or they
    are of several.
    """
    index = -1 if column.source == "filename" else column.source
    if not isinstance(index, int) or column.rest or -index > len(row):
        return 0, 0, 0
    found = re.search(column.pattern or "^(.+)$", row[index], re.DOTALL)
    return (index, *found.span(1)) if found is not None else (0, 0, 0)


def _in_text(row: Sequence[str], name: str, wanted: JSON) -> Iterator[LabelPlace]:
    """Yield the pieces of a path that have a value, between any separators, or inside of words if there are no such."""
    if wanted is None or isinstance(wanted, (bool, list, dict)):
        return
    for index in range(-len(row), 0):
        text = row[index]
        bounds = sorted({0, len(text), *(edge for one in _RUNS.finditer(text) for edge in one.span())})
        spans = [(start, end) for start in bounds for end in bounds if start < end]
        found = [(start, end, kind) for start, end in spans if (kind := kind_of(text[start:end], wanted)) is not None]
        if isinstance(wanted, float):  # a point at an edge is a separator
            found = [one for one in found if "." not in text[one[0]] + text[one[1] - 1]]
        found = found or [*_inside(text, wanted)]
        for start, end, kind in found:
            touches = text[max(start - 1, 0) : start].isalnum() or text[end : end + 1].isalnum()
            cost = _NO_COLUMN + _INSIDE * touches - _named(text[:start], name)
            yield LabelPlace(name=name, kind=kind, index=index, start=start, end=end, cost=cost)


def is_named(before: str, name: str) -> bool:
    """Return whether letters before a place begin the name of a label."""
    return _named(before, name) > 0


def _named(before: str, name: str) -> float:
    """Return how much less a place costs if letters before it begin the name of the label."""
    letters = _LETTERS.search(before)
    begins = letters is not None and name.lower().startswith(letters[0].lower())
    return _NAMED + _LETTER * len(letters[0]) if letters is not None and begins else 0.0


def _inside(text: str, wanted: JSON) -> Iterator[tuple[int, int, Kind]]:
    """Yield the pieces of words and of digits that have a value."""
    if isinstance(wanted, str) and wanted and (start := text.find(wanted)) >= 0:
        yield start, start + len(wanted), ("string", None)
    if not isinstance(wanted, int):
        return
    for run in re.finditer("[0-9]+", text):
        for width in range(len(run[0]), 0, -1):
            for start in range(run.start(), run.end() - width + 1):
                if int(text[start : start + width]) == wanted:
                    yield start, start + width, ("integer", None)
