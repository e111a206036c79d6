"""Finds the arguments of a tool that name times, and what each of them is: a start, an end, a day, an hour."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.analysing.units import unit_of_argument
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool

# What a time of an argument has: a day and an hour, or one of them.
Form: TypeAlias = Literal["full", "day", "hour"]
Kind: TypeAlias = Literal["start", "end", "departure", "arrival", "other"]
_KINDS: tuple[tuple[Kind, frozenset[str]], ...] = (
    ("departure", word_set("depart departs departing departure leave leaves outbound takeoff")),
    ("arrival", word_set("arrive arrives arriving arrival land landing")),
    ("end", word_set("end ends ending finish finishes until stop to return dropoff checkout")),
    ("start", word_set("start starts starting begin begins beginning from pickup checkin")),
)
_TIMES = word_set("at time date on day datetime when slot scheduled schedule moment timestamp hour")
_OTHERS = word_set(
    "zone timezone due deadline expiry expires expiration birth created updated since reminder remind created modified "
    "original previous old current future "  # before the call, and from when on the things of a series are changed
    "duration length timeout min max minutes hours seconds format recurrence range interval limit ttl"
)
_TIMED = re.compile(r"ISO ?8601|RFC ?3339|\bdates?\b|\btimes?\b|YYYY|HH:?MM|\bwhen\b", re.IGNORECASE)
_CLOCK_ONLY = re.compile(r"\bHH:?MM\b|\b\d\d:\d\d\b", re.IGNORECASE)
_DATED = re.compile(r"YYYY|\d{4}-\d\d|ISO ?8601|RFC ?3339|date", re.IGNORECASE)
_DAY_ONLY = re.compile(r"YYYY-MM-DD(?![T ]?HH| ?T)|\b\d{4}-\d\d-\d\d\b(?![T ]\d)", re.IGNORECASE)
_WITH_HOUR = re.compile(r"ISO ?8601|RFC ?3339|date ?-?time|timestamp|HH|T\d\d:|\btime\b", re.IGNORECASE)
_STARTS = re.compile(r"\"(?:dt)?(?:start|begin)s?(?:[-_]?(?:time|date|at))*\": \{", re.IGNORECASE)  # as a field
_FORMATS: dict[str, Form] = {"date-time": "full", "date": "day", "time": "hour"}
CHANGING_TIMES = word_set("update edit modify change patch reschedule move shift postpone adjust")
_LENGTHS = word_set("duration length minutes hours min mins")


@dataclass(frozen=True, kw_only=True)
class TimedArgument:
    """An argument that names a time, what kind of time it is, and whether a day or an hour belongs to it."""

    name: str
    kind: Kind
    form: Form


@lru_cache(maxsize=4096)
def timed_arguments(one: KnownTool) -> tuple[TimedArgument, ...]:
    """Return the arguments of a tool that name the time of what it makes or changes. Empty for a tool that reads."""
    if one.reads:
        return ()
    found = (_timed(one, arg) for arg in one.tool.args if one.takes_one_text(arg))
    return tuple(arg for arg in found if arg is not None)


def timed_inside(one: KnownTool) -> str:
    """Return an argument of a tool that has the start of what it makes as a field: `body.start`. "" if none has."""
    if one.reads:
        return ""
    return next((arg for arg in one.tool.args if _STARTS.search(json.dumps(one.schema_of(arg)))), "")


def _timed(one: KnownTool, arg: str) -> TimedArgument | None:
    said, told = split_name(arg), one.described(arg)
    words = {*said, "".join(said[:2])}  # `check_in` and `pick_up_time`
    kinds: list[Kind] = [kind for kind, names in _KINDS if words & names]
    kind: Kind = kinds[0] if kinds else "other"
    if words & _OTHERS or (kind == "other" and not words & _TIMES):
        return None
    form = _FORMATS.get(one.format_of(arg))
    if form is not None:
        return TimedArgument(name=arg, kind=kind, form=form)
    if not _TIMED.search(f"{told} {arg}"):
        return None
    return TimedArgument(name=arg, kind=kind, form=_form(said, told))


def _form(said: list[str], told: str) -> Form:
    """Return what the name and the description of a time say that it has."""
    if _CLOCK_ONLY.search(told) and not _DATED.search(told) and "date" not in said:
        return "hour"
    if _DAY_ONLY.search(told) and not _WITH_HOUR.search(told):
        return "day"
    by_name = said[-1] in {"date", "day"} and not _WITH_HOUR.search(told)
    return "day" if by_name else "full"


def length_argument(one: KnownTool) -> str | None:
    """Return the argument with the length of time of what a tool makes. None if there is none, or several."""
    found = [
        arg
        for arg in one.numbers
        if _LENGTHS & set(split_name(arg)) and unit_of_argument(one.tool, arg) in {"second", "minute", "hour", "day"}
    ]
    return found[0] if len(found) == 1 else None


def length_given(one: KnownTool, limit: Limit) -> tuple[Limit, ...]:
    """Return the test that a length is given, for a limit of what is too long: a change without one keeps the old."""
    long = limit.above is not None or limit.at_least is not None
    changes = not one.verbs.isdisjoint(CHANGING_TIMES)
    if limit.arg is None or limit.arg in one.required or limit.arg != length_argument(one) or not (long and changes):
        return ()
    return (Limit(arg=limit.arg, state="present"),)
