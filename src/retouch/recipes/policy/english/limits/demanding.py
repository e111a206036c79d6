"""Finds the tools that make a thing, and tests what a sentence demands of every call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import merged_tests
from retouch.recipes.policy.english.tools.known_tools import MAKING, nouns_of_argument
from retouch.recipes.policy.english.tools.name_parts import ALL_VERBS
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.scanning import Unclear

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Thing
    from retouch.recipes.policy.english.words.sentences import ToolPart

MAKERS = (
    MAKING
    | lexicon.BRINGING
    | word_set(
        "new add post publish upload put write record enter send raise file generate start launch take give make"
    )
) - word_set("confirm execute initiate")
CHANGERS = word_set("set update edit change modify patch resize adjust rename configure assign move reschedule")


def makers(toolbox: Toolbox, thing: Thing, *, all_of_them: bool, given: str = "") -> list[KnownTool]:
    """Return the tools that make a thing: `create_post` and `schedule_post` for "posts".

    `all_of_them`: also those that change one, and those whose verb nobody knows, as a prohibition has to. Unless the
    thing is new. `given`: also those that set this property of it: `set_rate` for "the rate of a room".
    """
    nouns = tuple(noun for noun in thing.nouns if noun != "new")
    if nouns == (given,) and all(one.head != given for one in toolbox.tools):  # "titles": of whatever has one
        return [one for one in toolbox.tools if not (one.reads or one.code) and _is_named(one, given)]
    changing = all_of_them and "new" not in thing.nouns
    return [
        one
        for one in toolbox.tools
        if nouns and (_makes(one, nouns, changing=changing, strange=all_of_them) or _sets(one, nouns, given))
    ]


def _sets(one: KnownTool, nouns: tuple[str, ...], given: str) -> bool:
    """Return whether a tool sets a property of a thing: `sell_ticket(price)`, and `set_rate(rate)` for its name."""
    if not _is_named(one, given) or one.reads or one.computes or one.code:
        return False
    if one.head == nouns[-1] and set(nouns) <= one.vocabulary:
        return True
    changes = not one.verbs.isdisjoint(MAKERS | CHANGERS)
    return changes and one.head == given.rsplit(maxsplit=1)[-1] and set(nouns) <= one.subjects


def _is_named(one: KnownTool, noun: str) -> bool:
    return bool(noun) and any(noun in nouns_of_argument(one, arg) for arg in one.tool.args)


def _makes(one: KnownTool, nouns: tuple[str, ...], *, changing: bool, strange: bool) -> bool:
    if one.reads or one.computes or one.code or not set(nouns[:-1]) <= one.subjects:
        return False
    verb = lexicon.NOMINAL.get(nouns[-1]) or lexicon.ACTIONS.get(nouns[-1]) or nouns[-1]
    if verb in one.verbs:
        return True
    if one.words[1:2] in (["to"], ["into"]) or (nouns[-1] == "draft" and one.verbs <= {"send"}):
        return False  # `invite_to_channel` makes no channel, and `send_draft` a message
    told = bool(one.told) and one.told[0] in {nouns, nouns[-1:]}
    if one.head != nouns[-1] and not told:
        return False
    known = MAKERS | CHANGERS if changing else MAKERS
    done = one.verbs if one.head == nouns[-1] else one.done or one.verbs
    clear = one.verbs <= ALL_VERBS or one.is_told_by_noun or one.told_verb in ALL_VERBS - MAKERS
    return not done.isdisjoint(known) or (strange and not clear)


def demanded(
    tools: list[KnownTool],
    tests_of: Callable[[KnownTool], tuple[list[ToolPart], list[ToolPart] | None] | None],
    what: str,
) -> Iterator[ToolPart]:
    """Yield each tool with what its calls must pass.

    Raises:
        Unclear: a tool that makes the thing, or all of them, cannot be tested for it.
    """
    found = [(one, tests) for one in tools if (tests := tests_of(one)) is not None]
    if not any(tests for _, (_, tests) in found):
        raise Unclear(f"no tool here can be tested for this: {what}")
    for one, (meant, tests) in found:
        if tests is None and not one.verbs.isdisjoint(MAKERS):
            raise Unclear(f"no argument of {one.tool.server}/{one.tool.name} can be tested for this")
        if tests is not None:
            unless = merged_tests(tests)
            if any(part.unless for part in (*tests, *meant)) or not unless:
                raise Unclear("what is demanded is not something that a rule can test")
            yield from (replace(part, unless=unless) for part in meant)
