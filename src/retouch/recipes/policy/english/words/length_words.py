"""Writes lengths of time in one way: "half an hour" is "30 minutes", "an hour at the longest" is "1 hour at most"."""

from __future__ import annotations

import re

_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_NUMBERS = {word: number for number, word in enumerate(_WORDS, start=1)}
_NUMBER = rf"(?:\d{{1,4}}|{'|'.join(_WORDS)})"
_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_UNIT = rf"(?P<unit>{'|'.join(_UNITS)})"
_THREE_QUARTERS = re.compile(r"\b(?:three quarters|three-quarters) of an hour\b", re.IGNORECASE)
_AND_A_HALF = re.compile(
    rf"\b(?:(?P<one>an?|one) {_UNIT} and a half|(?P<many>{_NUMBER}) and a half (?P<units>{'|'.join(_UNITS)})s)\b",
    re.IGNORECASE,
)
_PART = re.compile(r"\b(?P<part>half|a quarter of|quarter of) an? (?P<unit>hour|minute|day)\b", re.IGNORECASE)
# "Longer than an hour", "up to one hour", "an hour at the longest", and not "three times an hour".
_COMPARED = (
    r"\b(?:than|up to|over|under|above|below|beyond|exceed(?:s|ing)?|most|least|maximum of|max|of up to|within|"
    r"lasts?|lasting|takes?|taking|limit(?:ed)? to|capped at|only)"
)
_BEHIND = (
    r"(?:long\b|at (?:the )?(?:very )?(?:most|longest|max)\b|max\b|maximum\b|tops\b|"
    r"or (?:less|more|shorter|longer|under|over)\b|at a stretch\b|in length\b|and no longer\b|ahead\b|in advance\b)"
)
_ONE = re.compile(
    rf"(?P<before>{_COMPARED} (?:of )?)(?P<one>an?|one) (?P<unit>{'|'.join(_UNITS)})\b(?! (?:and|per|or two))"
    rf"|(?P<start>^|, |\bof |\bfor )(?P<one2>an?|one) (?P<unit2>{'|'.join(_UNITS)})(?= {_BEHIND})",
    re.IGNORECASE,
)
_MANY = re.compile(rf"\b(?P<many>{'|'.join(_WORDS[1:])}) (?P<unit>{'|'.join(_UNITS)})s(?= {_BEHIND})", re.IGNORECASE)
_LENGTH = rf"(?P<length>\b\d+ (?:{'|'.join(_UNITS)})s?)"
_AT_A_STRETCH = re.compile(
    rf"{_LENGTH} (?:at a stretch|in one go|in a row|in length|long)"
    r"(?P<most>,? (?:max\.?|maximum|at (?:the )?most|tops))",
    re.IGNORECASE,
)
_UP_TO = re.compile(
    r"(?P<bound>\b(?:up to|at most|no (?:more|longer) than|more than|longer than|over|under|less than|maximum of|max) "
    rf"{_LENGTH}) (?:at a stretch|in one go|in length)\b",
    re.IGNORECASE,
)
_AT_LONGEST = re.compile(rf"{_LENGTH} (?:at (?:the )?longest|and no longer|max at a stretch)", re.IGNORECASE)
_LASTING = re.compile(
    r"\b(?P<not>(?:must|may|can|should|shall|need)(?: not|n['\u2019]t|not)?(?: ever)? )"
    rf"(?:last|take|run|go on)(?: for)?(?= (?:longer than|more than|less than|over) {_LENGTH})",
    re.IGNORECASE,
)


def with_lengths(text: str) -> str:
    """Return a sentence with each length of time as a number and a unit."""
    text = _THREE_QUARTERS.sub("45 minutes", text)
    text = _AND_A_HALF.sub(_and_a_half, text)
    text = _PART.sub(_part, text)
    text = _ONE.sub(lambda found: f"{found['before'] or found['start'] or ''}1 {found['unit'] or found['unit2']}", text)
    text = _MANY.sub(lambda found: f"{_NUMBERS[found['many'].lower()]} {found['unit']}s", text)
    text = _AT_A_STRETCH.sub(lambda found: f"{found['length']}{found['most']}", text)
    text = _UP_TO.sub(lambda found: found["bound"], text)
    text = _AT_LONGEST.sub(lambda found: f"{found['length']} at most", text)
    return _LASTING.sub(lambda found: f"{found['not']}be", text)


def _and_a_half(found: re.Match[str]) -> str:
    many = found["many"]
    number = 1 if many is None else _NUMBERS.get(many.lower()) or int(many)
    unit = (found["unit"] or found["units"]).lower()
    return _smaller(number + 0.5, unit) or found[0]


def _part(found: re.Match[str]) -> str:
    share = 0.5 if found["part"].lower() == "half" else 0.25
    return _smaller(share, found["unit"].lower()) or found[0]


def _smaller(number: float, unit: str) -> str:
    """Return a number of units as a whole number of the next smaller unit. "" if there is none."""
    smaller = {"minute": "second", "hour": "minute", "day": "hour", "week": "day"}.get(unit)
    whole = number * _UNITS[unit] / _UNITS[smaller] if smaller else 0.5
    return f"{whole:.0f} {smaller}s" if whole == int(whole) else ""
