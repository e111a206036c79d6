"""Finds the tools that a verb and its object mean, each with the tests that tell such calls from others."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.english.limits.argument_tests import (
    answer_of,
    can_modify,
    chosen_value,
    modifier_of,
    told_value,
    value_as_noun,
    value_of,
)
from retouch.recipes.policy.english.limits.marking import changed_argument, mark_of, retimed
from retouch.recipes.policy.english.tools.branch_tools import PUSHING, is_pushed, pushing_tools
from retouch.recipes.policy.english.tools.described_things import moves_otherwise
from retouch.recipes.policy.english.tools.flag_words import is_false
from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument, split_name
from retouch.recipes.policy.english.tools.label_arguments import label_tests
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.acts import Thing
from retouch.recipes.policy.english.words.lexicon import VERBS, singular, word_set
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.on_files import Level
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_MAKES_AND_BREAKS = word_set("delete remove destroy erase create make add drop terminate rename kill")
_DELETING = word_set("delete drop erase destroy")
_LISTS = word_set("playlist cart basket queue wishlist watchlist favorite favourite")
_PARTS = word_set("row cell line")
_Tests: TypeAlias = "tuple[Limit, ...]"


def meant(
    toolbox: Toolbox, verb: str, thing: Thing, level: Level, *, places: bool
) -> Iterator[tuple[KnownTool, _Tests]]:
    """Yield the tools that a verb and its object mean, each with tests. `places`: the sentence names a directory."""
    asked = level
    if verb in PUSHING and is_pushed(thing.nouns) and (pushing := pushing_tools(toolbox.tools)):
        yield from ((one, ()) for one in pushing if level == "perhaps" or one in pushing_tools(pushing, permits=True))
        return
    level = "surely" if level == "perhaps" and toolbox.is_specific(verb, thing) else level
    exact = toolbox.is_exact(verb, thing)
    whole = _deletes_whole(toolbox, verb, thing)
    for one in (each for each in toolbox.tools if verb in each.verbs or not (exact or moves_otherwise(each, verb))):
        if whole and _deletes_parts(one, thing.nouns[-1]):
            continue
        labelled = label_tests(one, verb, thing.nouns, asked)
        if labelled is not None:
            yield from ((one, each) for each in labelled)
            continue
        chosen = _verb_as_value(one, verb, thing)
        marked = (chosen,) if chosen is not None else mark_of(one, verb, thing, level)
        if marked is not None:
            yield one, marked
        elif _is_itself(toolbox, one, verb, thing, level, places=places):
            times = retimed(one, verb) if level == "perhaps" else []
            yield from ((one, each) for each in times or [()])
        else:
            tests = _listed(toolbox, one, verb, thing, level)
            found = [tests] if tests else _modified(toolbox, one, verb, thing, level, places=places)
            changed = found or changed_argument(one, verb, thing, level)
            named = _named(toolbox, one, verb, thing, level) or _by_its_name(toolbox, one, verb, thing)
            yield from ((one, each) for each in changed or named)


def _deletes_whole(toolbox: Toolbox, verb: str, thing: Thing) -> bool:
    """Return whether a tool deletes exactly what is said: `delete_track` for "delete tracks"."""
    if verb not in _DELETING or len(thing.nouns) != 1:
        return False
    return any(verb in one.verbs and one.head == thing.nouns[0] for one in toolbox.tools)


def _deletes_parts(one: KnownTool, noun: str) -> bool:
    """Return whether a tool only takes a thing off a list, or deletes what is in it: `delete_rows` for a table.

    To delete tracks is not to remove them from a playlist, if there is a tool that deletes tracks.
    """
    words = one.words
    listed = one.head in _LISTS and one.head != noun and "remove" in one.verbs and "from" in words
    inside = (
        one.head in _PARTS and one.head != noun and one.verbs == frozenset({"delete"}) and one.told[1:2] == ((noun,),)
    )
    return listed or inside


def argument_of(toolbox: Toolbox, thing: Thing) -> str:
    """Return the argument with a number that an object names: `ttl` for "a TTL". "" if it is also an object."""
    (noun, *more) = thing.nouns or ("",)
    known = noun in toolbox.words.units and all(head != noun for _, head in toolbox.heads)
    return noun if known and not more else ""


def _is_itself(toolbox: Toolbox, one: KnownTool, verb: str, thing: Thing, level: Level, *, places: bool) -> bool:
    """Return whether a tool is meant whatever its arguments are."""
    sets = verb == "set" and (level == "perhaps" or verb in one.verbs) and not one.reads
    if sets and argument_of(toolbox, thing) in one.numbers:
        return True
    chosen = value_of(one, thing) if thing.named and thing.nouns[-1] in one.named_arguments else None
    own_verb = verb not in toolbox.values or verb in VERBS or verb in toolbox.verbs
    own_verb = own_verb and not (len(thing.raw) > 1 and thing.raw[0].lower() in one.flags)  # "public links"
    return chosen is None and own_verb and toolbox.is_meant(one, verb, thing, level, places=places)


def _verb_as_value(one: KnownTool, verb: str, thing: Thing) -> Limit | None:
    """Return the test of "unlock a door" for `control_door(action: lock or unlock)`, and of "buy shares" for
    `place_order(side: buy or sell)`.

    The verb of a tool's name means the whole tool, unless its description says "Arm or disarm".
    """
    both = re.search(rf"\b(?:{re.escape(verb)} or|or {re.escape(verb)})\b", one.tool.comment.lower())
    if verb in one.verbs and both is None:
        return None
    limit = chosen_value(one, verb, thing) or told_value(one, verb, thing)
    return limit if limit is not None and limit.arg in one.required else None


def _listed(toolbox: Toolbox, one: KnownTool, verb: str, thing: Thing, level: Level) -> _Tests:
    """Return the test of a value that the schema of a tool lists, as the verb or as the kind of the object."""
    answer = answer_of(one, verb, thing)
    if answer is not None:
        return (answer,)
    chosen = chosen_value(one, verb, thing)
    if chosen is not None and (level == "perhaps" or chosen.arg in one.required):
        return (chosen,)
    other = one.told_verb in VERBS and one.told_verb not in one.verbs | lexicon.BRINGING  # "Comment on an issue"
    making = not other and (verb in lexicon.BRINGING or verb not in VERBS)  # what is changed may have another value
    kind = value_as_noun(one, thing) if making else None
    known = kind is not None and _is_kind(kind) and toolbox.is_meant(one, verb, Thing(), "surely", places=False)
    return (kind,) if known and kind is not None else ()


def _is_kind(limit: Limit) -> bool:
    """Return whether an argument is the kind of what a tool makes: `type`, `visit_type`, and not `target_type`."""
    words = {*split_name(limit.arg or "")}
    return not words & {"target", "source", "parent", "related"} and not any(one.endswith("able") for one in words)


def _modified(toolbox: Toolbox, one: KnownTool, verb: str, thing: Thing, level: Level, *, places: bool) -> list[_Tests]:
    """Return the tests of the first word of "production deployments", if the rest of the object means the tool."""
    widened = level == "perhaps"
    if verb and widened and not can_modify(one, thing):
        level = "surely"
    if not toolbox.is_modifier(thing) or singular(thing.raw[0]) in one.vocabulary:
        return []
    rest = replace(thing, nouns=thing.nouns[1:], raw=thing.raw[1:], named="")
    if not toolbox.is_meant(one, verb, rest, level, places=places):
        return []
    return is_false(one, thing.raw[0].lower(), widened=widened) or [(modifier_of(one, thing, widened=widened),)]


def _named(toolbox: Toolbox, one: KnownTool, verb: str, thing: Thing, level: Level) -> list[_Tests]:
    """Return the test of "the salaries table", if the name of the object is the value of an argument."""
    value = value_of(one, thing)
    own = one.head is None or singular(one.head) in thing.nouns or verb not in _MAKES_AND_BREAKS
    anyhow = verb == "" and level == "perhaps"  # "the salaries table is off limits"
    meant = anyhow or (value is not None and toolbox.is_meant(one, verb, Thing(), level, places=False))
    return [(value,)] if value is not None and own and meant and not one.code else []


def _by_its_name(toolbox: Toolbox, one: KnownTool, verb: str, thing: Thing) -> list[_Tests]:
    """Return the test of "book the Boardroom" for `book_room(room: name of the room)`: a name that no tool knows."""
    known = toolbox.words.objects | toolbox.nouns | lexicon.THINGS | toolbox.values
    strange = bool(thing.raw) and all(re.fullmatch(r"[A-Z][a-z]\w*", word) for word in thing.raw)
    if verb not in one.verbs or one.code or not strange or not known.isdisjoint(thing.nouns):
        return []
    args = [arg for arg in one.required if one.head in nouns_of_argument(one, arg) and arg not in one.listed]
    named = len(args) == 1 and "name" in split_name(f"{args[0]} {one.described(args[0])}")
    return [(Limit(arg=args[0], among=(" ".join(thing.raw),)),)] if named else []
