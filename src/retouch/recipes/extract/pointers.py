"""Parts of JSON values: those that match a pattern of JSON Pointers (RFC 6901), all scalars, a value without a part."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from retouch._lib.json_pointer import keys_of, pointer_of, value_at, with_value_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch._lib.json_text import JSON

ABSENT = object()
"""The result of looking up a part that does not exist; JSON's null is None."""


def part_at(value: JSON, pointer: str) -> JSON | object:
    """Return the part of `value` at `pointer`, or `ABSENT`."""
    found = value_at(value, pointer)
    return found[0] if found else ABSENT


def parts_matching(value: JSON, pattern: str) -> Iterator[tuple[str, JSON]]:
    """Yield the pointers and parts that match `pattern`, in which `*` matches every element or property."""
    yield from _matching(value, keys_of(pattern), ())


def parts_lacking(value: JSON, pattern: str) -> Iterator[str]:
    """Yield the pointers of the parts that elements lack which `*` of `pattern` stands for.

    For example, `/items/1/amount` for `/items/*/amount`, if the second item has no amount. An absent array has no
    elements.
    """
    before, star, after = pattern.rpartition("/*")
    for pointer, one in parts_matching(value, before + star) if star else [("", value)]:
        if part_at(one, after) is ABSENT:
            yield pointer + after
    if star and "/*" in before:
        yield from parts_lacking(value, before)


def without_part(value: JSON, pointer: str) -> JSON:
    """Return a copy of `value` without the property or element at `pointer`, which must exist."""
    *above, last = keys_of(pointer)
    parent = part_at(value, pointer_of(above))
    if isinstance(parent, dict):
        left: JSON = {name: one for name, one in cast("dict[str, JSON]", parent).items() if name != last}
    else:
        items = cast("list[JSON]", parent)
        left = [*items[: int(last)], *items[int(last) + 1 :]]
    return with_value_at(value, pointer_of(above), left)


def scalars(value: JSON, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str, JSON]]:
    """Yield every text and number of `value` with its JSON Pointer. Booleans and nulls are left out."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from scalars(one, (*at, name))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from scalars(one, (*at, index))
    elif value is not None and not isinstance(value, bool):
        yield pointer_of(at), value


def _matching(value: JSON, parts: Sequence[str], at: tuple[str | int, ...]) -> Iterator[tuple[str, JSON]]:
    if not parts:
        yield pointer_of(at), value
        return
    first, rest = parts[0], parts[1:]
    if first == "*":
        children: Iterable[tuple[str | int, JSON]] = ()
        if isinstance(value, dict):
            children = value.items()
        elif isinstance(value, list):
            children = enumerate(value)
        for name, one in children:
            yield from _matching(one, rest, (*at, name))
        return
    found = part_at(value, pointer_of([first]))
    if found is not ABSENT:
        yield from _matching(cast("JSON", found), rest, (*at, first))
