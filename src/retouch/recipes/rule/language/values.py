"""Turns the text of a path into values: normalisation first, then the type."""

from __future__ import annotations

import math
import re
from collections.abc import Callable  # noqa: TC003 - annotates a module value
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args
from urllib.parse import unquote

from retouch.recipes.rule.language.dates import date_reader, timestamp_reader, usual_date

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

FieldType: TypeAlias = Literal["string", "integer", "date", "uuid", "timestamp", "float", "decimal"]
Normalize: TypeAlias = Literal["lowercase", "uppercase", "strip_leading_zeros", "percent_decode"]
TYPES: tuple[FieldType, ...] = get_args(FieldType)
NORMALIZERS: tuple[Normalize, ...] = get_args(Normalize)

NUMBERS: frozenset[FieldType] = frozenset({"integer", "float", "decimal"})
"""The types that can have a unit."""

_INTEGER = re.compile(r"[+-]?[0-9]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-?)[0-9a-fA-F]{4}(?:\1[0-9a-fA-F]{4}){2}\1[0-9a-fA-F]{12}")


_WANTED = {
    "string": "text",
    "integer": "whole number",
    "date": "day such as 2024-01-15",
    "uuid": "UUID",
    "timestamp": "time such as 2024-01-15T09:30:00",
    "float": "number",
    "decimal": "number in quotes",
}
_DECIMAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def without_leading_zeros(text: str) -> str:
    """Return `text` without leading zeros. If it has only zeros, one stays."""
    return text.lstrip("0") or text[-1:]


NORMALIZE: dict[Normalize, Callable[[str], str]] = {
    "lowercase": str.lower,
    "uppercase": str.upper,
    "strip_leading_zeros": without_leading_zeros,
    "percent_decode": unquote,
}
SINCE_VERSION_2: frozenset[str] = frozenset({"percent_decode", "timestamp", "float", "decimal"})
"""The normalisers and types that only version 2 of the rule format has."""


@lru_cache(maxsize=65_536)
def integer(text: str) -> int | None:
    """Return the number that `text` writes in ASCII digits, with or without a sign, or None."""
    try:
        return int(text) if _INTEGER.fullmatch(text) else None
    except ValueError:  # more digits than Python converts
        return None


def uuid(text: str) -> str | None:
    """Return the UUID that `text` writes, with or without dashes, in lower case with dashes, or None."""
    if not _UUID.fullmatch(text):
        return None
    digits = text.replace("-", "").lower()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def decimal(text: str) -> str | None:
    """Return the number that `text` writes in ASCII digits, with its decimals as written, or None."""
    return text.removeprefix("+") if _DECIMAL.fullmatch(text) else None


def real(text: str) -> float | None:
    """Return the finite number that `text` writes, or None."""
    number = float(text) if _FLOAT.fullmatch(text) else None
    return number if number is not None and math.isfinite(number) else None


def converter(kind: FieldType, form: str | None) -> Callable[[str], JSON] | None:
    """Return a function from a text to its value (None if it is invalid), or None if the text itself is the value.

    Raises:
        PartError: `form` is not a date format.
    """
    if kind == "string":
        return None
    if kind == "date":
        return date_reader(form) if form is not None else usual_date
    if kind == "timestamp":
        return timestamp_reader(form)
    return _CONVERTERS[kind]


_CONVERTERS: dict[str, Callable[[str], JSON]] = {"integer": integer, "uuid": uuid, "decimal": decimal, "float": real}


def fitting_default(value: JSON, kind: FieldType) -> JSON:
    """Return a default converted to the type `kind`.

    Raises:
        ValueError: it is not of that type.
    """
    if value is None:
        return None
    if kind == "integer":
        fitted = value if isinstance(value, int) and not isinstance(value, bool) else None
    elif kind == "float":
        fitted = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    elif not isinstance(value, str):
        fitted = None
    elif kind == "string":
        fitted = value
    else:
        convert = converter(kind, None)
        fitted = convert(value) if convert is not None else value
    if fitted is None:
        raise ValueError(f"it is no {_WANTED[kind]}")
    return fitted
