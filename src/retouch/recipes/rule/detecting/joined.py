"""Finds values of labelled paths that several columns make together, such as `AB12` of the directories `AB/12`."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.assumptions import Assumption
from retouch.recipes.rule.detecting.columns import Column
from retouch.recipes.rule.language.model import FieldPart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.language.values import FieldType

MARKS = ("", "-", "_", "/", ".", ":", " ", "T")
MOST_PARTS = 4
SURE_LETTERS = 8  # parts hardly make so long a value by chance
LEAST_LETTERS = 3  # shorter values are made of several columns by chance


def joined_by_example(columns: Sequence[Column], at: int, name: str, wanted: JSON) -> Column | None:
    """Return the column `name` that joins columns so that sample `at` has the wanted value, or None.

    Fewer parts are better, then neighbours. All samples must have all parts. A number is joined of digits only.
    """
    if isinstance(wanted, bool) or not isinstance(wanted, (str, int)) or len(str(wanted)) < LEAST_LETTERS:
        return None
    plain = [one for one in columns if not (one.rest or one.optional or one.nulls or None in one.values)]
    kind: FieldType = "string" if isinstance(wanted, str) else "integer"
    for parts in _choices(plain):
        texts = [one.values[at] or "" for one in parts]
        mark = next((one for one in MARKS if one.join(texts) == str(wanted)), None)
        if mark is not None and (kind == "string" or all(_digits(one) for one in parts)):
            return _column(name, parts, mark, kind)
    return None


def about_joined(column: Column, *, count: int) -> Assumption:
    """Return what is assumed about a joined column: that short values of a single label are not made by chance."""
    value = next((one for one in column.values if one), "")
    places = " and ".join(str(place) for place in (column.source, *(one.source for one in column.rest)))
    return Assumption(
        key=f"apart:{column.name}",
        kind="apart",
        question=f"{column.name}: {value!r} is joined of parts ({places}), counted from the end; is it always so?",
        open=count == 1 and len(value) < SURE_LETTERS,
    )


def _choices(columns: Sequence[Column]) -> Iterator[tuple[Column, ...]]:
    """Yield two to four columns in their order, neighbours first."""
    for count in range(2, MOST_PARTS + 1):
        chosen = combinations(range(len(columns)), count)
        for places in sorted(chosen, key=lambda one: one[-1] - one[0]):
            yield tuple(columns[place] for place in places)


def _digits(column: Column) -> bool:
    return all(value is not None and value.isdigit() for value in column.values)


def _column(name: str, parts: Sequence[Column], mark: str, kind: FieldType) -> Column:
    first, *rest = parts
    rows = zip(*(one.values for one in parts), strict=True)
    return Column(
        name=name,
        source=first.source,
        pattern=first.pattern,
        values=tuple(mark.join(value or "" for value in row) for row in rows),
        type=kind,
        rest=tuple(FieldPart(source=one.source, pattern=one.pattern) for one in rest),
        join=mark,
    )
