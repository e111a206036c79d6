"""Labels that a tool adds to a thing, or removes from it, in two arguments: `addLabelIds` and `removeLabelIds`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Level

LABELLING = word_set("label unlabel relabel")
_CHANGING = word_set("modify update edit change patch")


def label_arguments(one: KnownTool) -> tuple[str, str] | None:
    """Return the argument with the labels that are added, and the one with those that are removed. None if none are."""
    words = {arg: {*map(singular, split_name(arg))} for arg in one.tool.args}
    added = [arg for arg, each in words.items() if {"add", "label"} <= each]
    removed = [arg for arg, each in words.items() if {"remove", "label"} <= each]
    if len(added) != 1 or len(removed) != 1 or not one.verbs <= _CHANGING or {added[0], removed[0]} & one.required:
        return None
    return added[0], removed[0]


def label_tests(one: KnownTool, verb: str, level: Level) -> tuple[Limit, ...] | None:
    """Return the tests of a call that does what a verb says to the labels. None if the tool or the verb does not.

    Who may label e-mails may not take labels off: that moves them out of the inbox.
    """
    found = label_arguments(one) if verb in LABELLING else None
    if found is None:
        return None
    added, removed = found
    if verb == "relabel":
        return ()
    own, other = (added, removed) if verb == "label" else (removed, added)
    given = Limit(arg=own, state="present")
    return (given,) if level == "perhaps" else (given, Limit(arg=other, state="absent"))
