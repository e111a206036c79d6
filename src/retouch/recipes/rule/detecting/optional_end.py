"""Cuts off an end that only some values have, such as the `_1` of `SRR1416078_1` beside `SRR7293014`.

Whether an end is missing or the value is simply another word is seen by the rest: without the end, values with it look
like those without it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Slot
from retouch.recipes.rule.globs.parsing import escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.uneven import Cut

_MARKS = "_-."
_LEAST = 2  # values with the end, and values without it
_FEW_WORDS = 4
_RUNS = re.compile(r"([0-9]+)|([A-Z]+)|([a-z]+)")
_DIGITS = re.compile(r"[0-9]+(?:[-_T][0-9]+)*")


def by_optional_end(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut off an end that only some values have after the last of "_", "-" or "."."""
    for mark in _MARKS:
        most = max(value.count(mark) for value in values)
        there = [value.count(mark) == most for value in values]
        if {value.count(mark) for value in values} != {most, most - 1}:
            continue
        heads = tuple(value.rpartition(mark)[0] if one else value for value, one in zip(values, there, strict=True))
        ends = tuple(value.rpartition(mark)[2] if one else "" for value, one in zip(values, there, strict=True))
        if min(there.count(True), there.count(False)) < _LEAST or not all(heads) or not _is_an_end(heads, ends):
            continue
        digits = "[0-9]*" if all(one.isdigit() for one in ends if one) else "*"
        glob = f"{{,{escaped(mark)}{digits}}}"
        return [*cut(heads, apart=mark), Slot(values=ends, apart=apart, lead=mark, optional=True, glob=glob)]
    return None


def _is_an_end(heads: Sequence[str], ends: Sequence[str]) -> bool:
    """Return whether values without the end look like those with it, and the ends are numbers or a few words."""
    with_end = [head for head, end in zip(heads, ends, strict=True) if end]
    without = [head for head, end in zip(heads, ends, strict=True) if not end]
    forms = {*map(_form, with_end)}
    found = {end for end in ends if end}
    same = bool({*with_end} & {*without})
    coded = any("n" in form for form in forms)
    if not {*map(_form, without)} <= forms or not (same or (coded and len(forms) == 1)):
        return False
    if all(map(_DIGITS.fullmatch, found)):
        return len({*map(len, found)}) == 1
    words = all(one.isalpha() for one in found) and len(found) <= _FEW_WORDS
    return words and (coded or same) and all(sum(end == one for end in ends) >= _LEAST for one in found)


def _form(text: str) -> str:
    """Return the form of a text: a letter for each number and word, and the separators."""
    return _RUNS.sub(lambda found: "n" if found[1] else "A" if found[2] else "a", text)
