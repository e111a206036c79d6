"""Automatic fixes of values that almost satisfy a schema: no call, no guess.

A fix is taken only if the value then violates the schema less often, and nothing else changes.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, cast

from retouch._lib.json_pointer import keys_of, pointer_of, with_value_at
from retouch.recipes.extract.pointers import ABSENT, part_at, without_part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch._lib.json_text import JSON
    from retouch.recipes.extract.schemas import AnswerShape, SchemaError

_ROUNDS = 8
_INTEGER = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?")
_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_NAMED_DATE = re.compile(r"(?:(\d{1,2})\.? ([A-Za-z]{3,9})|([A-Za-z]{3,9})\.? (\d{1,2})),? (\d{4})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONG_MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_BOOLEANS = {"true": True, "false": False, "yes": True, "no": False}


def fixed(value: JSON, shape: AnswerShape) -> JSON:
    """Return `value` with automatic fixes, or `value` itself if there are none.

    Fixed are: numbers and booleans written as text, numbers where the schema wants text, a null where a property is
    optional, another spelling of an enum's value or of a property's name, properties that the schema forbids, dates
    whose order is certain, and blanks around text.
    """
    errors = shape.errors(value)
    for _ in range(_ROUNDS):
        in_order = sorted(errors, key=lambda error: error.keyword != "required")  # rename before removing
        tried = (one for error in in_order for one in _candidates(value, error))
        better = next((one for one in tried if _is_better(one, errors, shape)), ABSENT)
        if better is ABSENT:
            return value
        value = cast("JSON", better)
        errors = shape.errors(value)
        if not errors:
            return value
    return value


def _is_better(value: JSON, before: list[SchemaError], shape: AnswerShape) -> bool:
    return len(shape.errors(value)) < len(before)


def _candidates(value: JSON, error: SchemaError) -> Iterator[JSON]:
    part = part_at(value, error.pointer)
    if error.keyword in {"additionalProperties", "unevaluatedProperties"}:
        yield from _without_unexpected(value, error)
        return
    if error.keyword == "required":
        yield from _renamed(value, error)
        return
    if part is ABSENT:
        return
    for one in _spellings(cast("JSON", part), error):
        yield with_value_at(value, error.pointer, one)
    if part is None and error.pointer:
        yield without_part(value, error.pointer)


def _spellings(part: JSON, error: SchemaError) -> Iterator[JSON]:
    if isinstance(part, str):
        text = part.strip()
        if error.keyword == "type":
            yield from _typed(text)
        elif error.keyword == "enum":
            yield from _enum_spelling(text, error)
        elif error.keyword == "format" and error.schema.get("format") == "date":
            yield from _iso_dates(text)
        if text != part:
            yield text
    elif error.keyword == "type" and isinstance(part, float) and part.is_integer():
        yield int(part)
    if error.keyword == "type" and isinstance(part, (int, float)) and not isinstance(part, bool):
        yield str(part)


def _typed(text: str) -> Iterator[JSON]:
    if _INTEGER.fullmatch(text):
        yield int(text)
    elif _NUMBER.fullmatch(text):
        yield float(text)
    elif text.lower() in _BOOLEANS:
        yield _BOOLEANS[text.lower()]


def _enum_spelling(text: str, error: SchemaError) -> Iterator[JSON]:
    options = error.schema.get("enum")
    texts = [one for one in options if isinstance(one, str)] if isinstance(options, list) else []
    same = [one for one in texts if _plain(one) == _plain(text)]
    if len(same) == 1:
        yield same[0]


def _without_unexpected(value: JSON, error: SchemaError) -> Iterator[JSON]:
    """Yield the value without a property that the schema forbids, or with its name as the schema spells it."""
    parent, known = part_at(value, error.pointer), error.schema.get("properties")
    for name in error.names if isinstance(parent, dict) else ():
        given = cast("dict[str, JSON]", parent)
        same = [one for one in known if _plain(one) == _plain(name)] if isinstance(known, dict) else []
        if not same or given.get(same[0], ABSENT) == given[name]:
            yield without_part(value, pointer_of([*keys_of(error.pointer), name]))
        elif len(same) == 1 and [name] == [one for one in given if _plain(one) == _plain(name)]:
            yield with_value_at(value, error.pointer, _with_name(given, name, same[0]))


def _renamed(value: JSON, error: SchemaError) -> Iterator[JSON]:
    *above, wanted = keys_of(error.pointer)
    parent = part_at(value, pointer_of(above))
    if not isinstance(parent, dict):
        return
    names = [name for name in cast("dict[str, JSON]", parent) if name != wanted and _plain(name) == _plain(wanted)]
    if len(names) == 1:
        yield with_value_at(value, pointer_of(above), _with_name(cast("dict[str, JSON]", parent), names[0], wanted))


def _with_name(given: dict[str, JSON], name: str, wanted: str) -> JSON:
    return {wanted if one == name else one: value for one, value in given.items()}


def _iso_dates(text: str) -> Iterator[JSON]:
    if (found := _DATE.fullmatch(text)) is not None:
        yield from _date(int(found[1]), int(found[2]), int(found[3]))
    elif (found := _NAMED_DATE.fullmatch(text)) is not None:
        month = (found[2] or found[3]).lower()
        if month in _LONG_MONTHS or month in _MONTHS:
            yield from _date(int(found[5]), _MONTHS.index(month[:3]) + 1, int(found[1] or found[4]))


def _date(year: int, month: int, day: int) -> Iterator[JSON]:
    try:
        yield date(year, month, day).isoformat()
    except ValueError:
        return


def _plain(text: str) -> str:
    """Return a spelling without case, blanks, hyphens and underscores."""
    return re.sub(r"[\s_-]+", "", text).casefold()
