"""A second look at the sizes that a sentence was read as: what its numbers count must be what the tests measure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import PEOPLE, nouns_of_argument, split_name
from retouch.recipes.policy.english.words.lexicon import READ, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import ToolPart
    from retouch.recipes.policy.language.values import Limit

_COUNTED = re.compile(
    r"\b(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?P<noun>[a-z]+(?:-[a-z]+)*)"
)
_EACH_CALL = re.compile(
    r"\bat (?:once|a time|one time)\b|\bin one go\b|\beach time\b|\b(?:per|in one|in a single) \w+\b"
)
_COUNTS = word_set("limit count number quantity max maximum size top")
_ANY_THING = word_set("file content document item object page record entry")
_NAMING = word_set("path filepath file filename id uuid key name uri url")
_GROWING = word_set("append prepend extend concatenate")
_ADDING = word_set("add invite append insert attach put")


def strange_size(text: str, parts: Iterable[ToolPart], toolbox: Toolbox) -> str:
    """Return what the words of a sentence and the sizes that its rules test do not agree about. "" if they agree."""
    low = text.lower()
    nouns = {singular(found["noun"]) for found in _COUNTED.finditer(low)}
    known = {one.key: one for one in toolbox.tools}
    for part in parts:
        one = known.get((part.server, part.tool))
        for limit in (*part.where, *part.unless) if one is not None else ():
            if one is not None and limit.size == "characters":
                why = _strange_text(low, nouns, one, limit) or _grows(low, toolbox)
            elif one is not None and limit.size == "items":
                why = _strange_list(low, nouns, one, limit) or _adds_up(low, one, toolbox)
            else:
                why = ""
            if why:
                return why
    return ""


def uncounted(text: str, parts: Iterable[ToolPart], toolbox: Toolbox) -> str:
    """Return which tool takes several things at once, and is left out by a limit of a number of things. "" if none."""
    low = text.lower()
    restricted = {(part.server, part.tool) for part in parts}
    counting = [part for part in parts if any(map(_counts_things, (*part.where, *part.unless)))]
    known = [one for one in toolbox.tools if any((part.server, part.tool) == one.key for part in counting)]
    nouns = {singular(found["noun"]) for found in _COUNTED.finditer(low)} | _ANY_THING
    for one in toolbox.tools if known else ():
        lists = [arg for arg in one.lists if singular(split_name(arg)[-1]) in _NAMING]
        same = any(other.tool.server == one.tool.server and _does_alike(one, other) for other in known)
        if lists and same and one.key not in restricted and (one.head is None or one.head in nouns):
            return f"{one.tool.name} takes several at once as well"
    return ""


def _counts_things(limit: Limit) -> bool:
    """Return whether a test is about a number of things, and not of characters or money."""
    counted = bool(limit.bounds) and not _COUNTS.isdisjoint(split_name(limit.arg or ""))
    return limit.size == "items" or limit.count is not None or (counted and not limit.size)


def _does_alike(one: KnownTool, other: KnownTool) -> bool:
    own = one.verbs | set(one.words)  # `batch_get_contents`
    return one.reads or bool(own & READ) if other.reads else bool(own & other.verbs)


def _strange_text(text: str, nouns: set[str], one: KnownTool, limit: Limit) -> str:
    if nouns.isdisjoint({"character", "char"}):
        return "characters are counted, and no number of them is named"
    words = {singular(word) for word in re.findall(r"[a-z]+", text)} - {one.head}
    texts = [arg for arg in one.tool.args if one.takes_one_text(arg)]
    named = [arg for arg in texts if singular(split_name(arg)[-1]) in words]
    return f"{limit.arg!r} is tested, and the sentence names {named[0]!r}" if named and limit.arg not in named else ""


def _strange_list(text: str, nouns: set[str], one: KnownTool, limit: Limit) -> str:
    told = f"{one.tool.name} {one.tool.comment} {limit.arg or ''} {one.described(limit.arg or '')}"
    names = {singular(word) for word in split_name(told)}
    mails = limit.role == "email-address" or "mail" in told.lower()
    bare = "at" in nouns and len(one.lists) == 1 and _EACH_CALL.search(text) is not None
    agree = bare or not nouns.isdisjoint(names) or (mails and not nouns.isdisjoint(PEOPLE))
    return "" if agree else f"{limit.words!r} is tested, and the sentence counts something else"


def _grows(text: str, toolbox: Toolbox) -> str:
    """Return which tool makes a text longer that another call has made."""
    words = {singular(word) for word in re.findall(r"[a-z]+", text)}
    found = [
        one for one in toolbox.tools if not one.verbs.isdisjoint(_GROWING) and not words.isdisjoint(one.vocabulary)
    ]
    return f"{found[0].tool.name} can make it longer step by step" if found else ""


def _adds_up(text: str, tested: KnownTool, toolbox: Toolbox) -> str:
    """Return which tool adds items to a thing that another call has made, if the limit is not one of each call."""
    for one in toolbox.tools if _EACH_CALL.search(text) is None else ():
        thing = any(tested.head in nouns_of_argument(one, arg) for arg in one.required)
        if thing and one.verbs <= _ADDING and one.key != tested.key:
            return f"{one.tool.name} can add more in another call; write 'at once' if the limit is for each call"
    return ""
