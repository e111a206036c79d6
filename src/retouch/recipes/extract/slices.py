"""Joins the answers to the slices of a long document.

The rows are those of all pages, in order. Every other part is what the pages state about it: a page that omits a
part, or returns it empty, states nothing. Pages that give different values for the same part are reported, not decided
upon.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from retouch._lib.json_pointer import keys_of, pointer_of, with_value_at
from retouch.recipes.extract.pointers import part_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON


@dataclass(frozen=True, kw_only=True)
class DifferentValue:
    """A part that is `value` on `own_page` (from 1), and `other` on `page`."""

    pointer: str
    own_page: int
    value: JSON
    page: int
    other: JSON


@dataclass(frozen=True, kw_only=True)
class JoinedPages:
    """The value of all pages, its quotations, the number of rows of each page, and where pages differ."""

    value: JSON
    quotes: Mapping[str, str]
    counts: tuple[int, ...]
    different: tuple[DifferentValue, ...]


def join_pages(pages: Sequence[tuple[JSON, Mapping[str, str]]], rows: str) -> JoinedPages:
    """Return the pages as one. Each is a value, which has an array at the JSON Pointer `rows`, and its quotations."""
    all_rows: list[JSON] = []
    counts: list[int] = []
    quotes: dict[str, str] = {}
    rest: list[tuple[int, JSON]] = []
    for page, (value, own_quotes) in enumerate(pages, 1):
        found = cast("list[JSON]", part_at(value, rows))
        for pointer, quote in own_quotes.items():
            quotes.setdefault(_moved(pointer, rows, by=len(all_rows)), quote)
        all_rows += found
        counts.append(len(found))
        rest.append((page, with_value_at(value, rows, [])))
    parts = _Parts()
    joined = with_value_at(parts.joined("", rest), rows, cast("JSON", all_rows))
    return JoinedPages(value=joined, quotes=quotes, counts=tuple(counts), different=tuple(parts.different))


@dataclass(kw_only=True)
class _Parts:
    """Joins values of several pages, and notes where they differ."""

    different: list[DifferentValue] = field(default_factory=list[DifferentValue])

    def joined(self, pointer: str, values: Sequence[tuple[int, JSON]]) -> JSON:
        """Return the one value of a part that pages give; the first of several, which are noted."""
        stated = [(page, value) for page, value in values if not _is_empty(value)]
        if not stated:
            return values[0][1]
        if all(isinstance(value, dict) for _, value in stated):
            return self._object(pointer, [(page, cast("dict[str, JSON]", value)) for page, value in stated])
        first_page, first = stated[0]
        others = [(page, value) for page, value in stated if not _is_same(value, first)]
        for page, value in others:
            self._note(pointer, (page, value), (first_page, first))
        if others:  # it is unknown which page is correct
            self._note(pointer, (first_page, first), others[0])
        return first

    def _object(self, pointer: str, values: Sequence[tuple[int, dict[str, JSON]]]) -> JSON:
        found: dict[str, JSON] = {}
        for name in _names(value for _, value in values):
            parts = [(page, value[name]) for page, value in values if name in value]
            found[name] = self.joined(pointer + pointer_of([name]), parts)
        return found

    def _note(self, pointer: str, own: tuple[int, JSON], other: tuple[int, JSON]) -> None:
        (own_page, value), (page, found) = own, other
        self.different.append(DifferentValue(pointer=pointer, own_page=own_page, value=value, page=page, other=found))


def _names(objects: Iterable[Mapping[str, JSON]]) -> list[str]:
    """Return the names of all objects, in the order in which they come first."""
    return list(dict.fromkeys(name for one in objects for name in one))


def _is_empty(value: JSON) -> bool:
    return value is None or value == "" or (isinstance(value, (list, dict)) and not value)


def _is_same(one: JSON, other: JSON) -> bool:
    """Return whether two values are the same in JSON, where true is not 1."""
    return one == other and isinstance(one, bool) is isinstance(other, bool)


def _moved(pointer: str, rows: str, *, by: int) -> str:
    """Return the JSON Pointer of a part of a row, where the row is in the array of all pages."""
    keys, above = keys_of(pointer), keys_of(rows)
    place = len(above)
    if keys[:place] != above or len(keys) <= place or not keys[place].isdecimal():
        return pointer
    return pointer_of([*above, int(keys[place]) + by, *keys[place + 1 :]])
