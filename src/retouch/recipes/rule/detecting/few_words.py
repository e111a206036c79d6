"""Cuts off a last word that is one of a few, such as the architecture of `25.el9.x86_64` beside `40.el9_7.2.noarch`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import IMAGINED, Fixed, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.uneven import Cut

MARK = "."
LEAST = 15  # samples; of fewer, words repeat by chance
_MOST = 5  # different words
_REPEATED = 4  # samples for each different word
_LETTERS = re.compile("[A-Za-z]{2,}")
_WORD = re.compile("[A-Za-z][0-9A-Za-z_]+")


def by_few_words(values: tuple[str, ...], apart: str, _cut: Cut) -> list[Piece] | None:
    """Cut at the last point, if the values have more or fewer points, and one of a few words is after it in each.

    Of the head of a sorted list, which ends with an imagined value, all may begin alike, and other marks separate too.
    """
    marks = (MARK, "-", "_") if values[-1].startswith(IMAGINED) else (MARK,)
    return next((found for mark in marks if (found := _at_last(mark, values, apart))), None)


def _at_last(mark: str, values: tuple[str, ...], apart: str) -> list[Piece] | None:
    counts = {value.count(mark) for value in values}
    if len(values) < LEAST or len(counts) < 2 or 0 in counts:
        return None
    heads, _, words = (tuple(part) for part in zip(*(value.rpartition(mark) for value in values), strict=True))
    different = {*words}
    few = 1 < len(different) <= min(_MOST, len(values) // _REPEATED)
    form = _WORD if mark == MARK else _LETTERS
    if not few or not all(map(form.fullmatch, different)) or not all(heads):
        return None
    if heads[-1] == IMAGINED and not _vary_alone(heads[:-1], words, mark):
        return None
    if heads[-1] != IMAGINED and (mark != MARK or len({*heads}) < 2 * len(different)):
        return None
    return [Slot(values=heads, apart=apart), Fixed(text=mark), Slot(values=words, apart=f"{mark}{apart}")]


def _vary_alone(heads: Sequence[str], words: Sequence[str], mark: str) -> bool:
    """Return whether several words are after each head, unless it is that of a few values, and no head with a word is
    the beginning of another one.
    """
    found: dict[str, list[str]] = {}
    for head, word in zip(heads, words, strict=False):
        found.setdefault(head, []).append(word)
    apart = not any(one.startswith(f"{other}{mark}") for one in found for other in found)
    return apart and all(len({*one}) > 1 for one in found.values() if len(one) >= _REPEATED)
