"""Automatic fixes of values that almost satisfy a schema: no call, no guess.

A fix is applied only if the value then violates the schema less often, and nothing else changes. What can lose or
change information is no fix: the model is called again.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from math import isfinite
from typing import TYPE_CHECKING, cast

from retouch._lib.json_pointer import keys_of, pointer_of, with_value_at
from retouch.recipes.extract.pointers import ABSENT, part_at, without_part
from retouch.text import is_same_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.extract.schemas import AnswerShape, SchemaError

_ROUNDS = 8
_DIGITS = 1_000  # Python reads no integer of more than 4,300
_CLOSE = 0.8  # of difflib: "amuont" and "amount" have 0.83
_INTEGER = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?")
_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_NAMED_DATE = re.compile(r"(?:(\d{1,2})\.? ([A-Za-z]{3,9})|([A-Za-z]{3,9})\.? (\d{1,2})),? (\d{4})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONG_MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_NEW_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])[\s_-](?=[^\W_])|(?<=[^\W_])[\s_-](?=[^\W\d_])|(?<=\w)\s+(?=\w)")
_BOOLEANS = {"true": True, "false": False, "yes": True, "no": False}


def fixed(value: JSON, shape: AnswerShape) -> JSON:
    """Return `value` with automatic fixes, or `value` itself if there are none.

    Fixed are: numbers and booleans written as text, integers where the schema wants text, a null where a property is
    optional, another spelling of an enum's value or of a property's name, properties that the schema forbids, dates
    whose order is certain, and blanks around text.
    """
    errors = shape.errors(value)
    for _ in range(_ROUNDS):
        in_order = sorted(errors, key=lambda error: error.keyword != "required")  # rename before removing
        tried = (one for error in in_order for one in _candidates(value, error, shape.property_names))
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


def _candidates(value: JSON, error: SchemaError, known: frozenset[str]) -> Iterator[JSON]:
    part = part_at(value, error.pointer)
    if error.keyword in {"additionalProperties", "unevaluatedProperties"}:
        yield from _without_unexpected(value, error)
        return
    if error.keyword == "required":
        yield from _renamed(value, error, known)
        return
    if part is ABSENT:
        return
    for one in _spellings(cast("JSON", part), error):
        yield with_value_at(value, error.pointer, one)
    if part is None and _is_property(value, error.pointer, known):
        yield without_part(value, error.pointer)


def _is_property(value: JSON, pointer: str, known: frozenset[str]) -> bool:
    """Return whether a part is a property that the schema names. Elements of arrays and keys of maps are data."""
    *above, last = keys_of(pointer) or [""]
    return last in known and isinstance(part_at(value, pointer_of(above)), dict)


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
    if error.keyword == "type" and isinstance(part, int) and not isinstance(part, bool):
        yield str(part)  # of a number with a fraction the spelling is lost, for example 3.10


def _typed(text: str) -> Iterator[JSON]:
    if _INTEGER.fullmatch(text) and len(text) <= _DIGITS:
        yield int(text)
    elif _NUMBER.fullmatch(text) and len(text) <= _DIGITS:
        number = float(text)
        if isfinite(number) and Decimal(repr(number)) == Decimal(text):  # else digits are lost
            yield number
    elif text.lower() in _BOOLEANS:
        yield _BOOLEANS[text.lower()]


def _enum_spelling(text: str, error: SchemaError) -> Iterator[JSON]:
    options = error.schema.get("enum")
    texts = [one for one in options if isinstance(one, str)] if isinstance(options, list) else []
    same = [one for one in texts if _is_spelling(one, text)]
    if len(same) == 1:
        yield same[0]


def _without_unexpected(value: JSON, error: SchemaError) -> Iterator[JSON]:
    """Yield the value without a property that the schema forbids, or with its name as the schema spells it.

    A property that may be a misspelt one stays.
    """
    parent, properties = part_at(value, error.pointer), error.schema.get("properties")
    known = list(properties) if isinstance(properties, dict) else []
    for name in error.names if isinstance(parent, dict) else ():
        given = cast("dict[str, JSON]", parent)
        same = [one for one in known if _is_spelling(one, name)]
        if len(same) == 1 and [name] == [one for one in given if _is_spelling(one, name)]:
            yield with_value_at(value, error.pointer, _with_name(given, name, same[0]))
        elif any(is_same_json(given[name], given[one]) for one in same if one in given) or not (
            same or _is_misspelt(name, [one for one in known if one not in given])
        ):
            yield without_part(value, pointer_of([*keys_of(error.pointer), name]))


def _is_misspelt(name: str, absent: Sequence[str]) -> bool:
    """Return whether a property may be one of those that are absent."""
    return bool(get_close_matches(_letters(name), map(_letters, absent), 1, _CLOSE))


def _renamed(value: JSON, error: SchemaError, known: frozenset[str]) -> Iterator[JSON]:
    """Yield the value with the name of a missing property for another spelling of it that the schema does not have."""
    *above, wanted = keys_of(error.pointer)
    parent = part_at(value, pointer_of(above))
    if not isinstance(parent, dict):
        return
    names = [name for name in cast("dict[str, JSON]", parent) if name != wanted and _is_spelling(name, wanted)]
    if len(names) == 1 and names[0] not in known:
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


def _is_spelling(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold() or _plain(one) == _plain(other)


def _plain(text: str) -> str:
    """Return a spelling without case, in which a blank, hyphen or underscore inside of words is a blank.

    Any other sign has a meaning: "A-" is not "A", "-1" not "1", "re-signed" not "resigned".
    """
    words = _NEW_WORD.sub(" ", text.strip())
    return _BETWEEN_WORDS.sub(" ", words).casefold()


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
