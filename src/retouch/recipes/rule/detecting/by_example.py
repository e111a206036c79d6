"""Finds the columns of labels: which piece of a path has each value, and which pattern finds it in all samples."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Column
from retouch.recipes.rule.detecting.patterns import pattern_of, quoted, quoted_in_set
from retouch.recipes.rule.detecting.placing import placed, span_of
from retouch.recipes.rule.detecting.programs import empty_places, programs_of, rival_of, tightened, with_empty_ends
from retouch.recipes.rule.detecting.readings import converted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.placing import LabelPlace
    from retouch.recipes.rule.detecting.readings import Kind

_FOLDER = "^(.+)/"


def columns_by_example(
    rows: Sequence[Sequence[str]],
    at: int,
    labels: Mapping[str, JSON],
    *,
    places: Mapping[str, tuple[int, int]] | None = None,
) -> list[Column]:
    """Return a column for each label of the path `rows[at]` that a pattern finds in one segment of all paths.

    `places` are the segments in which labels are, counted from the end, and the characters at which they begin.
    """
    return [column for place in placed((), rows[at], labels, known=places) if (column := column_at(rows, at, place))]


def column_at(
    rows: Sequence[Sequence[str]], at: int, place: LabelPlace, columns: Sequence[Column] = ()
) -> Column | None:
    """Return the column of a label at a place of the path `rows[at]`, or None if no pattern finds it in all paths.

    `columns` are known ones, whose values end those beside them.
    """
    index = place.index
    if min(map(len, rows)) < -index:
        return None
    found = programs_of(
        [row[index] for row in rows],
        at,
        (place.start, place.end),
        partial(_fits, place.kind),
        _around(rows[at], place, columns),
    )
    if not found:
        return None
    best = tightened(found[0])
    if place.kind[0] == "string":
        best = with_empty_ends(best, [row[index] for row in rows], rows[at][index][: place.start])
    return Column(
        name=place.name,
        source=index if index < -1 else "filename",
        pattern=best.pattern,
        values=best.values,
        type=place.kind[0],
        format=place.kind[1],
        optional=best.optional,
        rival=rival_of(found),
    )


def absent_at(rows: Sequence[Sequence[str]], at: int, name: str) -> Column | None:
    """Return the column of a label that is null, which other paths have between two separators, or None."""
    for index in range(-1, -min(map(len, rows)) - 1, -1):
        for one in empty_places([row[index] for row in rows], at):
            source = index if index < -1 else "filename"
            return Column(name=name, source=source, pattern=one.pattern, values=one.values, optional=True)
    return None


def empty_at(rows: Sequence[Sequence[str]], at: int, name: str) -> Column | None:
    """Return the column of a label that is empty: what all paths have after the last separator of a part that it ends,
    or None.
    """
    for index in range(-1, -min(map(len, rows)) - 1, -1):
        mark, texts = rows[at][index][-1:], [row[index] for row in rows]
        if not mark or mark.isalnum() or len({text.count(mark) for text in texts}) > 1:
            continue
        values = tuple(text.rpartition(mark)[2] for text in texts)
        if any(values):
            pattern = f"{quoted(mark)}([^{quoted_in_set(mark)}]*)$"
            return Column(name=name, source=index if index < -1 else "filename", pattern=pattern, values=values)
    return None


def below_at(columns: Sequence[Column], at: int, name: str, wanted: JSON) -> Column | None:
    """Return the column of a label that is directories below those that all paths share, as in `src/contrib/forms`, or
    None.
    """
    for column in (one for one in columns if one.source == "rel_path" and (one.pattern or "").startswith(_FOLDER)):
        value = column.values[at] or ""
        start = value.removesuffix(f"{wanted}")
        if (
            start in {value, ""}
            or not start.endswith("/")
            or not all(f"{one}/".startswith(start) for one in column.values)
        ):
            continue
        values = tuple((one or "")[len(start) :] or None for one in column.values)
        inner = "(.+)/" if all(values) else "(?:(.+)/)?"
        pattern = f"^{quoted(start)}{inner}{(column.pattern or '')[len(_FOLDER) :]}"
        return Column(name=name, source="rel_path", pattern=pattern, values=values, optional=None in values)
    return None


def _around(row: Sequence[str], place: LabelPlace, columns: Sequence[Column]) -> tuple[str, str]:
    """Return the patterns of what the nearest columns take before and after a place, with the text between."""
    text = row[place.index]
    left, right = (0, ""), (len(text), "")
    for column in columns:
        index, start, end = span_of(column, row)
        if index != place.index or not column.pieces:
            continue
        before, after = pattern_of(column.pieces[: column.at + 1], None), pattern_of(column.pieces[column.at :], None)
        if left[0] < end <= place.start:
            left = end, f"{before}{quoted(text[end : place.start])}"
        if place.end <= start < right[0]:
            right = start, f"{quoted(text[place.end : start])}{after}"
    return left[1], right[1]


def _fits(kind: Kind, value: str) -> bool:
    return converted(value, kind) is not None
