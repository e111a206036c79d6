"""Compares the tools of a reading with the words of its sentence: none must be missing, and none must be a stranger.

A tool is missing from what is forbidden or asked about if its name or its description says the same verb of the same
things. A tool is a stranger if it does the opposite of what is said, or the sentence leaves open which of two opposite
things a call of it must do: "lights may be turned on" is nothing about `turn_off_light`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.json_schema import has_only
from retouch.recipes.policy.english import lexicon
from retouch.recipes.policy.english.act_facts import is_scheduled
from retouch.recipes.policy.english.agreeing import CONTAINERS
from retouch.recipes.policy.english.argument_tests import currency_of
from retouch.recipes.policy.english.explaining import forms_of
from retouch.recipes.policy.english.known_tools import MAKING, PEOPLE, split_name
from retouch.recipes.policy.english.lexicon import bases_of, singular, word_set
from retouch.recipes.policy.english.toolbox import MOVED_BY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.policy.english.known_tools import KnownTool
    from retouch.recipes.policy.english.sentences import Mood, ToolPart
    from retouch.recipes.policy.english.tokens import Token
    from retouch.recipes.policy.english.toolbox import Toolbox

Part = tuple["Mood", bool, "ToolPart"]
_OPPOSITES = (
    ("on", "off"),
    ("enable", "disable"),
    ("lock", "unlock"),
    ("arm", "disarm"),
    ("open", "close"),
    ("mute", "unmute"),
    ("freeze", "unfreeze"),
    ("subscribe", "unsubscribe"),
    ("add", "remove"),
    ("follow", "unfollow"),
    ("block", "unblock"),
    ("increase", "decrease"),
    ("raise", "lower"),
    ("pin", "unpin"),
    ("activate", "deactivate"),
    ("approve", "reject"),
    ("accept", "decline"),
    ("start", "stop"),
    ("enter", "leave"),
    ("publish", "unpublish"),
)
_ON = word_set("enable enabled activate activated on")
_OFF = word_set("disable disabled deactivate deactivated off")
_SWITCHED = re.compile(r"\b(?:turn|switch|put)(?:s|ed|ing|ting)?\b(?: \S+){0,4}? (?P<on>on and off|on or off|on|off)\b")
_CHANGING = word_set("change modify edit update alter adjust set patch")
_GENERIC = _CHANGING | word_set("do use have keep exceed contain cost last be start begin make")
_SAME = tuple(
    word_set(one)
    for one in (
        "buy purchase order",
        "book reserve",
        "delete remove erase",
        "send email",
        "transfer wire",
        "post publish",
    )
)  # verbs of which tools use any
_NO_TOTALS = word_set("tip fee discount bonus deposit")
_WHOLE = word_set("anything everything nothing")
_SUMS = word_set("amount total price sum cost value")
_TAKING = word_set("charge invoice refund bill withdraw")
_SIGNED = word_set("delta change difference adjustment")
_BEFORE_NEW = word_set("to as into with of in for on at is are be or and from the")
_CHANGES_TOO = word_set("reschedule overwrite correct write save insert append")
_AGREEING = word_set("approve confirm ask check agree allow permit forbid prohibit authorize consult")
_SUBJECT = word_set(", ; to never not you may can only always before it and or")


@dataclass(frozen=True, kw_only=True)
class _Said:
    """What a sentence says: its words, their forms and verbs, and what things are.

    `is_done`: it says what is done. `joins`: it says "add", and a tool here adds something to something else.
    """

    words: tuple[str, ...]
    forms: frozenset[str]
    verbs: frozenset[str]
    things: frozenset[str]
    is_done: bool
    joins: bool

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def is_state(self, value: str) -> bool:
        """Return whether a value says what things are before something is done: "lost deals may be changed"."""
        plain = value.replace("_", " ")
        done = {form for verb in self.verbs for form in (verb, f"{verb}ed", f"{verb}d", lexicon.DONE.get(verb, verb))}
        if value in lexicon.ENVIRONMENTS | done:
            return False
        found = re.search(rf"(?:(?P<before>\S+) )?(?:(?:the|a|an) )?{re.escape(plain)}s?\b", self.text)
        return found is not None and found["before"] not in _BEFORE_NEW | _SUBJECT


def _said(tokens: Sequence[Token], toolbox: Toolbox) -> _Said:
    words = tuple(one.text for one in tokens if not one.quoted)
    verbs: set[str] = set()
    explicit: set[str] = set()
    for at, word in enumerate(words):
        done = {*bases_of(word, form="ing"), *bases_of(word, form="ed")}
        base = {word} if at == 0 or words[at - 1] in _SUBJECT else set[str]()
        phrases = (" ".join((one, *words[at + 1 : at + 2])) for one in base | done)
        base |= {one for one in phrases if one in lexicon.VERBS}
        explicit |= (done | base) & lexicon.VERBS.keys()
        verbs |= done | base
    named = explicit - _GENERIC - _AGREEING
    acted = {each.get(singular(word)) for word in words for each in (lexicon.NOMINAL, lexicon.ACTIONS)} - {None}
    verbs |= set[str]() if named or explicit & _CHANGING else {one for one in acted if one}
    verbs &= lexicon.VERBS.keys() | toolbox.verbs
    heads = {noun for one in toolbox.tools for noun in one.core}
    return _Said(
        words=words,
        forms=frozenset(form for word in words for form in forms_of(word)),
        verbs=frozenset(verbs),
        things=(lexicon.THINGS | heads | toolbox.values)
        - lexicon.NOMINAL.keys()
        - lexicon.ACTIONS.keys()
        - (PEOPLE - heads),
        is_done=bool(named),
        joins="add" in verbs and any("add" in one.verbs and "to" in split_name(one.tool.name) for one in toolbox.tools),
    )


def wrong_tool(tokens: Sequence[Token], parts: Sequence[Part], toolbox: Toolbox) -> str:
    """Return why the tools of a reading may not be those that its sentence is about. "" if nothing speaks against it.

    `parts` are what it means for the tools: each with its mood, and whether it is the exception of a permission.
    """
    values = {str(value).lower() for _, _, part in parts for limit in part.where for value in limit.among}
    said = _said([one for one in tokens if one.text not in values or one.text in toolbox.verbs], toolbox)
    known = {one.key: one for one in toolbox.tools}
    pairs = [
        (mood, known[part.server, part.tool], part) for mood, _, part in parts if (part.server, part.tool) in known
    ]
    for mood, one, part in pairs:
        why = "" if one.code else _stranger(said, one, part, mood)
        if why:
            return f"{one.tool.name} {why}"
    if _lacks_a_way(said, [(one, part) for _, one, part in pairs]):
        return "one of 'on' and 'off' is not permitted or restricted"
    strict = [pair for pair in pairs if pair[0] != "allow" and not pair[1].code]
    done = {one.key for _, one, _ in pairs}
    placed = any(limit.within for _, _, part in strict for limit in (*part.where, *part.unless))
    named = said.is_done and any(one.head in said.forms for _, one, _ in strict)
    for _, one, part in strict if named else ():
        if _is_about_others(said, one, part):
            return f"{one.tool.name} is about something else"
    for one in toolbox.tools if strict else ():
        free = not (one.reads or one.computes or one.code) and one.key not in done and (one.paths or not placed)
        if free and (
            _costs_as_much(said, one, strict)
            or _does_the_same(said, one, strict)
            or _takes_the_same(said, one, strict)
            or _may_hold(one, strict)
        ):
            return f"{one.tool.name} may be meant as well"
    return ""


def _stranger(said: _Said, one: KnownTool, part: ToolPart, mood: Mood) -> str:
    """Return why a tool may not be meant, or not like that. "" if nothing speaks against it."""
    words = {word for limit in part.where if limit.bounds for word in split_name(limit.arg or "")}
    listed = [value for limit in part.where for value in limit.among if value in one.listed.get(limit.arg or "", ())]
    own = one.verbs | one.done
    if _is_opposite(said, one, part):
        return "may do the opposite"
    if any(
        a.arg == b.arg and a.among and b.among and not set(a.among) & set(b.among)
        for a in part.where
        for b in part.unless
    ):
        return "is tested for two values of one argument"
    if "spend" in said.verbs and (words & _NO_TOTALS or not one.spends or own <= _TAKING):
        return "does not show what is spent"
    if mood != "allow" and words & _SIGNED and one.head != "change":
        return "may take negative numbers"
    if {"named", "called"} & set(said.words) and any((limit.arg or "").lower().endswith("id") for limit in part.where):
        return "takes an id, and no name"
    if own & _CHANGING | own & {"upgrade"} and any(said.is_state(str(value).lower()) for value in listed):
        return "has the new value, and not the one before"
    specific = said.verbs & lexicon.VERBS.keys() - _GENERIC
    if (
        specific
        and own <= _CHANGING
        and not (said.verbs & (_CHANGES_TOO | _CHANGING))
        and not part.where
        and not part.unless
        and _has_more(one)
    ):
        return "changes other things too"
    if (
        mood == "allow"
        and said.verbs & {"create", "make", "delete"}
        and one.head == "file"
        and "file" not in said.forms
    ):
        return "is about files" if "directory" in said.forms else ""
    joins = said.joins and "to" in said.words and one.verbs <= {"create", "insert", "make"}
    return "makes something new" if joins else ""


def _has_more(one: KnownTool) -> bool:
    """Return whether a tool can change more than times and places."""
    other = (arg for arg in one.tool.args if not is_scheduled(arg) and split_name(arg)[-1] not in {"id", "ids"})
    return any(MOVED_BY.isdisjoint(split_name(arg)) for arg in other)


def _is_about_others(said: _Said, one: KnownTool, part: ToolPart) -> bool:
    """Return whether a tool acts on other things than a sentence names: no places or people are tested."""
    if one.paths or part.where or part.unless or not CONTAINERS.get(one.head or "", frozenset()).isdisjoint(said.forms):
        return False
    return one.head in said.things - said.forms or (one.head is None and not said.verbs & (one.verbs | one.done))


def _is_opposite(said: _Said, one: KnownTool, part: ToolPart) -> bool:
    """Return whether a call of a tool may do the opposite of what a sentence says."""
    tested = {str(value).lower() for limit in (*part.where, *part.unless) for value in limit.among}
    switched = {way for found in _SWITCHED.finditer(said.text) for way in re.findall("on|off", found["on"])}
    if switched:
        ways = _ways_of(one, part)
        return bool(ways) and not ways <= switched
    for first, second in _OPPOSITES[1:]:
        ways = {way for way in (first, second) if way in said.forms}
        does = {way for way in (first, second) if way in split_name(one.tool.name)}
        choices = {way for way in (first, second) if re.search(rf"\b{way}\b", one.tool.comment.lower())}
        if len(ways) == 1 and len(does) == 1 and does != ways and ways <= said.verbs and not tested & ways:
            return True
        if len(ways) == 1 and ways <= said.verbs and len(choices) == 2 and not tested:
            return True
    return False


def _does_the_same(said: _Said, one: KnownTool, strict: Sequence[tuple[Mood, KnownTool, ToolPart]]) -> bool:
    """Return whether a tool does what a sentence says, by its verb or the one of its description."""
    acted = lexicon.ACTIONS.get(one.head or "") or lexicon.NOMINAL.get(one.head or "")
    own = one.verbs | one.done | ({acted or ""} if one.verbs <= MAKING else set())  # `create_shipment` ships
    meant = {other for verb in said.verbs - _GENERIC for other in next((one for one in _SAME if verb in one), {verb})}
    if own & meant & lexicon.VERBS.keys() and _is_thing(said, one, strict):
        return True
    changed = bool(said.verbs & _CHANGING) and bool(own & (_CHANGING | {"assign", "reassign", "move", "rename"}))
    return changed and one.head in said.forms


def _is_thing(said: _Said, one: KnownTool, strict: Sequence[tuple[Mood, KnownTool, ToolPart]]) -> bool:
    """Return whether a sentence names the things of a tool, or none."""
    objects = {singular(word) for word in said.words} & said.things
    told = not objects or (not one.is_done_to_another and not objects.isdisjoint(each[-1] for each in one.told))
    return one.head in said.forms or (
        told and all(other.head not in said.forms or one.head not in lexicon.THINGS for _, other, _ in strict)
    )


def _lacks_a_way(said: _Said, pairs: Sequence[tuple[KnownTool, ToolPart]]) -> bool:
    """Return whether a sentence says "on and off", and its rules are only about one of them."""
    ways = {way for found in _SWITCHED.finditer(said.text) for way in re.findall("on|off", found["on"])}
    done = [_ways_of(one, part) for one, part in pairs]
    return len(ways) == 2 and bool(done) and all(done) and len(set[str]().union(*done)) == 1


def _ways_of(one: KnownTool, part: ToolPart) -> set[str]:
    """Return whether a tool, or what it is tested for, turns something on or off. Empty if neither is said."""
    tested = {str(value).lower() for limit in part.where for value in limit.among}
    named = set(split_name(one.tool.name)) | set(re.findall(r"[a-z]+", one.tool.comment.lower()))
    ways = {way for way, values in (("on", _ON | {"true"}), ("off", _OFF | {"false"})) if tested & values}
    return ways or (
        {way for way, values in (("on", _ON), ("off", _OFF)) if named & values} if not tested else set[str]()
    )


def _costs_as_much(said: _Said, one: KnownTool, strict: Sequence[tuple[Mood, KnownTool, ToolPart]]) -> bool:
    """Return whether "anything over 100 euros" may be about a tool: it takes an amount of money."""
    bounded = any(limit.bounds for _, _, part in strict for limit in part.where)
    money = any(currency_of(one, arg) or set(split_name(arg)) & _SUMS for arg in one.numbers)
    return bounded and money and not said.is_done and not _WHOLE.isdisjoint(said.words)


def _takes_the_same(said: _Said, one: KnownTool, strict: Sequence[tuple[Mood, KnownTool, ToolPart]]) -> bool:
    """Return whether a tool has the argument that is tested, if the sentence does not say what must not be done."""
    if said.is_done:
        return False
    acts = said.verbs & lexicon.VERBS.keys() - _GENERIC
    other_act = bool(acts) and not acts & (one.verbs | one.done)
    for _, other, part in strict:
        for limit in (*part.where, *part.unless):
            listed = not set(limit.among) - set(one.listed.get(limit.arg or "", ())) if limit.among else True
            same = limit.arg in one.tool.args and listed and not limit.is_written_time
            own = not {singular(word) for word in split_name(limit.arg or "")}.isdisjoint(said.forms)
            same = same and (own or not other_act)
            if same and (one.head == other.head or _names_only(said, limit.arg or "", one, other)):
                return True
    return False


def _names_only(said: _Said, arg: str, one: KnownTool, other: KnownTool) -> bool:
    """Return whether a sentence names an argument, and no object: "tips over 10 dollars"."""
    named = {singular(word) for word in split_name(arg)} & said.forms
    heads = {other.head, one.head} - {None} - named
    return bool(named) and said.forms.isdisjoint(heads)


def _may_hold(one: KnownTool, strict: Sequence[tuple[Mood, KnownTool, ToolPart]]) -> bool:
    """Return whether a change by a tool may be what is restricted, as its argument can hold any fields."""
    free = any(has_only(schema, "object") for schema in _schemas(one))
    changed = [
        other for _, other, _ in strict if (other.verbs | other.done) & (_CHANGING | {"assign", "close", "move"})
    ]
    if not free or not (one.verbs | one.done) & _CHANGING:
        return False
    return any(one.head == other.head or one.head in other.told_words for other in changed)


def _schemas(one: KnownTool) -> Iterator[dict[str, object]]:
    found = (one.tool.input_schema or {}).get("properties")
    yield from (
        (schema for schema in (found or {}).values() if isinstance(schema, dict)) if isinstance(found, dict) else ()
    )
