"""Cuts off an end of several numbers that only some values have, such as `.shard-3-of-6` or `_195001-201412`.

The words between the numbers are the same in all of them. They say what the numbers are, or the numbers are the two
bounds of a range, so that the end is no part of the value before it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Slot
from retouch.recipes.rule.detecting.doubled import DOUBLED
from retouch.recipes.rule.globs.parsing import escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.uneven import Cut

_MARKS = f"{DOUBLED}_.-"
_LEAST = 3  # values with the end; their form is telling, so that one value without it is enough
_BOUND_DIGITS = 4  # of each bound of a range
_NUMBERS = re.compile("([0-9]+)")
_END = re.compile("(?:[A-Za-z]{2,}[-_=]?)?[0-9]+(?:[-_](?:[A-Za-z]{2,}[-_=]?)?[0-9]+)+")
_PERIOD = re.compile("[0-9]{4}(?:0[1-9]|1[0-2])(?:[0-3][0-9])?")  # a month or a day, whose digits are text
_LABEL = re.compile("[A-Za-z]{2,}[-_=]?")


def by_optional_fields(values: tuple[str, ...], _apart: str, cut: Cut) -> list[Piece] | None:
    """Cut off an end of several numbers after one of "_", "." and "-", with one optional slot for each number."""
    for mark in _MARKS:
        counts = {value.count(mark) for value in values}
        if counts == {0} or (mark != "-" and len(counts) != 2):
            continue
        heads_and_ends = [_parted(value, mark) for value in values]
        there = [end for _, end in heads_and_ends if end]
        if not _LEAST <= len(there) < len(values) or not all(head for head, _ in heads_and_ends):
            continue
        texts = {tuple(_NUMBERS.split(end)[::2]) for end in there}
        if len(texts) != 1 or not _tells(between := texts.pop(), there):
            continue
        rows = [_NUMBERS.split(end)[1::2] if end else [""] * (len(between) - 1) for _, end in heads_and_ends]
        return [*cut(tuple(head for head, _ in heads_and_ends), apart=mark), *_slots(rows, between, mark)]
    return None


def _parted(value: str, mark: str) -> tuple[str, str]:
    """Return a value without its end of several numbers after a mark, and this end; "" if there is none."""
    places = [at for at, char in enumerate(value) if char == mark]
    ends = ((value[:at], value[at + 1 :]) for at in reversed(places))
    return next(((head, end) for head, end in ends if _END.fullmatch(end)), (value, ""))


def _tells(between: Sequence[str], ends: Sequence[str]) -> bool:
    """Return whether words say what each number is, or the numbers are the two bounds of a range."""
    *labels, last = between
    if last:
        return False
    if all(map(_LABEL.fullmatch, (one.lstrip("-_") for one in labels))):
        return True
    pairs = [_NUMBERS.findall(end) for end in ends]
    bounds = all(len(pair) == 2 and len(pair[0]) == len(pair[1]) >= _BOUND_DIGITS for pair in pairs)
    return bounds and [*labels] == ["", "-"] and all(first <= second for first, second in pairs)


def _slots(rows: Sequence[Sequence[str]], between: Sequence[str], mark: str) -> list[Piece]:
    """Return the optional slots of the numbers of all values, which have `mark` and the texts `between` before them."""
    leads = [f"{mark}{between[0]}", *between[1:-1]]
    glob = "".join(f"{escaped(lead)}[0-9]*" for lead in leads)
    columns = [*zip(*rows, strict=True)]
    times = all(_PERIOD.fullmatch(one) for column in columns for one in column if one)
    return [
        Slot(
            values=numbers,
            lead=lead,
            optional=True,
            glob=f"{{,{glob}}}" if at == 0 else "*",
            kind="bound" if times else "",
        )
        for at, (lead, numbers) in enumerate(zip(leads, columns, strict=True))
    ]
