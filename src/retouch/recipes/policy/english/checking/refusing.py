"""Refuses what a rule would allow or ask about although a sentence does not certainly say so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.units import rate_of_argument
from retouch.recipes.policy.english.limits.marking import changes_more
from retouch.recipes.policy.english.tools.act_facts import has_place, is_all_yours, is_everywhere
from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument
from retouch.recipes.policy.english.tools.on_files import MOVING
from retouch.recipes.policy.english.words.acts import ANYTHING, Thing
from retouch.recipes.policy.english.words.lexicon import READ, VERBS, word_set
from retouch.recipes.policy.english.words.scanning import Doubtful, Unclear

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Act
    from retouch.recipes.policy.english.words.sentences import ToolPart
    from retouch.recipes.policy.language.values import Limit

_SPENDING = word_set("spend use set invest")


def refuse_unreadable(parts: Iterable[ToolPart], toolbox: Toolbox) -> None:
    """Refuse to permit or ask about calls that are denied anyway, because nobody knows where their paths are.

    Raises:
        Unclear: a tool takes names or addresses that are not complete, or its server takes relative paths.
    """
    said = {(part.server, part.tool) for part in parts}
    relative = {one.tool.server for one in toolbox.tools if one.has_relative_paths}
    for one in toolbox.tools:
        if one.key in said and one.unreadable:
            why = f"takes {one.unreadable[0]!r}, and calls with a name or address that is not complete are denied"
            raise Unclear(f"{one.tool.name} {why}; if it is none on a disk or site, annotate it with the role 'none'")
        if one.key in said and one.paths and one.tool.server in relative:
            why = "takes paths that do not start with / or ~/, and calls with such paths are denied"
            hint = "if they are no paths on a disk, give them the role 'none' in the annotations"
            raise Unclear(f"{one.tool.name} {why}; {hint}")


def refuse_too_much(one: KnownTool, verb: str, act: Act, limits: list[ToolPart], where: tuple[Limit, ...]) -> None:
    """Refuse to permit what may be of others, or more than is said. `where` are the tests of the verb and its objects.

    Raises:
        Unclear: the tool can reach more than the sentence permits.
    """
    if any(thing.is_owned for thing in act.things) and not is_all_yours(one):
        why = f"no argument of {one.tool.server}/{one.tool.name} shows what is yours"
        raise Unclear(f"{why}; write 'any' instead of 'my' if you mean all that it can reach")
    flags = tuple(each for each in where if each.among == (True,))
    if any(changes_more(one, (*flags, *limit.where)) for limit in limits):
        raise Unclear(f"{one.tool.name} can change more in the same call, so that this would allow too much")
    known = VERBS.get(verb)
    on_files = verb in MOVING or (known is not None and bool(known.deeds)) or verb == ""
    if one.has_files and on_files and not is_everywhere(act) and not has_place(act):
        raise Unclear("a permission for files needs a place: 'in' and a directory, or 'anywhere'")


def same_of(act: Act) -> tuple[Act, ...]:
    """Return the exceptions of an act that are about the same with other qualifiers: "all notes except those in"."""
    nouns = [thing.nouns for thing in act.things]
    same = (one for one in act.exceptions if one.verbs == act.verbs and nouns == [each.nouns for each in one.things])
    return tuple(same)


def only_lists(one: KnownTool, act: Act) -> bool:
    """Return whether a tool only tells what things there are: `list_channels` for "the channel dev".

    It does nothing to the thing that is named, and takes no name of one.
    """
    nouns = {each.arg or each.word for each in act.qualifiers if each.kind in {"chosen", "named", "value"}}
    enumerates = one.reads and "list" in {*one.verbs, one.told_verb}
    return (
        enumerates and one.head in nouns and not any(one.head in nouns_of_argument(one, arg) for arg in one.tool.args)
    )


def refuse_gaps(left_out: list[tuple[KnownTool, str]], kept: list[tuple[KnownTool, str]]) -> None:
    """Refuse a permission if a tool that it names by its verb cannot be tested, and no other one of that verb can.

    A permission is for what is certain: other tools that do the same and cannot be tested are left out of it.

    Raises:
        Unclear: a tool cannot be tested.
    """
    for one, verb in left_out:
        tested = [other for other, each in kept if each == verb]
        if not tested or (verb in one.verbs and not any(verb in other.verbs for other in tested)):
            raise Unclear(f"no argument of {one.tool.server}/{one.tool.name} can be tested for this")


def refuse_bare_argument(act: Act, parts: Iterable[ToolPart], toolbox: Toolbox) -> None:
    """Refuse "Stores need approval" if a store is only an argument: not every call that takes one is meant.

    Raises:
        Unclear: a part is every call of a tool of which the sentence only names an argument.
    """
    known = {one.key: one for one in toolbox.tools}
    for one in {known[part.server, part.tool] for part in parts if not (act.verbs or part.where or part.unless)}:
        for nouns in (thing.nouns for thing in act.things if thing.nouns and thing.nouns not in one.told):
            if nouns[-1] in one.argument_words - one.vocabulary:
                raise Unclear(f"{nouns[-1]!r} is only an argument of {one.tool.name}; say what must not be done")


def refuse_read_only_code(act: Act, toolbox: Toolbox) -> None:
    """Refuse "you may read" if a tool runs queries that only read: it is not certain that they are meant.

    Raises:
        Doubtful: there is such a tool.
    """
    verbs = [VERBS[verb] for verb in act.verbs if verb in VERBS]
    looks = len(verbs) == len(act.verbs) > 0 and all(verb.surely <= READ for verb in verbs)
    everything = act.things in {(), (ANYTHING,)} and not any(each.kind == "inside" for each in act.qualifiers)
    for one in toolbox.tools if looks and everything else ():
        if not one.verbs <= READ - {"query"} and re.search(r"\bread[- ]only\b", one.tool.comment, re.IGNORECASE):
            raise Doubtful(f"{one.tool.name} only reads as well; say whether it may be used")


def refuse_unclear(act: Act, toolbox: Toolbox) -> None:
    """Refuse two kinds of addresses that are no list, and amounts that can be of two things.

    Raises:
        Unclear: it is about both.
    """
    if sum("emails" in {one.kind, one.word} for one in act.qualifiers) > 1:
        raise Unclear("it is about two addresses; write one list, as in 'to people at a.example or b.example'")
    refuse_rated(act, toolbox)


def refuse_rated(act: Act, toolbox: Toolbox) -> None:
    """Refuse "50 euros, at most once, a day" if an argument of a tool is itself an amount for each day.

    Raises:
        Unclear: the amount may be the one of the argument, or the sum of all calls.
    """
    counted = any(one.kind == "count" for one in act.qualifiers)
    periods = {one.word for one in act.qualifiers if one.kind == "per"}
    rated = (one for one in toolbox.tools if any(rate_of_argument(arg) in periods for arg in one.numbers))
    if not counted and any(_may_be_done(one, act, toolbox) for one in rated):
        raise Unclear("the amount is one of an argument for each period; write it beside the period")


def _may_be_done(one: KnownTool, act: Act, toolbox: Toolbox) -> bool:
    """Return whether an act may be about a tool: `set_card_limit(daily_limit)` transfers nothing."""
    if not act.verbs or not _SPENDING.isdisjoint(act.verbs):
        return True
    return any(toolbox.is_meant(one, verb, Thing(), "perhaps", places=False) for verb in act.verbs)
