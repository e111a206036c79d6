"""Parses limits and times of ordinary sentences: "at most 3 per day", "between 9:00 and 17:00", "on weekends"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from retouch.recipes.policy.language.values import DAYS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.naming import SentenceWords
    from retouch.recipes.policy.language.values import Period

Bound: TypeAlias = Literal["at_most", "above"]
_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve "
    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_ONES = {word: number for number, word in enumerate(_WORDS.split(), start=1)}
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: ten for ten, word in enumerate(_TENS_WORDS.split(), start=2)}
_NUMBERS = (
    _ONES
    | {word: 10 * ten for word, ten in _TENS.items()}
    | {f"{word}-{one}": 10 * ten + _ONES[one] for word, ten in _TENS.items() for one in list(_ONES)[:9]}
    | {"hundred": 100}
)
NUMBER_WORDS = frozenset(_NUMBERS) | {"dozen"}
AT_MOST = ("at most", "no more than", "not more than", "up to", "a maximum of", "maximum", "max", "max.", "only")
_ABOVE = ("more than",)
_PERIODS: tuple[Period, ...] = ("minute", "hour", "day", "week", "month")
_ADVERBS: dict[str, Period] = {"daily": "day", "hourly": "hour", "weekly": "week", "monthly": "month"}
_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))?(?P<half>[ap]\.?m\.?)?")
_SPAN = re.compile(r"(\d{1,2}:[0-5]\d)[-\u2013](\d{1,2}:[0-5]\d)")


@dataclass(frozen=True, kw_only=True)
class NamedTime:
    """A time that a sentence names: `hours` or `days`. `outside`: any other time.

    `is_open`: it has no end, as in "after 18:00". Until midnight it certainly is.
    """

    hours: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    outside: bool = False
    is_open: bool = False

    @property
    def is_overnight(self) -> bool:
        """True if the hours go over midnight."""
        return any(end < start and end != "00:00" for start, end in (one.split("-") for one in self.hours))


def quantities(words: SentenceWords, at: int) -> Iterator[tuple[Bound, float, int]]:
    """Yield numbers that limit how often something is done: `at most 3`, `more than 3`."""
    for bound, then in _bounds(words, at):
        number = number_of(words.word(then))
        if number is not None and not (bound == "above" and words.word(at - 1) in {"no", "not"}):
            yield bound, number, then + 1


def _bounds(words: SentenceWords, at: int) -> Iterator[tuple[Bound, int]]:
    for then in words.after(at, *AT_MOST):
        yield "at_most", then
    for then in words.after(at, *_ABOVE):
        yield "above", then


def repetitions(words: SentenceWords, at: int) -> Iterator[tuple[Bound, float, int]]:
    """Yield how often something is done: `at most 3 times`, `more than once`, `twice`."""
    for bound, number, then in quantities(words, at):
        for end in words.after(then, "times", "time"):
            yield bound, number, end
    starts: list[tuple[Bound, int]] = [("at_most", at), *_bounds(words, at)]
    for start, then in starts:
        for word, number in (("once", 1.0), ("twice", 2.0)):
            for end in words.after(then, word):
                yield start, number, end


def periods(words: SentenceWords, at: int) -> Iterator[tuple[Period, int]]:
    """Yield periods: `per day`, `a week`, `every hour`, `daily`, `in 24 hours`."""
    for period in _PERIODS:
        article = "an" if period == "hour" else "a"
        openings = (
            "per",
            article,
            "each",
            "every",
            "in any",
            "in one",
            "on one",
            "on the same",
            f"in {article}",
            f"within {article}",
        )
        for end in words.after(at, *(f"{one} {period}" for one in openings)):
            yield period, end
    for end in words.after(at, "within 24 hours", "in 24 hours", "per 24 hours"):
        yield "day", end
    for word, period in _ADVERBS.items():
        for end in words.after(at, word):
            yield period, end


def times(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield spans of hours and days of the week."""
    yield from _hours(words, at)
    yield from _days(words, at)


def numbers(words: SentenceWords, at: int) -> Iterator[tuple[float, int]]:
    """Yield a whole number: in digits, in words to a hundred, "a dozen"."""
    number = number_of(words.word(at))
    if number is not None:
        yield number, at + 1
    yield from ((12.0, end) for end in words.after(at, "a dozen", "one dozen"))


def number_of(text: str) -> float | None:
    """Return a whole number in digits or words. None for other words."""
    if text in _NUMBERS:
        return _NUMBERS[text]
    return float(text) if re.fullmatch(r"\d{1,9}", text) else None


def _hours(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    starts = [(True, then) for then in words.after(at, "outside of", "outside")]
    for outside, start in (*starts, (False, at)):
        for between, joint in (("between", "and"), ("from", "to"), ("from", "until")):
            for then in (*words.after(start, between), *((start,) if outside and joint == "to" else ())):
                yield from _span(words, then, joint, outside=outside)
        for then in words.optional(start, "from", "between"):
            found = _SPAN.fullmatch(words.word(then))
            if found:
                yield from _when(_minutes(found[1]), _minutes(found[2]), then + 1, outside=outside)
        yield from _around_midnight(words, start, outside=outside)
    yield from _one_sided(words, at)


def bare_times(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield times of things as people write them: "before 9:30" is in the morning, and "before 9 or after 17" clear."""
    for then in words.after(at, "before"):
        early = _hour_of(words, then, late=False)
        if early is not None:
            yield NamedTime(hours=(f"00:00-{early[0]}",)), early[1]
            for more in words.after(early[1], "or after", "and after"):
                late = _hour_of(words, more, late=True)
                if late is not None:
                    yield NamedTime(hours=(f"{late[0]}-{early[0]}",), is_open=True), late[1]
    for then in words.after(at, "after"):
        late = _hour_of(words, then, late=True)
        if late is not None:
            yield NamedTime(hours=(f"{late[0]}-00:00",), is_open=True), late[1]


def _hour_of(words: SentenceWords, at: int, *, late: bool) -> tuple[str, int] | None:
    """Return an hour as a text and its end: "9" is in the morning, and must not be meant as late."""
    for moment, end in _moments(words, at):
        if moment.half is not False:
            return (f"{moment.minutes // 60:02}:{moment.minutes % 60:02}", end) if moment.minutes < 24 * 60 else None
    found = _CLOCK.fullmatch(words.word(at))
    hour, minute = (int(found["hour"]), int(found["minute"] or 0)) if found and not found["half"] else (0, 0)
    clear = 12 <= hour < 24 if late else 6 <= hour <= 12
    return (f"{hour:02}:{minute:02}", at + 1) if clear else None


def _one_sided(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield "before 7 am", and "after 18:00" until midnight."""
    for then in words.after(at, "before"):
        for last, end in _moments(words, then):
            if last.half is not False:
                yield from _when(0, last.minutes, end, outside=False)
    for then in words.after(at, "after"):
        for first, end in _moments(words, then):
            if first.half is not False and 12 * 60 <= first.minutes < 24 * 60:
                yield NamedTime(hours=(f"{first.minutes // 60:02}:{first.minutes % 60:02}-00:00",), is_open=True), end


def _around_midnight(words: SentenceWords, at: int, *, outside: bool) -> Iterator[tuple[NamedTime, int]]:
    """Yield "after 8 pm or before 7 am" and "before 7 am or after 8 pm": the hours over midnight."""
    for opening, other in (("after", "before"), ("before", "after")):
        for start in words.after(at, opening):
            for one, middle in _moments(words, start):
                for then in words.after(middle, f"or {other}", f"and {other}"):
                    for two, end in _moments(words, then):
                        late, early = (one, two) if opening == "after" else (two, one)
                        clear = False not in {late.half, early.half} or late.is_24_hours or early.is_24_hours
                        if clear and early.minutes < late.minutes:
                            yield from _when(late.minutes, early.minutes, end, outside=outside)


def _span(words: SentenceWords, at: int, joint: str, *, outside: bool) -> Iterator[tuple[NamedTime, int]]:
    for first, middle in _moments(words, at):
        for then in words.after(middle, joint):
            for last, end in _moments(words, then):
                if {first.half, last.half} != {True, False}:  # "from 1:00 to 5:00 pm" may start at 13:00
                    yield from _when(first.minutes, last.minutes, end, outside=outside)


class _Moment(NamedTuple):
    """A time of the day. `half` is whether it is given as am or pm, None if it needs neither, such as 17:00."""

    minutes: int
    half: bool | None = None

    @property
    def is_24_hours(self) -> bool:
        """True for a time such as 21:00, which shows that "8:00" beside it is in the morning."""
        return self.half is None and self.minutes not in {12 * 60, 24 * 60}


def _when(first: int | None, last: int | None, end: int, *, outside: bool) -> Iterator[tuple[NamedTime, int]]:
    if first is not None and last is not None and first != last and first < 24 * 60:
        text = f"{first // 60:02}:{first % 60:02}-{last // 60:02}:{last % 60:02}"
        yield NamedTime(hours=(text,), outside=outside), end


def _minutes(text: str) -> int | None:
    hour, _, minute = text.partition(":")
    found = int(hour) * 60 + int(minute or 0)
    return found if found <= 24 * 60 else None


def _moments(words: SentenceWords, at: int) -> Iterator[tuple[_Moment, int]]:
    """Yield a moment of the day: `9:00`, `17:30`, `9am`, `5 pm`, `noon`. `9` alone has two readings."""
    for name, minutes in (("noon", 12 * 60), ("midnight", 24 * 60)):
        yield from ((_Moment(minutes), end) for end in words.after(at, name))
    found = _CLOCK.fullmatch(words.word(at))
    if found is None:
        return
    half, end = found["half"], at + 1
    if half is None and words.word(at + 1) in {"am", "pm", "a.m.", "p.m."}:
        half, end = words.word(at + 1), at + 2
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if half is not None:
        if 1 <= hour <= 12:
            yield _Moment((hour % 12 + (12 if half.startswith("p") else 0)) * 60 + minute, half=True), end
    elif found["minute"] is not None and hour * 60 + minute <= 24 * 60:
        yield _Moment(hour * 60 + minute, half=False if 1 <= hour <= 12 else None), end


def _days(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    for then in words.after(at, "on", "at"):
        for end in words.after(then, "weekdays"):
            yield NamedTime(days=DAYS[:5]), end
        for start in words.optional(then, "the"):
            for end in words.after(start, "weekends", "weekend"):
                yield NamedTime(days=DAYS[5:]), end
        for end in words.after(then, "a weekend", "any weekend"):
            yield NamedTime(days=DAYS[5:]), end
        for days, end in (*_day_list(words, then), *_any_days(words, then)):
            yield NamedTime(days=tuple(one for one in DAYS if one in days)), end
    for then, (first, last) in product((at, *words.after(at, "from", "on")), product(range(7), range(7))):
        joined = [
            end for joint in ("to", "through") for end in words.after(then, f"{_NAMES[first]} {joint} {_NAMES[last]}")
        ]
        for end in joined:
            if first < last:
                yield NamedTime(days=DAYS[first : last + 1]), end


def _any_days(words: SentenceWords, at: int) -> Iterator[tuple[frozenset[str], int]]:
    """Yield "a Saturday or a Sunday": any such day."""
    for number, name in enumerate(_NAMES):
        for then in words.after(at, f"a {name}", f"any {name}"):
            yield frozenset({DAYS[number]}), then
            for more in words.after(then, "and", "or", "and on", "or on"):
                for rest, end in _any_days(words, more):
                    yield rest | {DAYS[number]}, end


def _day_list(words: SentenceWords, at: int) -> Iterator[tuple[frozenset[str], int]]:
    for number, name in enumerate(_NAMES):
        for then in words.after(at, f"{name}s"):
            yield frozenset({DAYS[number]}), then
            for more in words.after(then, ", and", ", or", ",", "and", "or"):
                for rest, end in _day_list(words, more):
                    yield rest | {DAYS[number]}, end
