"""Parses when things may be only: "pickups only on weekdays", "meetings must start between 9:30 and 16:00"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits import written_times
from retouch.recipes.policy.english.words import clock_times
from retouch.recipes.policy.english.words.acts import ANYTHING, Act, Qualifier, Statement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.frames.phrases import Phrases
    from retouch.recipes.policy.english.words.acts import Stance, Thing

_BEING = r"(?:be|happen|take place|be (?:held|scheduled|booked|placed|planned|made|set|put|arranged)|go)"
_GOOD = r"(?:allowed|permitted|fine|ok|possible|acceptable)"
_ONLY_AT = re.compile(
    rf"(?:, )?only|(?:should|must|shall|will) only {_BEING}|(?:should|must) {_BEING} only|"
    rf"(?:must|should|have to|has to|need to|needs to)(?: always| all| only)? {_BEING}"
)
_MAY_ONLY = re.compile(rf"(?:are|is) (?:only {_GOOD}|{_GOOD} only)|(?:may|can) only {_BEING}|(?:may|can) {_BEING} only")
_HAS_TO = re.compile(
    r"(?:must|should|have to|has to|need to|needs to|may|can|are to|is to|are|is)(?: always| all)?(?: only)?(?: to)?"
)
_STANCES: tuple[tuple[Stance, re.Pattern[str]], ...] = (("forbid", _ONLY_AT), ("permit", _MAY_ONLY))
_DUTY = re.compile(r"\b(?:must|should|have|has|needs?|only)\b")


def statements(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield what things are forbidden at all other times than those that a clause names, or are only permitted then."""
    for things, middle in words.things(at):
        if ANYTHING in things or not all(thing.nouns for thing in things):
            continue
        for stance, pattern in _STANCES:
            for start in words.matches(middle, pattern):
                for then in words.optional(start, "for"):
                    for when, end in clock_times.whole_times(words, then):
                        time = Qualifier(kind="time", word=written_times.HELD, when=when)
                        yield from _limited(things, (time,), end, stance)
        for start in words.matches(middle, _HAS_TO):
            said = " ".join(words.word(one) for one in range(middle, start))
            if _DUTY.search(said):
                stance = "permit" if re.match(r"(?:may|can|are|is)\b(?! to)", said) else "forbid"
                for times, end in _several(words, start):
                    yield from _limited(things, times, end, stance)


def _several(words: Phrases, at: int) -> Iterator[tuple[tuple[Qualifier, ...], int]]:
    """Yield "start no earlier than 9:30 and end no later than 17:00"."""
    for one, end in written_times.spans(words, at):
        if one.word != written_times.FOR:
            yield (one,), end
            for then in words.after(end, "and", ", and"):
                yield from (((one, *rest), last) for rest, last in _several(words, then))


def _limited(
    things: tuple[Thing, ...], times: tuple[Qualifier, ...], end: int, stance: Stance
) -> Iterator[tuple[Statement, int]]:
    if any(one.when is None or one.when.outside for one in times):
        return
    act = Act(verbs=(), things=things, qualifiers=times, made=True)
    if stance == "permit":
        yield Statement(stance="permit", acts=(act,), only=True), end
    else:
        rest = [replace(one, when=replace(one.when, outside=True)) for one in times if one.when is not None]
        yield Statement(stance="forbid", acts=tuple(replace(act, qualifiers=(one,)) for one in rest)), end
