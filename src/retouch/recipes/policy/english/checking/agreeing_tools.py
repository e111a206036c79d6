"""Compares the tools of a reading with the words of its sentence: none must be missing, and none must be a stranger.

A tool is missing from what is forbidden or asked about if its name, its description or a value of an argument says the
same verb of the same things, or if it takes the same argument and the sentence does not say what is done.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.english.checking.said_words import CHANGING, GENERIC, WHOLE, Said, said_in
from retouch.recipes.policy.english.checking.same_effects import has_same_effect
from retouch.recipes.policy.english.checking.strangers import is_about_others, lacks_a_way, stranger
from retouch.recipes.policy.english.limits.argument_tests import chosen_verb
from retouch.recipes.policy.english.limits.demanding import CHANGERS, MAKERS
from retouch.recipes.policy.english.limits.file_patterns import takes_one_file
from retouch.recipes.policy.english.limits.host_names import is_host_argument, is_on_other_side
from retouch.recipes.policy.english.tools.act_facts import is_scheduled, shows_talks
from retouch.recipes.policy.english.tools.amount_tests import are_unlike, currency_of
from retouch.recipes.policy.english.tools.known_tools import MAKING, nouns_of_argument, split_name, takes_paths
from retouch.recipes.policy.english.tools.name_parts import ALL_VERBS
from retouch.recipes.policy.english.tools.project_paths import paths_inside
from retouch.recipes.policy.english.tools.timed_arguments import timed_arguments
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import singular, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Mood, ToolPart
    from retouch.recipes.policy.english.words.tokens import Token

Part: TypeAlias = "tuple[Mood, bool, ToolPart]"
_SAME = tuple(
    word_set(one)
    for one in (
        "buy purchase order",
        "book reserve",
        "delete remove erase",
        "send email",
        "transfer wire",
        "post publish",
        "call phone",
    )
)  # verbs of which tools use any
_DISCARDING = word_set("trash delete")  # "Move a file to the trash" changes no file
_LOOKING = frozenset({"read", "view", "see", "look at"})
# Who reads one of these reads what it holds.
_HOLDING = word_set("table calendar channel mailbox folder album playlist board notebook sheet chat conversation")
_FINDING = word_set("list search find")
_REVISING = word_set("edit update")
_TRADING = word_set("buy purchase order pay book reserve refund")
_EDITING = word_set("update edit modify patch")
_REPLACING = word_set("write replace upsert save put move rename assign apply append")
_ALTERING = (
    CHANGING
    | _REPLACING
    | word_set("insert delete drop remove truncate clear add import load merge rename create copy swap restore")
)
_COPIES = word_set("cc bcc")
_WRITTEN = word_set("message email thread conversation reply respond forward")  # a reply is a message, too
_SUMS = word_set("amount total price sum cost value")


def wrong_tool(tokens: Sequence[Token], parts: Sequence[Part], toolbox: Toolbox) -> str:
    """Return why the tools of a reading may not be those that its sentence is about. "" if nothing speaks against it.

    `parts` are what it means for the tools: each with its mood, and whether it is the exception of a permission.
    """
    said = said_in(tokens, toolbox, {str(value).lower() for value in _values(parts)})
    pairs = _known_pairs(parts, toolbox)
    if why := _wrong_part(said, pairs):
        return why
    if left_out := _left_out(said, pairs, toolbox):
        return f"{left_out.tool.name} may be meant as well"
    if lacks_a_way(said, [(one, part) for _, one, part in pairs]):
        return "one of 'on' and 'off' is not permitted or restricted"
    strict = tuple((one, part) for mood, one, part in pairs if mood != "allow" and not one.code)
    allowed = {limit.arg for mood, _, part in pairs if mood == "allow" for limit in part.where if limit.among}
    either = next((one for one, _ in strict if allowed and one.head in said.forms & toolbox.singular_values), None)
    if either is not None:
        return f"{either.tool.name} or the value {either.head!r} may be meant"
    if other := _not_made(said, tokens, [one for one, _ in strict]):
        return f"{other.tool.name} makes none"
    if owned := _of_owner(said, [one for one, _ in strict]):
        return f"{owned.tool.name} is about what the other things are of"
    heads = {head for server, head in toolbox.heads if any(server == one.tool.server for one, _ in strict)}
    named = said.is_done and not said.forms.isdisjoint(heads)
    for one, part in strict if named else ():
        if is_about_others(said, one, part):
            return f"{one.tool.name} is about something else"
    plain = _known_pairs([part for part in parts if not part[1]], toolbox)  # an exception only limits what is permitted
    return next((f"{one.tool.name} may be meant as well" for one in _missing(said, plain, toolbox)), "")


def _wrong_part(said: Said, pairs: Sequence[tuple[Mood, KnownTool, ToolPart]]) -> str:
    """Return why the tests of a tool may not be those that the sentence is about. "" if nothing speaks against them."""
    for mood, one, part in pairs:
        if _is_told_a_time(one, part):
            return f"it may be the time of the call, or the time that {one.tool.name} is about"
        why = "" if one.code else stranger(said, one, part, mood)
        if why:
            return f"{one.tool.name} {why}"
    return ""


def _is_told_a_time(one: KnownTool, part: ToolPart) -> bool:
    """Return whether the time of the call is tested for a tool that plans something for another time."""
    tested = any(limit.is_clock and limit.arg is None for limit in (*part.where, *part.unless))
    return tested and not one.code and (any(map(is_scheduled, one.tool.args)) or bool(timed_arguments(one)))


def may_be_meant(tokens: Sequence[Token], parts: Sequence[Part], toolbox: Toolbox) -> Iterator[tuple[KnownTool, bool]]:
    """Yield the tools that a reading leaves out and that its sentence may restrict as well, and whether it surely does.

    It does if they act on the same things, or do the same in another way.
    """
    said = said_in(tokens, toolbox, {str(value).lower() for value in _values(parts)})
    pairs = _known_pairs(parts, toolbox)
    strict = tuple((one, part) for _, one, part in pairs if not one.code)
    heads = {one.head for one, _ in strict}
    missing = _Missing(said=said, strict=strict)
    for one in _missing(said, pairs, toolbox):
        sure = missing.changes_content(one) or missing.copies_to(one)
        yield one, sure or one.head in heads or has_same_effect(said, strict, one)


def _known_pairs(parts: Sequence[Part], toolbox: Toolbox) -> list[tuple[Mood, KnownTool, ToolPart]]:
    known = {one.key: one for one in toolbox.tools}
    return [(mood, known[key], part) for mood, _, part in parts if (key := (part.server, part.tool)) in known]


def _missing(said: Said, pairs: Sequence[tuple[Mood, KnownTool, ToolPart]], toolbox: Toolbox) -> Iterator[KnownTool]:
    strict = tuple((one, part) for mood, one, part in pairs if mood != "allow" and not one.code)
    missing = _Missing(said=said, strict=strict)
    done = {one.key for _, one, _ in pairs}
    yield from (one for one in toolbox.tools if strict and one.key not in done and missing.may_be(one))


def also_shown(tokens: Sequence[Token], parts: Sequence[Part], toolbox: Toolbox) -> KnownTool | None:
    """Return a tool that shows what is in the things that a permission is to look at. None if there is none."""
    said = said_in(tokens, toolbox, {str(value).lower() for value in _values(parts)})
    return _left_out(said, _known_pairs(parts, toolbox), toolbox)


def _left_out(said: Said, pairs: Sequence[tuple[Mood, KnownTool, ToolPart]], toolbox: Toolbox) -> KnownTool | None:
    """Return a tool that a permission to look at things leaves out: `select_rows(table)` for "read any table"."""
    allowed = [one for mood, one, _ in pairs if mood == "allow" and one.reads]
    nouns = {one.head or "" for one in allowed} & _HOLDING & said.forms
    if said.verbs.isdisjoint(_LOOKING) or not nouns:
        return None
    done = {one.key for _, one, _ in pairs}
    servers = {one.tool.server for one in allowed}
    others = (one for one in toolbox.tools if one.reads and not one.code and one.key not in done)
    return next((one for one in others if _shows_what_is_in(one, nouns, servers)), None)


def _shows_what_is_in(one: KnownTool, nouns: AbstractSet[str], servers: set[str]) -> bool:
    """Return whether a tool shows what is in things: one that is called for them, or the messages of chats."""
    if any(nouns & nouns_of_argument(one, arg) for arg in one.required):
        return True
    return shows_talks(one, nouns) and one.tool.server in servers


def _not_made(said: Said, tokens: Sequence[Token], strict: Sequence[KnownTool]) -> KnownTool | None:
    """Return a tool that does something else to things than to make them: "no orders" is not about `track_order`."""
    if [one.text for one in tokens[:1]] != ["no"] or len(tokens) < 2:
        return None
    noun = singular(tokens[1].text)
    if said.acts - {noun, lexicon.NOMINAL.get(noun), lexicon.ACTIONS.get(noun)} or said.verbs & CHANGING:
        return None
    others = (one for one in strict if one.head == noun and one.verbs.isdisjoint(MAKERS | CHANGERS | {noun}))
    return next(others, None)


def _of_owner(said: Said, strict: Sequence[KnownTool]) -> KnownTool | None:
    """Return a tool for what comes after "of" in "emails of contacts", if another one is for what comes before."""
    heads = {one.head for one in strict}
    found = re.findall(r"\b([a-z]+) of (?:(?:a|an|any|the|my|our|all) )?([a-z]+)\b", " ".join(said.words))
    pairs = {(singular(thing), singular(owner)) for thing, owner in found}
    return next((one for thing, owner in pairs if thing in heads for one in strict if one.head == owner), None)


def _values(parts: Sequence[Part]) -> Iterator[object]:
    yield from (value for _, _, part in parts for limit in part.where for value in limit.among)


@dataclass(frozen=True, kw_only=True)
class _Missing:
    """Whether another tool is meant by a sentence as well. `strict` are those that it restricts, with their tests."""

    said: Said
    strict: tuple[tuple[KnownTool, ToolPart], ...]

    def may_be(self, one: KnownTool) -> bool:
        """Return whether a tool may be meant."""
        placed = any(limit.within for _, part in self.strict for limit in (*part.where, *part.unless))
        if one.computes or one.code or (placed and not one.paths) or self._is_elsewhere(one):
            return False
        inside = self._is_in_folder and not paths_inside(one)
        if inside or self._is_not_counted(one) or self._switches_back(one):
            return False
        if self._is_of_several_files:
            named = bool(one.verbs & self.said.verbs) and bool(one.paths)
            return named and (one.verbs <= _FINDING or not takes_one_file(one))
        if has_same_effect(self.said, self.strict, one):
            return True
        if one.reads:
            named = bool(self.said.acts & one.verbs) and one.head in self.said.forms and self.said.is_done
            return named or self._is_in_talks(one)
        if self._is_counting:
            return self._does_the_same(one)
        return (
            self._is_so_by_value(one)
            or self._costs_as_much(one)
            or self._does_the_same(one)
            or self._takes_the_same(one)
            or self.changes_content(one)
            or self._forces(one)
            or self.copies_to(one)
            or self._may_hold(one)
        )

    def _is_in_talks(self, one: KnownTool) -> bool:
        """Return whether chats must not be looked at, and a tool shows the messages that are in them."""
        held = {other.head or "" for other, _ in self.strict if other.reads} & lexicon.TALKS & self.said.forms
        looked_at = bool(self.said.verbs & _LOOKING)
        return looked_at and _shows_what_is_in(one, held, {other.tool.server for other, _ in self.strict})

    def _switches_back(self, one: KnownTool) -> bool:
        """Return whether a tool only turns on what must not be turned off, or the other way round."""
        both = frozenset({"turn on", "turn off"})
        return (
            len(one.verbs) == 1
            and one.verbs < both
            and any(other.verbs == both - one.verbs for other, _ in self.strict)
        )

    @property
    def _is_counting(self) -> bool:
        """True if a limit counts calls."""
        return all(any(limit.count for limit in part.where) for _, part in self.strict)

    @property
    def _is_of_several_files(self) -> bool:
        """True if a limit counts the files of a call."""
        sized = all(any(limit.size == "items" for limit in part.where) for _, part in self.strict)
        return sized and "file" in self.said.forms and all(one.paths for one, _ in self.strict)

    @property
    def _is_in_folder(self) -> bool:
        """True if the files in a folder of a repository are meant."""
        return any(limit.like and limit.arg in paths_inside(one) for one, part in self.strict for limit in part.where)

    def _is_not_counted(self, one: KnownTool) -> bool:
        """Return whether a limit counts things that tools make, and a tool makes something else, or makes nothing."""
        made = self._is_counting and all(
            other.head in self.said.forms and other.verbs & MAKERS for other, _ in self.strict
        )
        written = _WRITTEN if self.said.forms & {"message", "email"} else frozenset[str]()
        other_things = one.head is not None and one.head not in self.said.forms | written
        return made and (other_things or one.verbs <= ALL_VERBS - MAKERS - _WRITTEN)

    def _is_elsewhere(self, one: KnownTool) -> bool:
        """Return whether a sentence is about files of a host, and a tool does not do it there: a download."""
        hosts = any(is_host_argument(limit.arg) for _, part in self.strict for limit in (*part.where, *part.unless))
        return hosts and bool(self.said.verbs) and all(is_on_other_side(one, verb) for verb in self.said.verbs)

    def _does_the_same(self, one: KnownTool) -> bool:
        """Return whether a tool does what a sentence says, by its verb, its description, or a value."""
        own = one.verbs | one.done | _acted(one)
        verbs = self.said.verbs - GENERIC
        meant = {other for verb in verbs for other in next((same for same in _SAME if verb in same), {verb})}
        by_noun = bool(_acted(one) & meant) and not self.said.objects.isdisjoint(one.described_words)
        if (own & meant and self._is_thing(one)) or by_noun or not verbs.isdisjoint(one.flags):
            return True
        whole = not WHOLE.isdisjoint(self.said.words) or not self.said.objects or one.head in self.said.forms
        if whole and any(self._is_chosen(one, verb) for verb in self.said.acts):
            return True
        edited = bool(one.paths) and any(limit.like for _, part in self.strict for limit in part.where)
        edited = edited and self.said.verbs & CHANGING <= _REVISING  # the name of what is edited stays
        moved = set[str]() if one.verbs & _DISCARDING or edited else {"move", "rename"}
        changed = bool(self.said.verbs & CHANGING) and bool(own & (CHANGING | {"assign", "reassign"} | moved))
        return changed and one.head in self.said.forms

    def _is_chosen(self, one: KnownTool, verb: str) -> bool:
        """Return whether a value makes a tool do it: "delete", and "closed" if nothing else here closes things."""
        limit = chosen_verb(one, verb)
        exact = any({verb} & (other.verbs | other.done | _acted(other)) for other, _ in self.strict)
        return limit is not None and (limit.among == (verb,) or not exact)

    def _is_thing(self, one: KnownTool) -> bool:
        """Return whether a sentence names the things of a tool, or none."""
        if one.head == "label" and self.said.is_labelling:
            return False
        objects = self.said.objects
        told = not objects or (not one.is_done_to_another and not objects.isdisjoint(each[-1] for each in one.told))
        other = any(each.head in self.said.forms for each, _ in self.strict) and one.head in lexicon.THINGS
        return one.head in self.said.forms or (told and not other)

    def _is_so_by_value(self, one: KnownTool) -> bool:
        """Return whether a listed value makes a thing what a flag of another one makes it: public by `visibility`."""
        if self.said.is_done:
            return False
        flags = {
            word
            for other, part in self.strict
            for limit in part.where
            for word, arg in other.flags.items()
            if limit.arg == arg and other.head == one.head
        }
        return any(value.lower() in flags for values in one.listed.values() for value in values)

    def _costs_as_much(self, one: KnownTool) -> bool:
        """Return whether "anything over 100 euros" may be about a tool: it takes an amount of money."""
        bounded = any(limit.bounds for _, part in self.strict for limit in part.where)
        money = any(currency_of(one, arg) or set(split_name(arg)) & _SUMS for arg in one.numbers)
        return bounded and money and not self.said.is_done and not WHOLE.isdisjoint(self.said.words)

    def _takes_the_same(self, one: KnownTool) -> bool:
        """Return whether a tool has the argument that is tested, if the sentence does not say what must not be done."""
        strict = [
            (other, part)
            for other, part in self.strict
            if not (self._is_done_by(other) or self._is_done_by_value(part) or self._is_way(other))
        ]
        if self.said.verbs == frozenset({"set"}) and one.verbs <= _TRADING:
            return False  # who buys a label sets no price
        if self.said.verbs and self.said.verbs <= _EDITING and one.verbs <= ALL_VERBS - CHANGING - _REPLACING:
            return False  # who deletes or exports rows updates none
        other_act = bool(self.said.acts) and not self.said.is_done and not self.said.acts & (one.verbs | one.done)
        for other, part in strict:
            for limit in (*part.where, *part.unless):
                listed = not set(limit.among) - set(one.listed.get(limit.arg or "", ())) if limit.among else True
                listed = listed or limit.arg not in one.listed
                same = limit.arg in one.tool.args and listed and not limit.is_written_time
                if limit.like == ("*",) and self.said.verbs & CHANGING and one.verbs <= MAKERS:
                    continue  # who makes something changes no time of it
                degrees = bool(limit.bounds) and "degree" in self.said.forms
                same = same and not (degrees and are_unlike(one, limit.arg or "", other, limit.arg or ""))
                same = same and not (limit.like and takes_paths(one, limit.arg or ""))  # the verb says which files
                named = {singular(word) for word in split_name(limit.arg or "")} & self.said.forms
                same = same and (bool(named) or not other_act)
                changed = bool(named) and bool(limit.among) and bool(self.said.verbs & CHANGING)
                if same and (one.head == other.head or changed or self._names_only(named, one, other)):
                    return True
        return False

    def changes_content(self, one: KnownTool) -> bool:
        """Return whether a table must not be changed, and a tool changes what is in it, or the whole: `insert_rows`."""
        own = {verb for other, _ in self.strict for verb in other.verbs}  # to update a table is what `update_rows` does
        if not (self.said.verbs - own) & (CHANGING | {"touch"}) or one.verbs.isdisjoint(_ALTERING):
            return False
        holders = {
            noun
            for other, _ in self.strict
            if other.head not in self.said.forms
            for arg in other.tool.args
            for noun in nouns_of_argument(other, arg) & self.said.forms
        }
        holders &= _HOLDING
        named = (nouns_of_argument(one, arg) | {singular(word) for word in split_name(arg)} for arg in one.tool.args)
        return bool(holders) and (one.head in holders or any(not holders.isdisjoint(nouns) for nouns in named))

    def copies_to(self, one: KnownTool) -> bool:
        """Return whether nobody may get a copy, and a tool has the same argument for copies: a reply with `bcc`."""
        tests = (limit for _, part in self.strict for limit in part.where if limit.state == "present" or limit.size)
        return any(limit.arg in _COPIES and limit.arg in one.tool.args for limit in tests)

    def _forces(self, one: KnownTool) -> bool:
        """Return whether a tool can be told to force, by a value."""
        values = {value.lower() for listed in one.listed.values() for value in listed}
        return "force" in self.said.words and any("force" in value for value in values)

    def _is_done_by(self, other: KnownTool) -> bool:
        """Return whether a sentence says what is done, and a tool does that."""
        meant = {each for verb in self.said.acts for each in _meant_by(verb)}
        own = other.verbs | other.done | _acted(other)
        return self.said.is_done and (not self.said.acts or bool((meant | CHANGING) & own))

    def _is_done_by_value(self, part: ToolPart) -> bool:
        """Return whether a value is the verb of a sentence: `action: unlock`."""
        acts = (limit for limit in part.where if split_name(limit.arg or "")[-1:] in (["action"], ["operation"]))
        values = {str(value).lower() for limit in acts for value in limit.among}
        return not values.isdisjoint({*self.said.acts, *self.said.words})

    def _is_way(self, other: KnownTool) -> bool:
        """Return whether a restricted tool does what another one does: who schedules a message posts it later."""
        rest = tuple(pair for pair in self.strict if pair[0].key != other.key)
        return self.said.is_done and has_same_effect(self.said, rest, other)

    def _names_only(self, named: set[str], one: KnownTool, other: KnownTool) -> bool:
        """Return whether a sentence names an argument, and no object: "tips over 10 dollars"."""
        return bool(named) and self.said.forms.isdisjoint({other.head, one.head} - {None} - named)

    def _may_hold(self, one: KnownTool) -> bool:
        """Return whether a change by a tool may be what is restricted, as its argument can hold any fields."""
        moved = CHANGING | {"assign", "close", "move"}
        changed = [other for other, _ in self.strict if (other.verbs | other.done | self.said.verbs) & moved]
        if not one.has_free_fields or not (one.verbs | one.done) & CHANGING:
            return False
        return any(one.head == other.head or one.head in other.told_words for other in changed)


def _acted(one: KnownTool) -> set[str]:
    """Return what a tool does by its nouns: `create_shipment` ships, and `create_share_link` shares."""
    acted = lexicon.ACTIONS.get(one.head or "") or lexicon.NOMINAL.get(one.head or "")
    pairs = pairwise(one.words[1:])
    requests = {("pull", "request"), ("merge", "request"), ("review", "request")}
    named = {word for word, then in pairs if word in lexicon.VERBS and (word, then) not in requests} - one.verbs
    return ({acted} if acted else set[str]()) | named if one.verbs <= MAKING else set[str]()


def _meant_by(verb: str) -> frozenset[str]:
    """Return the verbs of tools that a verb can mean."""
    known = lexicon.VERBS.get(verb)
    return frozenset({verb}) | (known.surely | known.perhaps if known else frozenset[str]())
