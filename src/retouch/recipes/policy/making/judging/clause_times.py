"""The times of the day and the days of the week that a sentence names, compared with the tests of its rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.clock_words import with_times
from retouch.recipes.policy.language.clock import hours_of
from retouch.recipes.policy.language.values import DAY_NAMES, DAYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.policy.language.values import Limit, Rule

_DAY_MINUTES = 24 * 60
_MOMENT = re.compile(
    r"(?<![\d:.])(?:(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)(?: ?(?P<half>[ap])\.?m\b)?"
    r"|(?P<hour2>\d{1,2}) ?(?P<half2>[ap])\.?m\b|(?P<full>\d{1,2}) o['\u2019]clock|\b(?P<name>noon|midnight)\b)",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"\bo['\u2019]clock\b|\b(?:at|over|by) ?night\b|\bin the (?:morning|afternoon|evening)s?\b"
    r"|\b(?:office|business|working|opening) hours\b|\bafter hours\b",
    re.IGNORECASE,
)
_NAME = "|".join(DAY_NAMES)
_GROUP = re.compile(
    rf"\b(?P<group>weekday|weekend)s?\b|\b(?P<first>{_NAME})s?(?: (?:to|through|until) |-|\u2013)(?P<last>{_NAME})s?\b"
    rf"|\b(?P<day>{_NAME})s?\b",
    re.IGNORECASE,
)
_CLOCK = r"(?:\d{1,2}(?::[0-5]\d)?(?: ?[ap]\.?m\.?)?|noon|midnight)"
# From a time of one day to a time of another one, with the days between.
_WEEK_SPAN = re.compile(
    rf"\b(?P<first>{_NAME})(?:,? at|,)? {_CLOCK} (?:until|to|and|through) (?P<last>{_NAME})(?:,? at|,)? {_CLOCK}"
    rf"|{_CLOCK} (?:on )?(?P<first2>{_NAME}) (?:until|to|and|through) {_CLOCK} (?:on )?(?P<last2>{_NAME})\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"(?:never|do not|don['\u2019]t) |[a-z, ]+ (?:is|are) (?:strictly |always )?(?:off[- ]limits|taboo|out of bounds|"
    r"closed|blocked|no-go|forbidden) for ",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"\b(?:never|not|no|nothing|nobody|except|unless|outside|but|other than|apart from|avoid|refuse|den(?:y|ied)|"
    r"forbid\w*|prohibit\w*|ban\w*|block\w*|stop\w*|without|ask\w*|approv\w*|confirm\w*|permission|escalat\w*|if|when)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_EARLY = 5 * 60
_JOINT = re.compile(r"\s*(?:and|to|until|till|through|-|\u2013)\s*", re.IGNORECASE)
_FROM = re.compile(r"\b(?:between|from) $", re.IGNORECASE)
_SPAN_JOINT = re.compile(
    r"\d(?: ?[ap]\.?m\.?)?(?: (?:and|to|until|till) | ?[-\u2013] ?)(?=\d|noon|midnight)", re.IGNORECASE
)
_DATES = re.compile(
    r"\bholidays?\b|\b(?:in|on|until|before|after|since|during) (?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?"
    r"(?:january|february|march|april|june|july|august|september|october|november|december|christmas)\b",
    re.IGNORECASE,
)


def missing_time(text: str, rules: Sequence[Rule]) -> str:
    """Return why rules do not enforce the times of a clause. "" if they do, or if it has none."""
    tests = [test for rule in rules for test in (*rule.when.where, *rule.when.unless)]
    hours, days = [one for one in tests if one.hours], [one for one in tests if one.days]
    if _DATES.search(text):
        return "it names dates or holidays, which no rule can know"
    moments, named = moments_in(text), days_in(text)
    if moments is None:
        return "one of its times has am or pm and another has not, so it can be read in two ways"
    if _VAGUE.search(text) and not moments:
        return "it names a time without saying from when to when"
    if (moments and not hours) or (named and not days):
        return "it names a time, and none of its rules looks at the time of a call"
    ends = {end % _DAY_MINUTES for test in hours for span in _named_spans(test) for end in span}
    for minute in sorted(moments):
        if minute not in ends:
            return f"it names the time {_clock(minute)}, which none of its rules begins or ends at"
    if len(_SPAN_JOINT.findall(text)) > 1 and len(_GROUP.findall(text)) > 1:
        return "it names several hours for several days; write each in a sentence of its own"
    return (_other_days(text, days, named) if named else "") or _reversed_time(text, rules, named)


def _other_days(text: str, tests: Sequence[Limit], named: frozenset[str]) -> str:
    """Return why tests of days are not about those that a clause names. "" if they are."""
    for test in tests:
        if not _are_days_of(text, frozenset(test.days)):
            return f"it names other days than its rules: {' '.join(test.days)}"
    lost = named - {day for test in tests for day in test.days}
    if lost and lost != named:
        return f"it names days that its rules do not look at: {' '.join(day for day in DAYS if day in lost)}"
    return ""


def _reversed_time(text: str, rules: Sequence[Rule], named: frozenset[str]) -> str:
    """Return why a rule applies outside of the times that a clause names, or the reverse. "" if it does not.

    This is only known of sentences that plainly permit, or plainly forbid.
    """
    forbids = _FORBIDS.match(text) is not None
    if _TURNS.search(text, len("never ") if forbids else 0):
        return ""
    spans = _spans_in(text)
    for rule in rules:
        if rule.then == "escalate":
            continue
        for test, exempt in (*((one, False) for one in rule.when.where), *((one, True) for one in rule.when.unless)):
            inside = ((rule.then == "allow") is not forbids) is not exempt
            wanted = spans if inside else {(end, start) for start, end in spans}
            found = set(_named_spans(test))
            if (
                found
                and len(spans) == 1
                and found not in (wanted, _until_midnight(wanted))
                and not _around(rule, spans)
            ):
                return f"its rules look at other hours than those that it names: {' '.join(test.hours)}"
            days = named if inside else frozenset(DAYS) - named
            partly = (inside or test.hours) and _is_part(text, test.days)
            if named and test.days and frozenset(test.days) != days and not partly:
                return f"its rules look at other days than those that it names: {' '.join(test.days)}"
    return ""


def _until_midnight(spans: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return spans over midnight as two: the hours of one day outside of those that a text names."""
    return {span for start, end in spans for span in (((start, 0), (0, end)) if start > end else ((start, end),))}


def _around(rule: Rule, spans: set[tuple[int, int]]) -> bool:
    """Return whether a rule is about what starts before a time that a text names and ends after it."""
    found = [set(_named_spans(one)) for one in rule.when.where if one.hours and one.arg is not None]
    wanted = _until_midnight({(end, start) for start, end in spans})
    return len(found) > 1 and set[tuple[int, int]]().union(*found) == wanted


def _named_spans(test: Limit) -> Iterator[tuple[int, int]]:
    """Yield the spans of a test as a sentence names them, midnight as 0.

    What an argument names as "after 17:00" starts a minute later, and may end after midnight. What ends at 17:00 is
    still inside of a span until 17:00.
    """
    for start, end in map(hours_of, test.hours):
        after, until = (test.arg is not None and minute % 5 == 1 for minute in (start, end))
        open_end = after and end == _EARLY
        yield (start - after) % _DAY_MINUTES, 0 if open_end else (end - until) % _DAY_MINUTES


def _spans_in(text: str) -> set[tuple[int, int]]:
    """Return the spans of hours that a text names: from when, to when. Midnight is 0."""
    found, left = set[tuple[int, int]](), moment_places(text)
    while left:
        start, end, (minute, _) = left.pop(0)
        before = text[:start]
        if (
            left
            and _JOINT.fullmatch(text, end, left[0][0])
            and (_FROM.search(before) or "and" not in text[end : left[0][0]])
        ):
            found.add((minute, left.pop(0)[2][0]))
        elif re.search(r"\b(?:before|until|till) $", before, re.IGNORECASE):
            found.add((0, minute))
        elif re.search(r"\b(?:after|from|since) $", before, re.IGNORECASE):
            found.add((minute, 0))
    return found


def strange_time(rule: Rule) -> str:
    """Return why a rule looks at a time that its own quote does not name, or that has two readings. "" if neither."""
    tests = (*rule.when.where, *rule.when.unless)
    spans = [span for test in tests for span in test.hours]
    if any(test.days for test in tests) and any(start > end > 0 for start, end in map(hours_of, spans)):
        return "its hours go over midnight, and it does not say whether the morning belongs to the next day"
    quote = with_times(rule.principle)
    named = (moments_in(quote) or set()).union(*_spans_in(quote))
    # The hours of a day, and of what an argument names, start or end at midnight.
    named |= {0} if any(test.days or test.arg is not None for test in tests) else set()
    ends = sorted({end for test in tests for span in _named_spans(test) for end in span} - named)
    if ends:
        return f"its rules begin or end at {_clock(ends[0])}, a time that it does not name"
    if any(test.days for test in tests) and not days_in(rule.principle):
        return "its rules look at the day of a call, and it names none"
    return ""


def _clock(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02}"


def moments_in(text: str) -> set[int] | None:
    """Return the times of the day in a text, as minutes. None if only some of them state whether they are am or pm."""
    found = moment_places(text)
    halves = {half for _, _, (_, half) in found if half is not None}
    return None if halves == {True, False} else {minute for _, _, (minute, _) in found}


def moment_places(text: str) -> list[tuple[int, int, tuple[int, bool | None]]]:
    """Return the times of the day in a text: start, end, and the minute with whether it is given as am or pm.

    The last is None for times that need neither, such as 17:00 and noon.
    """
    found: list[tuple[int, int, tuple[int, bool | None]]] = []
    for one in _MOMENT.finditer(text):
        if one["name"]:
            found.append((*one.span(), (_DAY_MINUTES // 2 if one["name"].lower() == "noon" else 0, None)))
            continue
        hour = int(one["hour"] or one["hour2"] or one["full"])
        half = (one["half"] or one["half2"] or "").lower()
        given = bool(half) if half or 1 <= hour <= 12 else None
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        found.append((*one.span(), ((hour * 60 + int(one["minute"] or 0)) % _DAY_MINUTES, given)))
    return found


def _are_days_of(text: str, days: frozenset[str]) -> bool:
    """Return whether days are those that a text names, all other days, or some of several that it names."""
    named = days_in(text)
    return days in {named, frozenset(DAYS) - named} or _is_part(text, days)


def _is_part(text: str, days: Iterable[str]) -> bool:
    """Return whether days are some of several that a text names, as in "on a Friday after 3 pm or at the weekend"."""
    found, groups = frozenset(days), list(_day_groups(text))
    return len(groups) > 1 and found == frozenset[str]().union(*(one for one in groups if one <= found))


def days_in(text: str) -> frozenset[str]:
    """Return the days of the week in a text."""
    return frozenset(day for group in _day_groups(text) for day in group)


def _day_groups(text: str) -> Iterator[frozenset[str]]:
    """Yield the days that each phrase of a text names."""
    for one in _WEEK_SPAN.finditer(text):
        yield frozenset(_days_between(one["first"] or one["first2"], one["last"] or one["last2"])[1:-1])
    for one in _GROUP.finditer(text):
        if one["group"]:
            yield frozenset(DAYS[:5] if one["group"].lower() == "weekday" else DAYS[5:])
        elif one["first"]:
            yield frozenset(_days_between(one["first"], one["last"]))
        else:
            yield frozenset({DAYS[DAY_NAMES.index(one["day"].lower())]})


def _days_between(first: str, last: str) -> list[str]:
    """Return the days from one day to another one, with both."""
    start, end = DAY_NAMES.index(first.lower()), DAY_NAMES.index(last.lower())
    return [DAYS[(start + step) % 7] for step in range((end - start) % 7 + 1)]
