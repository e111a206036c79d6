"""The tests of the time of a call, and the times of a sentence that no test can tell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.limits.written_times import (
    of_argument,
    only_changes,
    refuse_timed_things,
    written_tests,
)
from retouch.recipes.policy.english.tools.act_facts import is_scheduled
from retouch.recipes.policy.english.tools.timed_arguments import timed_arguments, timed_inside
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Qualifier
    from retouch.recipes.policy.english.words.clock_times import NamedTime
    from retouch.recipes.policy.english.words.sentences import ToolPart


def time_tests(
    one: KnownTool, qualifier: Qualifier, verb: str, toolbox: Toolbox, *, permits: bool, exact: bool
) -> list[ToolPart] | None:
    """Return the tests of a time: that of the call, or one that an argument names. None if a tool has none.

    Raises:
        Unclear: it may be either, or no test can tell.
    """
    written = of_argument(one, qualifier, verb)
    if written is not None:
        return written_tests(one, written, permits=permits, exact=exact)
    if qualifier.when is None or only_changes(one, qualifier):
        return None
    refuse_timed_things(one, qualifier, toolbox)
    return clock_tests(one, qualifier.when, toolbox.frame.time_zone, sure=permits or exact)


def clock_tests(one: KnownTool, when: NamedTime, zone: str | None, *, sure: bool = False) -> list[ToolPart]:
    """Return the tests of the time of a call, as alternatives. Outside of several times are the rest of a week.

    `sure`: the tests permit something, or must all hold.

    Raises:
        Unclear: it may be another time than that of the call, it has no end, or no time zone is known.
    """
    if sure and when.is_open:
        raise Unclear("it does not say until when; write 'between 18:00 and 22:00'")
    if any(map(is_scheduled, one.tool.args)) or timed_arguments(one):
        raise Unclear(f"it may be the time of the call, or the time that {one.tool.name} is about")
    if held := timed_inside(one):
        raise Unclear(f"the time that {one.tool.name} is about is inside of {held!r}, where no rule can test it")
    if zone is None:
        raise Unclear("hours and days need a time zone; name yours with --time-zone, such as Europe/Berlin")
    if when.outside and not when.others:
        return [part_of(one, unless=(Limit(hours=when.hours, days=when.days),))]
    found = when.rest if when.outside else when.alternatives
    return [part_of(one, where=(Limit(hours=each.hours, days=each.days),)) for each in found]


def rest_of_times(qualifiers: Sequence[Qualifier]) -> Qualifier | None:
    """Return all other times than the only one of some qualifiers, if one test cannot exclude it. None otherwise.

    The time of a thing is tested by its start and by its end.
    """
    when = qualifiers[0].when if len(qualifiers) == 1 else None
    if when is None or not (when.others or when.outside or qualifiers[0].word) or when.is_open:
        return None
    return replace(qualifiers[0], when=replace(when, outside=not when.outside))


def refuse_unclear_times(qualifiers: Sequence[Qualifier], *, permits: bool, exact: bool) -> None:
    """Refuse times that can be read in two ways, or that no test can tell.

    `permits`: the tests permit something. `exact`: all of them must hold.

    Raises:
        Unclear: hours over midnight on some days, hours beside other hours, or alternatives where none can be tested.
    """
    times = [(one.when, one.word) for one in qualifiers if one.when is not None]
    beside = [when for when, _ in times if when.days]
    if any(one.is_night and (one.days or beside) for when, _ in times for one in when.alternatives):
        raise Unclear("hours over midnight end on the next day; write one sentence for each day")
    plain = [when for when, word in times if not word]
    if sum(bool(when.hours) for when in plain) > 1 or sum(bool(when.days) for when in plain) > 1:
        raise Unclear("it names several times; join them with 'or'")
    if (permits or exact) and any(when.together for when, _ in times):
        raise Unclear("times with 'and' can be both or either; write one sentence for each")
    if exact and any(when.others for when, _ in times):
        raise Unclear("it names several times; write one sentence for each")
