"""Cuts off a last word that is one of a few, such as the architecture of `25.el9.x86_64` beside `40.el9_7.2.noarch`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot

if TYPE_CHECKING:
    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.uneven import Cut

MARK = "."
LEAST = 15  # samples; of fewer, words repeat by chance
_MOST = 5  # different words
_REPEATED = 4  # samples for each different word
_WORD = re.compile("[A-Za-z][0-9A-Za-z_]+")


def by_few_words(values: tuple[str, ...], apart: str, _cut: Cut) -> list[Piece] | None:
    """Cut at the last point, if the values have more or fewer points, and one of a few words is after it in each."""
    counts = {value.count(MARK) for value in values}
    if len(values) < LEAST or len(counts) < 2 or 0 in counts:
        return None
    heads, _, words = (tuple(part) for part in zip(*(value.rpartition(MARK) for value in values), strict=True))
    different = {*words}
    few = 1 < len(different) <= min(_MOST, len(values) // _REPEATED)
    if not few or not all(map(_WORD.fullmatch, different)) or not all(heads) or len({*heads}) < 2 * len(different):
        return None
    return [Slot(values=heads, apart=apart), Fixed(text=MARK), Slot(values=words, apart=f"{MARK}{apart}")]
