"""Names for columns, from the text around them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.across import with_parts_of_dates
from retouch.recipes.rule.detecting.columns import Fixed, Slot
from retouch.recipes.rule.language.names import as_name

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retouch.recipes.rule.detecting.columns import Column, Piece

_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_LAST_WORD = re.compile(r"([A-Za-z][A-Za-z0-9]*?)[0-9]*[^A-Za-z0-9]*\Z")
_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+)+")
_CODE = re.compile(r"[0-9A-Z]+")
_NEXT = {
    "year": ("month", 12),
    "month": ("day", 31),
    "day": ("hour", 23),
    "hour": ("minute", 59),
    "minute": ("second", 59),
}
_WORDS = {
    "environment": frozenset(
        ["prod", "production", "stage", "staging", "dev", "development", "test", "testing", "qa", "uat", "sandbox"]
    ),
    "platform": frozenset(
        ["linux", "windows", "win32", "win64", "darwin", "macos", "osx", "android", "ios", "freebsd", "manylinux"]
    ),
    "architecture": frozenset(
        [
            "amd64",
            "arm64",
            "aarch64",
            "x86",
            "x86_64",
            "i386",
            "i686",
            "armhf",
            "armv7",
            "ppc64le",
            "s390x",
            "riscv64",
            "all",
        ]
    ),
    "severity": frozenset(["trace", "debug", "info", "notice", "warn", "warning", "error", "critical", "fatal"]),
    "weekday": frozenset(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]),
    "month": frozenset(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
    "split": frozenset(["train", "training", "val", "valid", "validation", "test", "dev", "eval", "holdout"]),
    "period": frozenset(["hourly", "daily", "weekly", "monthly", "quarterly", "yearly", "annual"]),
    "currency": frozenset(["usd", "eur", "gbp", "jpy", "chf", "cad", "aud", "cny", "sek", "nok", "dkk", "inr", "brl"]),
    "language": frozenset(
        [
            "de",
            "en",
            "fr",
            "es",
            "it",
            "nl",
            "pt",
            "pl",
            "sv",
            "da",
            "fi",
            "nb",
            "cs",
            "ru",
            "uk",
            "ja",
            "zh",
            "ko",
            "ar",
            "he",
            "tr",
            "el",
            "hu",
            "ro",
        ]
    ),
}
_USUAL = {"filename": "name", "full_path": "part", "rel_path": "below"}
_BY_KIND = {
    "year": "year",
    "epoch": "timestamp",
    "day_of_year": "day_of_year",
    "stamp": "timestamp",
    "month": "month",
    "ending": "ext",
} | {one: one for one in ("week", "region", "address", "locale", "country", "version", "resource", "host", "package")}
UNITS = "h|hr|min|m|km|ms|sec|s|d"
"""Units directly after numbers, as a pattern."""
USUAL_LETTERS = {"q": "quarter", "y": "year", "m": "month", "d": "day", "w": "week", "v": "version", "h": "hour"}


def name_of(pieces: Sequence[Piece], at: int, values: Sequence[str], kind: str, parent: str) -> str:
    """Return a name for the column at `pieces[at]`, or "" if nothing suggests one. `parent` is the fixed directory
    above.
    """
    before = pieces[at - 1] if at else None
    slot = pieces[at]
    if isinstance(slot, Slot) and (name := _name_by_kind(slot, before)):
        return name
    lead = slot.lead if isinstance(slot, Slot) and slot.optional else before.text if isinstance(before, Fixed) else ""
    if word := _LAST_WORD.search(lead):
        found = as_name(word[1])
        if kind == "integer" and len(found) > 1 and len({*values}) > 1 and all(map(_YEAR.fullmatch, values)):
            return "year"
        return USUAL_LETTERS.get(found, found) if _is_usual(found, values) else found
    if kind == "date":
        return "date"
    if kind == "uuid":
        return "id"
    if isinstance(slot, Slot) and slot.kind == "hash":
        return "hash"
    if kind == "integer" and all(_YEAR.fullmatch(value) for value in values):
        return "year"
    if at and at == len(pieces) - 1 and isinstance(before, Fixed) and before.text == "." and _are_endings(values):
        return "ext"
    if len(pieces) == 1 and parent:
        return _singular(as_name(parent))
    return ""


def _name_by_kind(slot: Slot, before: Piece | None) -> str:
    """Return the name of a value whose form or key says what it is, or ""."""
    if slot.part is not None:
        return slot.part.name
    if slot.kind == "key" and isinstance(before, Fixed):
        return as_name(before.text[:-1])
    return "compression" if slot.kind == "ending" and slot.optional else _BY_KIND.get(slot.kind, "")


def _is_usual(letter: str, values: Sequence[str]) -> bool:
    """Return whether the values can be what a single letter usually means, for example the hours of a day."""
    most = {"q": 4, "m": 12, "d": 31, "w": 53, "h": 23}.get(letter)
    return most is None or all(value.isdigit() and int(value) <= most for value in values)


def _are_endings(values: Sequence[str]) -> bool:
    return all(value.isalnum() and not value.isdigit() and len(value) <= 8 for value in values)


def _singular(name: str) -> str:
    if name.endswith("ies") and len(name) > 4:
        return f"{name[:-3]}y"
    return name[:-1] if name.endswith("s") and not name.endswith(("ss", "us", "is")) and len(name) > 3 else name


def is_next_part(before: Column | None, column: Column) -> bool:
    """Return whether a column is the part of a date or time that follows the column before it, by names and values."""
    return before is not None and column.name == _after(before.name, column.values)


def _after(before: str, values: Sequence[str | None]) -> str:
    """Return the part of a date that follows the part `before`, if all values can be one, or ""."""
    name, most = _NEXT.get(before, ("", 0))
    there = [value for value in values if value]
    fits = all(value.isdigit() and len(value) <= 2 and int(value) <= most for value in there)
    return name if name and there and fits else ""


def _before(column: Column | None) -> str:
    """Return the name of the column before, unless it is the value of a key, after which nothing follows."""
    if column is None or not column.pieces:
        return ""
    return "" if column.slot is not None and column.slot.kind == "key" else column.name


def _by_values(column: Column) -> str:
    """Return the name of the well-known words that all values of a column are, or ""."""
    return kind_of_words({value.lower() for value in column.values if value})


def kind_of_words(words: Collection[str]) -> str:
    """Return what well-known words are, for example "period" of `daily` and `weekly`, or ""."""
    return next((name for name, known in _WORDS.items() if words and known.issuperset(words)), "")


def _usual(column: Column) -> str:
    """Return a name by the form of the values, for a column that nothing else names."""
    there = [value for value in column.values if value]
    if there and all(map(str.isdigit, there)) and (isinstance(column.source, int) or len(column.pieces) > 2):
        return "number"
    if not isinstance(column.source, int):
        return _USUAL[column.source]
    if there and all(_VERSION.fullmatch(value) for value in there):
        return "version"
    if there and all(_CODE.fullmatch(value) for value in there) and len({len(value) for value in there}) == 1:
        return "code"
    return "word" if len(column.pieces) > 1 else "directory"


def with_unique_names(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns with unique names. Unnamed columns are numbered."""
    taken: set[str] = set()
    done: list[Column] = []
    last: Column | None = None
    for column in with_parts_of_dates(columns):
        base = column.name or _after(_before(last), column.values) or _by_values(column) or _usual(column)
        last = replace(column, name=base)
        name = base
        number = 2
        while name in taken:
            name = f"{base}_{number}"
            number += 1
        taken.add(name)
        done.append(replace(column, name=name))
    return tuple(done)
