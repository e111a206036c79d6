"""Decides whether padded numbers are codes, whose zeros matter, or numbers, by what stands around them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from retouch.recipes.rule.detecting.columns import Column, Piece

_LEAST_DIGITS = 3  # two are more often a part of a date, or a number
_MANY_DIGITS = 5  # counters are seldom so long
_FOUR_OF_TIME = re.compile("(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])|(?:[01][0-9]|2[0-3])[0-5][0-9]")
_OFFSET_DIGITS = 10  # of the largest number of 32 bits, to which offsets are padded
_MANY = 20  # so many samples hardly have numbers of one width by chance
NEXT = 2  # pieces, with a separator between
_SURE = 8  # so many samples hardly end alike by chance
_LABEL = re.compile(r"[A-Za-z][^0-9A-Za-z.]?\Z")
_MOST_DIGITS = 12
_COUNTED_KINDS = frozenset({"", "number", "hash"})  # a key says whose code it is, as `zip=`
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_SHORT = re.compile("[0-9]{1,2}|(?:19|20)[0-9]{2}")
_MONTH = re.compile("[12][0-9]{3}(?:0[1-9]|1[0-2])(?:[0-3][0-9])?")
_SEVERAL_PERIODS = 3
_TWO_DIGITS = re.compile("[0-9]{2}")
_NTH_DAY = re.compile("00[1-9]|0[1-9][0-9]|[12][0-9]{2}|3[0-5][0-9]|36[0-6]")
_NO_COUNTER = "200"  # numbers that come so far, but not to 367, are days
_TIMES = frozenset({"date", "stamp", "month", "week", "epoch"})
_TIME_KEY = re.compile(
    "years?|yr?|quarter|months?|mon?|mm?|weeks?|wk?|days?|dd?|dayofyear|doy|yday|hours?|hr|hh?|minutes?|min?|seconds?|"
    "sec|ss?|time"
)


def with_codes(columns: Sequence[Column], directories: Collection[str]) -> list[Column]:
    """Return the columns, with padded numbers as text if the word before them is the name of one of the directories.

    In `telemetry/x/telemetry_0004.csv`, the word says whose file it is, not what the number counts. Numbers as long as
    a code of the same path are codes too.
    """
    done: list[Column] = []
    for column in columns:
        pieces = column.pieces
        before = pieces[column.at - 1] if column.at else None
        if column.type == "integer" and isinstance(before, Fixed) and before.text[:-1] in directories:
            pieces = (*pieces[: column.at - 1], Fixed(text=before.text[-1]), *pieces[column.at :])
        there = [value for value in column.values if value]
        is_code = pieces != column.pieces and are_codes(pieces, column.at, there)
        done.append(replace(column, type="string") if is_code else column)
    times = {(one.pieces, one.at) for one in done if one.slot is not None and one.slot.kind in _TIMES}
    codes = [one for one in done if one.type == "string" and _code_width(one) and (one.pieces, one.at) not in times]
    return [
        replace(one, type="string") if one.type == "integer" and _is_code_beside(one, codes) else one for one in done
    ]


def _is_code_beside(column: Column, codes: Sequence[Column]) -> bool:
    """Return whether a number has the width of a code, or one width in many samples, and is next to a code in a name.

    Of numbers below 100,000, one in ten has less than five digits.
    """
    width = _code_width(column)
    near = [one for one in codes if one.pieces and one.pieces == column.pieces and abs(one.at - column.at) == NEXT]
    sure = len(column.values) >= _MANY and len({*column.values}) > _MANY // 2 and bool(near)
    return width > 0 and (sure or width in map(_code_width, codes))


COUNTED = "as_number"
"""The name of the column of padded numbers as numbers, beside that of their digits."""

_MOSTLY_PADDED = 0.5


def counted_beside(column: Column) -> Iterator[Column]:
    """Yield the column of numbers beside that of padded digits, if most of them begin with zeros: these may be codes,
    but are as long as no number there needs, so that they more likely count something.

    Codes of one width begin with a zero in one case of ten.
    """
    there = [value for value in column.values if value]
    digits = all(value.isascii() and value.isdigit() for value in there)
    if column.type != "string" or column.slot is None or not digits or column.slot.kind not in _COUNTED_KINDS:
        return
    padded = sum(value.startswith("0") for value in there)
    short = max((len(value.lstrip("0")) for value in there), default=0) <= _MOST_DIGITS
    if there and padded > _MOSTLY_PADDED * len(there) and short and len({*map(len, there)}) == 1:
        yield replace(column, name=COUNTED, type="integer", format=None)


def without_counted(columns: Sequence[Column], labelled: Sequence[Column]) -> list[Column]:
    """Return the columns without the numbers beside padded digits that a label says what they are."""
    said = {(one.source, one.pattern) for one in labelled}
    return [one for one in columns if not one.name.startswith(COUNTED) or (one.source, one.pattern) not in said]


def with_counters(columns: Sequence[Column]) -> list[Column]:
    """Return the columns, with a padded number as a number if it is the last part of a name, and all others before it
    repeat directories, as in `36/2633/36-2633-0007.flac`: it counts the files there.
    """
    above = frozenset(one.values for one in columns if isinstance(one.source, int))
    return [replace(one, type="integer") if _counts_files(one, above) else one for one in columns]


def _counts_files(column: Column, above: frozenset[tuple[str | None, ...]]) -> bool:
    """Return whether a code follows at least two parts of a name, of which each repeats a directory of its path."""
    slots = [at for at, one in enumerate(column.pieces) if isinstance(one, Slot) and one.kind != "ending"]
    if column.type != "string" or column.source != "filename" or not slots or column.at != slots[-1]:
        return False
    before = [one.values for one in column.pieces[: column.at] if isinstance(one, Slot)]
    number = all(value.isdigit() and len(value) < _OFFSET_DIGITS for value in filter(None, column.values))
    return number and len({*before}) >= NEXT and above.issuperset(before)


def with_days(columns: Sequence[Column]) -> list[Column]:
    """Return the columns, with numbers of three digits as the days of a year if the two digits before them are the end
    of a year that the path has too, as in `2019/ab-19-344`.
    """
    years = [[(value or "")[-2:] for value in one.values] for one in columns if _are_all(_YEAR, one)]
    short = [one for one in columns if _are_all(_TWO_DIGITS, one) and [*one.values] in years]
    after = {(one.pieces, one.at + 2) for one in short}
    return [
        replace(one, type="integer") if (one.pieces, one.at) in after and _are_days(one) else one for one in columns
    ]


def _are_all(form: re.Pattern[str], column: Column) -> bool:
    return len(column.values) >= _SURE and all(form.fullmatch(value or "") for value in column.values)


def _are_days(column: Column) -> bool:
    days = {value or "" for value in column.values}
    return _are_all(_NTH_DAY, column) and len(days) >= _SURE and max(days) >= _NO_COUNTER


def _code_width(column: Column) -> int:
    """Return the number of digits if all values have as many, at least five, which is no chance beside a code."""
    there = [value or "" for value in column.values]
    return len(there[0]) if is_of_one_width(there) else 0


def is_of_one_width(values: Sequence[str]) -> bool:
    """Return whether values are numbers of as many digits each, at least five."""
    widths = {*map(len, values)}
    return len(widths) == 1 and max(widths) >= _MANY_DIGITS and all(map(str.isdigit, values))


def with_shards(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[Column]:
    """Return the columns, with padded numbers as text if each is the end of the name below it: of `003/QX8103`, the
    number says where the files of a name are.
    """
    return [replace(one, type="string") if _is_shard(one, rows) else one for one in columns]


def _is_shard(column: Column, rows: Sequence[Sequence[str]]) -> bool:
    if column.type != "integer" or column.pattern is not None or not isinstance(column.source, int):
        return False
    below = [row[column.source + 1].partition(".")[0] for row in rows]
    pairs = [(value or "", name) for value, name in zip(column.values, below, strict=True)]
    ends = all(name.endswith(value.lstrip("0") or "0") and name != value for value, name in pairs)
    padded = any(len(value) > 1 and value.startswith("0") for value, _ in pairs)
    return ends and padded and len(pairs) >= _SURE and len({*column.values}) > 2


def are_bounds(pieces: Sequence[Piece], at: int) -> bool:
    """Return whether the values at `pieces[at]` bound periods such as `190001-194912`, whose digits are text."""
    return any(_are_periods(pieces[first : first + 3]) for first in (at - 2, at) if first >= 0)


def _are_periods(pieces: Sequence[Piece]) -> bool:
    if len(pieces) < 3:
        return False
    start, mark, end = pieces
    if not isinstance(start, Slot) or not isinstance(mark, Fixed) or not isinstance(end, Slot):
        return False
    pairs = {*zip(start.values, end.values, strict=True)}
    months = all(one <= other and _MONTH.fullmatch(one) and _MONTH.fullmatch(other) for one, other in pairs)
    return months and len(pairs) >= _SEVERAL_PERIODS and mark.text in {"-", "_"}


def are_codes(pieces: Sequence[Piece], at: int, values: Sequence[str]) -> bool:
    """Return whether the numbers at `pieces[at]` are padded codes, as in `a_20240924_001`, and not numbers.

    They are numbers if a word before them says what they count (`epoch_005`), if words follow them (`0042-title`), if
    a time of day is before them, whose files they count (`20240924T031500-00012`), and if they are padded to the width
    of an offset. Digits of the length of a hash that are part of a name are a code.
    """
    slot = pieces[at]
    padded = any(len(value) > 1 and value.startswith("0") for value in values)
    if not padded or not isinstance(slot, Slot) or len({*map(len, values)}) > 1:
        return False
    if slot.kind == "hash":
        return len(pieces) > 1
    if slot.kind == "key":
        return len(values[0]) >= _LEAST_DIGITS and not is_time_key(pieces, at)
    if slot.kind not in {"", "number"}:
        return False
    least = _LEAST_DIGITS - (not _may_be_time(pieces, at))
    if len(pieces) == 1:  # a directory; days of a year, months with a day and hours with minutes have some of their own
        least = _LEAST_DIGITS + 1 + all(map(_FOUR_OF_TIME.fullmatch, values))
    if not least <= len(values[0]) < _OFFSET_DIGITS:
        return False
    before = [*pieces[:at], *([Fixed(text=slot.lead)] if slot.optional else [])]
    if _is_after_time(before):
        return False
    return not _is_labelled(before, len(values[0])) and not (at == 0 and _begin_with_words(pieces[1:]))


def is_time_key(pieces: Sequence[Piece], at: int) -> bool:
    """Return whether the value at `pieces[at]` has a key that names a part of a time: `month=03`, `event_hour=07`."""
    before = pieces[at - 1] if at else None
    words = re.findall("[a-z]+", before.text.lower()) if isinstance(before, Fixed) else []
    return bool(words) and _TIME_KEY.fullmatch(words[-1]) is not None


def _may_be_time(pieces: Sequence[Piece], at: int) -> bool:
    """Return whether two digits may be a part of a time: first, last, after a date or year, or before more of them."""
    before = [one for one in pieces[:at] if isinstance(one, Slot)]
    after = next((one for one in pieces[at + 1 :] if isinstance(one, Slot)), None)
    dated = any(one.kind in _TIMES or all(map(_YEAR.fullmatch, one.values)) for one in before)
    return dated or not before or after is None or all(map(_SHORT.fullmatch, after.values))


def _is_after_time(before: Sequence[Piece]) -> bool:
    """Return whether a time of day and a separator are the last pieces before a number."""
    time = before[-NEXT] if len(before) >= NEXT else None
    return (
        isinstance(time, Slot) and time.kind == "stamp" and isinstance(before[-1], Fixed) and len(before[-1].text) == 1
    )


def _is_labelled(before: Sequence[Piece], digits: int) -> bool:
    """Return whether a word is before a number, also with a year between: fixed, or, if it is short, one of several."""
    if not before:
        return False
    *earlier, mark = before
    if isinstance(mark, Fixed) and _LABEL.search(mark.text):
        return True
    if not earlier or not isinstance(slot := earlier[-1], Slot):
        return False
    if all(map(str.isalpha, slot.values)):
        return digits < _MANY_DIGITS
    return all(map(_YEAR.fullmatch, slot.values)) and _is_labelled(earlier[:-1], digits)


def _begin_with_words(after: Sequence[Piece]) -> bool:
    """Return whether texts that are no numbers are after a number and a separator."""
    words = after[1] if len(after) > 1 else None
    return isinstance(words, Slot) and not words.optional and not any(map(str.isdigit, words.values))
