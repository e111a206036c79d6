"""What a tool acts on by its description alone: `delete_item` moves files to the trash, `add_permission` shares one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.name_parts import ALL_VERBS
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import VERBS, word_set

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.lexicon import VerbMeaning

_FINDING = word_set("search find query")
# These close, open or change things, and neither delete nor make any.
_OF_STATES = frozenset({"transition", "uncomplete", "unresolve", "unclose", "uncancel"})
_LOOKING = frozenset({"view", "look at", "read", "see"})


def only_finds(one: KnownTool, verb: str, nouns: tuple[str, ...]) -> bool:
    """Return whether things are read, and a tool that is not called for them only searches for them."""
    return bool(nouns) and one.verbs <= _FINDING and nouns[-1] != one.head and verb in _LOOKING


def only_adds(one: KnownTool, verb: str, nouns: tuple[str, ...]) -> bool:
    """Return whether things are made, and a tool only adds to one: `add_followers_to_task` makes no task."""
    added = verb in lexicon.CREATING - one.verbs and "add" in one.verbs
    return added and bool(nouns) and one.nouns[-2:] == ("to", nouns[-1])


def moves_otherwise(one: KnownTool, verb: str) -> bool:
    """Return whether a thing is renamed, and a tool moves it by its id, or the other way round. A path is both."""
    return {verb} | one.verbs == {"move", "rename"} and not one.paths and verb not in one.told_words


def is_told_of_other(one: KnownTool, verb: str) -> bool:
    """Return whether a description says what is done to a thing with another verb than the name has.

    `add_permission` shares a file, and creates none.
    """
    said, known = VERBS.get(one.told_verb), VERBS.get(verb)
    if said is None or known is None or one.reads or not one.core or one.core[-1] in lexicon.GENERIC:
        return False
    return said.perhaps.isdisjoint(one.verbs | known.perhaps | {verb}) and one.told_verb not in one.verbs


def is_named_by_description(one: KnownTool, verbs: AbstractSet[str], forms: AbstractSet[str]) -> bool:
    """Return whether only the description says what is done, or to which things, and these are said."""
    told = {nouns[-1] for nouns in one.told}
    general = one.head in lexicon.GENERIC - told or one.told_verb in verbs - one.verbs
    return general and not told.isdisjoint(forms)


def may_be(one: KnownTool, known: VerbMeaning) -> bool:
    """Return whether a tool with a verb that nobody knows may do what is meant: `zap_user`, if users are deleted.

    What only one word says, as "merge", it does not do, nor if its description begins with another verb.
    """
    told = one.told_verb
    return (
        len(known.perhaps) > 1
        and not one.is_told_by_noun
        and not (one.verbs <= _OF_STATES and known.deeds and known.surely.isdisjoint(VERBS["update"].surely))
        and (told in one.verbs or told in known.perhaps or told not in ALL_VERBS)
    )
