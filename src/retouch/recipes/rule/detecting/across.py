"""Finds dates and times that several parts of a path make together, such as the directories `2024/03/05`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from retouch.recipes.rule.detecting.columns import Column
from retouch.recipes.rule.language.dates import date_reader, timestamp_reader, usual_date
from retouch.recipes.rule.language.model import FieldPart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from retouch._lib.json_text import JSON

ENOUGH = 8  # so many samples are hardly all dates or times by chance
DAY_FIRST, MONTH_FIRST = "%d-%m-%Y", "%m-%d-%Y"
MARK = "-"
_DAY_PARTS = 3

_SHORT = re.compile(r"[0-9]{1,2}")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_MONTH = re.compile(r"(?:19|20)[0-9]{2}-[0-9]{2}")
_CLOCK = re.compile(r"(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?")
_DATE = re.compile(r"[0-9]{4}([-_.]?)[0-9]{2}\1[0-9]{2}")
NAMED = frozenset({"year", "month", "day", "hour", "minute", "second", "time"})
_DIRECTIVE = re.compile("%.")
_KEYS = {"y": "year", "m": "month", "d": "day"}
_OF_DAY = {"hour": "%H", "minute": "%M", "second": "%S"}


@dataclass(frozen=True, kw_only=True)
class AcrossDate:
    """A date or time that the values of several columns make, joined with "-".

    `forms` are the formats in which every sample is one: two, if only the user knows which number is the month.
    """

    name: str
    type: Literal["date", "timestamp"]
    parts: tuple[Column, ...]
    forms: tuple[str | None, ...]

    @property
    def key(self) -> str:
        """The key of the assumption about it."""
        return f"join:{self.name}" if len(self.forms) == 1 else f"date:{self.parts[0].name}"

    @property
    def is_likely(self) -> bool:
        """Whether the order is a usual one, not a year, a day and a month."""
        places = [-1 if one.source == "filename" else one.source for one in self.parts]
        known = [one for one in places if isinstance(one, int)]
        swapped = len(known) == _DAY_PARTS and known[0] < known[2] < known[1]
        return len(self.forms) == 1 and not swapped

    def column(self, form: str | None) -> Column:
        """Return the column of the joined value."""
        first, *rest = self.parts
        return Column(
            name=self.name,
            source=first.source,
            pattern=first.pattern,
            values=_joined(self.parts),
            type=self.type,
            format=form,
            rest=tuple(FieldPart(source=one.source, pattern=one.pattern) for one in rest),
            join=MARK,
        )

    def renamed(self, column: Column, form: str) -> Column:
        """Return a column, called day or month if it is one of these in the format `form`."""
        names = ("day", "month") if form == DAY_FIRST else ("month", "day")
        named = [replace(column, name=name) for one, name in zip(self.parts, names, strict=False) if one is column]
        return named[0] if named else column


def dates_across(columns: Sequence[Column]) -> tuple[AcrossDate, ...]:
    """Return the dates and times that columns make together, if no column has one alone."""
    plain = [one for one in columns if not one.rest]
    if any(one.type == "timestamp" for one in plain):
        return ()
    dates = [one for one in plain if one.type == "date"]
    if len(dates) > 1:
        return ()
    found = [*_times_of(dates[0], plain)] if dates else [*_days(plain)]
    taken = {one.name for one in columns}
    return tuple(one for one in found if one.name not in taken)


def times_of_directories(columns: Sequence[Column]) -> Iterator[Column]:
    """Yield the day that directories such as `2024/03/05` or `y=2024/m=03/d=05` make, and the time with further ones.

    They are numbers alone. The parts stay columns of their own, as they are often wanted as they are.
    """
    for found in dates_across(columns):
        named = found.type == "timestamp"  # of a time, a part may be in the file name
        alone = [len(one.pieces) == 1 or (named and one.source == "filename") for one in found.parts]
        keys = [_is_key(one) for one in found.parts]
        if found.is_likely and len(found.parts) >= _DAY_PARTS and (all(alone) or all(keys)):
            yield found.column(found.forms[0])


def _is_key(column: Column) -> bool:
    """Return whether a column is the value of a directory such as `y=2024`."""
    return isinstance(column.source, int) and column.slot is not None and column.slot.kind == "key"


def _days(columns: Sequence[Column]) -> Iterator[AcrossDate]:
    """Yield the day that columns make, and the hour of it, if one follows."""
    named = {one.name: one for one in columns}
    keys = {_KEYS[one.name]: one for one in columns if one.name in _KEYS and _is_key(one)}
    if len(keys) == len(_KEYS) and named.keys().isdisjoint(keys):
        named |= keys
    found = _named_days(named) or _day_of_two(columns) or _undecided(columns)
    if found is None:
        return
    yield found
    hours = [named[name] for name in _OF_DAY if name in named]
    if hours and hours[0].name == "hour" and len(found.forms) == 1:
        form = "".join(f"{MARK}{_OF_DAY[one.name]}" for one in hours)
        yield from _only_if_read("timestamp", (*found.parts, *hours), (f"{found.forms[0] or '%Y-%m-%d'}{form}",))


def _named_days(named: dict[str, Column]) -> AcrossDate | None:
    """Return the day of a year, a month and a day, or of a month with its year and a day."""
    month, day = named.get("month"), named.get("day")
    if month is None or day is None:
        return None
    if all(_MONTH.fullmatch(value or "") for value in month.values):
        return next(_only_if_read("date", (month, day), (None,)), None)
    year = named.get("year")
    return None if year is None else next(_only_if_read("date", (year, month, day), (None,)), None)


def _day_of_two(columns: Sequence[Column]) -> AcrossDate | None:
    """Return the day of a year and the number of a day in it, or the digits of month and day."""
    for year, after in pairwise(columns):
        if not _is_year(year):
            continue
        for width, form in ((3, "%Y-%j"), (4, "%Y-%m%d")):
            if len(after.values) >= ENOUGH and all(len(value or "") == width for value in after.values):
                return next(_only_if_read("date", (year, after), (form,)), None)
    return None


def _undecided(columns: Sequence[Column]) -> AcrossDate | None:
    """Return the day of two directories of digits before a year, in both orders."""
    for triple in zip(columns, columns[1:], columns[2:], strict=False):
        if _are_directories(triple) and _is_year(triple[2]) and all(map(_is_short, triple[:2])):
            return next(_only_if_read("date", triple, (DAY_FIRST, MONTH_FIRST)), None)
    return None


def _times_of(date: Column, columns: Sequence[Column]) -> Iterator[AcrossDate]:
    """Yield the time that a day and the column after it make: an hour, or hours and minutes."""
    form = date.format or _form_of(date)
    after = columns[columns.index(date) + 1 :][:1]
    if not form or not after:
        return
    if after[0].name == "hour":
        yield from _only_if_read("timestamp", (date, after[0]), (f"{form}{MARK}%H",))
    elif _is_clock(after[0]):
        seconds = "%S" if len(after[0].values[0] or "") == len("120000") else ""
        yield from _only_if_read("timestamp", (date, after[0]), (f"{form}{MARK}%H%M{seconds}",))


def _form_of(date: Column) -> str:
    """Return the format of usual dates that are all written alike, or ""."""
    marks = {found[1] if (found := _DATE.fullmatch(value or "")) else None for value in date.values}
    mark = marks.pop() if len(marks) == 1 else None
    return "" if mark is None else f"%Y{mark}%m{mark}%d"


def _only_if_read(
    kind: Literal["date", "timestamp"], parts: tuple[Column, ...], forms: tuple[str | None, ...]
) -> Iterator[AcrossDate]:
    """Yield the date of parts with the formats in which every sample is one, if there is one."""
    if any(one.optional or one.nulls or None in one.values for one in parts):
        return
    texts = [text or "" for text in _joined(parts)]
    fits = tuple(form for form in forms if all(map(_reader(kind, form), texts)))
    if fits and texts:
        yield AcrossDate(name="date" if kind == "date" else "timestamp", type=kind, parts=parts, forms=fits)


def _reader(kind: Literal["date", "timestamp"], form: str | None) -> Callable[[str], str | None]:
    if kind == "timestamp":
        return timestamp_reader(form)
    return date_reader(form) if form else usual_date


def _joined(parts: Sequence[Column]) -> tuple[str | None, ...]:
    rows = zip(*(one.values for one in parts), strict=True)
    return tuple(None if None in row else MARK.join(text or "" for text in row) for row in rows)


def form_at(found: AcrossDate, number: int, wanted: JSON) -> tuple[str | None] | None:
    """Return the first format in which a sample has a wanted value, in a tuple, or None if it has it in no format."""
    text = _joined(found.parts)[number]
    fitting = ((form,) for form in found.forms if text is not None and _reader(found.type, form)(text) == wanted)
    return next(fitting, None)


def with_other_order(form: str | None) -> str | None:
    """Return a format with the day and the month in each other's place, or None if it has no such numbers."""
    if form is None or not {"%d", "%m"} <= {*_DIRECTIVE.findall(form)}:
        return None
    other = {"%d": "%m", "%m": "%d"}
    return _DIRECTIVE.sub(lambda hit: other.get(hit[0], hit[0]), form)


def _is_year(column: Column) -> bool:
    return column.name.startswith("year") and all(_YEAR.fullmatch(value or "") for value in column.values)


def _is_short(column: Column) -> bool:
    return all(_SHORT.fullmatch(value or "") for value in column.values)


def _is_clock(column: Column) -> bool:
    """Return whether values are times of day, and no numbers that only count up from 0001."""
    there = [value or "" for value in column.values]
    likely = len(there) >= 2 * ENOUGH and max(there) >= "12"
    return likely and len({*map(len, there)}) == 1 and all(map(_CLOCK.fullmatch, there))


def _are_directories(columns: Sequence[Column]) -> bool:
    """Return whether columns are whole directories, one below the other."""
    sources = [one.source for one in columns]
    whole = all(one.pattern is None and len(one.pieces) == 1 and isinstance(one.source, int) for one in columns)
    return whole and all(isinstance(a, int) and isinstance(b, int) and b == a + 1 for a, b in pairwise(sources))


def with_parts_of_dates(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns with the names that the samples prove: a day before its month, and a time after its day."""
    done = list(columns)
    for at, triple in enumerate(zip(columns, columns[1:], columns[2:], strict=False)):
        if len(triple[0].values) < ENOUGH or not _are_directories(triple):
            continue
        first, second, last = triple
        if _is_year(last) and all(map(_is_short, (first, second))):
            found = next(_only_if_read("date", triple, (DAY_FIRST, MONTH_FIRST)), None)
            if found is not None and len(found.forms) == 1:
                names = ("day", "month") if found.forms[0] == DAY_FIRST else ("month", "day")
                done[at], done[at + 1] = replace(first, name=names[0]), replace(second, name=names[1])
        elif _is_year(first) and all(map(_is_short, (second, last))):
            found = next(_only_if_read("date", triple, ("%Y-%m-%d", "%Y-%d-%m")), None)
            if found is not None and found.forms == ("%Y-%d-%m",):
                done[at + 1], done[at + 2] = replace(second, name="day"), replace(last, name="month")
    for at, (date, after) in enumerate(pairwise(columns)):
        if date.type == "date" and not after.name and after.type in {"integer", "string"} and _is_clock(after):
            done[at + 1] = replace(after, name="time", type="string")
    return tuple(done)
