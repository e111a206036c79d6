"""Finds the tools that give what is booked another time: who books nothing before 9 am moves nothing to 8 am."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.written_times import HOLDING, PLANNING, held
from retouch.recipes.policy.english.tools.timed_arguments import CHANGING_TIMES, timed_arguments
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.scanning import Unclear

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Act, Qualifier
    from retouch.recipes.policy.english.words.sentences import ToolPart


def of_one_time(act: Act, found: Collection[ToolPart], toolbox: Toolbox) -> set[ToolPart]:
    """Return the parts of an act without those of the time of the call, if it is about the time of what it plans.

    Tools that say its verb, or are for its objects, stay: they have no other time.
    """
    known = {one.key: one for one in toolbox.tools}
    verb = act.verbs[0] if len(act.verbs) == 1 else ""
    if verb not in HOLDING or not any(_is_planned(known[part.server, part.tool], part) for part in found):
        return set(found)
    nouns = {noun for thing in act.things for noun in thing.nouns}
    meant = {one.key for one in known.values() if verb in one.verbs or one.head in nouns}
    said = {part for part in found if (part.server, part.tool) in meant}
    return said | {part for part in found if not any(one.is_clock for one in part.where)}


def at_other_times(qualifiers: Iterable[Qualifier]) -> tuple[Qualifier, ...]:
    """Return qualifiers with all other times than theirs."""
    return tuple(
        one if one.when is None else replace(one, when=replace(one.when, outside=not one.when.outside))
        for one in qualifiers
    )


def moved(
    act: Act,
    found: Collection[ToolPart],
    toolbox: Toolbox,
    tests_of: Callable[[KnownTool, tuple[Qualifier, ...]], list[ToolPart] | None],
) -> Iterator[ToolPart]:
    """Yield the parts of tools that give what an act plans another time.

    Raises:
        Unclear: such a tool cannot be tested for what the act is about.
    """
    if PLANNING.isdisjoint(act.verbs) or all(one.when is None for one in act.qualifiers):
        return
    known = {one.key: one for one in toolbox.tools}
    planned = [one for part in found if _is_planned(one := known[part.server, part.tool], part)]
    done = {(part.server, part.tool) for part in found}
    qualifiers = tuple(map(held, act.qualifiers))
    for one in toolbox.tools:
        if one.key not in done and any(_moves(one, other, act.verbs) for other in planned):
            tests = tests_of(one, qualifiers)
            if tests is None:
                raise Unclear(f"{one.tool.name} can give it another time, and cannot be tested for what is said")
            yield from tests


def _moves(one: KnownTool, other: KnownTool, verbs: Collection[str]) -> bool:
    """Return whether a tool gives what another one plans another time: `change_booking(new_date)` what is booked."""
    if one.tool.server != other.tool.server or one.verbs.isdisjoint(CHANGING_TIMES) or not timed_arguments(one):
        return False
    return one.head is not None and (one.head == other.head or lexicon.NOMINAL.get(one.head) in verbs)


def _is_planned(one: KnownTool, part: ToolPart) -> bool:
    times = {arg.name for arg in timed_arguments(one)}
    return any(limit.arg in times and (limit.hours or limit.days) for limit in (*part.where, *part.unless))
