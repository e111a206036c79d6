"""Finds months written without a separator, such as `201507`, and reads them as `2015-07`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Column, Slot
from retouch.recipes.rule.detecting.patterns import pattern_of
from retouch.recipes.rule.language.model import FieldPart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.language.model import Source

LEAST = 8  # samples; fewer numbers may all look like months by chance
_MONTH = re.compile("(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])")
_YEAR_DIGITS = 4


def are_months(slot: Slot) -> bool:
    """Return whether all values of a place are months, and are so many that this is hardly chance."""
    return not slot.optional and len(slot.values) >= LEAST and all(map(_MONTH.fullmatch, slot.values))


def month_of(pieces: Sequence[Piece], at: int, source: Source) -> Iterator[Column]:
    """Yield the column of the month that the digits at `pieces[at]` are, if all are one; the digits stay a column."""
    slot = pieces[at]
    if not isinstance(slot, Slot) or source == "full_path" or not are_months(slot):
        return
    halves = [
        Slot(values=tuple(value[:_YEAR_DIGITS] for value in slot.values), kind="year"),
        Slot(values=tuple(value[_YEAR_DIGITS:] for value in slot.values), kind="number"),
    ]
    year, month = (f"^{pattern_of((*pieces[:at], *halves, *pieces[at + 1 :]), half)}$" for half in halves)
    values = tuple(f"{value[:_YEAR_DIGITS]}-{value[_YEAR_DIGITS:]}" for value in slot.values)
    rest = (FieldPart(source=source, pattern=month),)
    yield Column(name="month", source=source, pattern=year, values=values, rest=rest, join="-")
