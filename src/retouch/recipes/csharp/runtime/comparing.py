"""Compares JSON that was read and written again with the JSON that it was read from."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from retouch._lib.json_text import JSON

_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|z|[+-]\d\d:\d\d)?")
_MISSING = re.compile(r"missing required properties including: (('[^']*'(?:, )?)+)")
_PLACE = re.compile(
    r"Path: (\$.*?) \| LineNumber|^(\$(?:\.[^\s.:\[\]']+|\[\d+\]|\['.*?'\])*): |\(at (\$.*)\)$", re.DOTALL
)
_STEP = re.compile(r"\.([^.\[\]']+)|\[(\d+)\]|\['(.*?)'\]", re.DOTALL)
_PLAIN_NAME = re.compile(r"[^\s.:\[\]']+")
_LONGEST = 300  # characters of one difference
_EXACT_DIGITS = 17  # a double has as many


def differences(before: Any, after: Any, omittable: Collection[str], where: str = "$") -> Iterator[str]:
    """Yield what was lost or changed, such as "$.id: 1 became 2". Nothing is yielded if both mean the same.

    Numbers are compared by value, times by instant and offset, GUIDs without case. A property that was absent may be
    null afterwards if its name is in `omittable`.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_objects(cast("dict[str, Any]", before), cast("dict[str, Any]", after), omittable, where)
    elif isinstance(before, list) and isinstance(after, list):
        old, new = cast("list[Any]", before), cast("list[Any]", after)
        if len(old) != len(new):
            yield f"{where}: {len(old)} elements became {len(new)}"
        for index, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from differences(one, other, omittable, f"{where}[{index}]")
    elif not _same(before, after):
        yield f"{where}: {before!r} became {after!r}"[:_LONGEST]


def is_excused(problem: str, contradicts: Collection[str], example: JSON) -> bool:
    """Return whether a problem is at a place of an example that its own schema does not allow, or inside of one.

    `contradicts` are JSON Pointers. An exception about missing properties is excused if the example lacks each
    of them in the object that was read, against its own schema. The same name in another object excuses nothing.
    One about a discriminator is excused if a property of the object is invalid.
    A problem without a place is never excused.
    """
    found = _PLACE.search(problem)
    if found is None:
        return False
    place = _tokens(found[1] or found[2] or found[3])
    wrong = {tuple(pointer.split("/")[1:]) for pointer in contradicts}
    if any(place[: len(one)] == one for one in wrong):
        return True
    missing = _MISSING.search(problem)
    if missing is not None:
        names: list[str] = re.findall(r"'([^']*)'", missing[1])
        read = _at(example, place)
        return bool(names) and isinstance(read, dict) and all((*place, n) in wrong and n not in read for n in names)
    return "type discriminator" in problem and any(one[:-1] == place for one in wrong)


def _tokens(place: str) -> tuple[str, ...]:
    """Return the names and indexes of a place, such as `$.rows[0]['a b']`."""
    return tuple(one[1] or one[2] or one[3] or "" for one in _STEP.finditer(place))


def _at(value: JSON, tokens: tuple[str, ...]) -> JSON:
    for token in tokens:
        if isinstance(value, dict):
            value = value.get(token)
        elif isinstance(value, list) and token.isdecimal() and int(token) < len(value):
            value = value[int(token)]
        else:
            return None
    return value


def _of_objects(before: dict[str, Any], after: dict[str, Any], omittable: Collection[str], where: str) -> Iterator[str]:
    for name in before:
        if name not in after:
            yield f"{_member(where, name)}: it was lost"
    for name, value in after.items():
        if name not in before and not (value is None and name in omittable):
            yield f"{_member(where, name)}: it was absent and became {value!r}"[:_LONGEST]
    for name, value in before.items():
        if name in after:
            yield from differences(value, after[name], omittable, _member(where, name))


def _member(where: str, name: str) -> str:
    return f"{where}.{name}" if _PLAIN_NAME.fullmatch(name) else f"{where}['{name}']"


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
