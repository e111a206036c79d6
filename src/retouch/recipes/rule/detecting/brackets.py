"""Cuts texts with brackets after them, of which some values have more than others: `Kenseiden (Japan)` beside
`Tetris (USA, Europe) (Game Genie)`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Piece

_PAIRS = {"(": ")", "[": "]"}
_MOST = 4  # brackets after a text


def by_brackets(values: tuple[str, ...], _apart: str, finely: bool) -> list[Piece] | None:
    """Cut off what is in brackets at the end of all values, the first ones of which all have, and others some."""
    if not finely or not values[0] or (end := values[0][-1]) not in _PAIRS.values():
        return None
    start = next(one for one, other in _PAIRS.items() if other == end)
    rows = [_parts(value, start, end) for value in values]
    counts = {len(row) for row in rows}
    if min(counts) < 2 or len(counts) == 1 or max(counts) > 1 + _MOST or not all(map(all, rows)):
        return None
    marks = {value[len(row[0]) : value.index(start) + 1] for value, row in zip(values, rows, strict=True)}
    if len(marks) > 1:
        return None
    lead, inner = marks.pop(), f"[^{re.escape(start)}{re.escape(end)}]+"
    texts = tuple(row[0] for row in rows)
    pieces: list[Piece] = [Slot(values=texts, apart=start), Fixed(text=lead)]
    pieces += [Slot(values=tuple(row[1] for row in rows), form=inner), Fixed(text=end)]
    for at in range(2, max(counts)):
        further = tuple(row[at] if at < len(row) else "" for row in rows)
        pieces.append(Slot(values=further, form=inner, lead=lead, tail=end, optional=True))
    return pieces


def _parts(value: str, start: str, end: str) -> Sequence[str]:
    """Return the text before the brackets, and what is in each of them. Return nothing if there is text after one."""
    text, *rest = value.split(start)
    between = [one.rpartition(end)[2] for one in rest]
    mark = text[len(text.rstrip()) :]
    alike = between and between[-1] == "" and all(one == mark for one in between[:-1])
    inner = [one.rpartition(end)[0] for one in rest]
    return [text.rstrip(), *inner] if alike and not any(end in one for one in (text, *inner)) else []
