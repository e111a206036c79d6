"""Cuts at a part between separators that only some values have, such as the `_F` of `FULINS_F_20220416` beside
`DLTINS_20220217`.

Which part is missing is seen by the others: only without it, the longer values look like the shorter ones.
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
_LEAST = 3  # values with the part, and values without it
_LEAST_OF_DOUBLED = 2  # which separate fields, not the words of one
_KNOWN = 0.34  # the share of the values that the others have too; words of titles seldom are
_LEAST_PARTS = 3  # of the shorter values; fewer hardly tell which part is missing
_RUNS = re.compile("[0-9]+|[A-Z]+|[a-z]+")
_LEADING = re.compile("[A-Za-z]+(?=[0-9])")


def by_optional_middle(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut at the one part between two separators without which all values have parts of the same forms."""
    for mark in _MARKS:
        rows = [value.split(mark) for value in values]
        short, long = min(map(len, rows)), max(map(len, rows))
        whole = [row for row in rows if len(row) == long]
        least = min(len(whole), len(rows) - len(whole))
        enough = _LEAST_OF_DOUBLED if mark in DOUBLED else _LEAST
        if long != short + 1 or short < _LEAST_PARTS or least < enough or {*map(len, rows)} != {short, long}:
            continue
        at = _missing(whole, [row for row in rows if len(row) == short])
        if at is None:
            continue
        there = [len(row) == long for row in rows]
        before = tuple(mark.join(row[:at]) for row in rows)
        after = tuple(mark.join(row[at + one :]) for row, one in zip(rows, there, strict=True))
        middle = _optional([row[at] if one else "" for row, one in zip(rows, there, strict=True)], mark)
        return [*cut(before, apart=mark), middle, Fixed(text=mark), *cut(after, apart=apart)]
    return None


def _missing(whole: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> int | None:
    """Return which inner part the others lack: the only one without which all parts have the forms of theirs, or the
    one without which most parts share values with theirs. It has one form itself.
    """
    count = len(whole[0])
    shorter = {at: [[*row[:at], *row[at + 1 :]] for row in whole] for at in range(1, count - 1)}
    fitting = {at: _shared(rest, others) for at, rest in shorter.items() if _fits(rest, others)}
    best = [at for at, shared in fitting.items() if shared == max(fitting.values())]
    if len(best) != 1:
        return None
    at = best[0]
    forms = {_form(row[at]) for row in whole}
    words = len(forms) == 1 or all(row[at].isalpha() and row[at].islower() for row in whole)
    return at if words and all(row[at] for row in whole) else None


def _shared(whole: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> int:
    """Return how many parts have some value in both groups."""
    columns = zip(zip(*whole, strict=True), zip(*others, strict=True), strict=True)
    return sum(bool({*first} & {*second}) for first, second in columns)


def _fits(whole: Sequence[Sequence[str]], others: Sequence[Sequence[str]]) -> bool:
    """Return whether each part has the same forms in both groups, or some value in both, and one tells it from the
    part after it.
    """
    columns = zip(zip(*whole, strict=True), zip(*others, strict=True), strict=True)
    return all(_are_alike(first, second) for first, second in columns)


def _are_alike(first: Sequence[str], second: Sequence[str]) -> bool:
    shared = {*first} & {*second}
    known = min(sum(one in shared for one in part) / len(part) for part in (first, second))
    if known >= _KNOWN and not {*map(_kind, first)} ^ {*map(_kind, second)}:
        return True
    forms, other_forms = {*map(_form, first)}, {*map(_form, second)}
    return bool(forms & other_forms) and (forms <= other_forms or other_forms <= forms)


def _form(text: str) -> str:
    """Return the form of a text, with the number of the characters of each run."""
    return _RUNS.sub(lambda found: f"{_letter(found[0])}{len(found[0])}", text)


def _kind(text: str) -> str:
    return _RUNS.sub(lambda found: _letter(found[0]), text)


def _letter(run: str) -> str:
    return "n" if run[0].isdigit() else "A" if run[0].isupper() else "a"


def _optional(values: Sequence[str], mark: str) -> Slot:
    """Return the slot of the part, whose letters before a number are the text before it."""
    there = [value for value in values if value]
    leads = {found[0] if (found := _LEADING.match(value)) else "" for value in there}
    lead = leads.pop() if len(leads) == 1 else ""
    numbers = all(value[len(lead) :].isdigit() for value in there)
    lead = lead if numbers else ""
    return Slot(
        values=tuple(value.removeprefix(lead) for value in values), apart=mark, lead=f"{mark}{lead}", optional=True
    )
