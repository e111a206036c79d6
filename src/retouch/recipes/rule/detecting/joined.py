"""Finds values of labelled paths that several columns make together, such as `AB12` of the directories `AB/12`."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from itertools import combinations
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.assumptions import Assumption
from retouch.recipes.rule.detecting.columns import Column
from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.language.dates import date_reader, timestamp_reader
from retouch.recipes.rule.language.model import FieldPart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.language.values import FieldType

_WHEN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2})?")
_PARTS_OF_TIMES = ("%Y%m%d", "%Y-%m-%d", "%Y", "%Y-%m", "%m%d", "%j", "%m", "%d", "%H%M%S", "%H%M", "%H", "%M", "%S")
_UNITS = "YmjdHMS"
MARKS = ("", "-", "_", "/", ".", ":", " ", "T")
MOST_PARTS = 4
MOST_TIMES = 6  # of a year down to a second
SURE_LETTERS = 8  # parts hardly make so long a value by chance
LEAST_LETTERS = 3  # shorter values are made of several columns by chance


def joined_by_example(columns: Sequence[Column], at: int, name: str, wanted: JSON) -> Column | None:
    """Return the column `name` that joins columns so that sample `at` has the wanted value, or None.

    Fewer parts are better, then neighbours. All samples must have all parts. A number is joined of digits only.
    """
    if isinstance(wanted, str) and _WHEN.fullmatch(wanted) and (found := _time_of_parts(columns, at, name, wanted)):
        return found
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


def _time_of_parts(columns: Sequence[Column], at: int, name: str, wanted: str) -> Column | None:
    """Return the column of the day or time that columns make, for example of the directories `20240305/12`, or None."""
    try:
        moment = datetime.fromisoformat(wanted)
    except ValueError:  # no such day
        return None
    kind: FieldType = "timestamp" if "T" in wanted else "date"
    plain = [one for one in columns if not (one.rest or one.optional or None in one.values)]
    fitting = [[form for form in _PARTS_OF_TIMES if moment.strftime(form) == one.values[at]] for one in plain]
    forms = {number: fits for number, fits in enumerate(fitting) if fits}
    chosen = [combinations(sorted(forms), count) for count in range(2, MOST_TIMES + 1)]
    for places in (places for several in chosen for places in sorted(several, key=lambda one: one[-1] - one[0])):
        form = "-".join(_in_their_order([forms[place] for place in places]))
        letters = re.findall("%(.)", form)
        if len({*letters}) < len(letters) or not {"Y"} <= {*letters} or (kind == "timestamp") is not ("H" in letters):
            continue
        if {*letters} & {*"HMS"} not in ({*""}, {*"H"}, {*"HM"}, {*"HMS"}):
            continue  # minutes are not left out
        found = replace(_column(name, [plain[place] for place in places], "-", "string"), type=kind, format=form)
        try:
            read = timestamp_reader(form) if kind == "timestamp" else date_reader(form)
        except PartError:
            continue
        if all(read(value or "") is not None for value in found.values) and read(found.values[at] or "") == wanted:
            return found
    return None


def _in_their_order(forms: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a form of each part: the largest unit below the one before, if it fits, as the month after the year."""
    last = -1
    for fits in forms:
        units = {_UNITS.index(form[1]): form for form in reversed(fits)}
        last = min((unit for unit in units if unit > last), default=min(units))
        yield units[last]


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
