"""Times that an argument names: "meetings must not start before 9:30", "no flights that leave before 7 am"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english import rates
from retouch.recipes.policy.english.acts import Qualifier
from retouch.recipes.policy.english.known_tools import split_name
from retouch.recipes.policy.english.lexicon import word_set
from retouch.recipes.policy.english.words import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.known_tools import KnownTool
    from retouch.recipes.policy.english.naming import SentenceWords
    from retouch.recipes.policy.english.rates import NamedTime

START, END = "start", "end"
HELD = "held"  # the time of a thing that is made, as in "meetings on weekends"
HOLDING = word_set("book schedule create add put make arrange plan reserve")  # what is done so is held at a time
_STARTING = (
    "start", "starts", "starting", "begin", "begins", "beginning", "leave", "leaves", "leaving", "depart", "departs",
    "departing", "take place", "takes place", "happen", "happens",
)  # fmt: skip
_ENDING = ("end", "ends", "ending", "finish", "finishes", "finishing", "go on", "goes on", "run on", "last")
_STARTS = word_set("start starts begin begins depart departs departure scheduled when at")
_ENDS = word_set("end ends finish until")
_TIMES = word_set("at time date on day datetime")
_TIMED = re.compile(r"ISO ?8601|date|time|YYYY", re.IGNORECASE)
_EARLY = "05:00"  # what ends after 17:00 may end after midnight


def spans(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "that start before 9:30", "ending after 17:00" and "starting no earlier than 10 am"."""
    start = next(iter(words.after(at, "that", "which")), at)
    for phrases, word in ((_STARTING, START), (_ENDING, END)):
        for then in words.after(start, *phrases):
            found = {end: when for when, end in rates.times(words, then) if not when.outside}
            found |= {end: when for when, end in rates.bare_times(words, then)}
            for end, when in found.items():
                yield Qualifier(kind="time", word=word, when=when), end


def held(qualifier: Qualifier) -> Qualifier:
    """Return a time as one of the thing that is made."""
    return replace(qualifier, word=HELD) if qualifier.when is not None and not qualifier.word else qualifier


def written_test(one: KnownTool, qualifier: Qualifier) -> Limit | None:
    """Return the test of the argument that names such a time. None if a tool has none.

    Raises:
        Unclear: a tool has several arguments of which it may be the time.
    """
    args = [] if one.reads else [arg for arg in one.tool.args if _is_timed(one, arg)]
    wanted = _ENDS if qualifier.word == END else _STARTS
    found = [arg for arg in args if wanted & set(split_name(arg))]
    if not found and qualifier.word != END and len(args) == 1 and not _ENDS & set(split_name(args[0])):
        found = args
    if len(found) > 1:
        raise Unclear(f"it may be the time of {found[0]!r} or of {found[1]!r}")
    when = qualifier.when
    if not found or when is None:
        return None
    return Limit(arg=found[0], hours=_hours(when, qualifier.word), days=when.days)


def _hours(when: NamedTime, word: str) -> tuple[str, ...]:
    """Return the hours of a time. What is "after 17:00" begins a minute later, as 17:00 itself is not meant."""
    if not when.is_open:
        return when.hours
    first, _, last = when.hours[0].partition("-")
    hour, minute = divmod(int(first[:2]) * 60 + int(first[3:]) + 1, 60)
    return (f"{hour:02}:{minute:02}-{_EARLY if word == END and last == '00:00' else last}",)


def _is_timed(one: KnownTool, arg: str) -> bool:
    said = set(split_name(arg))
    known = said & (_STARTS | _ENDS) or said <= _TIMES
    return bool(known) and "zone" not in said and _TIMED.search(f"{one.described(arg)} {arg}") is not None
