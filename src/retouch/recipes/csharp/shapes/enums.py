"""The values of enums and the names of their members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.csharp.shapes.shape import Kind, ProposedValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch._lib.json_text import JSON

NAME_LISTS = ("x-enumNames", "x-enum-varnames", "x-enum-names", "x-enumnames")
_NOTHING: tuple[tuple[ProposedValue, ...], bool, tuple[str, ...]] = ((), False, ())


def values_of(value: dict[str, JSON], kinds: Sequence[Kind]) -> tuple[tuple[ProposedValue, ...], bool, tuple[str, ...]]:
    """Return the values of `enum` or `const` (without null and repetitions), whether null is among them, and notes.

    Values of another type than the schema's are converted if that loses nothing (`1` under `type: string`). Otherwise
    there are no values, and a note explains it.
    """
    listed = value.get("enum")
    hints = _hints(value)
    if "const" in value and not isinstance(listed, list):
        title = value.get("title")
        listed, hints = [value["const"]], {0: title} if isinstance(title, str) else hints
    if not isinstance(listed, list):
        return _NOTHING
    found: dict[tuple[type, JSON], ProposedValue] = {}
    for index, item in enumerate(listed):
        if item is None:
            continue
        fitted = _fitted(item, kinds)
        if not isinstance(fitted, (str, int, float)):
            return (), None in listed, (f"enum values of another type: {item!r}"[:80],)
        found.setdefault((type(fitted), fitted), ProposedValue(value=fitted, hint=hints.get(index, "")))
    return tuple(found.values()), None in listed, ()


def _fitted(item: JSON, kinds: Sequence[Kind]) -> JSON:
    kind = kinds[0] if len(kinds) == 1 else None
    if kind == "string" and not isinstance(item, (str, dict, list)):
        return str(item).lower() if isinstance(item, bool) else str(item)
    if kind == "integer" and isinstance(item, str):
        return int(item) if item.lstrip("-").isdecimal() and item.isascii() else None
    if kind == "integer" and (isinstance(item, bool) or (isinstance(item, float) and not item.is_integer())):
        return None
    if kind == "integer" and isinstance(item, float):
        return int(item)
    return item


def _hints(value: dict[str, JSON]) -> dict[int, str]:
    """Return the names that the document proposes, by index. Lists of names may omit null."""
    listed = value.get("enum")
    if not isinstance(listed, list):
        return {}
    for key in NAME_LISTS:
        names = value.get(key)
        if isinstance(names, list):
            indexes = [index for index, item in enumerate(listed) if item is not None or len(names) == len(listed)]
            return {index: name for index, name in zip(indexes, names, strict=False) if isinstance(name, str)}
    named = value.get("x-ms-enum")
    rows = named.get("values") if isinstance(named, dict) else None
    if not isinstance(rows, list):
        return {}
    by_value = {str(row.get("value")): row.get("name") for row in rows if isinstance(row, dict)}
    hints = {index: by_value.get(str(item)) for index, item in enumerate(listed)}
    return {index: name for index, name in hints.items() if isinstance(name, str)}
