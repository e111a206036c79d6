"""Quantities and times in a sentence that look like a limit and that no other module can read.

The other modules read what they know. What they do not know must not look like a sentence without a limit.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.units import factor_between, unit_named
from retouch.recipes.policy.making.judging.clause_numbers import numbers_in
from retouch.recipes.policy.making.judging.clause_times import moment_places

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
_WORD = re.compile(r"\S+")
# A path, an address or an identifier such as `ec2`, `v1.2` or `10.0.0.1` is a name. `eur100` is an amount.
_AMOUNT = re.compile(r"(?:eur|usd|gbp|chf|us|[$\u20ac\u00a3\u00a5])\W*\d", re.IGNORECASE)
_NAME = re.compile(
    r"[^\W\d].*|\W*(?:[~/.@#]|[\w.-]+@|\w+:/|[\w.-]*/[\w.-]*[a-z_]{2}).*|\d+(?:\.\d+){3}(?:[:/]\d+)?"
    r"|\d+(?:\.\d+){2}|\d+(?:fa|d|nd|rd|th|st)|[a-f\d]{7,}|(?:19|20)\d\d",
    re.IGNORECASE,
)
_TWO_READINGS = re.compile(r"\d{1,3}(?:\.\d{3})+|\d+(?: \d{3})+")
_SCALE = re.compile(
    r"(?: and (?:a|one) (?:half|third|quarter)| ?(?:bn|billion|trillion|lakh|crore|grand|cents?|pence|pennies)"
    r"| ?(?:[kmgt]i?b|bytes?|seconds?|minutes?|hours?|days?|weeks?|months?|years?))\b",
    re.IGNORECASE,
)
_PERIOD_BEFORE = re.compile(
    r"\b(?:per|each|every|any|within|in|on|during|(?:course|space) of)\s+(?:the\s+|any\s+)?$", re.IGNORECASE
)
_VAGUE_AMOUNT = re.compile(
    r"\b(?<!the )few\b|\bhandful\b|\b(?:a|one) couple\b|\btoo (?:many|much|often|frequent\w*)\b|\ba grand\b"
    r"|\bhalf\b|\b(?:a|one|two) (?:third|quarter)s?\b|\bthrice\b"
    r"|(?<!in )(?<!on )\b(?:a|one) single\b|\b(?:a|one) single\b(?! (?:minute|hour|day|week|month)\b)"
    r"|\bonly (?:ever )?(?:\w+ )?(?:one|once)\b|\bone \w+ (?:per|for each|for every) \w+"
    r"|\b(?:ceiling|fortnight(?:ly)?)\b|\b(?:wait|pause|gap|interval)\b.*\bbetween\b",
    re.IGNORECASE,
)
# "More than 600 euros on a single flight": an amount of one call.
_OF_ONE_CALL = re.compile(
    r"(?P<amount>\b(?:(?:more|longer|higher) than|over|above|up to|at most) \S+(?: \w+)? (?:on|in|for|per)) "
    r"(?:a|one|any) single (?=(?!minute|hour|day|week|month|quarter|year)[a-z]+)",
    re.IGNORECASE,
)
_VAGUE_RATE = re.compile(
    r"\b(?:per|an?|/) ?(?:minute|hour|day|night|week|fortnight|month|quarter|year)\b(?! (?:ago|later|old|off))"
    r"|\b(?:at most|only|once|no more (?:often )?than) every\b"
    r"|\b(?:every|each) (?:other|second|third|fourth|two|three|four|five|six|ten|twelve|\d+|few|couple(?: of)?) ?"
    r"(?:minute|hour|day|night|week|month|quarter|year)s?\b"
    r"|\b(?:daily|hourly|nightly|weekly|monthly|quarterly|yearly|annually)\s*[.!]?$",
    re.IGNORECASE,
)
_DAYTIME = re.compile(
    r"\b(?:half|quarter) (?:past|to)\b|\b(?:before|after|over|during|at) (?:the )?(?:lunch|breakfast|dinner)\b"
    r"|\b(?:dawn|dusk|sunrise|sunset|daylight|dark|lunch break|month[- ]end|midweek|asleep|awake)\b"
    r"|\bduring the (?:day|night|week|month)\b(?!,? (?:between|from) \d)|\b(?:working|business|school|bank) days?\b"
    r"|\b(?:today|tonight|tomorrow|this (?:week|month|quarter|year|morning|evening|afternoon))\b"
    r"|\b(?:in|during|until|before|after) (?:the )?(?:spring|summer|autumn|winter|q[1-4])\b"
    r"|\b(?:first|second|third|fourth|last|\d+(?:st|nd|rd|th)|end|start|beginning) (?:\w+ )?of (?:the|each|every) "
    r"(?:week|month|quarter|year)\b"
    r"|\b(?:first|second|third|fourth|last|every other) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.? \d|\b\d+(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|"
    r"jun|jul|aug|sep|oct|nov|dec)\w*|\b(?:may|january|february|march|april|june|july|august|september|october|"
    r"november|december) \d"
    r"|\b(?:mon|tues?|weds?|thurs?|thu|fri|sat|sun)(?:[ ,.-]|$)(?:(?:to|and|or|through)\b)?"
    r"|\b(?:utc|gmt|e[sd]t|c[sd]t|m[sd]t|p[sd]t|cest|cet|bst|jst)\b",
    re.IGNORECASE,
)
_ZONE = re.compile(r"\b[A-Z][a-z]+ time\b")
_HOUR = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_BARE_HOUR = re.compile(
    rf"\b(?:before|after|until|till|since) {_HOUR}(?=[.!,;]|$| (?:on|in|and|or)\b)"
    rf"|\b(?:from|between) {_HOUR} (?:to|and|until|till) {_HOUR}(?=[.!,;]|$)",
    re.IGNORECASE,
)


def unread_quantity(text: str, units: Collection[str] = ()) -> str:
    """Return why a sentence may have a limit that is not read. "" if every quantity and time is read.

    `units` are the units of time and size of arguments that its rules test: "45 minutes" is read if they are minutes.
    """
    plain = _QUOTED.sub(lambda found: " " * len(found[0]), text)
    for words, why in (
        (_unread_number(plain, units), "which is not read as a number"),
        (_first(_OF_ONE_CALL.sub(r"\g<amount> a ", plain), _VAGUE_AMOUNT), "an amount without an exact number"),
        (_first(plain, _DAYTIME) or _first(plain, _ZONE) or _first(plain, _BARE_HOUR), "a time that is not read"),
    ):
        if words:
            return f"it has {words!r}, {why}; write it as a number, such as 1000, or as a time, such as 9:00"
    return ""


def vague_rate(text: str) -> bool:
    """Return whether a sentence limits how often something is done, in any words."""
    return _VAGUE_RATE.search(_QUOTED.sub(lambda found: " " * len(found[0]), text)) is not None


def _first(text: str, pattern: re.Pattern[str]) -> str:
    found = pattern.search(text)
    return "" if found is None else found[0].strip(" ,.")


def _unread_number(text: str, units: Collection[str]) -> str:
    read = [(one.start, one.end) for one in numbers_in(text)]
    moments = [(start, end) for start, end, _ in moment_places(text)]
    for first, second in pairwise([*read, (len(text), len(text))]):
        more = _SCALE.match(text, first[1], second[1])
        if more is None or any(factor_between(unit_named(more[0].strip()), one) for one in units):
            continue
        if _PERIOD_BEFORE.search(text, 0, first[0]) is None:
            return text[first[0] : more.end()]
    for found in _TWO_READINGS.finditer(text):
        if found.start() in {start for start, _ in read} and not _is_in(found.span(), moments):
            return found[0]
    for found in _WORD.finditer(text):
        word = found[0].strip(".,;:!?()[]")
        start = found.start() + found[0].index(word) if word else found.start()
        if not re.search(r"\d", word) or _is_read(text, start, start + len(word), [*read, *moments]):
            continue
        if _AMOUNT.match(word) or not _NAME.fullmatch(word):
            return word
    return ""


def _is_read(text: str, start: int, end: int, places: Iterable[tuple[int, int]]) -> bool:
    """Return whether every digit of a word is in one of the places."""
    spans = list(places)
    return all(not text[at].isdigit() or _is_in((at, at + 1), spans) for at in range(start, end))


def _is_in(span: tuple[int, int], places: Iterable[tuple[int, int]]) -> bool:
    return any(low <= span[0] and span[1] <= high for low, high in places)
