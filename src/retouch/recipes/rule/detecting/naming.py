"""Names for columns, from the text around them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot
from retouch.recipes.rule.language.names import as_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Column, Piece

_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_LAST_WORD = re.compile(r"([A-Za-z][A-Za-z0-9]*?)[0-9]*[^A-Za-z0-9]*\Z")
_USUAL = {"filename": "name", "full_path": "part", "rel_path": "below"}
_BY_KIND = {"year": "year", "day_of_year": "day_of_year", "stamp": "timestamp", "month": "month"}
_SHORT = {"q": "quarter", "y": "year", "m": "month", "d": "day", "w": "week", "v": "version", "h": "hour"}


def name_of(pieces: Sequence[Piece], at: int, values: Sequence[str], kind: str, parent: str) -> str:
    """Return a name for the column at `pieces[at]`, or "" if nothing suggests one. `parent` is the fixed directory
    above.
    """
    before = pieces[at - 1] if at else None
    slot = pieces[at]
    if isinstance(slot, Slot) and slot.kind == "key" and isinstance(before, Fixed):
        return as_name(before.text[:-1])
    if isinstance(slot, Slot) and slot.kind in _BY_KIND:
        return _BY_KIND[slot.kind]
    lead = slot.lead if isinstance(slot, Slot) and slot.optional else before.text if isinstance(before, Fixed) else ""
    if word := _LAST_WORD.search(lead):
        found = as_name(word[1])
        return _SHORT.get(found, found) if _is_usual(found, values) else found
    if kind == "date":
        return "date"
    if kind == "uuid":
        return "id"
    if kind == "integer" and all(_YEAR.fullmatch(value) for value in values):
        return "year"
    if at and at == len(pieces) - 1 and isinstance(before, Fixed) and before.text == "." and _are_endings(values):
        return "ext"
    if len(pieces) == 1 and parent:
        return _singular(as_name(parent))
    return ""


def _is_usual(letter: str, values: Sequence[str]) -> bool:
    """Return whether the values can be what a single letter usually means, for example the hours of a day."""
    most = {"q": 4, "m": 12, "d": 31, "w": 53, "h": 23}.get(letter)
    return most is None or all(value.isdigit() and int(value) <= most for value in values)


def _are_endings(values: Sequence[str]) -> bool:
    return all(value.isalnum() and not value.isdigit() and len(value) <= 8 for value in values)


def _singular(name: str) -> str:
    if name.endswith("ies") and len(name) > 4:
        return f"{name[:-3]}y"
    return name[:-1] if name.endswith("s") and not name.endswith(("ss", "us", "is")) and len(name) > 3 else name


def with_unique_names(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns with unique names. Unnamed columns are numbered."""
    taken: set[str] = set()
    done: list[Column] = []
    for column in columns:
        usual = f"folder_{abs(column.source + 1)}" if isinstance(column.source, int) else _USUAL[column.source]
        base = column.name or usual
        name = base
        number = 2
        while name in taken:
            name = f"{base}_{number}"
            number += 1
        taken.add(name)
        done.append(replace(column, name=name))
    return tuple(done)
