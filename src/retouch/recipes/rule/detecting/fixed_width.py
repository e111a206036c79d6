"""Cuts fields that no separator divides: a day in digits of one width, and two numbers around a word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.uneven import Cut

MANY = 6  # different texts; fewer may all have a day at one place by chance
_DAY_DIGITS = 8
_DAY = re.compile("(?:1[6-9]|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
_CLOCK = re.compile("(?:[01][0-9]|2[0-3])(?:[0-5][0-9]){0,2}(?:[0-9]{3})?")
_HOURS = re.compile("([01][0-9]|2[0-3])h([0-5][0-9])(m?)")
_NUMBERS = re.compile("([0-9]+)([A-Za-z]{2,}|x)([0-9]+)")


def are_days(values: Sequence[str]) -> bool:
    """Return whether texts of digits all begin with a day, and are enough that this is hardly chance."""
    return len({*values}) >= MANY and all(value.isdigit() and _DAY.match(value) for value in values)


def by_day_within(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut digits of one width at the day that all have at one place, as the `01` off `1885021401`.

    What follows a day at the beginning is no time of day in some of them.
    """
    lengths = {*map(len, values)}
    if len(lengths) > 1 or not all(value.isascii() and value.isdigit() for value in values):
        return None
    for at in range(max(lengths) - _DAY_DIGITS + 1):
        days = tuple(value[at : at + _DAY_DIGITS] for value in values)
        before, after = tuple(value[:at] for value in values), tuple(value[at + _DAY_DIGITS :] for value in values)
        clock = all(map(_CLOCK.fullmatch, after)) and max(after) >= "12"
        if not are_days(days) or not any((*before, *after)) or (clock and not before[0]):
            continue
        return [*cut(before), Slot(values=days, kind="date"), *cut(after, apart=apart)]
    return None


def by_numbers_around(values: tuple[str, ...], apart: str, _cut: Cut) -> list[Piece] | None:
    """Cut at the word that is between two numbers in all values, as in `03of04`. Two equal ones, as in `16x16`, are
    one value. Hours and minutes, as in `03h01m`, may be the same ones.
    """
    hours = [one for one in map(_HOURS.fullmatch, values) if one]
    if len(hours) == len(values) >= MANY and len({one[3] for one in hours}) == 1:
        first, last, unit = (tuple(one[group] for one in hours) for group in (1, 2, 3))
        return [Slot(values=first), Fixed(text="h"), Slot(values=last), *([Fixed(text=unit[0])] if unit[0] else [])]
    found = [one for one in map(_NUMBERS.fullmatch, values) if one]
    words = {one[2] for one in found}
    if len(found) < len(values) or len(words) != 1 or len({*values}) < MANY // 2:
        return None
    first, last = (tuple(one[group] for one in found) for group in (1, 3))
    if first == last:
        return [Slot(values=values, apart=apart, glob=f"[0-9]*{words.pop()}[0-9]*")]
    return [Slot(values=first), Fixed(text=words.pop()), Slot(values=last, apart=apart)]
