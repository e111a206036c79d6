"""Reads sentences whose verb or noun is the value of an argument: "never approve a pull request", "drop no functions".

Each tool is read as the family of its values. The other tools, and the other arguments of the same one, must not say
the verb of such things anywhere, and must not take free fields of them: otherwise the sentence stays refused.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.same_effects import HELD
from retouch.recipes.policy.english.checking.states import state_words
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.stances.framing import framed
from retouch.recipes.policy.english.tools.families import SAME_VERBS, Member, called, family_of, is_chosen, of_any_kind
from retouch.recipes.policy.english.tools.known_tools import is_id, split_name
from retouch.recipes.policy.english.tools.sql_tools import sql_argument
from retouch.recipes.policy.english.words.lexicon import READ, VERBS, bases_of, singular, word_set
from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.tokens import Token

_OWN = r"(?:(?:an?|the|any|every|all|each|my|our|some|whole|single) )*"
_JOINT = re.compile(r" ?, (?:and |or |nor )?| (?:and|or|nor) ")
_IDLE = re.compile(r" (?:in my name|on my behalf|for me|by yourself|yourself|at all)$")
_ANYTHING = frozenset({"anything", "something", "thing"})
_WORDS = re.compile(r"[a-z]+(?:[ -][a-z]+)*")
_MOST_OBJECTS = 4
_ENDING = word_set("delete remove drop purge erase destroy")
_MAKING = word_set("create add make insert open")


def family_meaning(tokens: tuple[Token, ...], toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about the members of such families means. None if it is another one, or in doubt."""
    if not any(map(is_chosen, toolbox.tools)):
        return None
    found: dict[tuple[str, str], frozenset[ToolPart]] = {}
    for one in framed(tokens, toolbox.words):
        if one.how != "only" and not one.times and _WORDS.fullmatch(one.said.replace(",", "")):
            for deed in _deeds(_IDLE.sub("", one.said), toolbox):
                if parts := deed.parts(permits=one.how == "permit"):
                    found[one.how, " ".join(deed.verbs)] = parts
    if len({*found.values()}) != 1 or len({how for how, _ in found} - {"forbid"}) > 1:
        return None
    how = next((how for how, _ in found if how != "forbid"), "forbid")
    parts = next(iter(found.values()))
    return Meaning(**{{"permit": "allow", "ask": "ask", "forbid": "never"}[how]: parts})


def _deeds(said: str, toolbox: Toolbox) -> Iterator[_Deed]:
    """Yield the ways to read "approve or merge pull requests" as verbs and their objects."""
    words = said.replace(",", " ,").split()
    for at in range(1, len(words)):
        verbs = [_base(one) for one in _JOINT.split(" ".join(words[:at]))]
        objects = [re.sub(f"^{_OWN}", "", one) for one in _JOINT.split(" ".join(words[at:]))]
        objects = [" ".join(map(singular, one.split())) for one in objects]
        if all(" " not in verb for verb in verbs) and all(objects) and len(objects) <= _MOST_OBJECTS:
            yield _Deed(verbs=tuple(verbs), objects=tuple(objects), toolbox=toolbox)


def _base(word: str) -> str:
    known = [base for base in bases_of(word, form="ing") if base in VERBS]
    return known[0] if known else word


@dataclass(frozen=True, kw_only=True)
class _Deed:
    """What is done to which objects."""

    verbs: tuple[str, ...]
    objects: tuple[str, ...]
    toolbox: Toolbox

    def parts(self, *, permits: bool) -> frozenset[ToolPart]:
        """Return the calls that do this. Empty if no tool does a part of it, or it is not clear which others do."""
        found: set[Member] = set()
        for verb, thing in product(self.verbs, self.objects):
            members = [one for one in self._members(thing) if _does(one, verb) and _is_of(one, thing)]
            if not members:
                return frozenset()
            found |= set(members)
        parts = {part_of(one.tool, where=test) for one in found for test in (one.sure if permits else one.tests)}
        if permits:
            return frozenset(parts)
        code = {one for one in self.toolbox.tools if one.code and one.tool.server in {each.server for each in parts}}
        others = (one for one in self.toolbox.tools if not one.code)
        if any(map(sql_argument, code)) or any(self._may_do(one, found) for one in others):
            return frozenset()
        return frozenset(parts).union(map(part_of, code))

    def _members(self, thing: str) -> Iterator[Member]:
        for one in self.toolbox.tools:
            yield from family_of(one)
            yield from of_any_kind(one, thing)

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """The last words of the objects, and what else they are called."""
        last = frozenset(thing.split()[-1] for thing in self.objects)
        return last.union(*map(called, last))

    @cached_property
    def _says(self) -> re.Pattern[str]:
        """The pattern of words that say that it is done: forms of its verbs, and of those that mean the same."""
        verbs = {*self.verbs}.union(*(_same(verb) for verb in self.verbs))
        verbs = verbs.union(*(state_words(verb, is_verb=True) for verb in self.verbs))
        stems = sorted({re.escape(verb.removesuffix("e")) for verb in verbs})
        return re.compile(rf"\b(?:{'|'.join(stems)})(?:e|es|s|ed|d|ing|[a-z]ed|[a-z]ing)?\b")

    def _may_do(self, one: KnownTool, members: Iterable[Member]) -> bool:
        """Return whether a tool may do it in another way than by the values of the members."""
        own = [each for each in members if each.tool is one]
        if one.reads or one.computes or (own and not any(_chooses_by_noun(each) for each in own)):
            return bool(own) and self._is_said_inside(one, own)
        words = {
            *one.vocabulary,
            *one.told_words,
            *(singular(split_name(arg)[0]) for arg in one.required if is_id(arg)),
        }
        about = not self._nouns.isdisjoint(words) or not {*_ANYTHING}.isdisjoint(self.objects)
        free = about and one.has_free_fields and not one.verbs & _MAKING and {*self.verbs}.isdisjoint(_ENDING | _MAKING)
        said = _split(" ".join([one.tool.name, one.tool.comment, json.dumps(dict(one.tool.schemas))]))
        return (not own and about and (free or self._says.search(said) is not None)) or self._ends_holder(one, own)

    def _is_said_inside(self, one: KnownTool, own: Iterable[Member]) -> bool:
        """Return whether another argument of the same tool may do it as well: the operations of `alter_table`."""
        chosen = {each.arg for each in own}
        others = [{arg: schema} for arg, schema in one.tool.schemas.items() if arg not in chosen]
        return self._says.search(_split(" ".join(text for each in others for text in _choices(each)))) is not None

    def _ends_holder(self, one: KnownTool, own: Iterable[Member]) -> bool:
        """Return whether a tool deletes what holds the objects, such as a project with its tasks."""
        if {*self.verbs}.isdisjoint(_ENDING):
            return False
        held = {holder for holders, inside in HELD if inside & self._nouns for holder in holders} - self._nouns
        ends = bool((one.verbs | one.done) & _ENDING)
        listed = {singular(value.lower()) for values in one.listed.values() for value in values}
        return ends and bool(held & ({one.head or ""} | (listed if own else set[str]())))


def _does(one: Member, verb: str) -> bool:
    return not one.verbs.isdisjoint(_same(verb))


def _same(verb: str) -> frozenset[str]:
    known = VERBS.get(verb)
    more = known.surely - READ if known is not None and not known.light and len(known.surely) < 4 else frozenset[str]()
    return more | {verb} | SAME_VERBS.get(verb, frozenset())


def _is_of(one: Member, thing: str) -> bool:
    words = thing.split()
    return thing in _ANYTHING or (words[-1] in one.last and one.nouns.issuperset(words))


def _chooses_by_noun(one: Member) -> bool:
    return split_name(one.arg)[-1] in {"type", "kind"}


def _choices(schema: JSON) -> Iterator[str]:
    """Yield the values that a schema lists, and its names of what is true or false, at any depth."""
    if isinstance(schema, list):
        for one in schema:
            yield from _choices(one)
    elif isinstance(schema, dict):
        values = schema.get("enum")
        yield from (value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
        for name, one in schema.items():
            if isinstance(one, dict) and one.get("type") == "boolean":
                yield name
            yield from _choices(one)


def _split(text: str) -> str:
    """Return a text with the words of its names."""
    return " ".join(re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", text).split()).lower()
