"""Compares JSON that was read and written again with the JSON that it was read from."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Collection

_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|z|[+-]\d\d:\d\d)?")
_PLACE = re.compile(r"Path: (\$.*?) \| LineNumber|^(\$.*?): ")
_EXACT_DIGITS = 17  # a double has as many


def first_difference(before: Any, after: Any, omittable: Collection[str], where: str = "$") -> str:
    """Return what was lost or changed, such as "$.id: 1 became 2", or "" if both mean the same.

    Numbers are compared by value, times by instant and offset, GUIDs without case. A property that was absent may be
    null afterwards if its name is in `omittable`.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        return _of_objects(cast("dict[str, Any]", before), cast("dict[str, Any]", after), omittable, where)
    if isinstance(before, list) and isinstance(after, list):
        old, new = cast("list[Any]", before), cast("list[Any]", after)
        if len(old) != len(new):
            return f"{where}: {len(old)} elements became {len(new)}"
        pairs = enumerate(zip(old, new, strict=True))
        found = (first_difference(one, other, omittable, f"{where}[{index}]") for index, (one, other) in pairs)
        return next(filter(None, found), "")
    return "" if _same(before, after) else f"{where}: {before!r} became {after!r}"[:300]


def is_excused(problem: str, contradicts: Collection[str]) -> bool:
    """Return whether a problem is at a place of an example that its own schema does not allow, or around one.

    `contradicts` are JSON Pointers. An exception that names no place does not depend on the example.
    """
    found = _PLACE.search(problem)
    if found is None:
        return False
    place = found[1] or found[2]
    wrong = ("$" + "".join(map(_step, pointer.split("/")[1:])) for pointer in contradicts)
    return any(_is_inside(place, one) or _is_inside(one, place) for one in wrong)


def _step(token: str) -> str:
    return f"[{token}]" if token.isdecimal() else f".{token}"


def _is_inside(place: str, other: str) -> bool:
    return place == other or place.startswith((f"{other}.", f"{other}["))


def _of_objects(before: dict[str, Any], after: dict[str, Any], omittable: Collection[str], where: str) -> str:
    for name in before:
        if name not in after:
            return f"{where}.{name}: it was lost"
    for name, value in after.items():
        if name not in before and not (value is None and name in omittable):
            return f"{where}.{name}: it was absent and became {value!r}"[:300]
    found = (first_difference(before[name], after[name], omittable, f"{where}.{name}") for name in before)
    return next(filter(None, found), "")


def _same(before: Any, after: Any) -> bool:
    if isinstance(before, bool) or isinstance(after, bool) or before is None or after is None:
        return before is after
    if isinstance(before, (int, Decimal)) and isinstance(after, (int, Decimal)):
        is_exact = isinstance(before, int) or _digits(before) > _EXACT_DIGITS
        return before == after or (not is_exact and float(before) == float(after))
    if isinstance(before, str) and isinstance(after, str):
        return before == after or _moment(before) == _moment(after) != "" or _is_same_guid(before, after)
    return False


def _digits(number: Decimal) -> int:
    return len(number.normalize().as_tuple().digits)


def _moment(text: str) -> str:
    """Return a time with offset in one spelling, or "" if the text is none."""
    found = _TIME.fullmatch(text)
    if found is None:
        return ""
    offset = found[3] or ""
    offset = "+00:00" if offset in {"Z", "z"} else offset
    return f"{datetime.fromisoformat(found[1]).isoformat()}.{(found[2] or '').rstrip('0')}{offset}"


def _is_same_guid(before: str, after: str) -> bool:
    return bool(re.fullmatch(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", before)) and (
        before.lower() == after.lower()
    )
