"""Times that an argument names: "meetings must not start before 9:30", "no flights that leave before 7 am".

A time without such words may be the time of the call, or the time of the thing that is made: "no meetings on weekends".
It is the latter (`HELD`) if the tool makes what has a time of its own, with an argument for its start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.limits.recurring_times import not_recurring, recurring_tests
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.tools.timed_arguments import Kind, TimedArgument, length_argument, timed_arguments
from retouch.recipes.policy.english.words import clock_times
from retouch.recipes.policy.english.words.acts import Qualifier
from retouch.recipes.policy.english.words.clock_times import NamedTime
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.naming import SentenceWords
    from retouch.recipes.policy.english.words.sentences import ToolPart

START, END, LEAVING, ARRIVING = "start", "end", "departure", "arrival"
HELD = "held"  # the time of a thing that is made, as in "meetings on weekends"
HAPPENS = "happens"  # the time of a thing that happens, as in "releases must not take place on weekends"
FOR = "for"  # the time that something is made for, as in "meetings for a Sunday"
OWN = frozenset({START, END, LEAVING, ARRIVING, HAPPENS, FOR})
_WHOLE = frozenset({HELD, HAPPENS, FOR})
HOLDING = word_set("book schedule create add put make arrange plan reserve")  # what is done so is held at a time
_CHANGING = word_set("update edit modify change set patch rename move")
PLANNING = word_set("book schedule arrange plan reserve put")
_SENDING = word_set("post publish send scheduled schedule")
_LASTING = ("go on", "goes on", "going on", "run on", "runs on", "last", "lasts", "run", "runs", "running", "be over")
_VERBS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (START, (
        "start", "starts", "starting", "begin", "begins", "beginning", "commence", "kick off", "to start", "to begin",
        "with a start",
    )),
    (LEAVING, ("leave", "leaves", "leaving", "depart", "departs", "departing", "take off", "takes off", "taking off")),
    (ARRIVING, ("arrive", "arrives", "arriving", "land", "lands", "landing", "get in", "gets in")),
    (END, ("end", "ends", "ending", "finish", "finishes", "finishing", *_LASTING)),
    (HAPPENS, (
        "take place", "takes place", "taking place", "happen", "happens", "happening", "be held", "be", "are", "is",
    )),
    (FOR, ("held", "fall", "falls", "falling", "for", "to", "be for", "be scheduled for", "be booked for")),
)  # fmt: skip
_NOT_BEFORE = ("no earlier than", "not earlier than", "not before", "at the earliest at", "never before")
_NOT_AFTER = ("no later than", "not later than", "not after", "at the latest at", "never after", "by")
_ALL_KINDS: tuple[Kind, ...] = ("start", "end", "departure", "arrival", "other")
_KINDS_OF: dict[str, tuple[Kind, ...]] = {
    END: ("end",), ARRIVING: ("arrival",), LEAVING: ("departure", "start", "other"),
}  # fmt: skip
_EARLY = "05:00"  # what ends after 17:00 may end after midnight
WORDS = frozenset(
    word
    for phrase in (*(one for _, phrases in _VERBS for one in phrases), *_NOT_BEFORE, *_NOT_AFTER, *clock_times.PHRASES)
    for word in phrase.split()
)
_DAY = 24 * 60
Tests: TypeAlias = "tuple[Limit, ...]"


def spans(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "that start before 9:30", "ending after 17:00", "for a Sunday" and "starting no earlier than 10 am"."""
    start = next(iter(words.after(at, "that", "which")), at)
    for word, phrases in _VERBS:
        for then in words.after(start, *(one for one in phrases if start > at or one not in {"is", "are"})):
            ended = word != END or not any(end == then for end in words.after(start, *_LASTING))
            for when, end in _times(words, then):
                if ended or when.is_open:  # "run between 10 pm and 6 am" is not about the end
                    yield Qualifier(kind="time", word=word, when=when), end


def _times(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield the time after "start": of what ends at the same word, one that people write as "before 9" comes first."""
    found: dict[int, NamedTime] = {end: when for when, end in clock_times.bare_days(words, at)}
    found |= {end: when for when, end in clock_times.times(words, at) if not when.outside}
    found |= {end: when for when, end in clock_times.bare_times(words, at)}
    found |= {end: when for when, end in _bounds(words, at)}
    yield from ((when, end) for end, when in found.items())


def _bounds(words: SentenceWords, at: int) -> Iterator[tuple[NamedTime, int]]:
    """Yield "no earlier than 10 am and no later than 4 pm": both times belong to it."""
    for phrases, others in ((_NOT_BEFORE, _NOT_AFTER), (_NOT_AFTER, _NOT_BEFORE)):
        for then in words.after(at, *phrases):
            for first, middle in clock_times.moments(words, then):
                yield from _bounded(first, None, middle, early=phrases is _NOT_BEFORE)
                for joint in words.after(middle, "and", ", and", ",", "or"):
                    for more in words.after(joint, *others):
                        for last, end in clock_times.moments(words, more):
                            yield from _bounded(first, last, end, early=phrases is _NOT_BEFORE)


def _bounded(first: int, last: int | None, end: int, *, early: bool) -> Iterator[tuple[NamedTime, int]]:
    low, high = (first, last) if early else (last, first)
    if low is None or high is None or low < high:
        span = f"{_text(low or 0)}-{'24:00' if high is None else _text(high + 1)}"
        yield NamedTime(hours=(span,)), end


def held(qualifier: Qualifier) -> Qualifier:
    """Return a time as one of the thing that is made."""
    own = qualifier.when is not None and qualifier.word in {"", HAPPENS}
    return replace(qualifier, word=HELD) if own else qualifier


def of_argument(one: KnownTool, qualifier: Qualifier, verb: str) -> Qualifier | None:
    """Return a time as one that an argument of a tool names. None if it is the time of the call, or may be."""
    if qualifier.when is None or qualifier.word in OWN:
        return qualifier if qualifier.when is not None else None
    if not qualifier.word and verb not in HOLDING:
        return None
    args = timed_arguments(one)
    days = bool(args) and all(arg.form == "day" for arg in args)
    if days and len(args) > 1:
        return None  # from one day to another one: it may be a weekend of several
    event = any(arg.kind == "start" for arg in args) and (
        any(arg.kind == "end" for arg in args) or length_argument(one) is not None
    )
    if not qualifier.word and qualifier.when.hours and not event:
        return None
    own = event or any(arg.kind in {"start", "departure"} for arg in args)
    planned = (not qualifier.word and verb in PLANNING) or not one.verbs.isdisjoint(PLANNING)
    sent = any(_SENDING & set(split_name(arg.name)) for arg in args)
    return replace(qualifier, word=HELD) if own or (args and (planned or sent)) else None


def only_changes(one: KnownTool, qualifier: Qualifier) -> bool:
    """Return whether a tool changes a thing with a time of its own, but not the time: it is not meant by that time."""
    return qualifier.word == HELD and bool(one.verbs) and one.verbs <= _CHANGING and not timed_arguments(one)


def refuse_timed_things(one: KnownTool, qualifier: Qualifier, toolbox: Toolbox) -> None:
    """Refuse "never delete meetings on Sundays": what is done on Sundays, or to meetings on Sundays?

    Raises:
        Unclear: what a tool acts on has a time, as another tool shows that makes it, and the time may be that one.
    """
    others = (other for other in toolbox.tools if other.head == one.head and other.tool.server == one.tool.server)
    timed = any(arg.kind in {"start", "departure"} for other in others for arg in timed_arguments(other))
    if one.head is not None and timed and qualifier.word != HELD:
        raise Unclear(f"it may be the time of the call, or the time of the {one.head} that {one.tool.name} is about")


def written_tests(one: KnownTool, qualifier: Qualifier, *, permits: bool, exact: bool) -> list[ToolPart] | None:
    """Return the tests of the arguments that name such a time, as alternatives. None if a tool has none.

    `permits`: the tests permit something. `exact`: all of them must hold. Otherwise what touches the time is meant.

    Raises:
        Unclear: a tool has several arguments of which it may be the time, or none that shows when something ends.
    """
    when, ends = qualifier.when, _ends_of(one, qualifier.word)
    if when is None or ends is None:
        return None
    if permits or exact:
        if when.outside or (exact and not {arg.name for arg in (*ends.start, *ends.end)} <= one.required):
            raise Unclear("it is not said whether it is for calls that name no time")
        inside = [ends.inside(each) for each in when.alternatives]
        once = not_recurring(one, when) if qualifier.word in _WHOLE else ()
        return [part_of(one, where=(*tests, *once)) for tests in inside if tests] if all(inside) else None
    found = list(ends.beyond(when) if when.outside else ends.touching(when))
    if not all(where or unless for where, unless in found):
        return None
    found += [(tests, unless) for tests, unless in recurring_tests(one, when) if qualifier.word in _WHOLE]
    return [
        part_of(one, where=tuple(dict.fromkeys((*_given(one, (*where, *unless)), *where))), unless=unless)
        for where, unless in found
    ]


def _given(one: KnownTool, tests: Tests) -> Tests:
    """Return tests that arguments are given, for a tool that changes a thing: what is left out stays as it is. For
    others nobody knows the time that is left out.
    """
    if not one.verbs <= _CHANGING:
        return ()
    args = dict.fromkeys(each.arg for each in tests if each.arg is not None and each.arg not in one.required)
    return tuple(Limit(arg=arg, state="present") for arg in args)


def _ends_of(one: KnownTool, word: str) -> _Ends | None:
    """Return the arguments for a word such as `end`. None if a tool has none.

    Raises:
        Unclear: several arguments may be meant.
    """
    args = timed_arguments(one)
    by_kind: dict[Kind, list[TimedArgument]] = {kind: [arg for arg in args if arg.kind == kind] for kind in _ALL_KINDS}
    kinds: tuple[Kind, ...] = _KINDS_OF.get(word, ("start", "departure", "other"))
    none: list[TimedArgument] = []
    found = next((by_kind[kind] for kind in kinds if by_kind[kind]), none)
    if not found or (found[0].kind == "other" and by_kind["end"]):
        return None
    if found[0].kind == "departure" and by_kind["end"]:
        raise Unclear(f"it may be the time of {found[0].name!r} or of {by_kind['end'][0].name!r}")
    if len(found) > 1 and sorted(arg.form for arg in found) != ["day", "hour"]:
        raise Unclear(f"it may be the time of {found[0].name!r} or of {found[1].name!r}")
    whole = word in _WHOLE and found[0].kind == "start"
    return _Ends(
        word=word,
        start=tuple(found),
        end=tuple(by_kind["end"]) if whole and len(by_kind["end"]) == 1 else (),
        lasts=whole and (length_argument(one) is not None or len(by_kind["end"]) > 1),
    )


@dataclass(frozen=True, kw_only=True)
class _Ends:
    """The arguments for the time that a word is about, and those for its end if all of the time is meant.

    `lasts`: it is not known from one argument when it ends.
    """

    word: str
    start: tuple[TimedArgument, ...]
    end: tuple[TimedArgument, ...]
    lasts: bool

    def inside(self, when: NamedTime) -> Tests:
        """Return the tests that all of a thing is inside of a time. Empty if no argument shows it.

        Raises:
            Unclear: it is not known when it ends.
        """
        if when.hours and self.lasts and not self.end:
            raise Unclear("no argument names the time at which it ends; write between which times it has to start")
        start, end = self._begins(when), self._ends(when)
        return (*start, *end) if start and (end or not (self.end and when.hours)) else ()

    def touching(self, when: NamedTime) -> Iterator[tuple[Tests, Tests]]:
        """Yield the tests that a part of a thing is inside of a time."""
        for each in when.alternatives:
            yield self._begins(each), ()
            if self.end and each.days and not each.hours:
                yield (*self._with_hour(each.days), *_tests(self.end, (), each.days)), ()
            for hours in each.hours if self.end else ():
                ending = _ending(hours, days=bool(each.days), is_open=when.is_open)
                yield _tests(self.end, (ending,), each.days), ()
                first, last = hours.split("-")
                if "00:00" < first < last < "24:00":
                    before = _tests(self.start, (f"00:00-{first}",), each.days)
                    after = _tests(self.end, (f"{_later(last)}-24:00",), each.days)
                    yield (*before, *after) if before and after else (), ()

    def beyond(self, when: NamedTime) -> Iterator[tuple[Tests, Tests]]:
        """Yield the tests that a part of a thing is outside of a time."""
        if when.hours and self.lasts and not self.end:
            raise Unclear("no argument names the time at which it ends; write between which times it has to start")
        if not when.others:
            yield (), self._begins(when)
            if self.end and (when.hours or self._ends(when)):
                yield self._with_hour(when.days) if not when.hours else (), self._ends(when)
            return
        for each in when.rest:
            yield self._begins(each), ()
            if self.end and each.days and not each.hours:
                yield (*self._with_hour(each.days), *_tests(self.end, (), each.days)), ()
            for hours in each.hours if self.end else ():
                yield _tests(self.end, (_ending(hours, days=bool(each.days)),), each.days), ()

    def _with_hour(self, days: tuple[str, ...]) -> Tests:
        """Return the test that an end has an hour, for a day: what lasts all of the day before ends on it as well."""
        whole = (arg for arg in self.end if arg.form == "full" and len(days) in {1, 5, 6})
        return tuple(Limit(arg=arg.name, like=("*T*", "*:*")) for arg in whole)

    def _ends(self, when: NamedTime) -> Tests:
        """Return the tests of the end of a thing that is inside of a time."""
        if not when.hours and when.days:
            return _tests(self.end, (), when.days)
        ending = tuple(_ending(hours, is_open=when.is_open) for hours in when.hours)
        return _tests(self.end, ending, ()) if ending else ()

    def _begins(self, when: NamedTime) -> Tests:
        """Return the tests of the start. What "starts after 17:00" begins a minute later, as 17:00 is not meant."""
        hours = when.hours
        if when.is_open and self.word not in _WHOLE:
            first, _, last = when.hours[0].partition("-")
            hours = (f"{_later(first)}-{_EARLY if self.word == END and last == '00:00' else last}",)
        return _tests(self.start, hours, when.days)


def _tests(args: tuple[TimedArgument, ...], hours: tuple[str, ...], days: tuple[str, ...]) -> Tests:
    """Return the tests of hours and days of one time. Empty if its arguments have no hours or days."""
    found: list[Limit] = []
    for arg in args:
        own_hours = hours if arg.form != "day" else ()
        own_days = days if arg.form != "hour" else ()
        found += [Limit(arg=arg.name, hours=own_hours, days=own_days)] if own_hours or own_days else []
    tested = (any(one.hours for one in found) or not hours) and (any(one.days for one in found) or not days)
    return tuple(found) if tested else ()


def _ending(hours: str, *, days: bool = False, is_open: bool = False) -> str:
    """Return the hours at which something ends that is inside of hours: after their start, and up to their end.

    What is there after 17:00 may end after midnight. On some days only, it is not known which day that is.
    """
    first, last = hours.split("-")
    if last in {"00:00", "24:00"} and (days or is_open):
        return f"{_later(first)}-{'24:00' if days else _EARLY}"
    return f"{_later(first)}-{_later(last)}"


def _later(text: str) -> str:
    """Return the next minute."""
    return _text((int(text[:2]) * 60 + int(text[3:]) + 1) % _DAY)


def _text(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
