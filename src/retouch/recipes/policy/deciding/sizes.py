"""Measures values: the characters of a text, the items of a list, and whether an argument is given at all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from retouch.recipes.policy.resources.addresses import addresses_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import Limit

_PART = re.compile(r"[^\s,;|]+")


class Passes(NamedTuple):
    """Whether a value passes a test: certainly, possibly."""

    surely: bool
    possibly: bool


class SizeRange(NamedTuple):
    """A size that is certainly one of these."""

    least: int
    most: int


UNKNOWN = Passes(surely=False, possibly=True)


def judge_given(limit: Limit, value: JSON) -> Passes:
    """Return whether an argument is given, or left out, as a test wants. It is uncertain for an empty value."""
    if value in ("", [], {}):
        return UNKNOWN
    passed = (value is not None) is (limit.state == "present")
    return Passes(passed, passed)


def judge_sizes(limit: Limit, values: Iterable[tuple[JSON, str]]) -> Passes:
    """Return whether the sizes of values pass, each value with its role. Values that are None are left out.

    Each text has its own length. The items of all values are counted together.
    """
    given = [(value, role) for value, role in values if value is not None]
    if limit.size == "items":
        counts = [_items_in(value, role) for value, role in given]
        spans = [one for one in counts if one is not None]
        whole = SizeRange(sum(one.least for one in spans), sum(one.most for one in spans))
        return _within(limit, whole) if counts and len(spans) == len(counts) else UNKNOWN
    lengths = [length for value, _ in given for length in _lengths_in(value)]
    found = [UNKNOWN if one is None else _within(limit, SizeRange(one, one)) for one in lengths]
    return Passes(all(one.surely for one in found), any(one.possibly for one in found)) if found else UNKNOWN


def _lengths_in(value: JSON) -> Iterator[int | None]:
    """Yield the number of code points of each text. None for anything else."""
    for one in value if isinstance(value, list) else [value]:
        yield len(one) if isinstance(one, str) else None


def _items_in(value: JSON, role: str) -> SizeRange | None:
    """Return how many items a value has. None if it is neither a list nor a single item.

    A single text is one item, or as many as a program that splits it may see. Addresses are counted as mail programs
    read them.
    """
    if isinstance(value, (bool, dict)):
        return None
    if isinstance(value, list):
        if role != "email-address":
            return SizeRange(len(value), len(value))
        spans = [_items_in(one, role) if isinstance(one, str) else None for one in value]
        known = [one for one in spans if one is not None]
        return SizeRange(*(sum(one) for one in zip((0, 0), *known, strict=True))) if len(known) == len(spans) else None
    if not isinstance(value, str):
        return SizeRange(1, 1)
    if not value:
        return SizeRange(0, 0)
    if role == "email-address":
        found = addresses_in(value)
        return None if found is None else SizeRange(len(found), len(found))
    return SizeRange(1, max(1, len(_PART.findall(value))))


def _within(limit: Limit, span: SizeRange) -> Passes:
    """Return whether a size passes. The bounds of a test are the ends of one range of whole numbers."""
    near = {int(bound) + step for bound in limit.bounds for step in (-1, 0, 1)}
    found = [limit.admits(one) for one in {*span, *(one for one in near if span.least <= one <= span.most)}]
    return Passes(all(found), any(found))
