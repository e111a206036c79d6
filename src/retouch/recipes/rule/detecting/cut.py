"""Cuts the values of one part of a path into fixed text and columns.

The order is: typed tokens (UUIDs, dates), separators that occur equally often in all values, the first separator that
occurs in all values but not equally often, then runs of digits between constant letters. The rest is one column.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Piece, Slot
from retouch.recipes.rule.detecting.uneven import by_ends, by_letters, by_middle, by_number, by_tail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.uneven import Way

_TYPED = (
    re.compile(
        r"(?<![0-9A-Za-z])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![0-9A-Za-z])"
    ),
    re.compile(r"(?<![0-9])[0-9]{4}([-_.])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12][0-9]|3[01])(?![0-9])"),
    re.compile(r"(?<![0-9])[0-9]{1,2}([-_.])[0-9]{1,2}\1(?:19|20)[0-9]{2}(?![0-9])"),
    re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?![0-9])"),
)
_SEPARATORS = "_ =-+,@~.#"
_UNEVEN = "_."  # also cut if not equally frequent; '-' more often joins words than separates values
_NUMBERS = re.compile(r"\.[0-9]+\.[0-9]+\Z")
_ENDING = re.compile(r".\.[0-9][a-z]{0,4}\Z")
_VERSION = re.compile(r"v?[0-9]+(?:[.:][0-9]+)+")
_POINT = re.compile(r"[0-9]\.[0-9]")
_PREFIXED = re.compile(r"([A-Za-z]+)([0-9].*)", re.DOTALL)
_DIGITS_FIRST = re.compile(r"([0-9]+)(|[^0-9A-Za-z].*|[A-Z][0-9].*)", re.DOTALL)


def cut(values: tuple[str, ...], *, apart: str = "", finely: bool = True) -> list[Piece]:
    """Return the pieces whose texts, joined in order, are the values. `apart` ends the last of them."""
    if len(set(values)) == 1:
        return [Fixed(text=values[0])] if values[0] else []
    if all(values):
        for way in (_by_edge, _by_type, _ends, _by_ending, _by_separator, _uneven, _by_first_separator, _by_digits):
            found = way(values, apart, finely)
            if found is not None:
                return _joined(found)
    return [Slot(values=values, apart=apart)]


def _ends(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    return _first_of((by_number, by_ends, by_middle), values, apart) if finely else None


def _uneven(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    return _first_of((by_tail, by_letters), values, apart) if finely else None


def _first_of(ways: Sequence[Way], values: tuple[str, ...], apart: str) -> list[Piece] | None:
    return next((found for way in ways if (found := way(values, apart, cut))), None)


def _by_edge(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    """Cut off a separator that all values begin or end with."""
    first, last = values[0][0], values[0][-1]
    if not first.isalnum() and all(value[0] == first and len(value) > 1 for value in values):
        return [Fixed(text=first), *cut(tuple(value[1:] for value in values), apart=apart, finely=finely)]
    if not last.isalnum() and all(value[-1] == last and len(value) > 1 for value in values):
        return [*cut(tuple(value[:-1] for value in values), apart=last, finely=finely), Fixed(text=last)]
    return None


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces, with adjacent fixed texts merged."""
    done: list[Piece] = []
    for fixed, group in groupby(pieces, key=lambda one: isinstance(one, Fixed)):
        if fixed:
            done.append(Fixed(text="".join(one.text for one in group if isinstance(one, Fixed))))
        else:
            done += group
    return done


def _by_type(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    for typed in _TYPED:
        found = [typed.search(value) for value in values]
        spans = [one.span() for one in found if one is not None]
        if len(spans) == len(values):
            before = tuple(value[:start] for value, (start, _) in zip(values, spans, strict=True))
            token = tuple(value[start:end] for value, (start, end) in zip(values, spans, strict=True))
            after = tuple(value[end:] for value, (_, end) in zip(values, spans, strict=True))
            middle: Piece = Slot(values=token) if len(set(token)) > 1 else Fixed(text=token[0])
            return [*cut(before, finely=finely), middle, *cut(after, apart=apart, finely=finely)]
    return None


def _by_separator(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    if sum(_VERSION.match(value) is not None for value in values) * 2 > len(values):
        return None
    for mark in _SEPARATORS:
        if mark == "." and any(_POINT.search(value) for value in values):
            continue
        counts = {value.count(mark) for value in values}
        if len(counts) > 1 or 0 in counts:
            continue
        rows = [value.split(mark, 1) if mark == "=" else value.split(mark) for value in values]
        parts = [tuple(column) for column in zip(*rows, strict=True)]
        if any(any(part) and not all(part) for part in parts):
            continue
        pieces: list[Piece] = []
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            pieces += cut(part, apart=apart if last else mark, finely=finely)
            pieces += [] if last else [Fixed(text=mark)]
        return pieces
    return None


def _by_first_separator(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    if not finely or sum(_VERSION.match(value) is not None for value in values) * 2 > len(values):
        return None
    for mark in _UNEVEN:
        if mark == "." and (any(_POINT.search(value) for value in values) or _alike_at_the_end(values)):
            continue
        if all(0 < value.find(mark) < len(value) - 1 for value in values):
            left, right = zip(*(value.split(mark, 1) for value in values), strict=True)
            if mark == "_" or len(set(left)) <= max(len(values) // 2, 1) or all(one.isalnum() for one in left):
                return [
                    *cut(left, apart=mark, finely=finely),
                    Fixed(text=mark),
                    *cut(right, apart=apart, finely=finely),
                ]
    return None


def _alike_at_the_end(values: tuple[str, ...]) -> bool:
    """Return whether all values end with a point and a short number, as the pages of a manual do."""
    return all(_ENDING.search(value) for value in values) and not all(_NUMBERS.search(value) for value in values)


def _by_ending(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    """Cut off a short number after the last point."""
    if not finely or not _alike_at_the_end(values):
        return None
    left, right = zip(*(value.rsplit(".", 1) for value in values), strict=True)
    kinds = {one.rpartition(".")[2] for one in left}
    kind = f".{kinds.pop()}" if len(kinds) == 1 and all("." in one for one in left) else ""
    names = tuple(one.removesuffix(kind) for one in left)
    first: Piece = Fixed(text=names[0]) if len(set(names)) == 1 else Slot(values=names)
    return [first, Fixed(text=f"{kind}."), *cut(right, apart=apart or ".", finely=False)]


def _by_digits(values: tuple[str, ...], apart: str, finely: bool) -> list[Piece] | None:
    """Cut off constant letters before digits, and cut off the digits if something else follows them.

    Two letters are not cut off, because they are more often part of a code than its name.
    """
    found = [_PREFIXED.fullmatch(value) for value in values]
    letters = {one[1] for one in found if one is not None}
    if not finely or not all(found) or len(letters) != 1:
        return None
    prefix = letters.pop()
    rest = tuple(value[len(prefix) :] for value in values)
    if len(prefix) == 2:
        return None
    numbers = [_DIGITS_FIRST.fullmatch(one) for one in rest]
    heads = tuple(one[1] for one in numbers if one is not None)
    if len(heads) < len(values) or len({len(one) for one in heads}) > 1 or all(one.isdigit() for one in rest):
        return [Fixed(text=prefix), Slot(values=rest, apart=apart)]
    tails = tuple(one[len(heads[0]) :] for one in rest)
    head: Piece = Fixed(text=heads[0]) if len(set(heads)) == 1 else Slot(values=heads)
    return [Fixed(text=prefix), head, *cut(tails, apart=apart, finely=finely)]
