"""The tests of the rules by which an event recurs, as iCalendar writes them: daily is on Saturdays, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.language.values import DAYS, Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.clock_times import NamedTime

_RULES = word_set("recurrence rrule recurring recurrences")
# What comes on any day of the week, unless the rule names days. What comes weekly does so on the day of its start.
_ON_ANY_DAY = tuple(f"*FREQ={word}*" for word in ("DAILY", "HOURLY", "MINUTELY", "SECONDLY", "MONTHLY", "YEARLY"))
_NAMES_DAYS = "*BYDAY=*"


def recurring_tests(one: KnownTool, when: NamedTime) -> Iterator[tuple[tuple[Limit, ...], tuple[Limit, ...]]]:
    """Yield the tests of rules by which something may come again on the days of a time, with the tests of others."""
    days = _days_of(when)
    for arg in _rules_of(one) if days else ():
        given = () if arg in one.required else (Limit(arg=arg, state="present"),)
        named = tuple(f"*BYDAY=*{day[:2].upper()}*" for day in days)
        yield (*given, Limit(arg=arg, like=(*named, "*RDATE*"))), ()
        yield (*given, Limit(arg=arg, like=_ON_ANY_DAY)), (Limit(arg=arg, like=(_NAMES_DAYS,)),)


def not_recurring(one: KnownTool, when: NamedTime) -> tuple[Limit, ...]:
    """Return the tests that something does not come again, for what is permitted on the days of a time."""
    return tuple(Limit(arg=arg, state="absent") for arg in _rules_of(one)) if _days_of(when) else ()


def _rules_of(one: KnownTool) -> list[str]:
    return [arg for arg in one.tool.args if not _RULES.isdisjoint(split_name(arg)) and one.takes_text(arg)]


def _days_of(when: NamedTime) -> tuple[str, ...]:
    """Return the days of a time, of which some part is meant. Empty if it is about hours of any day."""
    spans = when.rest if when.outside else when.alternatives
    found = {day for each in spans for day in each.days}
    return tuple(day for day in DAYS if day in found)
