"""Reads how long events may be: "meetings can't be longer than one hour", "keep calls under 45 minutes".

A call names the start and the end of an event. A change that names one of the two may make it longer, so that it is
restricted as well; one that names neither keeps its length.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.frames.restricted import restricted
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.limits.several_tests import restriction
from retouch.recipes.policy.english.tools.timed_arguments import length_argument, timed_arguments
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

_EVENTS = r"(?:(?:an?|any|the|my|our|new|all|every|each|single) )*(?:events?|meetings?|appointments?|calls?|bookings?)"
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {word: number for number, word in enumerate(_WORDS, start=1)} | {
    "an": 1, "a": 1, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "forty-five": 45,
    "sixty": 60, "ninety": 90,
}  # fmt: skip
_NUMBER = rf"(?:\d{{1,4}}(?:\.\d)?|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_UNIT = r"(?:minutes?|mins?|hours?|hrs?|h|days?)"
_LENGTH = (
    rf"(?P<length>half an hour|{_NUMBER} and a half hours|an hour and a half|{_NUMBER}[ -]?{_UNIT})(?: long| each)?"
)
_OVER = r"(?:longer than|more than|over|above|exceeding|of more than|of over)"
_LONG = (
    rf"(?:(?:that |which )?(?:are|is|last|lasts|lasting|take|takes|run|runs|with|for|going|go)(?: for| on)? )?{_OVER}"
)
_MAKE = (
    r"(?:creat|schedul|book|mak|plan|add|set up|arrang|accept|put in|organi[sz])(?:e|ing|n?ing|)(?: up| in)?|"
    r"setting up|putting in"
)
_TOO_LONG = re.compile(rf"(?:(?:{_MAKE}) )?{_EVENTS},? (?:(?P<least>of at least)|{_LONG}) {_LENGTH}", re.IGNORECASE)
_BELOW = re.compile(r"\b(?:under|below|less than|shorter than)\b", re.IGNORECASE)
_LAST = r"(?:be|last|take|run|go on|go|get)(?: for)?"
_SUBJECT = re.compile(
    rf"(?:(?P<no>no )(?:events?|meetings?|appointments?|calls?) (?:may|must|can|should|shall|will)(?: ever)?|{_EVENTS} "
    r"(?:(?:may|must|can|should|shall)(?: ?not|n['\u2019]t| never)|cannot|can['\u2019]t|mustn['\u2019]t|"
    r"shouldn['\u2019]t|"
    rf"are never to|must never|should never)(?: ever)?) (?:exceed|{_LAST} {_OVER}) {_LENGTH}"
    r"(?P<rest>(?:,? (?:unless|without|except)\b.*?)?)(?P<end>[.!]?)",
    re.IGNORECASE,
)
_MOST = (
    r"(?:at most|no more than|no longer than|not longer than|not more than|up to|max(?:imum)?(?: of)?|a maximum of|"
    r"under)"
)
_KEPT = re.compile(
    rf"(?:(?:please )?(?:always )?(?:keep|limit|cap|restrict) {_EVENTS} (?:to(?: {_MOST})?|under|below|within|at|"
    rf"{_MOST}) {_LENGTH}|{_EVENTS} (?:must|should|may|can|have to)(?: only)? {_LAST} {_MOST} "
    rf"{_LENGTH.replace('<length>', '<other>')})(?: or (?:less|shorter)| at most| max(?:imum)?| tops)?"
    r"(?P<rest>(?:,? (?:unless|without)\b.*?)?)(?P<end>[.!]?)",
    re.IGNORECASE,
)
_THINGS = word_set("event meeting appointment booking call")
_MAKING = word_set("create add make book schedule insert new plan import quick")
_CHANGING = word_set("update edit change modify move reschedule patch")


def meaning_of_length(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about the length of events forbids or asks about. None if it is another one.

    Raises:
        Unclear: a tool makes events whose length no argument shows.
    """
    makers = [one for one in toolbox.tools if _sets_times(one)]
    if any(length_argument(one) for one in makers):
        return None  # what a call says itself is read like any other number
    for one in restricted(_in_one_form(text.strip()), toolbox.words):
        if found := _TOO_LONG.fullmatch(one.said):
            number = _minutes(found["length"])
            least = found["least"] is not None
            parts = frozenset(part for tool in makers for part in _longer(tool, number, least=least))
            if parts:
                return restriction(parts, toolbox, asks=one.how == "ask")
    return None


def _sets_times(one: KnownTool) -> bool:
    """Return whether a tool makes events, or changes when they are."""
    if one.reads or one.head not in _THINGS or not one.verbs & (_MAKING | _CHANGING):
        return False
    return bool(one.verbs & _MAKING or one.has_free_fields or timed_arguments(one))


def _in_one_form(text: str) -> str:
    """Return "Never create events longer than 60 minutes" for "events must not last longer than an hour"."""
    found = _SUBJECT.fullmatch(text)
    if found is None:
        found = _KEPT.fullmatch(text)
    if found is None:
        return text
    length = found["length"] or found.groupdict().get("other")
    over = "of at least" if found.re is _KEPT and _BELOW.search(text) else "longer than"
    return f"Never create events {over} {length}{found['rest']}{found['end']}"


def _minutes(text: str) -> float:
    """Return how many minutes a length of time has."""
    low = text.lower()
    if low == "half an hour":
        return 30
    if low == "an hour and a half":
        return 90
    half = 30 if low.endswith("and a half hours") else 0
    said = re.match(_NUMBER, low)
    number = 1.0 if said is None else float(_NUMBERS.get(said[0], 0) or said[0])
    unit = low[said.end() if said else 0 :].strip(" -")
    factor = 60 if half or unit.startswith("h") else 1440 if unit.startswith("d") else 1
    return number * factor + half


def _longer(one: KnownTool, most: float, *, least: bool) -> Iterator[ToolPart]:
    """Yield the calls of a tool that may make an event longer than some minutes, or of `least` these.

    Raises:
        Unclear: it makes events, and names no start and end of them.
    """
    known = timed_arguments(one)
    starts = [each.name for each in known if each.kind == "start"]
    ends = [each.name for each in known if each.kind == "end"]
    if len(starts) != 1 or len(ends) != 1 or most != int(most):
        raise Unclear(f"no argument of {one.tool.server}/{one.tool.name} can be tested for this")
    (start,), (end,) = starts, ends
    bound = int(most)
    test = Limit(
        arg=end, size="minutes", since=start, at_least=bound if least else None, above=None if least else bound
    )
    if {start, end} <= one.required:
        yield part_of(one, where=(test,))
        return
    for arg in (start, end):
        yield part_of(one, where=(Limit(arg=arg, state="present"), test))
