"""What sentences say of whole series of events, and permissions to move or rename things and nothing else of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.tools.known_tools import is_id, split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.frames.restricted import Restricted
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_CHANGE = r"(?:chang|updat|edit|modify|mov|touch|alter|reschedul|renam|shift)(?:e|ing|y|)"
_ONES = (
    r"(?:(?:an?|the|any|my|our|whole|entire|complete|full|all of an?|all of the|recurring|repeating|event|meeting) )*"
)
_WHOLE_SERIES = re.compile(
    rf"{_CHANGE}(?: (?:or|and) {_CHANGE})* (?:{_ONES}series(?: of (?:recurring |repeating )?(?:events|meetings))?|"
    r"(?:all|every) (?:the )?(?:events?|occurrences?|instances?) (?:of|in) (?:an?|the|any) (?:(?:recurring|"
    r"repeating) )?"
    r"(?:series|event|meeting))(?: (?:at once|as a whole|in one go|all at once))?"
    r"(?:,? (?:but )?(?:just|only) (?:the|an?|one|single) (?:(?:single|one) )?(?:occurrence|event|instance|"
    r"meeting|one)s?"
    r"(?: instead)?)?",
    re.IGNORECASE,
)
_CHANGING = word_set("update edit change modify move reschedule patch")
_SINGLE = word_set("this single instance occurrence")
_MANY = word_set("all following series future")

_ACT = (
    r"(?:move|reschedule|rename|retitle|create|add|change the (?:title|name|time|times|date|location|description) of|"
    r"make)"
)
_ACTS = rf"(?P<acts>{_ACT}(?:(?:, (?:and |or )?| and | or ){_ACT})*)"
_PERMITTED = re.compile(
    rf"(?:you|the (?:agent|assistant)) (?:can|may) {_ACTS} (?:(?:my|the|any|new|all|our|existing) )*(?P<what>[a-z]+s)"
    r"(?:,? but (?:not|never|you (?:must|may|can) (?:not|never)|don['\u2019]t|do not) "
    r"(?P<never>cancel|delete|remove)(?: (?:or|and) (?:cancel|delete|remove))?(?: (?:them|it|any|one|any of them|"
    r"(?P<same>[a-z]+s)))?)?[.!]?",
    re.IGNORECASE,
)
_SAID: dict[str, frozenset[str]] = {
    "move": word_set("start end date time day"), "reschedule": word_set("start end date time day"),
    "rename": word_set("summary title name"), "retitle": word_set("summary title name"),
}  # fmt: skip
_NOTED = word_set("scope updates notification notifications original future zone")  # they change nothing by themselves
_MAKING = word_set("create add new")
_ENDING = word_set("delete remove cancel")


def parts_of_series(one: Restricted, toolbox: Toolbox) -> frozenset[ToolPart]:
    """Return the changes of events that are not of a single one of a series. Empty if a sentence is about others.

    Without the argument that says so, a server may change all of them.
    """
    if not _WHOLE_SERIES.fullmatch(one.said):
        return frozenset()
    return frozenset(part for tool in toolbox.tools for part in _of_many(tool))


def _of_many(one: KnownTool) -> Iterator[ToolPart]:
    if one.reads or not one.verbs & _CHANGING:
        return
    for arg, values in one.listed.items():
        single = tuple(value for value in values if _SINGLE & {*split_name(value)} and not _MANY & {*split_name(value)})
        if single and any(_MANY & {*split_name(value)} for value in values):
            yield part_of(one, unless=(Limit(arg=arg, among=single),))


def parts_permitted(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what "you can move and rename my events, but not cancel them" means. None if it is another sentence.

    Of the tools that change such things, only calls are permitted that change nothing else of them.
    """
    found = _PERMITTED.fullmatch(text.strip())
    acts = found and re.findall(_ACT, found["acts"].lower())
    if found is None or not acts or not any(_fields(act) for act in acts):
        return None
    noun = singular(found["what"].lower())
    if found["same"] and singular(found["same"].lower()) != noun:
        return None
    tools = [one for one in toolbox.tools if one.head == noun and not one.reads and not one.code]
    changing = [one for one in tools if one.verbs & _CHANGING]
    making = [one for one in tools if one.verbs <= _MAKING]
    makes = any(act in {"create", "add", "make"} for act in acts)
    words = frozenset(word for act in acts for word in _fields(act))
    allowed = {part_of(one, where=_nothing_but(one, words)) for one in changing if _takes(one, words)}
    if (
        not allowed
        or any(one.verbs & {"move", "rename", "reschedule"} for one in toolbox.tools)
        or (makes and not making)
    ):
        return None
    allowed |= {part_of(one) for one in making} if makes else set()
    never = {part_of(one) for one in tools if one.verbs & _ENDING} if found["never"] else set[ToolPart]()
    return Meaning(allow=frozenset(allowed), never=frozenset(never)) if never or not found["never"] else None


def _fields(act: str) -> frozenset[str]:
    """Return the words of the arguments that an act changes."""
    changed = re.fullmatch(r"change the (\w+) of", act)
    if changed is None:
        return _SAID.get(act, frozenset())
    noun = singular(changed[1])
    return (
        _SAID["rename"]
        if noun in {"title", "name"}
        else _SAID["move"]
        if noun in {"time", "date"}
        else frozenset({noun})
    )


def _takes(one: KnownTool, words: frozenset[str]) -> bool:
    return any(words & {*split_name(arg)} for arg in one.tool.args if arg not in one.required or not is_id(arg))


def _nothing_but(one: KnownTool, words: frozenset[str]) -> tuple[Limit, ...]:
    """Return the tests that no other argument is given than those that choose the thing, and those with some words."""
    kept = {arg for arg in one.tool.args if arg in one.required or (words | _NOTED) & {*split_name(arg)}}
    return tuple(Limit(arg=arg, state="absent") for arg in one.tool.args if arg not in kept)
