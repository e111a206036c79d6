"""Cuts at a year and the number of a day in it, as in `2008057` and `2008.057`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot

if TYPE_CHECKING:
    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.uneven import Cut

MANY_ORDINALS = 4  # fewer numbers of seven digits may all look like days of a year by chance
_MANY_DAYS = 8
_NO_COUNTER = "200"  # numbers after a year that come so far may be days
_YEAR = "(?:19|20)[0-9]{2}"
_NTH = "00[1-9]|0[1-9][0-9]|[12][0-9]{2}|3[0-5][0-9]|36[0-6]"
ORDINAL = re.compile(rf"(?<![0-9])({_YEAR})({_NTH})(?![0-9])")
_APART = re.compile(rf"(?<![0-9])({_YEAR})([-._])({_NTH})(?![0-9]|\.[0-9])")


def by_ordinal(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut at a year and a day of the year, as in 2008057, which have no other digit at their sides."""
    rows = [one for one in map(ORDINAL.search, values) if one]
    starts = {one.start() for one in rows}
    if len(rows) < len(values) or len(starts) != 1 or len(values) < MANY_ORDINALS:
        return None
    return _pieces(values, rows, "", apart, cut)


def by_ordinal_apart(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut at a year and a day of the year after a separator, as in 2008.057, which are too far from 1 for a counter."""
    rows = [one for one in map(_APART.search, values) if one]
    days, marks = {one[3] for one in rows}, {one[2] for one in rows}
    if len(rows) < len(values) or len(marks) != 1 or len(days) < _MANY_DAYS or max(days) < _NO_COUNTER:
        return None
    return _pieces(values, rows, marks.pop(), apart, cut)


def _pieces(values: tuple[str, ...], rows: list[re.Match[str]], mark: str, apart: str, cut: Cut) -> list[Piece]:
    before = tuple(value[: one.start()] for value, one in zip(values, rows, strict=True))
    after = tuple(value[one.end() :] for value, one in zip(values, rows, strict=True))
    year = Slot(values=tuple(one[1] for one in rows), kind="year")
    day = Slot(values=tuple(one[one.re.groups] for one in rows), kind="day_of_year")
    between: list[Piece] = [Fixed(text=mark)] if mark else []
    return [*cut(before), year, *between, day, *cut(after, apart=apart)]
