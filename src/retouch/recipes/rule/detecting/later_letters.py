"""Opens a rule of the head of a sorted list for later codes of another letter, as `I1` after `R1` and `R2`."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot
from retouch.recipes.rule.detecting.patterns import anchored, pattern_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Column, Piece

_ONE_LETTER = re.compile("(.*[-_])([A-Z])", re.DOTALL)


def of_any_letter(pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces of which those of one letter and the number 1 or 2 are one text, because so few numbers do not
    count anything.
    """
    done = [*pieces]
    for at, (before, piece) in enumerate(pairwise(pieces), 1):
        lead = _ONE_LETTER.fullmatch(before.text) if isinstance(before, Fixed) else None
        if lead and isinstance(piece, Slot) and {*piece.values} == {"1", "2"} and not piece.optional:
            values = tuple(f"{lead[2]}{value}" for value in piece.values)
            done[at - 1 : at + 1] = [Fixed(text=lead[1]), replace(piece, values=values, glob="*")]
    return done


def beside_any_letter(column: Column) -> Column:
    """Return a column whose pattern takes a code of any letter beside its value. The pattern of the number itself
    stays, so that another letter is reported.
    """
    pieces = of_any_letter(column.pieces)
    own, piece = (one[column.at] if one else None for one in (column.pieces, pieces))
    if column.slot is None or own != piece or not isinstance(piece, Slot) or column.pattern is None:
        return column
    if column.pattern != anchored(pattern_of(column.pieces, column.slot), column.source):
        return column
    return replace(column, pattern=anchored(pattern_of(pieces, piece), column.source))
