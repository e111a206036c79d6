"""Parses times of ordinary sentences: "between 9:00 and 17:00", "on Fridays after 3 pm or at the weekend".

A time is hours, days of the week, or both. Several times that are joined are alternatives of one time, so that "on a
Friday after 3 pm or at the weekend" is not the weekend of a Friday.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from retouch.recipes.policy.english.words.lexicon import DAY_WORDS
from retouch.recipes.policy.language.values import DAY_NAMES, DAYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.policy.english.words.naming import SentenceWords

_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))?(?P<half>[ap]\.?m\.?)?")
_SPAN = re.compile(r"(\d{1,2}:[0-5]\d)[-\u2013](\d{1,2}:[0-5]\d)")
_MORNING, _NOON, _DAY = 7 * 60, 12 * 60, 24 * 60
_BEFORE = ("before", "until", "earlier than", "any earlier than", "prior to", "up to")
_AFTER = ("after", "past", "later than", "any later than", "beyond")
_ONWARDS = ("on", "onwards", "onward", "and later", "or later")
_WEEKDAYS = (
    "on weekdays", "at weekdays", "during weekdays", "on a weekday", "on any weekday", "on every weekday",
    "every weekday", "any weekday", "weekdays",
)  # fmt: skip
_WEEKENDS = (
    *(
        f"{preposition} {one}"
        for preposition in ("on", "at", "over", "during", "in")
        for one in ("the weekend", "weekends", "the weekends", "a weekend", "any weekend", "weekend")
    ),
    "any weekend", "every weekend", "on saturday and sunday", "on saturday or sunday", "saturday and sunday",
    "saturday or sunday",
)  # fmt: skip
_FIRST_WORDS = {
    *(one.split()[0] for one in (*_BEFORE, *_AFTER, *_WEEKDAYS, *_WEEKENDS)),
    *DAY_WORDS,
    *("between", "from", "on", "at", "every", "any", "noon", "midday", "midnight"),
}
PHRASES = (*_BEFORE, *_AFTER, *_ONWARDS, *_WEEKDAYS, *_WEEKENDS, "outside", "midday", "at any time except")
_MOST_BEFORE = 12  # words of one time


@dataclass(frozen=True, kw_only=True)
class NamedTime:
    """A time that a sentence names: `hours`, `days`, or both. `outside`: any other time.

    `is_open`: it has no end, as in "after 18:00". Until midnight it certainly is. `others` are alternatives.
    `together`: "and" joins them, so that a permission may be for what all of them include.
    """

    hours: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    outside: bool = False
    is_open: bool = False
    others: tuple[NamedTime, ...] = ()
    together: bool = False

    @property
    def alternatives(self) -> tuple[NamedTime, ...]:
        """The time without its alternatives, and these."""
        return (replace(self, others=(), outside=False), *self.others)

    @property
    def is_night(self) -> bool:
        """True if hours go over midnight."""
        return any(end < start and end != "00:00" for start, end in (one.split("-") for one in self.hours))

    @property
    def rest(self) -> tuple[NamedTime, ...]:
        """All other times of a week."""
        found: dict[tuple[str, ...], list[str]] = {}
        for day in DAYS:
            minutes = [False] * _DAY
            for one in self.alternatives:
                if not one.days or day in one.days:
                    for first, last in map(_bounds, one.hours or ("00:00-24:00",)):
                        spans = ((first, last),) if first < last else ((first, _DAY), (0, last))
                        for low, high in spans:
                            minutes[low:high] = [True] * (high - low)
            found.setdefault(tuple(_spans_of(minutes)), []).append(day)
        every = len(found) == 1
        return tuple(
            NamedTime(hours=() if hours == ("00:00-24:00",) else hours, days=() if every else tuple(days))
            for hours, days in found.items()
            if hours
        )


class _Moment(NamedTuple):
    """A time of the day. `half` is whether it is given as am or pm, None if it needs neither, such as 17:00."""

    minutes: int
    half: bool | None = None

    @property
    def is_24_hours(self) -> bool:
        """True for a time such as 21:00, which shows that "8:00" beside it is in the morning."""
        return self.half is None and self.minutes not in {_NOON, _DAY}


def times(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield spans of hours and days of the week, and alternatives of them."""
    joined = list(_alternatives(words, at))
    yield from joined
    # What is joined is one time: "on a Friday", and "after 3 pm or at the weekend" are no two times.
    if not joined:
        yield from _plain(words, at)
    for then in words.after(at, "outside of", "outside"):
        yield from ((replace(one, outside=True), end) for one, end in _rested(words, then))


def whole_times(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield times with both their days and their hours, and alternatives of them."""
    yield from dict.fromkeys((*((one.time, end) for one, end in _combined(words, at)), *_alternatives(words, at)))


def limiting_times(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield "only on weekdays between 9:00 and 17:00" and "on weekdays only": all of a time belongs to its limit."""
    if words.word(at) == "only":
        found = list(whole_times(words, at + 1))
        yield from ((one, end) for one, end in found if end == max(end for _, end in found))
    elif not _follows_time(words, at):
        yield from (
            (one, end + 1) for one, end in whole_times(words, at) if words.word(end) == "only" and end + 1 == words.size
        )


def _follows_time(words: SentenceWords, at: int) -> bool:
    return any(end == at for start in range(max(0, at - _MOST_BEFORE), at) for _, end in _plain(words, start))


def at_other_times(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield "at any time except on Sundays": any other time."""
    for then in words.after(at, "at any time except", "any time except", "at any time but not", "always except"):
        for one, end in times(words, then):
            if not one.outside and not one.is_open:
                yield replace(one, outside=True), end


def _plain(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    if words.word(at) in _FIRST_WORDS or words.word(at)[:1].isdigit():
        yield from _hours(words, at)
        yield from _days(words, at)
        yield from _week_spans(words, at)


def _rested(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield what follows "outside": "9:00 to 17:00", "weekdays", "Monday to Friday, 9:00 to 17:00"."""
    found = ((one.time, end) for one, end in _combined(words, at))
    yield from dict.fromkeys((one, end) for one, end in found if not one.is_open and not one.others)


class _Part(NamedTuple):
    """A time, and the order of its days and hours: `d`, `h`, `dh` or `hd`. Of several days it is `d`."""

    time: NamedTime
    order: str


def _combined(words: SentenceWords, at: int) -> Iterator[tuple[_Part, int]]:
    """Yield one time with its days, its hours, or both in any order."""
    for first, middle in (*_plain(words, at), *_bare_spans(words, at)):
        own = "h" if first.hours and not first.days else "d"
        yield _Part(first, own), middle
        for start in words.optional(middle, ",") if not first.others else ():
            for second, end in (*_plain(words, start), *(_bare_spans(words, start) if own == "d" else ())):
                other = "h" if second.hours and not second.days else "d"
                if own != other and not second.others:
                    both = replace(first, hours=first.hours or second.hours, days=first.days or second.days)
                    both = replace(both, is_open=first.is_open or second.is_open)
                    yield _Part(both, own + other), end


def _alternatives(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield times that are joined by "or" and "and", unless words before or after may belong to only one of them."""
    if _follows_time(words, at):
        return
    for parts, joint, end in _joined(words, at):
        beside = [one for start in (end, *words.after(end, ",")) for one, _ in _plain(words, start)]
        if len(parts) > 1 and not beside and _are_clear(parts):
            yield _union(tuple(one.time for one in parts), together=joint), end


def _joined(words: SentenceWords, at: int) -> Iterator[tuple[tuple[_Part, ...], bool, int]]:
    for one, middle in _combined(words, at):
        yield (one,), False, middle
        for joint in (",", "or", ", or", "and", ", and", "nor", ", nor", "and also", "or else"):
            for then in words.after(middle, joint):
                for start in words.optional(then, "anytime", "any time", "at any time"):
                    for rest, together, end in _joined(words, start):
                        if joint != "," or len(rest) > 1:
                            yield (one, *rest), together or "and" in joint.split(), end


_CLEAR = {("d", "h"), ("h", "d"), ("dh", "d"), ("h", "dh"), ("d", "hd")}


def _are_clear(parts: tuple[_Part, ...]) -> bool:
    """Return whether no hours or days of one alternative may belong to another one.

    "On Saturdays or Sundays after 3 pm" may be a whole Saturday. "At the weekend or on Fridays after 3 pm" is clear.
    Hours until and from midnight, as in "after 8 pm or before 7 am", are one time over midnight.
    """
    for one, other in combinations(parts, 2):
        weekend = set(one.time.days) == set(DAYS[5:]) and not set(other.time.days) & set(DAYS[5:])
        clear = one.order == other.order or (one.order, other.order) in _CLEAR
        if not clear and not ((one.order, other.order) == ("d", "dh") and weekend):
            return False
    return len(parts) > 2 or not _is_night([one.time for one in parts])


def _is_night(parts: list[NamedTime]) -> bool:
    spans = [span for one in parts for span in one.hours]
    sides = {span.startswith("00:00-") for span in spans if span.startswith("00:00-") or span.endswith("-00:00")}
    return len(spans) == len(parts) == 2 and len(sides) == 2 and not any(one.days for one in parts)


def _union(parts: tuple[NamedTime, ...], *, together: bool) -> NamedTime:
    """Return alternatives as one time. Days of the same hours, and hours of the same days, are together."""
    times = [alternative for part in parts for alternative in part.alternatives]
    by_hours: dict[tuple[str, ...], set[str]] = {}
    for one in times:
        by_hours.setdefault(one.hours, set()).update(one.days or DAYS)
    by_days: dict[tuple[str, ...], list[str]] = {}
    for hours, days in by_hours.items():
        by_days.setdefault(tuple(day for day in DAYS if day in days), []).extend(hours or ("",))
    first, *others = (
        NamedTime(hours=() if "" in hours else tuple(hours), days=() if days == DAYS else days)
        for days, hours in by_days.items()
    )
    mixed = together and len({bool(one.days) for one in times}) > 1  # "on Mondays and between 9:00 and 17:00"
    return replace(first, others=tuple(others), is_open=any(one.is_open for one in parts), together=mixed)


# Hours


def _hours(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    for between, joint in (("between", "and"), ("from", "to"), ("from", "until"), ("between", "to"), ("from", "and")):
        for then in words.after(at, between):
            yield from _span(words, then, joint)
    for then in words.optional(at, "from", "between"):
        found = _SPAN.fullmatch(words.word(then))
        if found:
            yield from _when(_minutes(found[1]), _minutes(found[2]), then + 1)
    for then in words.after(at, *_AFTER):
        yield from _span(words, then, "until")
    yield from _around_midnight(words, at)
    yield from _one_sided(words, at)


def _bare_spans(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield "9:00 to 17:00" beside days or after "outside"."""
    for joint in ("to", "until", "and"):
        yield from _span(words, at, joint)


def bare_times(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield times of things as people write them: "before 9:30" is in the morning, and "before 9 or after 17" clear."""
    for then in words.after(at, *_BEFORE):
        early = _hour_of(words, then, late=False)
        if early is not None:
            yield NamedTime(hours=(f"00:00-{early[0]}",)), early[1]
            for more in words.after(early[1], *(f"{joint} {one}" for joint in ("or", "and", "nor") for one in _AFTER)):
                late = _hour_of(words, more, late=True)
                if late is not None:
                    yield NamedTime(hours=(f"{late[0]}-{early[0]}",), is_open=True), late[1]
    for then in words.after(at, *_AFTER):
        late = _hour_of(words, then, late=True)
        if late is not None:
            yield NamedTime(hours=(f"{late[0]}-00:00",), is_open=True), late[1]


def _hour_of(words: SentenceWords, at: int, *, late: bool) -> tuple[str, int] | None:
    """Return an hour as a text and its end: "9" is in the morning, and must not be meant as late."""
    for moment, end in _moments(words, at):
        if moment.half is not False:
            return (_text(moment.minutes), end) if moment.minutes < _DAY else None
    found = _CLOCK.fullmatch(words.word(at))
    hour, minute = (int(found["hour"]), int(found["minute"] or 0)) if found and not found["half"] else (0, 0)
    clear = 12 <= hour < 24 if late else 6 <= hour <= 12
    return (f"{hour:02}:{minute:02}", at + 1) if clear else None


def moments(words: SentenceWords, at: int) -> Iterator[tuple[int, int]]:
    """Yield the minute of a moment that can be read in one way: "10 am", "16:30", and "9:30" in the morning."""
    for one, end in _moments(words, at):
        if one.minutes < _DAY and (one.half is not False or one.minutes >= _MORNING):
            yield one.minutes, end


def _one_sided(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield "before 7 am", and "after 18:00" and "from 18:00 on" until midnight."""
    for then in words.after(at, *_BEFORE):
        for last, end in _moments(words, then):
            if last.half is not False:
                yield from _when(0, last.minutes, end)
    for then in words.after(at, *_AFTER, "from"):
        for first, middle in _moments(words, then):
            late = first.half is not False and _NOON <= first.minutes < _DAY
            for end in words.after(middle, *_ONWARDS) if words.word(at) == "from" else (middle,):
                if late:
                    yield NamedTime(hours=(f"{_text(first.minutes)}-00:00",), is_open=True), end


def _around_midnight(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield "after 8 pm or before 7 am" and "before 7 am or after 8 pm": the hours over midnight."""
    for openings, others in ((_AFTER, _BEFORE), (_BEFORE, _AFTER)):
        for start in words.after(at, *openings):
            for one, middle in _moments(words, start):
                for then in words.after(
                    middle, *(f"{joint} {other}" for joint in ("or", "and", "nor") for other in others)
                ):
                    for two, end in _moments(words, then):
                        late, early = (one, two) if openings is _AFTER else (two, one)
                        clear = False not in {late.half, early.half} or late.is_24_hours or early.is_24_hours
                        if clear and early.minutes < late.minutes:
                            yield from _when(late.minutes, early.minutes, end)


def _span(words: SentenceWords, at: int, joint: str) -> Iterator[tuple[NamedTime, int]]:
    for first, middle in _moments(words, at):
        for then in words.after(middle, joint):
            for last, end in _moments(words, then):
                if {first.half, last.half} != {True, False}:  # "from 1:00 to 5:00 pm" may start at 13:00
                    yield from _when(first.minutes % _DAY, last.minutes, end)


def _when(first: int | None, last: int | None, end: int) -> Iterator[tuple[NamedTime, int]]:
    if first is not None and last is not None and first != last and first < _DAY:
        yield NamedTime(hours=(f"{_text(first)}-{_text(last)}",)), end


def _text(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _minutes(text: str) -> int | None:
    hour, _, minute = text.partition(":")
    found = int(hour) * 60 + int(minute or 0)
    return found if found <= _DAY else None


def _bounds(text: str) -> tuple[int, int]:
    first, last = (int(one[:2]) * 60 + int(one[3:]) for one in text.split("-"))
    return first, last or _DAY


def _spans_of(minutes: Iterable[bool]) -> Iterator[str]:
    """Yield the spans of the minutes of a day that are not taken."""
    start: int | None = None
    for minute, taken in enumerate((*minutes, True)):
        if not taken and start is None:
            start = minute
        elif taken and start is not None:
            yield f"{_text(start)}-{_text(minute)}"
            start = None


def _moments(words: SentenceWords, at: int) -> Iterator[tuple[_Moment, int]]:
    """Yield a moment of the day: `9:00`, `17:30`, `9am`, `5 pm`, `noon`. `9` alone has two readings."""
    for name, minutes in (("noon", _NOON), ("midday", _NOON), ("midnight", _DAY)):
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
    elif found["minute"] is not None and hour * 60 + minute <= _DAY:
        yield _Moment(hour * 60 + minute, half=False if 1 <= hour <= 12 else None), end


# Days


def _days(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    for end in words.after(at, *_WEEKDAYS):
        yield NamedTime(days=DAYS[:5]), end
    for end in words.after(at, *_WEEKENDS):
        yield NamedTime(days=DAYS[5:]), end
    for then in (*words.after(at, "on", "at"), *(() if words.word(at) not in {"every", "any"} else (at,))):
        for days, end in (*_day_list(words, then), *_any_days(words, then)):
            yield NamedTime(days=tuple(one for one in DAYS if one in days)), end
    for then in (at, *words.after(at, "from", "on", "between")):
        yield from _day_range(words, then, ("and",) if words.word(at) == "between" else ("to", "through"))


def bare_days(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield "a Sunday", "weekends" and "Mondays" after "for"."""
    for then in words.optional(at, "a", "any", "the"):
        yield from ((NamedTime(days=DAYS[5:]), end) for end in words.after(then, "weekend", "weekends"))
        yield from ((NamedTime(days=DAYS[:5]), end) for end in words.after(then, "weekday", "weekdays"))
    for days, end in (*_day_list(words, at), *_any_days(words, at)):
        yield NamedTime(days=tuple(one for one in DAYS if one in days)), end


def _day_range(words: SentenceWords, at: int, joints: tuple[str, ...]) -> Iterator[tuple[NamedTime, int]]:
    for first, middle in _day(words, at, plural=True):
        for then in words.after(middle, *joints):
            for last, end in _day(words, then, plural=True):
                if first != last:
                    found = {(first + step) % 7 for step in range((last - first) % 7 + 1)}
                    yield NamedTime(days=tuple(DAYS[one] for one in sorted(found))), end


def _day(words: SentenceWords, at: int, *, plural: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the number of a day of the week."""
    for number, name in enumerate(DAY_NAMES):
        yield from ((number, end) for end in words.after(at, name, *((f"{name}s",) if plural else ())))


def _any_days(words: SentenceWords, at: int) -> Iterator[tuple[frozenset[str], int]]:
    """Yield "a Saturday or a Sunday": any such day."""
    for number, name in enumerate(DAY_NAMES):
        for then in words.after(at, f"a {name}", f"any {name}", f"every {name}", f"each {name}"):
            yield frozenset({DAYS[number]}), then
            for more in words.after(then, "and", "or"):
                for rest, end in (*_any_days(words, more), *_one_more(words, more)):
                    yield rest | {DAYS[number]}, end


def _one_more(words: SentenceWords, at: int) -> Iterator[tuple[frozenset[str], int]]:
    """Yield "Sunday" after "on a Saturday or"."""
    yield from ((frozenset({DAYS[number]}), end) for number, end in _day(words, at))


def _day_list(words: SentenceWords, at: int) -> Iterator[tuple[frozenset[str], int]]:
    for number, name in enumerate(DAY_NAMES):
        for then in words.after(at, f"{name}s"):
            yield frozenset({DAYS[number]}), then
            for more in words.after(then, ", and", ", or", ",", "and", "or", "nor"):
                for rest, end in _day_list(words, more):
                    yield rest | {DAYS[number]}, end


# Spans of several days


def _week_spans(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield "from Friday 3 pm until Monday 8 am": the rest of Friday, the days between, and the start of Monday."""
    for then in (at, *words.after(at, "from", "between", "after")):
        for first, start, middle in _day_and_moment(words, then):
            for more in words.after(middle, "until", "to", "and", "through"):
                for last, stop, end in _day_and_moment(words, more):
                    clear = {start.half, stop.half} <= {True, None} or start.is_24_hours or stop.is_24_hours
                    if first != last and clear:
                        yield _week_span(first, start.minutes % _DAY, last, stop.minutes % _DAY), end


def _day_and_moment(words: SentenceWords, at: int) -> Iterator[tuple[int, _Moment, int]]:
    """Yield the day, the time and the end of "Friday at 3 pm" and "3 pm on Friday"."""
    for day, then in _day(words, at):
        for start in words.optional(then, "at", ","):
            yield from ((day, one, end) for one, end in _moments(words, start))
    for one, then in _moments(words, at):
        for start in words.optional(then, "on"):
            yield from ((day, one, end) for day, end in _day(words, start))


def _week_span(first: int, start: int, last: int, stop: int) -> NamedTime:
    inner = tuple(DAYS[one % 7] for one in range(first + 1, first + (last - first) % 7))
    parts = [NamedTime(hours=() if not start else (f"{_text(start)}-24:00",), days=(DAYS[first],))]
    parts += [NamedTime(days=inner)] if inner else []
    parts += [NamedTime(hours=(f"00:00-{_text(stop)}",), days=(DAYS[last],))] if stop else []
    return replace(parts[0], others=tuple(parts[1:]))
