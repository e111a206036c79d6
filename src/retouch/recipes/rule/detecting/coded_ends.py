"""Cuts from the end of values of which some have more separators: the `S1_L001_R2` of `Soil_A1_S1_L001_R2`.

The last parts are codes of one form each, or take few values. So the first value is what holds the separator.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot
from retouch.recipes.rule.detecting.doubled import DOUBLED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.uneven import Cut

_MARKS = f"{DOUBLED}_-"
_LEAST = 15  # values; of fewer, parts are alike by chance
_LEAST_PARTS = 2
_MOST_WORDS = 6
_REPEATED = 4  # values for each different word
_NUMBER = re.compile("[0-9]+")
_CODE = re.compile("[A-Za-z]{0,3}[0-9]+[A-Za-z]?|[A-Za-z]+")


def by_coded_ends(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut off the last parts, which are codes or few words, if the values have more or fewer parts before them."""
    for mark in _MARKS:
        rows = [value.split(mark) for value in values]
        counts = {*map(len, rows)}
        if len(values) < _LEAST or len(counts) < 2 or min(counts) <= _LEAST_PARTS:
            continue
        count = next((at for at in range(1, min(counts)) if not _tells([row[-at] for row in rows])), min(counts)) - 1
        ends = [tuple(row[at - count] for row in rows) for at in range(count)]
        if count < _LEAST_PARTS or sum(any(map(_NUMBER.search, end)) for end in ends) < _LEAST_PARTS:
            continue
        heads = tuple(mark.join(row[: len(row) - count]) for row in rows)
        if not all(heads) or all(mark in head for head in heads):
            continue
        pieces: list[Piece] = [Slot(values=heads)]
        for at, end in enumerate(ends):
            pieces += [Fixed(text=mark), *cut(end, apart=apart if at == count - 1 else mark)]
        return pieces
    return None


def _tells(parts: Sequence[str]) -> bool:
    """Return whether parts are codes of one form, or few different ones."""
    forms = {_NUMBER.sub("#", part) for part in parts}
    few = len({*parts}) <= min(_MOST_WORDS, len(parts) // _REPEATED)
    return all(map(_CODE.fullmatch, parts)) and ((len(forms) == 1 and "#" in min(forms)) or few)
