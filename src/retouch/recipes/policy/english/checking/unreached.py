"""Refuses a read sentence if a call beside its rules does what it restricts, or if it permits more than it says.

A restriction is looked at from the side of the tools that are left: one for things of any kind (`scale_resource` for
deployments), one that sets the state that a verb brings about, one that goes up or down in steps, one that takes a
whole definition. A permission is looked at from the side of the arguments that it does not test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.restriction import Restriction
from retouch.recipes.policy.english.checking.said_words import CHANGING
from retouch.recipes.policy.english.checking.states import state_words
from retouch.recipes.policy.english.limits.demanding import MAKERS
from retouch.recipes.policy.english.tools.branch_tools import changes_branch
from retouch.recipes.policy.english.tools.inner_names import slots_of
from retouch.recipes.policy.english.tools.known_tools import is_id, split_name
from retouch.recipes.policy.english.words.lexicon import VERBS, singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

_ANY_KIND = word_set("resource object thing entity device record asset")
_KINDS = word_set("kind kinds type types")
_ACTIONS = word_set("action command operation method")
_ALL = word_set("all every everything everywhere several multiple many bulk batch")
_ENDS = word_set("stop pause end cancel delete remove return dock")
_STATES = word_set("state status mode device entity")
_STEPS = word_set("relative up down increase decrease raise lower adjust step bump increment decrement change")
_UPWARD = word_set("up increase raise bump increment")
_DOWNWARD = word_set("down decrease lower decrement")
_UNITS = word_set("second minute hour day week month year")
_OPEN_WAYS = word_set("open close lock unlock on off")
_IN_BETWEEN = re.compile(r"set_\w*(?:position|state|level)|toggle|trigger")
_DEFINED = re.compile(r"\b(?:ya?ml|manifests?)\b|\bjson (?:of|for|definition|describing)\b")
_APPLYING = MAKERS | CHANGING | word_set("apply replace upsert")
_HOLDERS = word_set("namespace project database bucket")
_SIDES = word_set("from to source src destination dest target old new")
_FOLDERS = re.compile(r"\b(?:director(?:y|ies)|folders?|trees?)\b")
_TAKING_AWAY = word_set("delete remove move rename trash erase archive")
_BOTH_SIDES = re.compile(
    r"\b(?:out of|from)\b(?: (?!(?:into|to|onto|in) )\S+){0,3}? (?:or|and|nor) (?:\w+ )?(?:in|into|to|onto)\b"
    r"|\b(?:into|to|onto|in)\b(?: (?!(?:from|out) )\S+){0,3}? (?:or|and|nor) (?:\w+ )?(?:out of|from)\b"
)
_TURNED_ON = re.compile(
    r"\b(?:turn|switch)\w* (?:(?:anything|everything|nothing) on|on (?:anything|everything|nothing))\b"
)
_TURNING_ON = word_set("set start activate play run open unlock trigger toggle enable")
_EXAMPLES = re.compile(r"(?:\b(?:such as|like|including|e\.g\.|for example)|\() ?(?P<list>[^.;)]+)")
_EDITS = re.compile(r"\b(?:any|no|every|all|each) (?:edits?|changes?|modifications?|writes?|writing)\b")
_PLAIN_OF = word_set(
    "name detail content list number copy state status setting property field value title description information "
    "metadata data set size temperature level volume brightness speed one some all any part version kind type"
)
_INNER = word_set("log secret token metric password credential")
_FETCHING = word_set("fetch open visit browse download scrape load")


@dataclass(frozen=True, kw_only=True, eq=False)
class _Read(Restriction):
    """What a sentence says and restricts, and what it permits."""

    said: Said

    @cached_property
    def pairs(self) -> tuple[tuple[KnownTool, ToolPart], ...]:
        """The tools that are restricted, each with its tests."""
        return self._known(self.strict)

    @cached_property
    def allowed(self) -> tuple[tuple[KnownTool, ToolPart], ...]:
        """The tools that are permitted, each with its tests."""
        return self._known(tuple(self.meaning.allow))

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """The tests of what is restricted, without those of tools that run code."""
        return tuple(limit for _, part in self.pairs for limit in (*part.where, *part.unless))

    @cached_property
    def heads(self) -> frozenset[str]:
        """The things of what is restricted."""
        return frozenset(one.head for one, _ in self.pairs if one.head)

    @cached_property
    def bounded(self) -> frozenset[str]:
        """The nouns of the numbers that are limited, if the sentence names them: the replicas of "five replicas"."""
        args = {limit.arg for limit in self.limits if limit.arg and limit.bounds and not limit.size and not limit.hours}
        return frozenset(map(_noun, args)) & self.said.forms

    @cached_property
    def is_bounded(self) -> bool:
        """True if a number of a call is limited."""
        return any(limit.arg and limit.bounds and not limit.size for limit in self.limits)

    def _known(self, parts: tuple[ToolPart, ...]) -> tuple[tuple[KnownTool, ToolPart], ...]:
        known = {one.key: one for one in self.tools if not one.code}
        return tuple((known[key], part) for part in parts if (key := (part.server, part.tool)) in known)


def _noun(arg: str) -> str:
    words = split_name(arg)
    return singular(words[-1]) if words else ""


def unreached(text: str, said: Said, meaning: Meaning, toolbox: Toolbox) -> str:
    """Return why a sentence does not mean its rules alone. "" if nothing speaks against them. `text`: in lower case."""
    read = _Read(text=text, said=said, meaning=meaning, tools=toolbox.tools)
    for one in read.left:
        if any(rule(read, one) for rule in _OTHERS):
            return f"{one.tool.name} may be meant as well"
    for one, part in (*read.pairs, *read.allowed):
        if _takes_all(one, part):
            return f"{one.tool.name} reaches all of them by another argument"
    for one, part in read.pairs:
        if why := _is_done_otherwise(read, one, part):
            return f"{one.tool.name} {why}"
    for one, part in read.allowed:
        if why := _permits_more(read, one, part):
            return f"{one.tool.name} {why}"
    return ""


def _is_of_any_kind(read: _Read, one: KnownTool) -> bool:
    """Return whether a tool does to things of any kind what must not be done to those of one kind, or the other way."""
    own = one.verbs | one.done | {*one.words}
    meant = {each for verb in read.said.verbs for each in (verb, *(VERBS[verb].surely if verb in VERBS else ()))}
    alike = [other for other, _ in read.pairs if meant & own and meant & (other.verbs | other.done)]
    if not alike:
        return False
    if one.head in _ANY_KIND:
        return True
    plain = not any(limit.among or limit.like for limit in read.limits)
    return plain and any(other.head in _ANY_KIND & read.said.forms for other in alike)


def _does_to_all(read: _Read, one: KnownTool) -> bool:
    """Return whether a tool does to all things at once what must not be done to some, or uses the thing itself."""
    words = {*one.words}
    told = one.tool.comment.lower()
    acted = bool(read.said.acts & (one.verbs | one.done | words))
    things = read.heads | read.said.objects | {_noun(limit.arg or "") for limit in read.limits}
    every = bool((words | {*re.findall("[a-z]+", told)}) & _ALL)
    if acted and every and (one.head is None or bool(things & one.told_words)):
        return True
    tools = {match.rpartition(" ")[2] for match in re.findall(r"\b(?:with|using) (?:an?|the) ([a-z]+)", told)}
    named = tools | {*map(singular, words)}
    started = bool({"start", "run"} & {*read.said.words, *read.said.verbs}) and one.verbs.isdisjoint(_ENDS | MAKERS)
    started = started and read.said.acts <= {"start", "run"} and read.said.verbs.isdisjoint(CHANGING)
    return started and bool(named & read.heads & read.said.forms)


def _sets_state(read: _Read, one: KnownTool) -> bool:
    """Return whether a tool brings about by a value what a verb says: `set_lock_state(unlocked)`."""
    words = {*map(singular, one.words)}
    for act in read.said.acts | read.said.ways:
        own = {act, act.removeprefix("un"), act.removeprefix("dis")}
        state = state_words(act, is_verb=True)
        told = bool(words & (own | _STATES)) or one.head in read.heads
        state |= {f"turn_{act}"} & {"turn_on", "turn_off"}
        if told and any(value.lower() in state for values in one.listed.values() for value in values):
            return True
    return False


def _steps(read: _Read, one: KnownTool) -> bool:
    """Return whether a number is limited, and a tool changes it by steps, or sets it under another name."""
    words = {singular(word) for word in one.words}
    if words & read.bounded and words & _STEPS:
        most = any(limit.arg and (limit.above is not None or limit.at_least is not None) for limit in read.limits)
        way = (_DOWNWARD if most else _UPWARD) & words
        return not way or bool(words & (_STEPS - _UPWARD - _DOWNWARD))
    shades = {arg for arg in one.numbers if re.search(r"kelvin|colou?r", one.described(arg).lower())}
    numbers = {*map(_noun, {*one.numbers} - shades)} - _UNITS
    if numbers & read.said.forms and read.is_bounded and not read.said.acts:
        return True
    told = not read.heads.isdisjoint(one.told_words)
    return told and bool(numbers & read.bounded) and one.head not in read.heads


def _sets_the_same(read: _Read, one: KnownTool) -> bool:
    """Return whether a tool changes what another one is for: `update_group(machines)` beside `scale_group`."""
    if one.verbs.isdisjoint(CHANGING) or read.said.acts & MAKERS or not read.said.acts:
        return False
    for other, _ in read.pairs:
        does = other.head == one.head and read.said.acts & other.verbs - MAKERS
        own = {arg for arg in (*other.numbers, *other.listed) if arg in other.required and not is_id(arg)}
        if does and own & one.tool.args.keys() - one.required:
            return True
    return False


def _is_whole_definition(read: _Read, one: KnownTool) -> bool:
    """Return whether a tool takes a definition in which the tested place stands: a manifest with its namespace."""
    tested = {_noun(limit.arg or "") for limit in read.limits if limit.among or limit.like} & _HOLDERS
    if not tested or tested & {*map(_noun, one.tool.args)} or not (one.verbs & (read.said.verbs | MAKERS | CHANGING)):
        return False
    narrow = read.said.acts and not read.said.acts & (one.verbs | one.done | {*one.words})
    return not narrow and any(_DEFINED.search(one.described(arg).lower()) for arg in one.required)


def _takes_paths_too(read: _Read, one: KnownTool) -> bool:
    """Return whether files in a folder must not be changed, and a tool takes paths as `from` and `to`."""
    inside = any(limit.arg and any("/" in like for like in limit.like) for limit in read.limits)
    sides = [arg for arg in one.tool.args if not _SIDES.isdisjoint(split_name(arg))]
    return inside and any(
        re.search(r"\bpath\b", f"{' '.join(split_name(arg))} {one.described(arg)}".lower()) for arg in sides
    )


def _turns_on(read: _Read, one: KnownTool) -> bool:
    """Return whether nothing must be turned on, and a tool sets or starts something."""
    return _TURNED_ON.search(read.text) is not None and bool((one.verbs | one.done) & _TURNING_ON)


def _writes_there(read: _Read, one: KnownTool) -> bool:
    """Return whether a sentence is about any change of files somewhere, and a tool writes files."""
    placed = any(limit.within for limit in read.limits)
    return placed and _EDITS.search(read.text) is not None and "write-path" in one.roles


def _pushes(read: _Read, one: KnownTool) -> bool:
    """Return whether nothing must be pushed to a branch, and a tool commits to one. Who makes a branch does not."""
    if one.head == "branch" and one.verbs <= MAKERS and not changes_branch(one):
        return False
    branch = any(split_name(arg)[-1:] == ["branch"] for arg in one.required)
    files = "file" in {one.head, *one.told_words} or "commit" in one.described_words
    return "push" in read.said.verbs and branch and files and bool(read.limits)


def _is_chosen_inside(read: _Read, one: KnownTool) -> bool:
    """Return whether a value inside of an argument is what must not be done: `operations: [{"type": "drop"}]`."""
    slots = tuple(slots_of(one))
    lists = [listed for slot in slots if slot.key is not None and isinstance(listed := slot.schema.get("enum"), list)]
    values = {value.lower() for listed in lists for value in listed if isinstance(value, str)}
    named = {singular(word) for slot in slots for word in slot.words} | one.vocabulary
    return not values.isdisjoint(read.said.acts) and not named.isdisjoint(read.said.forms - read.said.acts)


_OTHERS: tuple[Callable[[_Read, KnownTool], bool], ...] = (
    _is_chosen_inside,
    _is_of_any_kind,
    _does_to_all,
    _sets_state,
    _steps,
    _sets_the_same,
    _is_whole_definition,
    _takes_paths_too,
    _turns_on,
    _writes_there,
    _pushes,
)


def _takes_all(one: KnownTool, part: ToolPart) -> bool:
    """Return whether a flag makes a call reach every place, and only one is meant: `all_namespaces`."""
    tests = [limit for limit in (*part.where, *part.unless) if limit.arg]
    nouns = {_noun(limit.arg or "") for limit in tests if limit.among or limit.like}
    flags = [split_name(arg) for arg in one.flags.values() if arg not in {limit.arg for limit in tests}]
    return any("all" in words and singular(words[-1]) in nouns for words in flags)


def refuse_both_sides(text: str) -> None:
    """Refuse what is moved "into or out of" a place.

    Raises:
        Unclear: it is.
    """
    if re.search(r"\bmov", text.lower()) is not None and _BOTH_SIDES.search(text.lower()) is not None:
        raise Unclear("it names two directions; write one sentence for each")


def _is_done_otherwise(read: _Read, one: KnownTool, part: ToolPart) -> str:
    """Return why another value or number of a restricted tool does the same. "" if none does."""
    tested = {limit.arg: limit for limit in part.where if limit.arg}
    for arg, limit in tested.items():
        listed = {value.lower() for value in one.listed.get(arg, ())} - {str(value).lower() for value in limit.among}
        acts = {*map(str, limit.among)} & {*_OPEN_WAYS, "turn_on", "turn_off"}
        if acts and any(map(_IN_BETWEEN.fullmatch, listed)):
            return "does it by another value, too"
        if acts & {"unlock"} and listed & {"open", "unlatch"}:
            return "does it by another value, too"
        if limit.bounds and not limit.size and _is_beyond(one, arg, limit):
            return "takes numbers of another scale"
    made = {
        value.lower() for arg, values in one.listed.items() if _is_action(arg) and arg not in tested for value in values
    }
    states = any(_noun(arg) in {"state", "status"} for arg in tested)
    return "makes it by another argument, too" if states and made & MAKERS and read.said.verbs & {"open"} else ""


def _is_action(arg: str) -> bool:
    return not _ACTIONS.isdisjoint(split_name(arg))


def _is_beyond(one: KnownTool, arg: str, limit: Limit) -> bool:
    """Return whether a number is greater than any that an argument is described to take: 50 of "0 to 1"."""
    told = re.search(r"\b0(?:\.0+)?(?: to |-| - |\u2013| and |\.\.)1(?:\.0+)?(?![\d.]*\d)", one.described(arg).lower())
    numbers = [each for each in (limit.above, limit.at_least, limit.below, limit.at_most) if each is not None]
    return told is not None and any(each > 1 for each in numbers)


def _permits_more(read: _Read, one: KnownTool, part: ToolPart) -> str:
    """Return why a permission reaches further than a sentence. "" if it does not."""
    tested = {limit.arg for limit in (*part.where, *part.unless)}
    if part.where and any(_is_action(arg) and arg in one.required and arg not in tested for arg in one.listed):
        chosen = [arg for arg in tested if arg in one.listed or arg in one.flags.values()]
        if chosen:
            return "does something else with this value, too"
    excepted = {limit.arg for other, part in read.pairs if other.key == one.key for limit in part.where}
    if _is_other_kind(read, one, tested | excepted):
        return "does so to things of other kinds, too"
    if _is_part_of(read, one):
        return f"is about the {one.head} of it"
    acts = read.said.acts
    return "searches" if acts and acts <= _FETCHING and one.verbs and one.verbs <= {"search"} else ""


def _is_other_kind(read: _Read, one: KnownTool, tested: set[str | None]) -> bool:
    """Return whether a permission is for things of one kind, and a tool is for several: covers such as blinds."""
    if one.reads:
        return False
    for arg in one.tool.args:
        words = split_name(arg)
        told = {*map(singular, re.findall("[a-z]+", one.described(arg).lower()))}
        kind = words[-1:] and words[-1] in _KINDS and told & read.said.forms - {"resource", "type", "kind"}
        if kind and arg not in tested and len(_kinds_in(one.described(arg))) > 1:
            return True
        values = {value.lower() for value in one.listed.get(arg, ())}
        if words[-1:] and words[-1] in _KINDS and arg not in tested and len(values) > 1 and values & read.said.forms:
            return True
    found = _EXAMPLES.search(one.tool.comment.lower())
    kinds = _kinds_in(found["list"]) if found else frozenset[str]()
    named = one.head is not None and one.head in read.said.forms
    return (
        len(kinds) > 1
        and not named
        and bool(kinds & read.said.forms)
        and tested <= {a for a in tested if a and _is_action(a)}
    )


def _kinds_in(text: str) -> frozenset[str]:
    """Return the last words of the parts of a list: `blinds, shutters and garage doors`."""
    parts = [part.split() for part in re.split(r",|;|\band\b|\bor\b|\(|\)", text.lower())]
    return frozenset(singular(words[-1].strip("().")) for words in parts if words)


def _is_part_of(read: _Read, one: KnownTool) -> bool:
    """Return whether a tool is for something of a thing, and a sentence only names the thing: its autoscaler."""
    if (read.said.acts - one.verbs and not one.reads) or one.head is None or one.head in read.said.forms:
        return False
    things = "|".join(sorted(map(re.escape, read.said.forms))) or "-"
    found = re.search(rf"\b(?P<own>[a-z]+) (?:of|for) (?:an?|the) (?:{things})\b", one.tool.comment.lower())
    own = singular(found["own"]) if found is not None else ""
    return own in _INNER if one.reads else bool(own) and own not in _PLAIN_OF | read.said.forms | {*one.verbs}


def with_holders(meaning: Meaning, said: Said, toolbox: Toolbox) -> Meaning:
    """Return a meaning whose restrictions of a place reach the deletion of the place itself, and of what holds it."""
    known = {one.key: one for one in toolbox.tools}

    def widened(parts: frozenset[ToolPart]) -> frozenset[ToolPart]:
        pairs = [(known.get((part.server, part.tool)), part) for part in parts]
        more = {each for one, part in pairs if one is not None and not one.code for each in _of_holder(one, part)}
        more |= {each for part in parts for each in _defined(meaning, part, said, toolbox)}
        whole = {(one.tool.name, part): _with_parents(one, part) for one, part in pairs if one is not None}
        return frozenset({whole.get((part.tool, part), part) for part in parts} | more)

    return meaning.with_restrictions(widened)


def _defined(meaning: Meaning, part: ToolPart, said: Said, toolbox: Toolbox) -> Iterator[ToolPart]:
    """Yield the calls with a definition, such as a manifest, that names the place in which nothing must be changed."""
    known = {one.key: one for one in toolbox.tools}
    limit = next((each for each in part.where if each.arg and each.among and each.state is None), None)
    own = known.get((part.server, part.tool))
    if limit is None or own is None or own.reads or own.code or _noun(limit.arg or "") != "namespace":
        return
    if part.unless or any(each.arg not in {limit.arg, None} for each in part.where):
        return
    rest = tuple(each for each in part.where if each.arg is None)
    keys = {(each.server, each.tool) for each in meaning.parts}
    applies = own.verbs.isdisjoint(_TAKING_AWAY) and said.acts <= _APPLYING | {"touch", "use", "work", "leave", "keep"}
    like = tuple(f"*{value}*" for value in limit.among)
    for one in toolbox.tools:
        same = one.key == own.key or (one.key not in keys and applies and bool(one.verbs & _APPLYING))
        if one.tool.server != part.server or not same or one.reads or one.code:
            continue
        for arg in one.tool.args:
            if one.takes_one_text(arg) and _DEFINED.search(f"{arg} {one.described(arg)}".lower().replace("_", " ")):
                tests = (*_given(one, arg), Limit(arg=arg, like=like))
                yield replace(part, tool=one.tool.name, where=(*rest, *tests))


def _given(one: KnownTool, arg: str) -> tuple[Limit, ...]:
    return () if arg in one.required else (Limit(arg=arg, state="present"),)


def _of_holder(one: KnownTool, part: ToolPart) -> Iterator[ToolPart]:
    """Yield the call that deletes a tested namespace by its kind and name."""
    limit = part.where[0] if len(part.where) == 1 and not part.unless else None
    noun = _noun(limit.arg or "") if limit else ""
    kinds = [arg for arg in one.required if _noun(arg) in _KINDS]
    if limit is None or noun not in _HOLDERS or not limit.among or len(kinds) != 1 or "name" not in one.tool.args:
        return
    if one.reads or one.verbs.isdisjoint(_TAKING_AWAY):
        return
    spelled = tuple(f(each) for each in (noun, f"{noun}s") for f in (str, str.capitalize, str.upper))
    short = ("ns",) if noun == "namespace" else ()
    listed = one.listed.get(kinds[0])
    values = tuple(each for each in listed if each in spelled) if listed else (*spelled, *short)
    if values:
        yield replace(
            part, where=(*_given(one, "name"), replace(limit, arg="name"), replace(limit, arg=kinds[0], among=values))
        )


def _with_parents(one: KnownTool, part: ToolPart) -> ToolPart:
    """Return a part that is about the folders above a folder, too, if a tool takes away whole folders."""
    told = " ".join((*one.words, one.tool.comment, *map(one.described, one.tool.args))).lower()
    if one.reads or one.verbs.isdisjoint(_TAKING_AWAY) or _FOLDERS.search(told) is None:
        return part

    def parents(limit: Limit) -> Limit:
        if not limit.arg or not one.takes_one_text(limit.arg):
            return limit
        trees = [like.removesuffix("/*").strip("/") for like in limit.like if re.fullmatch(r"/?[^*]+/\*", like)]
        above = ["/".join(tree.split("/")[:n]) for tree in trees for n in range(1, tree.count("/") + 1)]
        roots = ["", ".", "/"] if trees else []
        more = [each for name in above for each in (name, f"{name}/", f"/{name}", f"/{name}/")]
        more += [each for tree in trees for each in (f"{tree}/", f"/{tree}/")]
        return replace(limit, like=tuple(dict.fromkeys((*limit.like, *more, *roots))))

    return replace(part, where=tuple(map(parents, part.where)))
