"""Gives the columns beside that of a time or a day: its text as it is written, its day, and the time of that day."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Column, Fixed, Slot
from retouch.recipes.rule.detecting.patterns import anchored, pattern_of, type_of
from retouch.recipes.rule.language.dates import EPOCHS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.language.model import Source

WRITTEN = ("digits", "written")
"""Names of the column of a time as it is written."""

_COMPACT_DAY = re.compile("[0-9]{8}")


def parts_of_stamp(column: Column, values: Sequence[str]) -> Iterator[Column]:
    """Yield the columns beside that of a time or a day, which has these `values`, or none if it is neither.

    Of a day such as 20240305 the digits are a column too, because paths are found by these, and dates are compared.
    """
    slot = column.slot
    if slot is None:
        return
    if column.type == "date" and slot.part is None and all(map(_COMPACT_DAY.fullmatch, values)):
        yield replace(column, name=WRITTEN[0], type="string", format=None)
    if slot.kind in {"stamp", ""} and column.type == "timestamp" and column.format not in EPOCHS:
        name = WRITTEN[not all(map(str.isdigit, values))]
        yield replace(column, name=name, type="string", format=None)
    if slot.kind == "stamp" or (slot.part is not None and slot.part.type == "timestamp"):
        parts = _day_of_stamp(column.pieces, column.at, slot, column.source)
        yield from parts
        if len(parts) > 1 and all(_COMPACT_DAY.fullmatch(value or "") for value in parts[0].values):
            yield replace(parts[0], name=WRITTEN[0], type="string")


def _day_of_stamp(pieces: Sequence[Piece], at: int, stamps: Slot, source: Source) -> list[Column]:
    """Return the column of the day that the timestamps at `pieces[at]` begin with, or none if not all do."""
    width = 8 if stamps.values[0][:8].isdigit() else 10
    day = Slot(values=tuple(value[:width] for value in stamps.values), kind="date")
    if type_of(day.values)[0] != "date":
        return []
    rest = tuple(value[width:] for value in stamps.values)
    columns = [_part_of_stamp(pieces, at, [day, Slot(values=rest, kind="stamp")], 0, source)]
    mark, end = rest[0][0], "Z" if rest[0].endswith("Z") else ""
    if mark.isdigit() or any(one[0] != mark or one.endswith("Z") is not bool(end) for one in rest):
        return columns
    time = Slot(values=tuple(one[1:].removesuffix("Z") for one in rest), kind="stamp")
    inside: list[Piece] = [day, Fixed(text=mark), time, *([Fixed(text=end)] if end else [])]
    return [*columns, _part_of_stamp(pieces, at, inside, 2, source)]


def _part_of_stamp(pieces: Sequence[Piece], at: int, inside: Sequence[Piece], number: int, source: Source) -> Column:
    """Return the column of the day or the time in the timestamp at `pieces[at]`, which is cut into `inside`."""
    slot = inside[number]
    values = slot.values if isinstance(slot, Slot) else ()
    cut_pieces = (*pieces[:at], *inside, *pieces[at + 1 :])
    pattern = pattern_of(cut_pieces, slot if isinstance(slot, Slot) else None)
    name, kind = ("date", "date") if number == 0 else ("time", "string")
    around = anchored(pattern, source)
    return Column(name=name, source=source, pattern=around, values=values, type=kind, pieces=cut_pieces, at=at + number)
