"""Cuts names of releases, such as `ca-certificates-2024.7.4-h5e2fb1e_1`, at the version: names hold the mark too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot

if TYPE_CHECKING:
    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.uneven import Cut

MARK = "-"
_MOST_AFTER = 2  # parts after the version
_VERSION = re.compile("v?[0-9][0-9A-Za-z.+~!_]*")
_WITH_POINT = re.compile(r"v?[0-9]+\.[0-9]")
_NUMBERED = re.compile("([a-z]{1,2})([0-9]{1,6})")
_DATED = re.compile("[0-9]-[0-9]{1,2}\\Z")  # no name of a release ends with the numbers of a date
_DAY_FIRST = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])\.")
_NAME = re.compile("_?[A-Za-z].*", re.DOTALL)


def by_release(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut at the version that is as many parts from the end in all values, if names before it have the mark too.

    What is after the version and has no point is one value, as the build is.
    """
    for after in range(_MOST_AFTER + 1):
        rows = [value.rsplit(MARK, after + 1) for value in values]
        if min(map(len, rows)) < after + 2:
            return None
        names, versions, *rest = (tuple(part) for part in zip(*rows, strict=True))
        if _are_releases(names, versions) and all(map(all, rest)):
            pieces: list[Piece] = [Slot(values=names), Fixed(text=MARK), Slot(values=versions, apart=MARK)]
            for at, part in enumerate(rest):
                end = apart if at == len(rest) - 1 else MARK
                end = f"{end}{MARK}" if end != MARK and not any(MARK in one for one in part) else end
                points = any("." in one for one in part)
                pieces += [Fixed(text=MARK), *(cut(part, apart=end) if points else _build(part))]
            return pieces
    return None


def _build(values: tuple[str, ...]) -> list[Piece]:
    """Return the pieces of what is after a version: a number that all have one or two letters before, as `r5`, or one
    value.
    """
    found = [_NUMBERED.fullmatch(value) for value in values]
    letters = {one[1] for one in found if one is not None}
    if None in found or len(letters) != 1:
        return [Slot(values=values, apart=MARK)]
    return [Fixed(text=min(letters)), Slot(values=tuple(one[2] for one in found if one is not None), apart=MARK)]


def _are_releases(names: tuple[str, ...], versions: tuple[str, ...]) -> bool:
    several = len({*names}) > 1 and any(MARK in one for one in names)
    several = several and not all(map(_DATED.search, names))
    points = sum(_WITH_POINT.match(one) is not None for one in versions)
    return (
        several
        and all(map(_NAME.fullmatch, names))
        and all(map(_VERSION.fullmatch, versions))
        and points * 2 > len(versions)
        and not all(map(_DAY_FIRST.match, versions))
    )
