"""Derives globs, patterns and types from the values of a column, and the question if a type is ambiguous."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot
from retouch.recipes.rule.detecting.endings import listed
from retouch.recipes.rule.detecting.fixed_width import are_days
from retouch.recipes.rule.globs.parsing import escaped
from retouch.recipes.rule.language.dates import date_reader, timestamp_reader, usual_date
from retouch.recipes.rule.language.values import uuid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Piece
    from retouch.recipes.rule.language.model import Source
    from retouch.recipes.rule.language.values import FieldType

_DAY_LAST = re.compile(r"[0-9]{1,2}([-_.])[0-9]{1,2}\1[0-9]{4}")
WIDTH = 4  # digits that a glob writes one by one
_MAX_INTEGER_DIGITS = 9
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")  # not allowed in patterns without an escape
_RELEASE = r"(?:(?:a|b|rc|\.post|\.dev|-(?:alpha|beta|rc)\.?)[0-9]+)?(?:\+[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?"
VERSION = rf"[0-9]+\.[0-9]+\.[0-9]+{_RELEASE}"
_FORMS = {
    "host": r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*",
    "package": r"[A-Za-z]+(?:\.[0-9A-Za-z_$]+)*",
    "address": r"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}",
    "locale": r"[a-z]{2,3}(?:[-_][A-Z][a-z]{3})?(?:[-_](?:[A-Z]{2}|[0-9]{3}))?(?:@[a-z]+)?",
    "resource": "[a-z]+-[0-9a-f]{17}",
    "week": r"[0-9]{4}-?W[0-9]{2}(?:-?[1-7])?",
    "month": r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?",
    "season": r"[0-9]{4}(?:[-_](?:[0-9]{4}|[0-9]{2}))?",
    "uuid": r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}",
    "version": rf"[0-9]+(?:\.[0-9]+)*{_RELEASE}",  # others may have fewer or more numbers than the samples
}
_ANY_ENDING = r"(?:[A-Za-z][0-9A-Za-z]*\.(?:gz|bz2|xz|zst|zip)|[0-9A-Za-z]+)"
STAMP_FORMS = (None, "%Y%m%d%H", "%Y%m%dT%H", "%Y-%m-%d-%H", "%Y-%m-%d_%H", "%Y-%m-%dT%H", "%Y%m%dT%HZ")
"""Formats of stamps; None is that of the usual ones."""
_STAMP = re.compile(
    "[0-9]{4}([-_.]?)[0-9]{2}\\1[0-9]{2}([-T_. ]?)[0-9]{2}([-_:.]?)(?:[0-9]{2}(?:\\3[0-9]{2}([0-9]{3})?)?)?(Z?)"
)
EPOCH = "1[0-9]{9}(?:[0-9]{3})?"
"""Seconds or milliseconds since 1970, from 2001 to 2033."""
_INTEGER = re.compile("[0-9]+|-[1-9][0-9]*")
_EPOCH = re.compile(EPOCH)
_SECOND_DIGITS = 10
_TWELVE_YEARS = 380_000_000  # seconds
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_CODE_DIGITS = 8  # counters are seldom so long, but dates and codes are
_DAY_DIGITS = 8
_DECIMAL = re.compile(r"(?:0|[1-9][0-9]{0,6})\.([0-9]{2,4})")
_MANY_DECIMALS = 6  # different ones; of fewer, each may be a version
_MOST_RELEASES = 50  # versions seldom have so many, but parts of a hundred do
_SPECIAL = frozenset("\\.+*?()[]{}|^$")


def quoted(text: str) -> str:
    """Return the pattern that matches exactly `text`."""
    return "".join(f"\\{char}" if char in _SPECIAL else _CONTROLS.sub(_escaped, char) for char in text)


def _escaped(control: re.Match[str]) -> str:
    return f"\\x{ord(control[0]):02x}"


def width(values: Sequence[str]) -> int:
    """Return the number of digits if all values have the same deliberate width, for example 0042 or years. Else return
    0.

    Numbers without a leading zero may have the same width by chance: of those below 100,000, nine in ten have five
    digits.
    """
    if not all(value.isascii() and value.isdigit() for value in values):
        return 0
    widths = {len(value) for value in values}
    if len(widths) > 1:
        return 0
    digits = min(widths)
    padded = any(value.startswith("0") for value in values)
    deliberate = padded or digits >= _CODE_DIGITS or all(map(_YEAR.fullmatch, values))
    return digits if deliberate and digits > 1 else 0


def glob_of(pieces: Sequence[Piece]) -> str:
    """Return the glob of one segment."""
    glob = "".join(_glob(piece) for piece in pieces)
    return re.sub(r"(\\.)|\*+", lambda found: found[1] or "*", glob, flags=re.DOTALL) or "*"


def _glob(piece: Piece) -> str:
    if isinstance(piece, Fixed):
        return f"{{,{escaped(piece.text)}}}" if piece.optional else escaped(piece.text)
    if piece.glob or piece.optional:
        return piece.glob or "*"
    if piece.kind == "key":
        return "*"
    if piece.kind == "ending" and (endings := listed(piece.values)):
        listing = ",".join(map(escaped, endings))
        return f"{{{listing}}}" if len(endings) > 1 else listing
    if piece.kind == "country":
        letters = "[A-Z]" if piece.values[0].isupper() else "[a-z]"
        return letters * len(piece.values[0])
    if piece.kind in {"stamp", "month", "week", "epoch", "season"}:
        return "[0-9]*"
    digits = width(piece.values)
    if 0 < digits <= WIDTH:
        return "[0-9]" * digits
    if all(value.isascii() and value.isdigit() for value in piece.values):
        return "[0-9]*"
    if all(usual_date(value) and "-" in value and len(value) == 10 for value in piece.values):
        return "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
    return "*"


def pattern_of(pieces: Sequence[Piece], slot: Slot | None) -> str:
    """Return the pattern of one segment, from start to end, with a group around `slot`."""
    done = ""
    for number, piece in enumerate(pieces):
        if isinstance(piece, Fixed):
            done += f"(?:{quoted(piece.text)})?" if piece.optional else quoted(piece.text)
        else:
            inside = _slot_pattern(piece, last=number == len(pieces) - 1)
            inside = f"({inside})" if piece is slot else inside
            done += with_marks(piece, inside)
    return done


def with_marks(slot: Slot, inside: str) -> str:
    """Return the pattern of a slot from that of its value: with the texts around it, if it is optional."""
    return f"(?:{quoted(slot.lead)}{inside}{quoted(slot.tail)})?" if slot.optional else inside


def _slot_pattern(slot: Slot, *, last: bool) -> str:
    strong = slot.lead[:2] in {"__", "--"}  # no value before it holds one
    if (
        slot.optional
        and not strong
        and slot.part is None
        and len(words := {*slot.values} - {""}) == 1
        and min(words).isalpha()
    ):
        return quoted(min(words))  # as in `-error`: what is before it can have the mark too
    if slot.optional:
        return _slot_pattern(replace(slot, values=tuple(filter(None, slot.values)), optional=False), last=last)
    if pattern := _pattern_by_kind(slot):
        return pattern
    if digits := width(slot.values):
        return f"[0-9]{{{digits}}}"
    if all(value.isascii() and value.isdigit() for value in slot.values):
        return "[0-9]+"
    if all(usual_date(value) for value in slot.values):
        return _date(slot.values)
    if all(map(_DAY_LAST.fullmatch, slot.values)) and len({value[-5] for value in slot.values}) == 1:
        mark = quoted(slot.values[0][-5])
        return f"[0-9]{{1,2}}{mark}[0-9]{{1,2}}{mark}[0-9]{{4}}"
    held = {char for char in slot.apart if not any(char in value for value in slot.values)}
    some = "+" if all(slot.values) else "*"
    if held:
        return f"[^{''.join(quoted_in_set(char) for char in sorted(held))}]{some}"
    return f".{some}" if last else f".{some}?"


def _pattern_by_kind(slot: Slot) -> str:
    """Return the pattern of a value whose form says what it is, or ""."""
    if slot.form:
        return slot.form
    if slot.part is not None:
        return slot.part.form if "|" not in slot.part.form else f"(?:{slot.part.form})"
    if slot.kind == "ending":
        endings = listed(slot.values)
        several = any("." in value for value in slot.values)
        return f"(?:{'|'.join(map(quoted, endings))})" if endings else _ANY_ENDING if several else ""
    if slot.kind == "key":
        held = f"[^{''.join(map(quoted_in_set, slot.apart))}]" if slot.apart else "."
        return f"{held}+" if all(slot.values) else f"{held}*"
    if slot.kind == "stamp" and len({re.sub("[0-9]", "0", value) for value in slot.values}) == 1:
        return re.sub("0+", _digits_of_time, quoted(re.sub("[0-9]", "0", slot.values[0])))
    if slot.kind in _FORMS:
        return _FORMS[slot.kind]
    if slot.kind == "region" and len({value.count("-") for value in slot.values}) == 1:
        return "-".join(["[a-z]+"] * slot.values[0].count("-")) + "-?[a-z]*[0-9]+"
    if slot.kind in {"hash", "epoch", "country"} and len({*map(len, slot.values)}) == 1:
        capital = any(re.search("[A-Z]", value) for value in slot.values)
        letters = {"hash": "0-9A-F" if capital else "0-9a-f", "epoch": "0-9"}.get(
            slot.kind, "A-Z" if capital else "a-z"
        )
        return f"[{letters}]{{{len(slot.values[0])}}}"
    return ""


def _digits_of_time(found: re.Match[str]) -> str:
    """Return the pattern of the digits of a time, those of the day apart, as in the pattern of the day alone."""
    after = len(found[0]) - _DAY_DIGITS
    return f"[0-9]{{{_DAY_DIGITS}}}[0-9]{{{after}}}" if after > 0 else f"[0-9]{{{len(found[0])}}}"


_OPEN = re.compile(r"\\.|\[\^|\.(?=[*+?])", re.DOTALL)


def anchored(pattern: str, source: Source) -> str:
    """Return the pattern for all of a part of a path. In a full path it is that of a directory at any depth, whose
    values do not reach into the next one.
    """
    if source != "full_path":
        return f"^{pattern}$"
    within = _OPEN.sub(lambda found: {"[^": "[^/", ".": "[^/]"}.get(found[0], found[0]), pattern)
    return f"/{within}(?:/|$)"


def _date(values: Sequence[str]) -> str:
    marks = {re.sub("[0-9]", "", value)[:1] for value in values}
    mark = quoted(marks.pop()) if len(marks) == 1 else "[-_./]?"
    few = "[0-9]{2}" if all(len(value) >= 8 and len(value) != 9 for value in values) else "[0-9]{1,2}"
    return f"[0-9]{{4}}{mark}{few}{mark}{few}"


def quoted_in_set(char: str) -> str:
    """Return the form of a character inside of brackets."""
    return f"\\{char}" if char in "\\]^-[" else _CONTROLS.sub(_escaped, char)


def type_of(values: Sequence[str]) -> tuple[FieldType, str | None, str]:
    """Return the type of values, its format, and a question if only the user can decide."""
    if all(uuid(value) == value for value in values):
        return "uuid", None, ""
    if all(usual_date(value) for value in values):
        return "date", None, ""
    if all(_DAY_LAST.fullmatch(value) for value in values):
        return _day_last(values)
    epochs = all(map(_EPOCH.fullmatch, values)) and len({*map(len, values)}) == 1
    if epochs and not are_far_apart(values) and not are_days(values):
        return "timestamp", "epoch" if len(values[0]) == _SECOND_DIGITS else "epoch_ms", ""
    if all(map(_INTEGER.fullmatch, values)) and all(map(_is_short, values)):
        return "integer", None, ""
    if _are_decimals(values):
        return "float", None, ""
    return "string", None, ""


def _are_decimals(values: Sequence[str]) -> bool:
    """Return whether values are numbers of as many decimals each, at least two, and no versions such as 3.10."""
    found = [_DECIMAL.fullmatch(value) for value in values]
    fractions = [one[1] for one in found if one is not None]
    alike = len(fractions) == len(values) and len({*map(len, fractions)}) == 1
    return alike and len({*values}) >= _MANY_DECIMALS and max(map(int, fractions)) > _MOST_RELEASES


def type_of_stamps(values: Sequence[str]) -> tuple[FieldType, str | None]:
    """Return the type and the format of times that begin with their day, text if they are not all written alike.

    The format is None for those that are read without one. A final Z is part of the format.
    """
    forms = {_stamp_form(value) for value in values}
    form = forms.pop() if len(forms) == 1 else ""
    if not form or None in map(timestamp_reader(form), values):
        return "string", None
    usual = not form.endswith("Z") and None not in map(timestamp_reader(None), values)
    return "timestamp", None if usual else form


def _stamp_form(value: str) -> str:
    """Return the format of a time such as 20240305T030000Z, or ""."""
    found = _STAMP.fullmatch(value)
    if found is None:
        return ""
    day, between, mark, milliseconds, end = found.groups(default="")
    digits = len(re.sub("[^0-9]", "", value)) - len(milliseconds)
    clock = mark.join(("%H", "%M", "%S")[: (digits - _DAY_DIGITS) // 2])
    return f"{day.join(('%Y', '%m', '%d'))}{between}{clock}{'%f' if milliseconds else ''}{end}"


def are_far_apart(epochs: Sequence[str]) -> bool:
    """Return whether times span more than twelve years, so that they are rather the numbers of something."""
    seconds = [int(one[:_SECOND_DIGITS]) for one in epochs]
    return max(seconds) - min(seconds) > _TWELVE_YEARS


def _is_short(digits: str) -> bool:
    """Return whether a number is short, without the zeros of one that is small for its width."""
    return len(digits.lstrip("0") if digits.startswith("00") else digits) <= _MAX_INTEGER_DIGITS


def _day_last(values: Sequence[str]) -> tuple[FieldType, str | None, str]:
    marks = {value[-5] for value in values}
    if len(marks) > 1:
        return "string", None, ""
    mark = marks.pop()
    fitting = [
        form
        for form in (f"%d{mark}%m{mark}%Y", f"%m{mark}%d{mark}%Y")
        if all(date_reader(form)(value) for value in values)
    ]
    if len(fitting) == 1:
        return "date", fitting[0], ""
    question = f"Is {values[0]!r} day first ({fitting[0]}) or month first ({fitting[1]})?" if fitting else ""
    return "string", None, question
