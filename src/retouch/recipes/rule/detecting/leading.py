"""Cuts off the code of a country or the number that all values begin with, and keeps seasons such as `2015-16`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.codes import COUNTRIES, LANGUAGES
from retouch.recipes.rule.detecting.columns import Fixed, Slot

if TYPE_CHECKING:
    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.uneven import Cut

_COUNTRY = re.compile("([a-z]{2})([-_])(.+)", re.DOTALL)
_LEAST = 3  # different codes; fewer may be words
_NUMBERED = re.compile("([0-9]{1,9})([-_])([A-Za-z].*)", re.DOTALL)
_NUMBERS = 8  # different ones, so that they count or name what is after them
_SEASON = re.compile("((?:19|20)[0-9]{2})[-_]([0-9]{2}|(?:19|20)[0-9]{2})")
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_SEASONS = 3  # different ones, so that some are hardly a year and a month by chance


def by_country(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut off the code of a country that all values begin with, if the codes vary and not all are languages too."""
    rows = [one for one in map(_COUNTRY.fullmatch, values) if one]
    codes, marks = {one[1] for one in rows}, {one[2] for one in rows}
    countries = {one.upper() for one in codes} <= COUNTRIES and not codes <= LANGUAGES
    if len(rows) < len(values) or len(marks) != 1 or len(codes) < _LEAST or not countries:
        return None
    mark = marks.pop()
    code = Slot(values=tuple(one[1] for one in rows), kind="country", apart=mark)
    return [code, Fixed(text=mark), *cut(tuple(one[3] for one in rows), apart=apart)]


def by_first_number(values: tuple[str, ...], apart: str) -> list[Piece] | None:
    """Cut off the number that all values begin with before names of words, as in `1027-api-unions`."""
    rows = [one for one in map(_NUMBERED.fullmatch, values) if one]
    marks = {one[2] for one in rows}
    uneven = len({one[3].count(one[2]) for one in rows}) > 1
    if len(rows) < len(values) or len(marks) != 1 or not uneven or len({one[1] for one in rows}) < _NUMBERS:
        return None
    return [
        Slot(values=tuple(one[1] for one in rows)),
        Fixed(text=marks.pop()),
        Slot(values=tuple(one[3] for one in rows), apart=apart),
    ]


def by_season(values: tuple[str, ...], apart: str, _cut: Cut) -> list[Piece] | None:
    """Keep seasons of a year and the next one, of which some may be of one year alone."""
    rows = [_SEASON.fullmatch(value) for value in values]
    pairs = [(int(one[1]), one[2]) for one in rows if one is not None]
    following = all(str(year + 1).endswith(after) for year, after in pairs)
    alone = all(_YEAR.fullmatch(value) for value, one in zip(values, rows, strict=True) if one is None)
    if not (following and alone) or len({*pairs}) < _SEASONS or len(pairs) * 2 < len(values):
        return None
    return [Slot(values=values, apart=apart, kind="season")]
