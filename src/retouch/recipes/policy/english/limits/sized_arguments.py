"""Finds the argument whose size a sentence limits: "posts of at most 280 characters", "no more than 10 guests"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.units import is_unit_of_text
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.tools.amount_tests import Side, amount_limit
from retouch.recipes.policy.english.tools.amounts import ONCE
from retouch.recipes.policy.english.tools.known_tools import CHARACTER, PEOPLE, nouns_of_argument, split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Act, Qualifier
    from retouch.recipes.policy.english.words.sentences import ToolPart

_CONTENTS = word_set("text body message content contents caption comment note markdown html payload")
_COUNTS = word_set("limit count number quantity")
_OF_ANYTHING = word_set("id uid uuid key ref item element entry value list name number code")  # lists that say no noun
_SENDERS = word_set("from sender reply author owner organizer organiser")
# Without a list these tools may act on everything.
_ON_EVERYTHING = word_set("delete remove erase archive clear purge drop wipe cancel close move merge export sync run")
_STEP_BY_STEP = word_set("add invite append attach insert put")


def size_tests(one: KnownTool, qualifier: Qualifier, side: Side, *, exact: bool) -> list[ToolPart] | None:
    """Return the tests of a size for a tool, as alternatives. None if no argument of it has this size.

    Raises:
        Unclear: texts are measured in something that no rule counts, or several arguments could be meant.
    """
    if is_unit_of_text(qualifier.word):
        raise Unclear(f"no rule can count {qualifier.word}s; write a number of characters")
    if qualifier.word == CHARACTER:
        args = _texts(one, qualifier.arg)
        return _tests(one, _limit(qualifier, arg=args[0]), side, exact=exact) if len(args) == 1 else None
    if qualifier.names and qualifier.names[0] not in {ONCE, *one.nouns, *one.verbs}:
        return None
    if not qualifier.names and (one.verbs <= _STEP_BY_STEP or (one.reads and qualifier.word == "file")):
        raise Unclear("more may be added or read in several calls; write 'at once' if the limit is for each call")
    number = _number(one, qualifier, side)
    if number is not None:
        return [part_of(one, where=(number,))]
    people = [arg for arg, spec in one.tool.args.items() if "email-address" in spec.all_roles]
    if people and qualifier.word in PEOPLE:
        return _people_tests(one, people, qualifier, side, exact=exact)
    args = _lists(one, qualifier.word)
    return _tests(one, _limit(qualifier, arg=args[0]), side, exact=exact) if len(args) == 1 else None


def takes_no_several_files(one: KnownTool, qualifier: Qualifier) -> bool:
    """Return whether a limit is for the files of one call, and a tool takes a single path."""
    once = qualifier.kind == "size" and qualifier.word == "file" and qualifier.names == (ONCE,)
    return once and bool(one.paths) and not _lists(one, "file")


def named_text(act: Act, toolbox: Toolbox) -> Act:
    """Return "titles longer than 60 characters" with the argument that its object names: no tool acts on titles."""
    heads = {one.head for one in toolbox.tools}
    nouns = {noun for one in act.things for noun in one.nouns[-1:]} & toolbox.words.given - heads
    if len(nouns) != 1 or len(act.things) != 1:
        return act
    return replace(
        act,
        qualifiers=tuple(
            replace(one, arg=min(nouns)) if one.kind == "size" and one.word == CHARACTER and not one.arg else one
            for one in act.qualifiers
        ),
    )


def has_several(one: KnownTool, noun: str) -> bool:
    """Return whether one call of a tool can be about several things of a noun, so that calls do not count them."""
    single = singular(noun.lower())
    lists = [arg for arg in one.lists if "email-address" not in one.tool.args[arg].all_roles]
    people = [arg for arg in one.lists if single in PEOPLE and _is_of_people(one, arg)]
    named = bool(people) or any(single in {*nouns_of_argument(one, arg), singular(split_name(arg)[0])} for arg in lists)
    words = one.words
    return named or (bool(lists) and any(word[-1:] == "s" and word != single == singular(word) for word in words))


def _is_of_people(one: KnownTool, arg: str) -> bool:
    return "email-address" in one.tool.args[arg].all_roles or not PEOPLE.isdisjoint(nouns_of_argument(one, arg))


def _limit(qualifier: Qualifier, *, arg: str | None = None, role: str | None = None) -> Limit:
    return Limit(
        arg=arg,
        role=role,
        size="characters" if qualifier.word == CHARACTER else "items",
        at_least=qualifier.at_least,
        at_most=qualifier.at_most,
        above=qualifier.above,
        below=qualifier.below,
    )


def _texts(one: KnownTool, noun: str) -> list[str]:
    """Return the texts with a name, or else those with the content of what a tool makes."""
    texts = [arg for arg in one.tool.args if one.takes_one_text(arg) and arg not in one.listed]
    if noun:
        return [arg for arg in texts if noun in nouns_of_argument(one, arg)]
    return [arg for arg in texts if split_name(arg)[-1] in _CONTENTS]


def _number(one: KnownTool, qualifier: Qualifier, side: Side) -> Limit | None:
    """Return the test of an argument that is the number itself: `limit` for "more than 100 messages"."""
    if qualifier.word:
        return amount_limit(one, qualifier, side)
    counts = [arg for arg in one.numbers if not _COUNTS.isdisjoint(split_name(arg))]
    if len(counts) != 1 or _lists(one, one.head or ""):
        return None
    return amount_limit(one, replace(qualifier, arg=min(nouns_of_argument(one, counts[0]))), side)


def _lists(one: KnownTool, noun: str) -> list[str]:
    """Return the lists that a noun names: `photo_ids` and `photos` for "photos", or the only list of a tool of them.

    A list of something else counts that: `columns` of a tool that reads rows.
    """
    named = [arg for arg in one.lists if noun in {*nouns_of_argument(one, arg), singular(split_name(arg)[0])}]
    own = not noun or noun == one.head or (noun,) in one.told
    names = _OF_ANYTHING | ({"path", "filename"} if noun == "file" else set[str]())
    plain = not noun or all(singular(split_name(arg)[-1]) in names for arg in one.lists)
    return named or (list(one.lists) if own and plain and len(one.lists) == 1 else [])


def _people_tests(
    one: KnownTool, args: list[str], qualifier: Qualifier, side: Side, *, exact: bool
) -> list[ToolPart] | None:
    if any(not _SENDERS.isdisjoint(split_name(arg)) for arg in args):
        return None  # not all addresses are recipients, so that they cannot be counted together
    if len(args) == 1 and side == "restrict":
        return _tests(one, _limit(qualifier, arg=args[0]), side, exact=exact)
    if len(args) == 1:
        return [part_of(one, where=(_limit(qualifier, arg=args[0]),))]  # who invites nobody does not invite
    if not one.required.intersection(args):
        raise Unclear(f"{one.tool.name} may be called for nobody, and a rule would deny that as well")
    return [part_of(one, where=(_limit(qualifier, role="email-address"),))]


def _tests(one: KnownTool, limit: Limit, side: Side, *, exact: bool) -> list[ToolPart]:
    """Return the tests of a limit. What a call does not give is not too long, if nothing else is meant then."""
    arg = limit.arg or ""
    everything = limit.size == "items" and (one.reads or not one.verbs.isdisjoint(_ON_EVERYTHING))
    optional = arg not in one.required and not one.has_default(arg) and not everything
    if exact or not optional:
        return [part_of(one, where=(limit,))]
    if side == "permit":
        small = limit.at_most is not None or limit.below is not None
        absent = [part_of(one, where=(Limit(arg=arg, state="absent"),))] if small else []
        return [part_of(one, where=(limit,)), *absent]
    large = limit.above is not None or limit.at_least is not None
    return [part_of(one, where=(limit, *((Limit(arg=arg, state="present"),) if large else ())))]
