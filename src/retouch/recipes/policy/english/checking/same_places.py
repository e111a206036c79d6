"""Adds the tools that take the value of a restriction under another name: `to_channel`, `channels`, `name`.

"The prod database is off limits" is about `drop_database(name)`, too, and "#board is off limits" about
`forward_message(to_channel)`. They get the same test, or the sentence is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name, takes_paths
from retouch.recipes.policy.english.tools.label_arguments import is_state_label
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
    from retouch.recipes.policy.language.values import Limit

_SIDES = word_set("from to source target destination dest src into old new current original parent payer sender")
_OLD = word_set("from source src old current original payer")
_NAMES = word_set("id ids name names key keys slug slugs")
_PLAIN = word_set("name text list date time day title description value amount type status state body content")
# What is off limits must not be used in any way.
UNTOUCHED = re.compile(
    r"\b(?:off[- ]limits|taboo|out of bounds|no[- ]go|(?:stay|keep|steer clear) (?:out|away|of|clear)|hands off|"
    r"leave .+ alone|(?:not|never|don't|nobody|no one|nothing|but me) (?:\w+ )*(?:touch\w*|us(?:e|es|ed)|access\w*)|"
    r"untouched|left alone|(?:stays?|remains?|leave|left|keep|kept) .*\b(?:as (?:it|they|is)|untouched|unchanged)|"
    r"read[- ]only|is mine|nobody else)\b",
    re.IGNORECASE,
)
# "Only work in the namespace dev" is about whatever is done.
_WORKING = re.compile(
    r"\b(?:work|operate|act|stay|stick)(?: only)? (?:in|inside|within|on|with|to)\b"
    r"|\bonly (?:be )?(?:touch|us(?:e|ed)|chang)"
)
_PUTTING = re.compile(
    r"\b(?:put|add|save|store|place|drop|move)\w*\b.* (?:in|into|to|on|onto|inside|under) ", re.IGNORECASE
)
_PUTTING_ANEW = re.compile(_PUTTING.pattern.replace("|move", ""), re.IGNORECASE)  # who writes a file moves none
_TAKING_OUT = word_set("delete remove archive unpin unfollow leave close rename export copy download mute disconnect")
_MAKING = word_set("create make add new")
_READING = word_set("read view see open inspect check get") | {"look at", "look through", "go through"}
_FINDING = word_set("search find query get read show list fetch")
_GROUPS = tuple(
    word_set(one)
    for one in (
        "send post write message schedule forward reply respond publish share upload email notify",
        "pay transfer move send wire withdraw take spend",
        "push commit",
        "grant give assign set make invite promote",
        "delete drop remove destroy erase",
        "move put transfer",
        "rename",
    )
)


@dataclass(frozen=True, kw_only=True)
class Reached:
    """How far a restriction reaches: whatever is done with a value, what puts something there, or some verbs.

    `acts` are the verbs that say what is done, and `nouns` the things of the sentence.
    """

    text: str
    verbs: frozenset[str]
    acts: frozenset[str]
    nouns: frozenset[str]

    def means(self, one: KnownTool, arg: str, limit: Limit, *, only: bool, reading: bool) -> bool:
        """Return whether a tool may be meant if its argument has the value that a limit tests for another one.

        `only`: the sentence says which values are right, and not which are wrong. `reading`: it says so of a tool that
        only reads.
        """
        if one.computes or one.code:
            return False
        if one.reads:
            return reading and self._shows(one)
        side, tested = _side(arg), _side(limit.arg or "")
        if (_WORKING if only else UNTOUCHED).search(self.text):
            return True
        if not only and _PUTTING.search(self.text) and side != "from":
            made = re.search(r"\bmov(?:e|es|ed|ing)\b", self.text) and one.verbs <= _MAKING  # it moves nothing
            return not made and (one.verbs | one.done).isdisjoint(_TAKING_OUT)
        if arg == limit.arg or {side, tested} == {"from", "to"}:
            return False
        own = one.verbs | one.done
        if not only and not self.acts and (one.head in self.nouns or own & self.nouns):
            return True
        return any(self.verbs & group and own & group for group in _GROUPS)

    def _shows(self, one: KnownTool) -> bool:
        """Return whether a tool that only reads shows what must not be read: a search in `filter_in_channel`."""
        if UNTOUCHED.search(self.text):
            return True
        finds = bool(self.verbs & _READING) and bool(one.verbs & _FINDING)
        return finds or bool(self.verbs & one.verbs)


def _side(arg: str) -> str:
    words = split_name(arg)
    return "from" if not _OLD.isdisjoint(words) else "to" if not _SIDES.isdisjoint(words) else ""


def with_same_places(meaning: Meaning, reached: Reached, toolbox: Toolbox) -> Meaning:
    """Return a meaning whose restrictions test the same value of other tools, where these have it in an argument.

    Raises:
        Unclear: such a value cannot be tested in the same way.
    """
    return meaning.with_added(lambda parts: _added(meaning, parts, reached, toolbox))


def _added(meaning: Meaning, parts: frozenset[ToolPart], reached: Reached, toolbox: Toolbox) -> Iterator[ToolPart]:
    known = {one.key: one for one in toolbox.tools}
    allowed = {(part.server, part.tool) for part in meaning.allow}
    strict = [*meaning.never, *meaning.ask, *meaning.excepted]
    for part in parts:
        yield from _written(part, meaning, reached, toolbox)
        one = known.get((part.server, part.tool))
        limit = next((each for each in (*part.where, *part.unless) if _is_value(each)), None)
        if one is None or limit is None or one.code or takes_paths(one, limit.arg or ""):
            continue
        thing = thing_of(one, limit.arg or "")
        others = [each for each in toolbox.tools if each.tool.server == part.server and each.key not in allowed]
        for other in others:
            for arg in _args_for(other, limit.arg or "", thing):
                if (
                    _means(reached, other, (arg, one.reads), limit, part, meaning)
                    and not _is_covered(other, arg, strict)
                    and _can_be(other, arg, limit)
                ):
                    yield _like(part, limit, other, arg)


def _written(part: ToolPart, meaning: Meaning, reached: Reached, toolbox: Toolbox) -> Iterator[ToolPart]:
    """Yield the parts of the other tools that write to a directory in which nothing must be put."""
    writes = any(limit.role == "write-path" and limit.within for limit in part.where) and len(part.where) == 1
    if not writes or part.unless or not _PUTTING_ANEW.search(reached.text):
        return
    done = {(each.server, each.tool) for each in meaning.parts}
    for other in toolbox.tools:
        own = other.tool.server == part.server and "write-path" in other.roles and not other.code
        if own and other.key not in done and (other.verbs | other.done).isdisjoint(_TAKING_OUT - {"rename", "copy"}):
            yield replace(part, tool=other.tool.name)


def _means(
    reached: Reached, other: KnownTool, named: tuple[str, bool], limit: Limit, part: ToolPart, meaning: Meaning
) -> bool:
    arg, reading = named
    only = limit in part.unless or limit not in part.where
    again = part in meaning.excepted and arg == limit.arg  # "you may post, except in #general"
    return reached.means(other, arg, replace(limit, arg="") if again else limit, only=only, reading=reading)


def _is_value(limit: Limit) -> bool:
    texts = [*limit.among, *limit.like]
    plain = limit.arg is not None and not is_state_label(limit) and texts not in ([], ["*"])
    return plain and all(isinstance(one, str) for one in texts)


def thing_of(one: KnownTool, arg: str) -> str:
    """Return the noun of the things that an argument names: `channel` for `to_channel`, `channels`, `channel_name`."""
    words = [singular(word) for word in split_name(arg) if word not in _SIDES]
    while len(words) > 1 and words[-1] in _NAMES:
        words.pop()
    if words in (["name"], ["id"]):
        return one.head or ""
    return words[-1] if words else ""


def _args_for(one: KnownTool, arg: str, thing: str) -> list[str]:
    """Return the arguments of a tool for the things that an argument of another one names."""
    if not thing or thing in _PLAIN:
        return []
    found = [each for each in one.tool.args if thing_of(one, each) == thing]
    making = bool(one.verbs & _MAKING)
    named = {each for each in found if each.lower() == "name"}
    free = [each for each in found if each not in named or not (making or len(found) > 1)]
    return [each for each in found if each == arg or (each in free and one.takes_text(each))]


def _is_covered(one: KnownTool, arg: str, strict: Sequence[ToolPart]) -> bool:
    """Return whether a restriction decides about an argument of a tool, or about all of its calls."""
    roles = set(one.tool.args[arg].all_roles)
    for part in strict:
        if (part.server, part.tool) != one.key:
            continue
        tests = (*part.where, *part.unless)
        if not part.where or any(limit.arg == arg or (limit.role and limit.role in roles) for limit in tests):
            return True
    return False


def _like(part: ToolPart, limit: Limit, other: KnownTool, arg: str) -> ToolPart:
    """Return the part of another tool with the same test of its argument.

    Raises:
        Unclear: the tool has not the other tests, or takes other values.
    """
    if len([each for each in part.where if each.state != "present"]) != 1 or part.unless:
        raise Unclear(f"{other.tool.name} may be meant as well")
    values = {str(value).lower() for value in limit.among}
    listed = tuple(value for value in other.listed.get(arg, ()) if value.lower() in values)
    return replace(part, tool=other.tool.name, where=(replace(limit, arg=arg, among=listed or limit.among),))


def _can_be(other: KnownTool, arg: str, limit: Limit) -> bool:
    """Return whether an argument can have a value of a test."""
    listed = {value.lower() for value in other.listed.get(arg, ())}
    return not listed or not limit.among or not listed.isdisjoint(str(value).lower() for value in limit.among)
