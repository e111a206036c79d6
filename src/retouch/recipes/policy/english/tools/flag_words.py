"""Words for an argument that is true or false: "private" for `is_private`, and "public" for one that is not private."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import ToolPart

# What something is, and what it is otherwise.
_PAIRS = """
private: public
public: private internal
published: unpublished
encrypted: unencrypted
masked: unmasked
paid: unpaid
verified: unverified
active: inactive
enabled: disabled
confirmed: unconfirmed
refundable: non-refundable
confidential: non-confidential
"""
TRASHING = word_set("delete remove trash discard")
_SWITCHES = word_set("on enabled enable active power powered") | {"is on", "turned on", "power on"}
_IN_TRASH = ("in trash", "trashed", "deleted")
_TWINS = frozenset({"archived", "in_trash"})  # flags of the same state, where a tool has both
_DELETES = re.compile(r"\b(?:delete|trash)")  # "Set to true to archive (delete) a block"
_OTHERS = {one: others.split() for one, _, others in (line.partition(": ") for line in _PAIRS.split("\n") if line)}


def opposites(one: KnownTool) -> dict[str, str]:
    """Return the words that say that a flag is false, with its argument. None that the tool has in another sense."""
    known = {value.lower() for values in one.listed.values() for value in values} | one.flags.keys() | one.told_words
    found = [(other, arg) for flag, arg in one.flags.items() for other in _OTHERS.get(flag, ())]
    return {other: arg for other, arg in found if other not in known and sum(other == word for word, _ in found) == 1}


def is_false(one: KnownTool, word: str, *, widened: bool) -> list[tuple[Limit, ...]]:
    """Return the tests, as alternatives, of "public" for a tool with the flag `private`. Empty if it has none.

    `widened`: a call without the flag is meant as well, as a prohibition has to.
    """
    arg = opposites(one).get(word)
    if arg is None:
        return []
    absent = widened and arg not in one.required and not one.has_default(arg)
    return [(Limit(arg=arg, among=(False,)),), *([(Limit(arg=arg, state="absent"),)] if absent else [])]


def words_of_tests(one: KnownTool, part: ToolPart) -> set[str]:
    """Return the words that say that a tested flag is false."""
    tested = {limit.arg for limit in part.where if limit.among == (False,) or limit.state == "absent"}
    return {word for word, arg in opposites(one).items() if arg in tested}


def flags_of_verb(one: KnownTool, verb: str) -> list[tuple[str, bool]]:
    """Return the flags by which a tool does what a verb says, with their values: `in_trash` for "delete"."""
    if verb in {"turn on", "turn off"}:
        return [(arg, verb == "turn on") for name, arg in one.flags.items() if name in _SWITCHES]
    if verb not in TRASHING:
        return []
    told = {
        name for name, arg in one.flags.items() if name == "archived" and _DELETES.search(one.described(arg).lower())
    }
    return [(one.flags[name], True) for name in (*_IN_TRASH, *told) if name in one.flags]


def twin_flags(one: KnownTool, arg: str | None) -> tuple[str, ...]:
    """Return the other flags of a tool for the same state: `archived` for `in_trash`, if it has both."""
    return tuple(sorted(_TWINS - {arg})) if arg in _TWINS and one.tool.args.keys() >= _TWINS else ()
