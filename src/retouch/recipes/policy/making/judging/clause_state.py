"""The limits and times that a clause names, compared with the tests of its rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.language.clock import hours_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.language.values import Limit, Rule

_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NAMED = {"once": 1, "twice": 2} | {word: number for number, word in enumerate(_WORDS, start=1)}
_NUMBER = rf"(?:\d|\b(?:{'|'.join(_NAMED)})\b)"
_UNITS = "minute|hour|day|week|month|quarter|year|session|conversation"
_PERIOD = re.compile(
    rf"\b(?:per|an?|each|every|any|one|within|in)\s+(?:(?:the|any|one|calendar)\s+)*(?:(?P<many>\d+)\s+)?"
    rf"(?P<unit>{_UNITS})s?\b|\b(?P<adverb>daily|hourly|weekly|monthly|yearly|annually)\b",
    re.IGNORECASE,
)
_RATE = re.compile(
    rf"{_NUMBER}.*(?:{_PERIOD.pattern.replace('?P<', '?P<r')})|\b(?:once|twice) an? \w+"
    r"|\b(?:daily|hourly|weekly|monthly|yearly|annual|overall|total) (?:limit|maximum|cap|budget|quota|allowance)\b"
    r"|\b(?:at most|no more than|up to|more than|maximum|limit)\b.*\b(?:in total|altogether|overall)\b"
    rf"|\b(?:per|each|every) (?:{_UNITS})\b.*(?:at most|no more than|up to|more than|only|maximum|limit)\b.*{_NUMBER}",
    re.IGNORECASE,
)
_ADVERBS = {"daily": "day", "hourly": "hour", "weekly": "week", "monthly": "month"}
_SAME = {("24", "hour"): "day", ("60", "minute"): "hour", ("7", "day"): "week", ("31", "day"): "month"}
_COUNTED = frozenset({"minute", "hour", "day", "week", "month"})
_DIGITS = re.compile(r"(?<![\w.,:])\d+(?:,\d{3})*(?:\.\d+)?(?![\w:])")
_LARGE = re.compile(r"\b(?:dozen|hundred|thousand|million|\w+teen|\w+ty)\b|\d ?[km]\b", re.IGNORECASE)
_CLOCK = re.compile(r"\b(\d{1,2}):(\d\d)\b")
_HOURS = re.compile(
    r"\b\d{1,2}:\d\d\b|\b\d{1,2} ?[ap]\.?m\b|\bo['\u2019]clock\b|\b(?:at|over|by) ?night\b"
    r"|\b(?:before|after|until|from|at) (?:noon|midnight)\b|\bin the (?:morning|afternoon|evening)s?\b",
    re.IGNORECASE,
)
_DAYS = re.compile(r"\bweek(?:day|end)s?\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_EITHER = re.compile(r"\b(?:office|business|working|opening) hours\b|\bafter hours\b", re.IGNORECASE)
_DATES = re.compile(
    r"\bholidays?\b|\b(?:in|on|until|before|after|since|during) (?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?"
    r"(?:january|february|march|april|june|july|august|september|october|november|december|christmas)\b",
    re.IGNORECASE,
)


def missing_state(text: str, rules: Sequence[Rule]) -> str:
    """Return why rules do not enforce a clause that has a limit or a time. "" if they do, or if it has none.

    A limit must be there with a number and every period of the clause, and a time with its hours and its days.
    """
    tests = [test for rule in rules for test in (*rule.when.where, *rule.when.unless)]
    return _missing_limit(text, [one for one in tests if one.is_total]) or _missing_time(text, tests)


def _missing_limit(text: str, totals: Sequence[Limit]) -> str:
    if not _RATE.search(text):
        return ""
    if not totals:
        return "it has a limit, and none of its rules counts earlier calls"
    periods = _periods(text)
    if not periods:
        return "it has a limit without a period, and rules count in a period only"
    for period in periods:
        if period not in _COUNTED:
            return f"it has a limit per {period}, which no rule can count"
        if all(one.per != period for one in totals):
            return f"it has a limit per {period}, and its rules count per {totals[0].per}"
    numbers = _numbers(text)
    near = {number + step for number in numbers for step in (-1, 0, 1)}  # "fewer than 3" is "at most 2"
    if numbers and not _LARGE.search(text) and all(near.isdisjoint(one.bounds) for one in totals):
        return f"its rules count to {totals[0].bounds[0]:g}, a number that it does not name"
    return ""


def _periods(text: str) -> list[str]:
    found: list[str] = []
    for one in _PERIOD.finditer(text):
        unit, many = (one["unit"] or "").lower(), one["many"]
        if one["adverb"]:
            found.append(_ADVERBS.get(one["adverb"].lower(), "year"))
        elif many in {None, "1"}:
            found.append(unit)
        else:
            found.append(_SAME.get((many, unit), f"{many} {unit}s"))
    return found


def _numbers(text: str) -> set[float]:
    words = {float(_NAMED[word]) for word in re.findall(r"[a-z]+", text.lower()) if word in _NAMED}
    return words | {float(one.replace(",", "")) for one in _DIGITS.findall(text)}


def _missing_time(text: str, tests: Sequence[Limit]) -> str:
    spans = [one for test in tests for one in test.hours]
    days = any(test.days for test in tests)
    if _DATES.search(text):
        return "it names dates or holidays, which no rule can know"
    needed = ((_HOURS, bool(spans)), (_DAYS, days), (_EITHER, bool(spans) or days))
    if any(pattern.search(text) and not given for pattern, given in needed):
        return "it names a time, and none of its rules looks at the time of a call"
    half_a_day = 12 * 60  # "5:00" may be followed by "pm"
    known = {minute % half_a_day for one in spans for minute in hours_of(one)}
    for hour, minute in _CLOCK.findall(text):
        if (int(hour) * 60 + int(minute)) % half_a_day not in known:
            return f"it names the time {hour}:{minute}, which none of its rules begins or ends at"
    return ""
