"""Finds the type and the format in which a text has a value that the user expects."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from retouch.recipes.rule.detecting.patterns import STAMP_FORMS
from retouch.recipes.rule.language.dates import EPOCHS, date_reader, timestamp_reader, usual_date
from retouch.recipes.rule.language.values import real, uuid

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.language.values import FieldType

    Kind: TypeAlias = tuple[FieldType, str | None]
    """A type and a format of its texts."""

_FORMATS = (
    *(f"%Y{mark}%j" for mark in ("", ".", "-", "_")),
    "%y%j",
    "%d%b%Y",
    *(f"{first}{mark}{then}{mark}%Y" for mark in ("-", ".", "_", "") for first, then in (("%d", "%m"), ("%m", "%d"))),
    "%y%m%d",
)
_DATE: FieldType = "date"
_TIME: FieldType = "timestamp"
_KINDS: tuple[Kind, ...] = (
    ("string", None),
    ("integer", None),
    ("date", None),
    ("uuid", None),
    ("float", None),
    *((_DATE, form) for form in _FORMATS),
)
_TIMES: tuple[Kind, ...] = (
    ("string", None),
    *((_TIME, form) for form in STAMP_FORMS),
    *((_TIME, form) for form in ("%Y%m%dT%H%M%SZ", "%Y%m%dT%H%MZ", "%Y-%m-%dT%H-%M-%SZ", "%Y-%m-%dT%H:%M:%SZ")),
    *((_TIME, form) for form in ("%Y%m%d_%H%M%S%f", "%Y%m%d%H%M%S%f", "%Y%j%H%M%S", "%Y%j%H%M%S%f")),
    *(
        (_TIME, form)
        for form in ("%y%m%d%H%M%S", "%y%m%d_%H%M%S", "%y%m%d-%H%M%S", "%y%m%d%H%M", "%Y%m%d_%H", "%Y%m%d-%H")
    ),
    *((_TIME, form) for form in ("%Y%j%H%M", "%Y%j.%H%M", "%Y%j.%H%M%S", "%Y%jT%H%M%S", "%Y.%j.%H", "%Y.%j.%H.%M.%S")),
    *((_TIME, form) for form in EPOCHS),
)
_NOT_NUMBERS = tuple(one for one in _KINDS if one[0] not in {"integer", "float"})
_DAY_DIGITS = 5  # of a year of two digits and the number of a day
_LEAST_DIGITS = 10  # of a day and an hour, or of seconds since 1970
_ISO_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:.*")


def agree(column: Column, kind: Kind) -> bool:
    """Return whether all values of a column can be of a type."""
    there = [decoded(column, value) or "" for value in column.values if value is not None]
    return all(converted(value, kind) is not None for value in there if value not in column.nulls)


def decoded(column: Column, value: str | None) -> str | None:
    """Return a value as the column's type reads it: without %-escapes, if the column decodes them."""
    return unquote(value) if value is not None and column.normalize == "percent_decode" else value


def converted(value: str, kind: Kind) -> JSON:
    """Return the value that a text has as a type, or None."""
    if kind[0] == "integer":
        return int(value) if value.isascii() and value.removeprefix("-").isdigit() else None
    if kind[0] == "date":
        return date_reader(kind[1])(value) if kind[1] else usual_date(value)
    if kind[0] == "timestamp":
        return timestamp_reader(kind[1])(value)
    if kind[0] == "float":
        return real(value)
    return uuid(value) if kind[0] == "uuid" else value


def has_value(value: str, kind: Kind, wanted: JSON) -> bool:
    """Return whether a text has the wanted value as a type. The number 1 is not 1.0, of which digits would be lost."""
    return json.dumps(converted(value, kind)) == json.dumps(wanted)


def alike(column: Column, other: Column) -> Kind | None:
    """Return the type of another column, and the format in which all values of this one have it, or None."""
    if column.type == other.type:
        return column.type, column.format
    text: FieldType = "string"
    if other.type == text:
        plain = column.type == "date" and all(usual_date(value) == value for value in column.values if value)
        return (text, None) if plain or column.type == "integer" or _are_written_alike(column, other) else None
    if column.type not in {"string", "integer"}:
        return None
    if other.type == "timestamp" and not all(
        sum(map(str.isdigit, one)) >= _LEAST_DIGITS for one in column.values if one
    ):
        return None
    kinds: list[Kind] = [
        (other.type, other.format),
        *_KINDS,
        *sorted(_TIMES, key=lambda one: not (one[1] or "").endswith("Z")),
    ]
    fitting = (one for one in kinds if one[0] == other.type and one[1] not in EPOCHS and agree(column, one))
    return next(fitting, None)


def _are_written_alike(column: Column, other: Column) -> bool:
    """Return whether all values have the forms of those of another column, which are text there, as times can be."""
    forms, known = ({re.sub("[0-9]", "0", one) for one in each.values if one} for each in (column, other))
    return column.type == "timestamp" and forms <= known


def kind_of(text: str | None, wanted: JSON) -> Kind | None:
    """Return the type and format in which `text` has the wanted value, or None."""
    if text is None or wanted is None:
        return ("string", None) if text is None and wanted is None else None
    if text == wanted:
        return ("string", None)
    kinds = _KINDS
    if isinstance(wanted, str):
        kinds = _TIMES if _ISO_TIME.fullmatch(wanted) else _NOT_NUMBERS
        least = _LEAST_DIGITS if kinds is _TIMES else _DAY_DIGITS
        if sum(map(str.isdigit, text)) < least and "-" not in text:
            return None  # most texts are no times, and need not be tried in each format
    return next((kind for kind in kinds if has_value(text, kind, wanted)), None)
