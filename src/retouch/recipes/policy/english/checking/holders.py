"""Takes in the tools that do it to what holds, or makes up, the thing of a restriction.

Who drops a database drops its collections, who merges a branch runs its migrations, the blocks of a page are its
content, and who removes a running container stops it. "Never delete tasks" is about `delete_object(type: project)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.english.checking.restriction import Restriction
from retouch.recipes.policy.english.checking.said_words import CHANGING
from retouch.recipes.policy.english.checking.same_effects import HELD
from retouch.recipes.policy.english.tools.flag_words import twin_flags
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

_ALL_HELD = (
    *HELD,
    *(
        (word_set(holders), word_set(held))
        for holders, held in (
            ("section", "task card issue ticket"),
            ("project", "section"),
            ("database schema", "table collection index data"),
            ("collection table", "index"),
            ("branch", "data"),
            ("page", "block"),
            ("base", "table record"),
            ("spreadsheet workbook", "sheet worksheet"),
            ("presentation", "slide"),
            ("namespace", "pod deployment service configmap secret"),
            ("server guild", "channel"),
        )
    ),
)  # who deletes one of the first deletes what it holds
_ENDING = word_set("delete erase destroy drop purge wipe remove trash")
_PARTS = {"page": frozenset({"block"})}  # whose change is one of the whole
_MADE_UP = frozenset(part for parts in _PARTS.values() for part in parts)
_RESTORES = re.compile(r"\b(?:restor|recover|undelet|untrash|unarchiv)\w*")
_TRASHED = frozenset({"in trash", "trashed", "deleted", "archived", "is archived", "is deleted", "is trashed"})
_EDITING = CHANGING | word_set("touch write rewrite overwrite")
_STOPPING = word_set("stop kill terminate") | {"shut down"}
_RUNNING = word_set("container server instance machine vm process service job pod deployment sandbox")
_ENDED = _ENDING | word_set("terminate kill recreate")
_SAME_THING = {"schema": frozenset({"migration"})}
_BRINGING = r"(?:merg|appl|deploy|run|execut|push|promot|publish)\w*"
_ENDS = r"(?:delet|remov|drop|clear|wip|purg|discard|eras|destroy)\w*"
_AFTER = {_BRINGING: "", _ENDS: "(?! from)"}  # what is taken from a list is not deleted
_RUN = word_set("run apply execute deploy merge push publish release promote") | CHANGING


@dataclass(frozen=True, kw_only=True, eq=False)
class _Held(Restriction):
    """What a sentence says and restricts."""

    said: Said

    @cached_property
    def things(self) -> frozenset[str]:
        """The things that it names."""
        return self.said.forms & frozenset(map(singular, re.findall("[a-z]+", self.text)))

    def is_left(self, one: KnownTool) -> bool:
        """Return whether nothing is said about a tool."""
        return all((part.server, part.tool) != one.key for part in self.meaning.parts)


_Way: TypeAlias = Callable[["_Held", "KnownTool", "ToolPart", "KnownTool"], Iterator["ToolPart"]]


def with_what_holds(meaning: Meaning, low: str, said: Said, tools: tuple[KnownTool, ...]) -> Meaning:
    """Return a meaning whose restrictions reach the tools that do the same to what holds or makes up their things.

    Raises:
        Unclear: such a tool cannot be tested for what the sentence says.
    """
    held = _Held(text=low, meaning=meaning, said=said, tools=tools)
    known = {one.key: one for one in tools}

    def widened(parts: frozenset[ToolPart]) -> frozenset[ToolPart]:
        found: set[ToolPart] = set()
        for part in (_restoring(held, known.get((part.server, part.tool)), part) for part in parts):
            one = known.get((part.server, part.tool))
            found.add(part if one is None else _with_holders(held, one, part))
            if one is None or one.reads:
                continue
            found |= set(_hidden(one, part))
            for other in tools:
                same = other.tool.server == part.server and held.is_left(other)
                if same and not (other.reads or other.computes or other.code):
                    found |= {each for way in _WAYS for each in way(held, one, part, other)}
        return frozenset(found)

    return meaning.with_restrictions(widened)


def _with_holders(held: _Held, one: KnownTool, part: ToolPart) -> ToolPart:
    """Return a part that tests the kind of what is deleted with the kinds that hold it: `type: task`, and `project`."""
    deletes = bool(held.said.verbs & _ENDING) and bool((one.verbs | one.done) & _ENDING)

    def widened(limit: Limit) -> Limit:
        listed = one.listed.get(limit.arg or "", ())
        kinds = {singular(str(value).lower()) for value in limit.among}
        holding = {noun for holders, things in _ALL_HELD if kinds & things for noun in holders}
        holding |= {noun for holders, things in _ALL_HELD if holding & things for noun in holders}
        more = [value for value in listed if singular(value.lower()) in holding]
        return replace(limit, among=tuple(dict.fromkeys((*limit.among, *more))))

    return replace(part, where=tuple(map(widened, part.where))) if deletes else part


def _hidden(one: KnownTool, part: ToolPart) -> Iterator[ToolPart]:
    """Yield the calls that set the other one of two flags for the same state: `archived`, and `in_trash`."""
    for limit in part.where:
        for other in twin_flags(one, limit.arg):
            where = (replace(each, arg=other) if each.arg == limit.arg else each for each in part.where)
            yield replace(part, where=tuple(where))


def _restoring(held: _Held, one: KnownTool | None, part: ToolPart) -> ToolPart:
    """Return a part that tests a flag for the trash as false, if nothing must be taken out of it."""
    if one is None or _RESTORES.search(held.text) is None or not held.said.verbs.isdisjoint(_ENDING - {"trash"}):
        return part

    def taken_out(limit: Limit) -> Iterator[Limit]:
        flag = " ".join(split_name(limit.arg or "")) in _TRASHED and limit.among == (True,)
        given = any(each.arg == limit.arg and each.state == "present" for each in part.where)
        if flag and not given and limit.arg not in one.required:
            yield Limit(arg=limit.arg, state="present")
        yield replace(limit, among=(False,)) if flag else limit

    return replace(part, where=tuple(each for limit in part.where for each in taken_out(limit)))


def _hides(one: KnownTool, part: ToolPart) -> bool:
    """Return whether a part is about calls that put something into the archive or the trash by such a flag."""
    return any(twin_flags(one, limit.arg) and limit.among == (True,) for limit in part.where)


def _is_whole(part: ToolPart) -> bool:
    return not part.unless and all(limit.is_clock for limit in part.where)


def _holds(held: _Held, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield a tool that deletes the holder of what must not be deleted."""
    ends = bool(held.said.verbs & _ENDING) and bool((other.verbs | other.done) & _ENDING)
    ends = ends and "from" not in other.words  # it takes something out of the holder
    things = held.things & ({one.head} | one.told_words if one.head else frozenset[str]()) | (held.things & {"data"})
    if (
        ends
        and _is_whole_or_sql(one, part)
        and any(other.head in holders and things & kept for holders, kept in _ALL_HELD)
    ):
        yield replace(part, tool=other.tool.name, where=(), unless=())


def _is_whole_or_sql(one: KnownTool, part: ToolPart) -> bool:
    """Return whether a part is about all calls, or about all SQL that does something."""
    return _is_whole(part) or (
        one.code and not part.unless and all(limit.sql and not limit.tables for limit in part.where)
    )


def _makes_up(held: _Held, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield a tool that changes, or deletes, what a thing consists of: the blocks of a page."""
    parts = _PARTS.get(one.head or "", frozenset())
    about = other.head in parts or (other.head in {"child", "children"} and not parts.isdisjoint(other.core))
    if not about or not ({one.head} & held.things):
        return
    deletes = bool((other.verbs | other.done) & _ENDING)
    edits = bool(held.said.verbs & _EDITING) and _is_whole(part)
    if edits or (deletes and (_hides(one, part) or (bool(held.said.verbs & _ENDING) and _is_whole(part)))):
        yield replace(part, tool=other.tool.name, where=(), unless=())


def _hides_all(held: _Held, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield a tool that deletes, if nothing at all must be archived or put into the trash by such a flag."""
    everything = _hides(one, part) and held.said.things.isdisjoint(held.things)
    if everything and (other.verbs | other.done) & _ENDING and other.head in {*_PARTS, *_MADE_UP}:
        yield replace(part, tool=other.tool.name, where=(), unless=())


def _ends_running(held: _Held, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that remove what runs, if it must not be stopped: by force, where the tool has a flag for it."""
    stops = bool((held.said.acts | held.said.verbs) & _STOPPING) and bool((one.verbs | one.done) & _STOPPING)
    if not stops or other.head != one.head or one.head not in _RUNNING or (other.verbs | other.done).isdisjoint(_ENDED):
        return
    if not _is_whole(part):
        raise _unclear(other)
    force = other.flags.get("force")
    tests = () if force is None else (Limit(arg=force, state="present"), Limit(arg=force, among=(True,)))
    yield replace(part, tool=other.tool.name, where=tests, unless=())


def _unlabels(held: _Held, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield a tool that deletes labels, if none must be taken off."""
    if "label" not in held.things | one.argument_words:
        return
    removed = [limit for limit in part.where if {"remove", "label"} <= {*map(singular, split_name(limit.arg or ""))}]
    plain = removed == list(part.where) and all(limit.state == "present" for limit in removed) and not part.unless
    if removed and plain and other.head == "label" and (other.verbs | other.done) & _ENDING:
        yield replace(part, tool=other.tool.name, where=())


def _is_told(held: _Held, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield a tool whose description says that it does so as well: "merges migrations", "also removes any indexes".

    Raises:
        Unclear: only some calls are restricted, and it cannot be tested for them.
    """
    same = frozenset(each for noun in held.things for each in _SAME_THING.get(noun, ()))
    things = (held.things | same) - {other.head, *other.words}
    told = other.tool.comment.lower()
    verbs = [_BRINGING] * bool(held.said.verbs & _RUN) + [_ENDS] * bool(held.said.verbs & _ENDING)
    found = [
        re.search(
            rf"\b{verb} (?:(?!(?:to|from|in|for|of|with) )[a-z]+,? ){{0,4}}(?P<t>[a-z]+s|data)\b{_AFTER[verb]}", told
        )
        for verb in verbs
    ]
    named = {word for match in found if match for word in map(singular, re.findall("[a-z]+", match[0])[1:])}
    if not (named & things) or "read" in held.said.verbs:
        return
    if part.where and not _is_whole_or_sql(one, part):
        raise _unclear(other)
    yield replace(part, tool=other.tool.name, where=(), unless=())


def _unclear(other: KnownTool) -> Unclear:
    return Unclear(
        f"it is not sure that it is understood: {other.tool.name} may be meant as well; say it in other words"
    )


_WAYS: tuple[_Way, ...] = (_holds, _makes_up, _hides_all, _ends_running, _unlabels, _is_told)
