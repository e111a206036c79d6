"""Cuts values whose separators do not agree: shared ends and middles, numbers at an end, and parts that some values
lack.

Each cut takes the values, the characters that end the last of them, and the function that cuts the rest. It returns
None if it does not apply.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol, TypeAlias

from retouch.recipes.rule.detecting.columns import Fixed, Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.recipes.rule.detecting.columns import Piece

_WORD = re.compile(r"[0-9A-Za-z]+")
_NUMBER_FIRST = re.compile(r"([0-9]{2,})([-_ ])(.+)", re.DOTALL)
_WHOLE_NUMBER = re.compile(r"([0-9]+)(\.0{2,})(?:([-_ ])(.+))?", re.DOTALL)
_NUMBER_LAST = re.compile(r"(.+)([-_ ])([0-9]{2,})", re.DOTALL)
MANY = 8  # this many different values hardly share their first letters by chance
DOMAINS = ("com.", "org.", "net.", "io.", "de.", "uk.", "eu.", "fr.")  # begin a name such as com.example.app
SOME = 0.1  # the share of the samples that must have a part, or lack it; fewer are of another shape
_MARK = re.compile(r"[^0-9A-Za-z]+")
_ADDED = (":", "@", "=")  # separate a name from its suffix; words do not contain them


class Cut(Protocol):
    """Cuts values into pieces."""

    def __call__(self, values: tuple[str, ...], /, *, apart: str = "") -> list[Piece]:
        """Return the pieces. `apart` ends the last of them."""
        ...


Way: TypeAlias = "Callable[[tuple[str, ...], str, Cut], list[Piece] | None]"


def by_ends(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut off words that all values begin or end with, up to a separator. Digits stay, because they can be part of a
    value.
    """
    start = _whole_words(shared_start(values))
    start = "" if start in DOMAINS else start
    rest = tuple(value[len(start) :] for value in values)
    end = _whole_words(shared_start([value[::-1] for value in rest]))[::-1]
    middle = tuple(value[: len(value) - len(end)] for value in rest)
    if not (start or end) or not all(middle):
        return None
    first: list[Piece] = [Fixed(text=start)] if start else []
    last: list[Piece] = [Fixed(text=end)] if end else []
    return [*first, *cut(middle, apart=end[:1] or apart), *last]


def shared_start(values: Sequence[str]) -> str:
    """Return the text that all values begin with."""
    first, last = min(values), max(values)
    same = next((at for at, char in enumerate(first) if not last.startswith(char, at)), len(first))
    return first[:same]


def _whole_words(shared: str) -> str:
    """Return the part of a shared beginning that ends with a separator. Return "" if it has a digit or no letter."""
    while shared and shared[-1].isalnum():
        shared = shared[:-1]
    return shared if any(map(str.isalpha, shared)) and not any(map(str.isdigit, shared)) else ""


def by_middle(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut at a word that occurs once in every value, between separators, neither first nor last."""
    words = [[found.group() for found in _WORD.finditer(value)] for value in values]
    shared = set[str].intersection(*(set(row[1:-1]) for row in words))
    once = [word for word in shared if _is_word(word) and all(row.count(word) == 1 for row in words)]
    if not once:
        return None
    word = max(once, key=lambda one: (len(one), one))
    around = [re.split(rf"([^0-9A-Za-z]{re.escape(word)}[^0-9A-Za-z])", value, maxsplit=1) for value in values]
    if not all(len(row) == 3 and row[0] and row[2] for row in around) or len({row[1] for row in around}) > 1:
        return None
    mark = around[0][1]
    left = cut(tuple(row[0] for row in around), apart=mark[0])
    return [*left, Fixed(text=mark), *cut(tuple(row[2] for row in around), apart=apart)]


def _is_word(word: str) -> bool:
    return len(word) >= 2 and word.isalpha()


def by_whole_number(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut off a number whose decimals are zeros in all values, at the beginning or as a whole, as `2.000000-AXIAL`."""
    found = [one for one in map(_WHOLE_NUMBER.fullmatch, values) if one]
    ends = {(one[2], one[3]) for one in found}
    if len(found) < len(values) or len(ends) > 1:
        return None
    zeros, mark = ends.pop()
    numbers: list[Piece] = [Slot(values=tuple(one[1] for one in found)), Fixed(text=f"{zeros}{mark or ''}")]
    return [*numbers, *cut(tuple(one[4] for one in found), apart=apart)] if mark else numbers


def by_number(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut off a number of the same width at the beginning or the end of all values, at the same separator."""
    first = [found for found in map(_NUMBER_FIRST.fullmatch, values) if found]
    if len(first) == len(values) and _agree([one[1] for one in first], [one[2] for one in first]):
        rest = cut(tuple(one[3] for one in first), apart=apart)
        return [Slot(values=tuple(one[1] for one in first)), Fixed(text=first[0][2]), *rest]
    last = [found for found in map(_NUMBER_LAST.fullmatch, values) if found]
    if len(last) == len(values) and _agree([one[3] for one in last], [one[2] for one in last]):
        rest = cut(tuple(one[1] for one in last), apart=last[0][2])
        return [*rest, Fixed(text=last[0][2]), Slot(values=tuple(one[3] for one in last), apart=apart)]
    return None


def _agree(numbers: list[str], marks: list[str]) -> bool:
    return len({len(one) for one in numbers}) == 1 and len(set(marks)) == 1 and len(set(numbers)) > 1


def by_tail(values: tuple[str, ...], _apart: str, cut: Cut) -> list[Piece] | None:
    """Cut off a suffix that only some values have: after the shortest value, or after a mark that words do not contain.

    A mark with nothing after it is not used, because an empty suffix could not be distinguished from a missing one.
    """
    shortest = min(values, key=len)
    tails = tuple(value[len(shortest) :] for value in values)
    marks = {tail[0] for tail in tails if tail}
    behind = all(value.startswith(shortest) for value in values) and not any(len(tail) == 1 for tail in tails)
    if behind and len(marks) == 1 and not min(marks).isalnum():
        return _with_tail([Fixed(text=shortest)], tuple(tail[1:] for tail in tails), min(marks), cut)
    for mark in _ADDED:
        at_an_end = any(value.startswith(mark) or value.endswith(mark) for value in values)
        if {value.count(mark) for value in values} == {0, 1} and not at_an_end:
            heads, _, added = zip(*(value.partition(mark) for value in values), strict=True)
            return _with_tail(cut(heads, apart=mark), added, mark, cut)
    return None


def _with_tail(head: list[Piece], tails: tuple[str, ...], mark: str, cut: Cut) -> list[Piece] | None:
    """Return the pieces of the head and an optional slot. Fixed text before the slot is optional together with it."""
    pieces = cut(tuple(tail for tail in tails if tail))
    lead = pieces[0].text if len(pieces) == 2 and isinstance(pieces[0], Fixed) else ""
    if not all(tail.startswith(lead) for tail in tails if tail):
        return None
    values = tuple(tail.removeprefix(lead) for tail in tails)
    return [*head, Slot(values=values, lead=f"{mark}{lead}", optional=True)]


def without_some(values: tuple[str, ...], _apart: str, cut: Cut) -> list[Piece] | None:
    """Return an optional slot for values that are empty in some samples, and begin with one mark in all others."""
    found = [_MARK.match(value) for value in values if value]
    marks = {one[0] for one in found if one is not None}
    if len(marks) != 1 or None in found or min(len(found), len(values) - len(found)) < max(2, SOME * len(values)):
        return None
    mark = marks.pop()
    if any(value == mark for value in values):
        return None
    return _with_tail([], tuple(value[len(mark) :] for value in values), mark, cut)


def by_letters(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut off letters that many different values begin with, as in lib..., if very different letters follow them."""
    start = shared_start(values)
    rest = tuple(value[len(start) :] for value in values)
    if len(start) < 3 or not start.isalpha() or not all(rest) or not all(one[0].isalpha() for one in rest):
        return None
    if len(set(values)) < MANY or len({one[0] for one in rest}) * 2 < MANY:
        return None
    return [Fixed(text=start), *cut(rest, apart=apart)]
