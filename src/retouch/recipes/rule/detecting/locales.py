"""Keeps locales such as `pt_BR`, `zh-Hans` and `de` as one value, and cuts at them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.codes import LANGUAGES
from retouch.recipes.rule.detecting.columns import Slot

if TYPE_CHECKING:
    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.detecting.uneven import Cut

_LOCALE = re.compile(r"[a-z]{2,3}(?:([-_])[A-Z][a-z]{3})?(?:[-_](?:[A-Z]{2}|[0-9]{3}))?(?:@[a-z]+)?")
_SHORT_LOCALE = 3  # letters of a locale without a country or script


def by_locale(values: tuple[str, ...], apart: str) -> list[Piece] | None:
    """Keep locales such as pt_BR, zh-Hans and de as they are, if some have a country or script and some may not."""
    if not all(map(_LOCALE.fullmatch, values)) or not any(len(value) > _SHORT_LOCALE for value in values):
        return None
    return [Slot(values=values, apart=apart, kind="locale")]


_LOCALE_WITHIN = re.compile(r"(?<![0-9A-Za-z])([a-z]{2})((?:[-_][A-Z][a-z]{3})?(?:[-_][A-Z]{2})?)(?![0-9A-Za-z])")


def by_locale_within(values: tuple[str, ...], apart: str, cut: Cut) -> list[Piece] | None:
    """Cut at the one locale that each value has between separators, if some have a country or script."""
    rows = [[hit for hit in _LOCALE_WITHIN.finditer(value) if hit[1] in LANGUAGES] for value in values]
    if any(len(row) != 1 for row in rows) or not any(row[0][2] for row in rows):
        return None
    before = tuple(value[: row[0].start()] for value, row in zip(values, rows, strict=True))
    after = tuple(value[row[0].end() :] for value, row in zip(values, rows, strict=True))
    if any({bool(text) for text in texts} == {True, False} for texts in (before, after)):
        return None
    locale = Slot(values=tuple(row[0][0] for row in rows), kind="locale")
    return [*cut(before), locale, *cut(after, apart=apart)]
