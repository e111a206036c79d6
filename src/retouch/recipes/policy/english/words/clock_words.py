"""Writes times of the day in one way: "half seven in the morning" is "7:30 am", "between 22 and 6" is "22:00 and 6:00".

Only times that can be read in one way are written again. A time without am or pm gets it from the other time of its
span: "between 10 and 6 at night" begins at 10 pm and ends at 6 am, and "between 9 and 5" may be either and stays.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from retouch.recipes.policy.english.words.length_words import with_lengths
from retouch.recipes.policy.english.words.work_hours import with_work_hours

if TYPE_CHECKING:
    from collections.abc import Callable

Half: TypeAlias = Literal["am", "pm"]
_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_HOURS = {word: number for number, word in enumerate(_WORDS, start=1)}
_STEPS = {"five": 5, "ten": 10, "quarter": 15, "a quarter": 15, "twenty": 20, "twenty-five": 25}
_ENDINGS = {"fifteen": 15, "thirty": 30, "forty-five": 45}
_HOUR = rf"(?:1[0-2]|[1-9](?!\d)|{'|'.join(_WORDS)})"
_PART = (
    r"(?: in the (?:early |late )?(?P<{0}part>morning|afternoon|evening)| (?P<{0}night>at night)"
    r"| ?(?P<{0}half>[ap])\.?m\b(?:\.(?=[ ,;]))?)"
)
_MOMENT = (
    rf"(?:(?P<{{0}}past>half)(?: past)? |(?P<{{0}}step>{'|'.join(sorted(_STEPS, key=len, reverse=True))})"
    rf"(?: minutes)? (?P<{{0}}side>past|to) )?(?P<{{0}}hour>{_HOUR})"
    rf"(?:[:.](?P<{{0}}minute>[0-5]\d)(?!\d)| (?P<{{0}}ending>{'|'.join(_ENDINGS)})(?= (?:in the|at night|[ap]\.?m)))?"
    rf"(?: o['\u2019]clock)?{_PART}?"
)
_ONE = re.compile(
    rf"(?<![\w.:/-])(?P<open>(?:before|after|until|from|between|past|by|at|than) )?{_MOMENT.format('')}(?![\w:-])",
    re.IGNORECASE,
)
_JOINT = r"(?P<joint> (?:and|to|until|through) | ?[-\u2013] ?)"
_TWO = re.compile(
    rf"(?<![\w.:/-])(?P<open>(?:between|from|after|outside(?: of)?|hours,? \(?|day, |days, |\() ?)"
    rf"{_MOMENT.format('a')}{_JOINT}{_MOMENT.format('b')}(?![\w:-]|[.,]\d)",
    re.IGNORECASE,
)
_APART = re.compile(
    rf"\b(?P<first>before|earlier than|after|later than) {_MOMENT.format('a')}"
    r"(?P<joint>,? (?:or|and|nor)(?: (?!before|after|earlier|later)[a-z]+){0,3} "
    r"(?P<last>before|earlier than|after|past|later than) )"
    rf"{_MOMENT.format('b')}(?![\w:-]|[.,]\d)",
    re.IGNORECASE,
)
_LATE_24 = r"(?:1[3-9]|2[0-3])"
_NO_UNIT = (
    r"(?![\w:%]|[.,]\d| (?!on (?:\w+days?|weekends?|an?|any|the weekend)\b|at (?:night|the weekend|weekends)\b|and\b|"
    r"or\b|every\b|during\b|except\b|from \w+day|\w+day)[a-z])"
)
_CUE = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun|week)days?\b|\bweekends?\b|\bhours\b(?! ago)|\bo['\u2019]clock\b|"
    r"\d ?[ap]\.?m\b|\d:\d\d\b|\b(?:morning|afternoon|evening|night)s?\b",
    re.IGNORECASE,
)
# "Before 9 or after 17", "no earlier than 9 and no later than 17:30"
_APART_24 = re.compile(
    r"\b(?P<open>(?:before|earlier than) )(?P<early>[1-9]|1[0-2])(?P<joint>,? (?:or|and|nor)(?: [a-z]+){0,3} "
    rf"(?:after|past|later than|beyond) )(?P<late>{_LATE_24})(?P<minute>:[0-5]\d)?{_NO_UNIT}",
    re.IGNORECASE,
)
# "Between 22 and 6", "from 9:30 to 17", "Monday to Friday, 8 to 18"
_SPAN_24 = re.compile(
    r"(?P<open>(?:\b(?:from|between|hours,?|outside)|(?:days?|weekends?),?)\s+|\bhours,? \()"
    r"(?P<first>\d|1\d|2[0-3])(?P<first_minute>:[0-5]\d)?(?P<joint> to | until | and | ?[-\u2013] ?)"
    rf"(?P<last>\d|1\d|2[0-4])(?P<last_minute>:[0-5]\d)?{_NO_UNIT}",
    re.IGNORECASE,
)
_BARE_24 = re.compile(
    rf"\b(?P<open>(?:after|later than|past|before|until) )(?P<hour>{_LATE_24})"
    r"(?=[.;)!]|, (?!\d)|$| (?:on|or|and|until) (?:on |(?:before|after|at|\w+day|the weekend)))",
    re.IGNORECASE,
)


class _Time(NamedTuple):
    """A time in words: hour 1 to 12, minute, and whether it says am, pm, or only "at night" (`night`)."""

    hour: int
    minute: int
    half: Half | None
    night: bool
    plain: bool

    @property
    def clock(self) -> int:
        """The minutes after 12 o'clock, so that 12:30 is 30."""
        return self.hour % 12 * 60 + self.minute

    def at(self, half: Half) -> str:
        """Return the time as text, with am or pm. 12 at night is midnight."""
        if self.clock == 0:
            return "midnight" if half == "am" else "noon"
        return f"{self.hour}{f':{self.minute:02}' if self.minute else ''} {half}"


def with_times(text: str) -> str:
    """Return a sentence with each clear time as "8:30 pm" or "22:00", and each length of time as a number."""
    parts = re.split(r"(`[^`]*`|\"[^\"]*\")", text)  # a name in quotes stays
    return "".join(one if at % 2 else _with_times(one) for at, one in enumerate(parts))


def _with_times(text: str) -> str:
    text = with_work_hours(re.sub(r"\b(?:till|til|'til)\b", "until", text))
    text = _APART_24.sub(
        lambda one: f"{one['open']}{one['early']}:00{one['joint']}{one['late']}{one['minute'] or ':00'}", text
    )
    text = _SPAN_24.sub(_span_24, text)
    text = _again(_TWO, _span, text)
    text = _again(_APART, _apart, text)
    text = _BARE_24.sub(lambda one: f"{one['open']}{one['hour']}:00", text)
    return with_lengths(_ONE.sub(_single, text))


def _again(pattern: re.Pattern[str], write: Callable[[re.Match[str]], str], text: str) -> str:
    """Return a text with all matches written again, also those that begin inside of one that stays."""
    at = 0
    while (found := pattern.search(text, at)) is not None:
        new = write(found)
        text = f"{text[: found.start()]}{new}{text[found.end() :]}"
        at = found.start() + (len(new) if new != found[0] else 1)
    return text


def _time_of(found: re.Match[str], name: str = "") -> _Time | None:
    """Return the time of a match. None for a number that may be something else."""
    text = found[f"{name}hour"].lower()
    hour, minute = _HOURS.get(text) or int(text), int(found[f"{name}minute"] or 0)
    minute = _ENDINGS.get((found[f"{name}ending"] or "").lower(), minute)
    told = any(found[f"{name}{one}"] for one in ("minute", "ending"))
    step = found[f"{name}step"]
    if found[f"{name}past"] or step:
        if told:
            return None
        minute = 30 if not step else _STEPS[step.lower()]
        if step and found[f"{name}side"].lower() == "to":
            hour, minute = (hour - 2) % 12 + 1, 60 - minute
    part, half, night = found[f"{name}part"], found[f"{name}half"], found[f"{name}night"]
    given: Half | None = None
    if half:
        given = "am" if half.lower() == "a" else "pm"
    elif part:
        given = "am" if part.lower() == "morning" else "pm"
        odd = {"morning": {12}, "afternoon": {8, 9, 10, 11}, "evening": {12, 1, 2, 3}}[part.lower()]
        if hour in odd:
            return None
    plain = found[f"{name}minute"] is not None and text not in _HOURS
    return _Time(hour, minute, given, night is not None, plain)


def _at_night(one: _Time) -> Half | None:
    """Return whether a time "at night" is before or after midnight. Six at night can be either."""
    if one.half is not None or not one.night:
        return one.half
    if one.hour == 12 or one.hour <= 5:
        return "am"
    return "pm" if one.hour >= 7 else None


def _single(found: re.Match[str]) -> str:
    one = _time_of(found)
    half = None if one is None else _at_night(one)
    if one is not None and one.night and one.hour == 6 and half is None:
        half = "pm"
    if one is None or half is None:
        return found[0]
    return f"{found['open'] or ''}{one.at(half)}"


def _span(found: re.Match[str]) -> str:
    first, last = _time_of(found, "a"), _time_of(found, "b")
    halves = None if first is None or last is None else _halves(first, last, found["open"], found[0])
    if first is None or last is None or halves is None:
        return found[0]
    joint = " to " if found["joint"].strip() in {"-", "\u2013"} else found["joint"]
    return f"{found['open']}{first.at(halves[0])}{joint}{last.at(halves[1])}"


def _span_24(found: re.Match[str]) -> str:
    """Return "between 22:00 and 6:00" for "between 22 and 6": one of the two shows that these are hours of 24."""
    first, last = int(found["first"]), int(found["last"])
    if not (first > 12 >= last or last > 12 > first or (first > 12 and last > 12 and first < last)):
        return found[0]
    minutes = (found["first_minute"] or ":00", found["last_minute"] or ":00")
    told = _CUE.search(found.string) is not None
    if not told and not (first > last and found["open"].lower().startswith("between")):
        return found[0]  # "between 10 and 22" can be degrees
    joint = " to " if found["joint"].strip() in {"-", "\u2013"} else found["joint"]
    return f"{found['open']}{first}{minutes[0]}{joint}{last}{minutes[1]}"


def _halves(first: _Time, last: _Time, opening: str, said: str) -> tuple[Half, Half] | None:
    """Return whether the times of a span are am or pm. None if they say nothing, or it can be read in two ways."""
    if first.plain and first.half is None and not first.night:
        return None  # 9:00 may be one of 24 hours
    early, late = _at_night(first), _at_night(last)
    if last.night and first.half is None and not first.night:
        return _night_span(first, last)
    if first.half is not None and late is None and not last.plain:
        after = (last.clock - first.clock) % 720
        same: Half = first.half
        other: Half = "pm" if same == "am" else "am"
        return (same, other) if last.clock < first.clock and after else None
    if early is not None and late is not None:
        return early, late
    if late is None or first.half is not None or first.night:
        return None
    if first.clock > last.clock:
        return (
            ("am", "pm")
            if late == "pm" and first.hour >= 6
            else ("pm", "am")
            if late == "am" and first.hour >= 7
            else None
        )
    between = opening.lower().startswith("between")
    close = first.clock < last.clock and (first.hour % 12 <= 5 or late == "am" or between or "evening" in said)
    return (late, late) if close and (late == "am" or first.hour % 12 <= 5 or last.clock - first.clock <= 240) else None


def _night_span(first: _Time, last: _Time) -> tuple[Half, Half] | None:
    """Return "between 1 and 5 at night" and "from 10 to 6 at night"."""
    if last.clock <= 360:
        if first.clock < last.clock:
            return "am", "am"
        return ("pm", "am") if first.hour >= 8 and (last.clock < 360 or first.hour >= 10) else None
    return ("pm", "pm") if first.clock < last.clock and first.hour >= 6 else None


def _apart(found: re.Match[str]) -> str:
    """Return "before 8:30 am or after 5 pm" for "before 8:30 or after 5 pm"."""
    one, two = _time_of(found, "a"), _time_of(found, "b")
    early = found["first"].lower() in {"before", "earlier than"}
    if one is None or two is None or early is (found["last"].lower() in {"before", "earlier than"}):
        return found[0]
    first, last = _at_night(one), _at_night(two)
    if first is None and last is None:
        return _work_day(found, one, two) if early else found[0]
    morning = one if early else two
    if first is not None and last is None and not two.plain:
        last = (
            "pm" if early and first == "am" else "am" if not early and first == "pm" and 4 <= two.hour <= 11 else None
        )
    elif last is not None and first is None and (early or not one.plain):
        first = "am" if early and last == "pm" and 4 <= morning.hour <= 11 else None
    if first is None or last is None:
        return found[0]
    return f"{found['first']} {one.at(first)}{found['joint']}{two.at(last)}"


def _work_day(found: re.Match[str], early: _Time, late: _Time) -> str:
    """Return "before 9 am or after 5 pm" for "before 9 or after 5". Both may be am if the second one is greater."""
    plain = early.plain or late.plain
    if plain or not (5 <= early.hour <= 11 and late.hour <= 11 and late.clock < early.clock):
        return found[0]
    return f"{found['first']} {early.at('am')}{found['joint']}{late.at('pm')}"
