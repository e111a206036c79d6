"""Finds the value of a directory again in a later part of a path, as in `db-01/weekly/db-01-orders.sql`.

Only values with separators inside are looked for, because others are found without their repetition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.rule.detecting.columns import Slot
from retouch.recipes.rule.detecting.patterns import quoted, quoted_in_set

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.recipes.rule.detecting.columns import Column, Piece

Texts: TypeAlias = "tuple[str, ...]"
_WORD = re.compile("[A-Za-z]")
_SEPARATOR = re.compile("[^0-9A-Za-z]")


def cut_at_repeats(values: Texts, earlier: Sequence[Texts], cut: Callable[..., list[Piece]]) -> list[Piece]:
    """Return the pieces of `values`, which are cut by `cut` around each text of an `earlier` part that all repeat."""
    for texts in sorted(earlier, key=lambda one: -sum(map(len, one))):
        around = _around(values, texts)
        if around is None:
            continue
        before, after = around
        marks = {one[:1] for one in after}
        rest = [one for one in earlier if one is not texts]
        mark = marks.pop() if len(marks) == 1 else ""
        ends = {one[-1:] for one in before}
        beside = ends.pop() if len(ends) == 1 and not any(map(_SEPARATOR.search, texts)) else ""
        middle = Slot(values=texts, apart=f"{mark}{beside}" if beside != mark else mark, form=_form(texts, mark))
        left = cut_at_repeats(before, rest, cut) if all(before) else []
        return [*left, middle, *(cut_at_repeats(after, rest, cut) if all(after) else [])]
    return cut(values)


def _form(texts: Texts, mark: str) -> str:
    """Return the pattern of texts that all hold the separator after them as often, or "" if they do not."""
    counts = {text.count(mark) for text in texts} if mark and not mark.isalnum() else {0}
    if len(counts) > 1 or counts == {0} or not all(map(all, (text.split(mark) for text in texts))):
        return ""
    return quoted(mark).join([f"[^{quoted_in_set(mark)}]+"] * (counts.pop() + 1))


def can_repeat(values: Texts) -> bool:
    """Return whether values of a directory are looked for in later parts: they vary, and some have a separator."""
    return len({*values}) > 1 and all(map(_WORD.search, values))


def is_repeated(values: Texts, later: Sequence[str]) -> bool:
    """Return whether varying texts are all repeated in the later parts of their paths."""
    return can_repeat(values) and all(_place(part, text) >= 0 for part, text in zip(later, values, strict=True))


def repeats_directory(column: Column, earlier: Sequence[Texts], columns: Sequence[Column]) -> bool:
    """Return whether a value of the file name is the name of a directory whose parts are other columns."""
    alone = all(one.source == "filename" or one.values != column.values for one in columns)
    return column.source == "filename" and alone and any(one == column.values for one in earlier)


def _around(values: Texts, texts: Texts) -> tuple[Texts, Texts] | None:
    """Return what is before and after the text in each value, or None if one lacks it, or only some have more."""
    places = [_place(value, text) for value, text in zip(values, texts, strict=True)]
    if -1 in places:
        return None
    rows = list(zip(values, texts, places, strict=True))
    before = tuple(value[:at] for value, _, at in rows)
    after = tuple(value[at + len(text) :] for value, text, at in rows)
    if any({bool(one) for one in side} == {True, False} for side in (before, after)) or not any((*before, *after)):
        return None
    return before, after


def _place(value: str, text: str) -> int:
    """Return where a value has a text between separators, or -1."""
    at = value.find(text)
    end = at + len(text)
    inside = value[max(at - 1, 0) : at].isalnum() or value[end : end + 1].isalnum()
    return -1 if inside else at
