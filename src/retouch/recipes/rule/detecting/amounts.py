"""Cuts units, the names of parameters and other constant text off numbers, as in `240h`, `lr0.001_bs64_seed1` and
`r.-1.12`.

Each cut takes the values, the characters that end the last of them, and whether they are cut finely. It returns None if
it does not apply.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot
from retouch.recipes.rule.detecting.naming import UNITS

if TYPE_CHECKING:
    from retouch.recipes.rule.detecting.columns import Piece

_MEASURED = re.compile(rf"([0-9]+)({UNITS})(?![A-Za-z])")
_PARAMETER = re.compile(r"([A-Za-z]+)([0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?)")
_SIGNED = re.compile("(?<![0-9])-?[0-9]+(?![0-9])")
SIGNED_NUMBER = re.compile("-?(?:0|[1-9][0-9]{0,5})")
_NAME_LETTERS = 3  # shorter letters before a number are more often part of a code


def by_unit(values: tuple[str, ...], _apart: str, finely: bool) -> list[Piece] | None:
    """Cut off the unit that all numbers have, or the units of several numbers, as in `06h25m`."""
    rows = [_MEASURED.findall(value) for value in values]
    units = {tuple(unit for _, unit in row) for row in rows}
    whole = all("".join(map("".join, row)) == value for row, value in zip(rows, values, strict=True))
    if not finely or not whole or len(units) > 1 or not all(rows):
        return None
    pieces: list[Piece] = []
    for at, unit in enumerate(units.pop()):
        pieces += [Slot(values=tuple(row[at][0] for row in rows)), Fixed(text=unit)]
    return pieces


def by_parameters(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    """Cut names of parameters off their numbers, as in lr0.001_bs64_seed1, if all parts are such and one has a name."""
    rows = [[_PARAMETER.fullmatch(part) for part in value.split("_")] for value in values]
    if not finely or len({*map(len, rows)}) > 1 or len(rows[0]) < 2 or any(None in row for row in rows):
        return None
    pieces: list[Piece] = []
    for part in zip(*([one for one in row if one is not None] for row in rows), strict=True):
        names = {one[1] for one in part}
        if len(names) > 1:
            return None
        numbers = tuple(one[2] for one in part)
        pieces += [Fixed(text=f"_{min(names)}"), Slot(values=numbers, kind="parameter", apart="_")]
    named = any(isinstance(one, Fixed) and len(one.text) > _NAME_LETTERS for one in pieces)
    first, last = pieces[0], pieces[-1]
    if not named or not isinstance(first, Fixed) or not isinstance(last, Slot):
        return None
    return [replace(first, text=first.text[1:]), *pieces[1:-1], replace(last, apart=apart)]


def by_signed_numbers(values: tuple[str, ...], _apart: str, _finely: bool) -> list[Piece] | None:
    """Cut at numbers between constant texts, of which some are below zero and others are not: the coordinates of
    `r.-1.12` beside `r.3.-4`, and of `x-3_y2` beside `x1_y12`. A single number has no letter before it.
    """
    rows = [_SIGNED.findall(value) for value in values]
    texts = {tuple(_SIGNED.split(value)) for value in values}
    if len(texts) > 1 or not rows[0] or (len(rows[0]) == 1 and min(texts)[0][-1:].isalpha()):
        return None
    columns = [tuple(column) for column in zip(*rows, strict=True)]
    signs = [{number[0] == "-" for number in column} for column in columns]
    if not any(len(one) > 1 for one in signs) or not all(SIGNED_NUMBER.fullmatch(one) for row in rows for one in row):
        return None
    first, *rest = texts.pop()
    pieces: list[Piece] = [Fixed(text=first)] if first else []
    for column, one, text in zip(columns, signs, rest, strict=True):
        pieces.append(Slot(values=column, form="-?[0-9]+" if True in one else ""))
        pieces += [Fixed(text=text)] if text else []
    return pieces
