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
_SHORT = {"q": "quarter", "y": "year", "m": "month", "d": "day", "w": "week", "v": "version", "h": "hour"}


def name_of(pieces: Sequence[Piece], at: int, values: Sequence[str], kind: str, parent: str) -> str:
    """Return a name for the column at `pieces[at]`, or "" if nothing suggests one. `parent` is the fixed directory
    above.
    """
    before = pieces[at - 1] if at else None
    slot = pieces[at]
    lead = slot.lead if isinstance(slot, Slot) and slot.optional else before.text if isinstance(before, Fixed) else ""
    if word := _LAST_WORD.search(lead):
        found = as_name(word[1])
        return _SHORT.get(found, found)
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
