"""Cuts from the end of texts the numbers with letters that all have after the last separator: the `300x200` of
`team-photo-2-300x200` and `faq-150x150`.

What is before it has the separator more often in some texts than in others, so that it is one value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot

if TYPE_CHECKING:
    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.uneven import Cut

_MARKS = "-_@ "
_MANY = 12  # texts; fewer end alike by chance
_SEVERAL = 3  # different ends
_END = re.compile("(?:[A-Za-z]{0,3}[0-9]+)+[A-Za-z]{0,3}")
_NUMBERS = re.compile("([0-9]+)")


def by_sized_end(values: tuple[str, ...], apart: str, _cut: Cut) -> list[Piece] | None:
    """Cut off the numbers of an end that has the same letters around them in all texts."""
    for mark in _MARKS:
        if len(values) < _MANY or len({value.count(mark) for value in values}) < 2:
            continue
        heads, _, ends = (tuple(part) for part in zip(*(value.rpartition(mark) for value in values), strict=True))
        rows = [_NUMBERS.split(end) for end in ends]
        letters = {"#".join(row[::2]) for row in rows}
        if not all(heads) or len(letters) > 1 or not all(map(_END.fullmatch, ends)) or len({*ends}) < _SEVERAL:
            continue
        around = letters.pop().split("#")
        if not any(around):
            continue  # plain numbers may be the end of the text
        pieces: list[Piece] = [Slot(values=heads, apart=apart), Fixed(text=f"{mark}{around[0]}")]
        for at, text in enumerate(around[1:]):
            pieces.append(Slot(values=tuple(row[2 * at + 1] for row in rows)))
            pieces += [Fixed(text=text)] if text else []
        return pieces
    return None
