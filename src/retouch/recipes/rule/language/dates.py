"""Dates in paths: strictly read calendar days, returned as ISO text."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from retouch.recipes.rule.errors import PartError

if TYPE_CHECKING:
    from collections.abc import Callable

ISO_NAMES = frozenset({"date_iso", "iso8601", "iso"})

_SEPARATED = re.compile(r"([0-9]{4})([-/_.])([0-9]{1,2})\2([0-9]{1,2})")
_COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_FULL = {name: number for number, name in enumerate(_MONTHS.split("|"), 1)}
_SHORT = {name[:3]: number for name, number in _FULL.items()}
_SHAPES = {
    "Y": "[0-9]{4}",
    "y": "[0-9]{2}",
    "m": "(?:0?[1-9]|1[0-2])",
    "d": "(?:0?[1-9]|[12][0-9]|3[01])",
    "j": "[0-9]{1,3}",
    "b": "(?i:" + "|".join(_SHORT) + ")",
    "B": f"(?i:{_MONTHS})",
    "H": "(?:[01][0-9]|2[0-3])",
    "M": "[0-5][0-9]",
    "S": "(?:[0-5][0-9]|6[01])",
    "f": "[0-9]{1,6}",
}
_WIDTHS = {
    "m": "(?:0[1-9]|1[0-2])",
    "d": "(?:0[1-9]|[12][0-9]|3[01])",
    "j": "[0-9]{3}",
    "f": "(?:[0-9]|[0-9]{3}|[0-9]{6})",
}
_DIGITS = frozenset("YymdjHMSf")
_DIRECTIVE = re.compile(r"%(.?)", re.DOTALL)
_KNOWN = ", ".join(f"%{letter}" for letter in _SHAPES)


@lru_cache(maxsize=65_536)
def usual_date(text: str) -> str | None:
    """Return the day that `text` names as ISO text, or None.

    Accepted are YYYY-MM-DD, YYYY/MM/DD, YYYY_MM_DD and YYYY.MM.DD, in which month and day may have one digit, and
    YYYYMMDD. Anything else needs a format, because the order of day and month is never guessed.
    """
    if found := _SEPARATED.fullmatch(text):
        return _day(int(found[1]), int(found[3]), int(found[4]))
    found = _COMPACT.fullmatch(text)
    return _day(int(found[1]), int(found[2]), int(found[3])) if found else None


def _day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


@lru_cache(maxsize=256)
def date_reader(form: str) -> Callable[[str], str | None]:
    """Return a function from a text in the format `form` to its day as ISO text, or None if the text does not match.

    `form` has the strptime directives for days and times of day. Times are checked and dropped. Month and day may have
    one digit if no other digit is adjacent. Names of months are English. The years of %y are 1969-2068.

    Raises:
        PartError: the format is invalid, or does not determine one day.
    """
    if form in ISO_NAMES:
        return usual_date
    letters, pattern = _parsed(form)
    fit = re.compile(pattern).fullmatch

    @lru_cache(maxsize=65_536)
    def read(text: str) -> str | None:
        found = fit(text)
        return _day_from_parts(dict(zip(letters, found.groups(), strict=True))) if found else None

    return read


EPOCHS = {"epoch": 1, "epoch_ms": 1_000, "epoch_naive": 1, "epoch_ms_naive": 1_000}
"""Formats of numbers since 1970, with the number of their units in a second. The naive ones give times without a Z."""
EPOCHS_IN_UTC = frozenset({"epoch", "epoch_ms"})
_STAMP = re.compile(
    r"([0-9]{4})(?:([-/_.])([0-9]{2})\2([0-9]{2})|([0-9]{2})([0-9]{2}))[T_ -]?"
    r"([0-9]{2})[-:._]?([0-9]{2})(?:[-:._]?([0-9]{2})(?:[.,]([0-9]{1,6}))?)?(Z?)"
)


def date_shape(form: str | None) -> str:
    """Return a pattern of all strings that `date_reader(form)` or `usual_date` may read, without groups.

    It is for tools with looser dates: many read the compact 2024111 as a day, and the year 0. RE2 and Rust read it too.
    """
    if form is None or form in ISO_NAMES:
        separated = "|".join(f"{mark}[0-9]{{1,2}}{mark}[0-9]{{1,2}}" for mark in _MARKS)
        return f"{_YEAR}(?:[0-9]{{4}}|{separated})"
    return re.sub(r"(?<!\\)\((?!\?)", "(?:", _parsed(form)[1]).replace(_SHAPES["Y"], _YEAR)


_MARKS = ("-", "/", "_", "[.]")
_YEAR = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"


def timestamp_shape(form: str | None) -> str:
    """Return a pattern of all strings that `timestamp_reader(form)` reads if their day exists, as `date_shape` does."""
    if form in EPOCHS:
        return "[0-9]{1,11}" if EPOCHS[form] == 1 else "[0-9]{1,14}"
    if form is not None and form not in ISO_NAMES:
        return date_shape(form).replace(_SHAPES["S"], "[0-5][0-9]")
    day = "|".join(f"{mark}[0-9]{{2}}{mark}[0-9]{{2}}" for mark in _MARKS)
    clock = "(?:[01][0-9]|2[0-3])[-:._]?[0-5][0-9](?:[-:._]?[0-5][0-9](?:[.,][0-9]{1,6})?)?"
    return f"{_YEAR}(?:[0-9]{{4}}|{day})[T_ -]?{clock}Z?"


@lru_cache(maxsize=65_536)
def usual_timestamp(text: str) -> str | None:
    """Return the time that `text` names as ISO text, or None.

    Accepted are a day that starts with the year, and hours and minutes, with or without seconds and separators, for
    example 20240305T030000Z, 2024-03-05_03-00 and 2024/03/05 03:00:00.25. A final Z stays. Milliseconds are written
    with three digits.
    """
    found = _STAMP.fullmatch(text)
    if found is None:
        return None
    day = _day(int(found[1]), int(found[3] or found[5]), int(found[4] or found[6]))
    try:
        clock = time(int(found[7]), int(found[8]), int(found[9] or 0), int((found[10] or "0").ljust(6, "0")))
    except ValueError:
        return None
    return f"{day}T{with_milliseconds(clock.isoformat())}{found[11]}" if day is not None else None


def with_milliseconds(time_text: str) -> str:
    """Return an ISO time without the last three of six decimals if they are zeros."""
    return time_text.removesuffix("000") if "." in time_text else time_text


@lru_cache(maxsize=256)
def timestamp_reader(form: str | None) -> Callable[[str], str | None]:
    """Return a function from a text in a format to its time as ISO text, or None if the text does not match.

    `form` has the directives of `date_reader`, or is `epoch` or `epoch_ms`: seconds or milliseconds since 1970 in UTC,
    or one of these with `_naive`, which gives the time of UTC without a Z. None means `usual_timestamp`.

    Raises:
        PartError: the format is invalid, or does not determine one day and an hour.
    """
    if form is None or form in ISO_NAMES:
        return usual_timestamp
    if form in EPOCHS:
        return partial(_from_epoch, EPOCHS[form], "Z" if form in EPOCHS_IN_UTC else "")
    letters, pattern = _parsed(form)
    if "H" not in letters:
        raise _invalid_format(f"the format {form!r} names no hour", 0, "Use %H, or the type date.")
    fit = re.compile(pattern).fullmatch

    def read(text: str) -> str | None:
        found = fit(text)
        if found is None:
            return None
        parts = dict(zip(letters, found.groups(), strict=True))
        day = _day_from_parts(parts)
        hour, minute, second = (int(parts.get(letter, 0)) for letter in "HMS")
        if day is None or second > _LAST_SECOND:
            return None
        fraction = parts.get("f", "").ljust(6, "0")
        return with_milliseconds(f"{day}T{hour:02}:{minute:02}:{second:02}{f'.{fraction}' if int(fraction) else ''}")

    return read


_LAST_SECOND = 59  # a leap second is no time of a calendar


def _from_epoch(parts: int, zone: str, text: str) -> str | None:
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        return None
    try:
        moment = datetime(1970, 1, 1) + timedelta(microseconds=int(text) * 1_000_000 // parts)
    except OverflowError:  # after the year 9999
        return None
    return f"{with_milliseconds(moment.isoformat())}{zone}"


def _parsed(form: str) -> tuple[list[str], str]:
    letters: list[str] = []
    pattern = ""
    position = 0
    for found in _DIRECTIVE.finditer(form):
        letter = found[1]
        pattern += re.escape(form[position : found.start()])
        position = found.end()
        if letter == "%":
            pattern += "%"
            continue
        if letter not in _SHAPES or not letter:
            raise _invalid_format(
                f"{found[0]!r} is no directive of a date", found.start(), f"There are {_KNOWN} and %%."
            )
        if letter in letters:
            raise _invalid_format(
                f"{found[0]!r} is given twice", found.start(), "Take the value from one place of the path."
            )
        letters.append(letter)
        pattern += f"({_shape(form, found)})"
    missing = _missing_part(set(letters))
    if missing:
        raise _invalid_format(f"the format {form!r} names no {missing}", 0, "Name one day, for instance with %m-%d-%Y.")
    return letters, pattern + re.escape(form[position:])


def _shape(form: str, found: re.Match[str]) -> str:
    """Return the pattern of a directive. Its width is fixed if digits are adjacent."""
    letter = found[1]
    before = form[max(found.start() - 2, 0) : found.start()]
    touched_before = before[-1:].isdigit() or (before[:1] == "%" and before[1:] in _DIGITS and len(before) == 2)
    touched_after = form[found.end() : found.end() + 1].isdigit() or (
        form[found.end() : found.end() + 1] == "%" and form[found.end() + 1 : found.end() + 2] in _DIGITS
    )
    return _WIDTHS.get(letter, _SHAPES[letter]) if touched_before or touched_after else _SHAPES[letter]


def _missing_part(letters: set[str]) -> str:
    if len(letters & {"Y", "y"}) != 1:
        return "year, or two of them"
    if "j" in letters:
        return "single day: %j already is day and month" if letters & {"m", "b", "B", "d"} else ""
    if len(letters & {"m", "b", "B"}) != 1:
        return "month, or two of them"
    return "" if "d" in letters else "day"


def _day_from_parts(parts: dict[str, str]) -> str | None:
    year = int(parts["Y"]) if "Y" in parts else int(parts["y"])
    if "y" in parts:
        year += 1900 if year >= 69 else 2000
    if "j" in parts:
        return _day_of_year(year, int(parts["j"]))
    month = int(parts["m"]) if "m" in parts else _SHORT[(parts.get("b") or parts["B"])[:3].lower()]
    return _day(year, month, int(parts["d"]))


def _day_of_year(year: int, number: int) -> str | None:
    try:
        day = date.fromordinal(date(year, 1, 1).toordinal() + number - 1)
    except (ValueError, OverflowError):
        return None
    return day.isoformat() if number and day.year == year else None


def _invalid_format(message: str, position: int, hint: str) -> PartError:
    return PartError("SCHEMA_VIOLATION", message, position=position, hint=hint)
