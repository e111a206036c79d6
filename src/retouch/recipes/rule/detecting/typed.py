"""The forms of tokens that say what they are, for example dates, and whether several tokens are that."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.fixed_width import are_days
from retouch.recipes.rule.detecting.ordinals import ORDINAL
from retouch.recipes.rule.detecting.patterns import EPOCH, VERSION, are_far_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Kind

_YEAR = "(?:19|20)[0-9]{2}"
_MONTH = "(?:0[1-9]|1[0-2])"
_DAY = "(?:0[1-9]|[12][0-9]|3[01])"
_HOUR = "(?:[01][0-9]|2[0-3])"
_SIXTY = "[0-5][0-9]"
_DATED = rf"{_YEAR}([-_.]?){_MONTH}\1{_DAY}"
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_WINDS = "(?:north|south|east|west|central|northeast|northwest|southeast|southwest)"
_AWS = rf"(?:us|eu|ap|sa|ca|me|af|il|cn|mx)(?:-gov|-iso[a-z]?)?-{_WINDS}-[1-9]"
_GCP = rf"(?:us|europe|asia|australia|northamerica|southamerica|me|africa)-{_WINDS}[1-9][0-9]?"
_CLOCK = "(?:[01][0-9]|2[0-3])[0-5][0-9](?:[0-5][0-9])?"
_HASHES = "|".join(f"[0-9a-f]{{{digits}}}|[0-9A-F]{{{digits}}}" for digits in (128, 96, 64, 56, 40, 32, 16))
TYPED: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "uuid",
        re.compile(
            r"(?<![0-9A-Za-z])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
            r"(?![0-9A-Za-z])"
        ),
    ),
    ("resource", re.compile("(?<![0-9A-Za-z])[a-z]{1,12}-[0-9a-f]{17}(?![0-9A-Za-z])")),
    ("stamp", re.compile(rf"(?<![0-9]){_YEAR}{_MONTH}{_DAY}[T]?{_CLOCK}Z?(?![0-9])")),
    ("stamp", re.compile(rf"(?<![0-9]){_YEAR}{_MONTH}{_DAY}T?{_HOUR}Z?(?![0-9])")),
    ("stamp", re.compile(rf"(?<![0-9]){_YEAR}-{_MONTH}-{_DAY}[T_]{_CLOCK}Z?(?![0-9])")),
    ("stamp", re.compile(rf"(?<![0-9]){_YEAR}{_MONTH}{_DAY}[-_.]{_CLOCK}Z?(?![0-9A-Za-z])")),
    ("stamp", re.compile(rf"(?<![0-9]){_YEAR}-{_MONTH}-{_DAY}-{_CLOCK}Z?(?![0-9A-Za-z])")),
    ("stamp", re.compile(rf"(?<![0-9]){_YEAR}{_MONTH}{_DAY}[-_]?{_HOUR}{_SIXTY}{_SIXTY}[0-9]{{3}}(?![0-9A-Za-z])")),
    ("stamp", re.compile(rf"(?<![0-9]){_YEAR}-{_MONTH}-{_DAY}[-T_ ]{_HOUR}([-:.]){_SIXTY}(?:\1{_SIXTY})?Z?(?![0-9])")),
    ("stamp", re.compile(rf"(?<![0-9]){_DATED}[-T_. ]{_HOUR}([-_.:]){_SIXTY}\2{_SIXTY}Z?(?![0-9A-Za-z])")),
    ("stamp", re.compile(rf"(?<![0-9]){_DATED}[-T_. ]{_HOUR}{_SIXTY}{_SIXTY}Z?(?![0-9A-Za-z])")),
    ("epoch", re.compile(rf"(?<![0-9A-Za-z])(?<![0-9]\.){EPOCH}(?![0-9A-Za-z])(?!\.[0-9])")),
    ("week", re.compile(rf"(?<![0-9A-Za-z]){_YEAR}-?W(?:0[1-9]|[1-4][0-9]|5[0-3])(?:-?[1-7])?(?![0-9A-Za-z])")),
    ("address", re.compile(rf"(?<![0-9A-Za-z.])(?:{_BYTE}\.){{3}}{_BYTE}(?![0-9A-Za-z.])")),
    ("region", re.compile(rf"(?<![0-9A-Za-z-])(?:{_AWS}|{_GCP})(?![0-9A-Za-z-])")),
    ("date", re.compile(r"(?<![0-9])[0-9]{4}([-_.])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12][0-9]|3[01])(?![0-9])")),
    ("date", re.compile(r"(?<![0-9])[0-9]{1,2}([-_.])[0-9]{1,2}\1(?:19|20)[0-9]{2}(?![0-9])")),
    ("date", re.compile(rf"(?<![0-9]){_YEAR}{_MONTH}{_DAY}(?![0-9])")),
    ("month", re.compile(rf"(?<![0-9A-Za-z]){_YEAR}-{_MONTH}(?:-{_DAY})?(?![0-9A-Za-z])")),
    ("hash", re.compile(rf"(?<![0-9A-Za-z])(?:{_HASHES})(?![0-9A-Za-z])")),
    ("version", re.compile(rf"(?:(?<![0-9A-Za-z.])|(?<=^v)|(?<=[^0-9A-Za-z]v)){VERSION}(?![0-9A-Za-z])(?!\.[0-9])")),
)
CONSTANT: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    *TYPED,
    ("year", re.compile(rf"(?<![0-9A-Za-z.]){_YEAR}(?![0-9A-Za-z.])")),
    ("number", re.compile(r"(?<![0-9A-Za-z.])0[0-9]+[A-Z](?![0-9A-Za-z.])")),  # with its unit, as in 01D
    ("number", re.compile(r"(?<![0-9.])0[0-9]+(?![0-9.])")),
)


def typed_spans(text: str) -> list[tuple[int, int]]:
    """Return where a text has tokens whose form says what they are, for example dates."""
    forms = [*(form for _, form in TYPED), ORDINAL]
    return [found.span() for form in forms for found in form.finditer(text)]


def kinds_in(text: str) -> frozenset[Kind]:
    """Return the kinds of the tokens in a text whose form says what they are."""
    return frozenset(kind for kind, form in TYPED if form.search(text))


_DAY_AND_HOUR = re.compile("[0-9]{10}")
_APART = re.compile("[0-9]{4}-?[0-9]{2}-?[0-9]{2}[-_.]([0-9]+)Z?")  # a day and digits after a separator of words
_MANY_CLOCKS = 6  # fewer numbers may all look like times of a day by chance
_FEW_CLOCKS = 3  # of six digits, which look like a time in one case of twelve
_SECONDS = 6


def is_likely(kind: Kind, tokens: Sequence[str]) -> bool:
    """Return whether tokens that have the form of times are no other numbers: hours also are after noon, and seconds
    since 1970 do not span decades.
    """
    if kind == "stamp" and all(map(_DAY_AND_HOUR.fullmatch, tokens)):
        return any(token[-2:] >= "12" for token in tokens)
    if kind == "stamp" and all(map(_APART.fullmatch, tokens)):
        clocks = [_APART.sub(r"\1", token) for token in tokens]
        widths = {*map(len, clocks)}
        many = len(tokens) >= (_FEW_CLOCKS if widths == {_SECONDS} else _MANY_CLOCKS)
        return many and len(widths) == 1 and (max(clocks) >= "12" or widths == {_SECONDS})
    return kind != "epoch" or not (are_far_apart(tokens) or are_days(tokens))
