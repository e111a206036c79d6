"""Takes a doubled separator, as in `2016__primary__st_clair`, for another one, stronger than the single one."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed
from retouch.recipes.rule.detecting.patterns import quoted_in_set

if TYPE_CHECKING:
    from retouch.recipes.rule.detecting.columns import Piece

DOUBLED = "\ue000\ue001"
"""Characters that stand for "__" and "--" while values are cut."""
_SINGLE = dict(zip(DOUBLED, "_-", strict=True))
_RUNS = tuple((mark, re.compile(f"(?<!{char}){char}{char}(?!{char})")) for mark, char in _SINGLE.items())
_WRITTEN = str.maketrans({mark: char * 2 for mark, char in _SINGLE.items()})
_ENDS = str.maketrans(_SINGLE)


def with_doubled(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values with one character for each doubled separator inside that all of them have."""
    for mark, run in _RUNS:
        if all(run.search(value, 1, len(value) - 1) for value in values):
            values = tuple(run.sub(mark, value) for value in values)
    return values


def as_written(piece: Piece) -> Piece:
    """Return a piece with doubled separators as the paths have them. Text between these may hold single ones."""
    if isinstance(piece, Fixed):
        return replace(piece, text=piece.text.translate(_WRITTEN))
    end = next((char for mark, char in _SINGLE.items() if mark in piece.apart), "")
    text = bool(end) and not piece.kind and not any(one.isdigit() or {*DOUBLED} & {*one} for one in piece.values)
    within = f"[^{quoted_in_set(end)}]+(?:{end}[^{quoted_in_set(end)}]+)*" if text else ""
    return replace(
        piece,
        values=tuple(value.translate(_WRITTEN) for value in piece.values),
        apart=piece.apart.translate(_ENDS),
        glob=piece.glob.translate(_WRITTEN),
        form=piece.form.translate(_WRITTEN) or within,
        lead=piece.lead.translate(_WRITTEN),
        tail=piece.tail.translate(_WRITTEN),
    )
