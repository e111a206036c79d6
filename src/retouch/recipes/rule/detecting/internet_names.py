"""Keeps names of hosts such as `www.example.com`, and of packages such as `com.example.app`, as one value.

Their points separate no values, whatever is before and after the name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.codes import COUNTRIES
from retouch.recipes.rule.detecting.columns import Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Column, Kind, Piece
    from retouch.recipes.rule.detecting.uneven import Cut

_SURE = ("com", "org", "net", "edu", "gov", "io", "dev", "local", "internal", "lan", "corp")
_TOPS = "|".join((*_SURE, "eu", "uk", "info", "biz", "app", "cloud", "tech", *sorted(map(str.lower, COUNTRIES))))
_WORD = "[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?"
_HOST = re.compile(rf"(?<![0-9A-Za-z.@_-])(?:(?:{_WORD}\.)+(?:{_TOPS})|localhost)(?![0-9A-Za-z])")
_SURE_HOST = re.compile(rf"www\..+|.+\.(?:{'|'.join(_SURE)})|.+\..+\.[a-z]{{2}}")
_PART = r"\.[A-Za-z$][0-9A-Za-z$]*"
_PACKAGE = re.compile(rf"(?<![0-9A-Za-z.])(?:{_TOPS})(?:{_PART})+")
_PACKAGE_OF_WORDS = re.compile(rf"(?<![0-9A-Za-z.])(?:{_TOPS})(?:{_PART}(?:_[a-z][0-9a-z]*)*)+")
_SURE_PACKAGE = re.compile(r"(?:com|org|net|io|edu|gov|de|uk)\..+\..+")
_SHARED_WORD = re.compile("[A-Za-z]+-")
_FIRST_LABEL = re.compile(r"(?!www[0-9]*\.)[A-Za-z]{3,}[0-9]*\.(?=.+\.)")  # of `awstats082023.www.example.com`
_FIRST = 3  # words of a package that others have too
_MOST = 0.5  # of the names must be sure ones


def by_internet_names(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut around the first name of a package, or of a host, that each value has."""
    for forms, sure, kind in _KINDS:
        tokens = next((found for form in forms if (found := _tokens(values, form))), None)
        if tokens is None or not _are_likely([token for _, token, _ in tokens], sure):
            continue
        before, names, after = (tuple(part) for part in zip(*tokens, strict=True))
        before, names = _without_shared(before, names, _SHARED_WORD)
        if kind == "host":
            before, names = _without_shared(before, names, _FIRST_LABEL)
        if any(any(texts) and not all(texts) for texts in (before, after)):
            continue
        return [*cut(before), Slot(values=names, kind=kind), *cut(after, apart=apart)]
    return None


_KINDS: tuple[tuple[tuple[re.Pattern[str], ...], re.Pattern[str], Kind], ...] = (
    ((_PACKAGE, _PACKAGE_OF_WORDS), _SURE_PACKAGE, "package"),
    ((_HOST,), _SURE_HOST, "host"),
)


def _tokens(values: Sequence[str], form: re.Pattern[str]) -> list[tuple[str, str, str]] | None:
    """Return each value as the text before the name, the name, and the text after it, or None if one has no name, or
    the texts after begin in different ways.
    """
    found = [form.search(value) for value in values]
    rows = [(one.string[: one.start()], one[0], one.string[one.end() :]) for one in found if one is not None]
    beginnings = {(after[:1], after[1:2].isdigit()) for _, _, after in rows}
    return rows if len(rows) == len(values) and len(beginnings) == 1 else None


def _are_likely(names: Sequence[str], sure: re.Pattern[str]) -> bool:
    """Return whether names vary, and most of them are hardly anything else."""
    return len({*names}) > 1 and sum(sure.fullmatch(name) is not None for name in names) > _MOST * len(names)


def _without_shared(
    before: tuple[str, ...], names: tuple[str, ...], form: re.Pattern[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts before names and the names, with what all names begin with by its letters before them."""
    found = [form.match(name) for name in names]
    starts = [one[0] for one in found if one is not None]
    if len(starts) < len(names) or len({start.rstrip(".-").rstrip("0123456789") for start in starts}) > 1:
        return before, names
    moved = tuple(f"{one}{start}" for one, start in zip(before, starts, strict=True))
    return moved, tuple(name.removeprefix(start) for name, start in zip(names, starts, strict=True))


def parts_of_name(column: Column) -> list[tuple[str, ...]]:
    """Return the values of a column, or, of names of packages, what they begin with and the rest: a name costs what
    its parts do.
    """
    values = tuple(value or "" for value in column.values)
    if column.slot is None or column.slot.kind != "package":
        return [values]
    rows = [value.split(".") for value in values]
    return [tuple(".".join(row[:_FIRST]) for row in rows), tuple(".".join(row[_FIRST:]) for row in rows)]
