"""Adds to a restriction the other calls that bring about the same state or value.

"Never complete tasks" is about `complete_task`, and about `update_task(status: done)`; who must not assign tasks to
Ada must not use `assign_task(user)`. Such calls get the same tests, or the sentence is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.attributes.arguments import CHANGING as CHANGERS
from retouch.recipes.policy.english.attributes.arguments import DELETING, is_selector, takes_ids
from retouch.recipes.policy.english.checking.said_words import CHANGING, GENERIC, WHOLE, said_in
from retouch.recipes.policy.english.checking.states import STATES, is_about, state_words, ways_to
from retouch.recipes.policy.english.checking.widening import takes
from retouch.recipes.policy.english.limits.argument_tests import chosen_verb, part_of
from retouch.recipes.policy.english.limits.binding import plain_value
from retouch.recipes.policy.english.limits.demanding import MAKERS
from retouch.recipes.policy.english.limits.marking import given
from retouch.recipes.policy.english.tools.amount_tests import are_unlike
from retouch.recipes.policy.english.tools.flag_words import twin_flags
from retouch.recipes.policy.english.tools.known_tools import is_id, split_name
from retouch.recipes.policy.english.tools.label_arguments import inner_label_tests, label_tests
from retouch.recipes.policy.english.tools.other_nouns import kind_argument, kind_of
from retouch.recipes.policy.english.tools.timed_arguments import timed_arguments
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import CallAction, Meaning, PathAction
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Sentence, ToolPart
    from retouch.recipes.policy.english.words.tokens import Token

_SETTING = CHANGING | word_set(
    "move put raise lower assign reassign delegate mark label tag add apply attach give bump switch upgrade "
    "downgrade promote demote transfer hand increase decrease reduce"
)
_TO_ASSIGN = word_set("assign reassign delegate")
_ASSIGNING = _TO_ASSIGN | word_set("unassign transfer")
_AGAIN = word_set("reorder resend rebook republish repost redeploy rerun resubmit reissue reactivate reprint")
_PERSON = word_set(
    "assignee assignees assigned owner owners responsible user users username usernames agent agents rep reps member "
    "members person people email emails login handle engineer doctor employee"
)
_OWNED = word_set("assignee assigned owner responsible ownership")
_FROM = word_set("from old current previous source")
_NO_ATTRIBUTES = word_set("id ids iid name key title path text body message content")
_NAMES = word_set("name title filename")
_MOVING = word_set("move reschedule postpone shift delay")
_ALTERING = word_set(
    "resize merge complete close reopen archive resolve transfer label tag move rename assign reassign split patch"
)
_SETTING_PARTS = word_set("add remove set apply attach detach replace clear assign unassign")
_CREATING = word_set("create open file register new insert")
_CHANGING_ONLY = word_set("move change raise lower bump switch upgrade downgrade promote demote edit update modify")
_OTHER_SIDE = {"new": False, "existing": True, "current": True}


def with_second_ways(meaning: Meaning, tokens: Sequence[Token], toolbox: Toolbox) -> Meaning:
    """Return a meaning whose restrictions reach all calls that bring about what they are about.

    Raises:
        Unclear: such a call cannot be tested for what the sentence says.
    """
    strict = meaning.never | meaning.ask | meaning.excepted
    if not strict:
        return meaning
    values = {str(value).lower() for part in strict for limit in part.where for value in limit.among}
    values = {value for value in values if state_words(value).isdisjoint(toolbox.verbs)}  # "be finished" says a verb
    ways = _Ways(
        said=said_in(tokens, toolbox, values),
        toolbox=toolbox,
        restricted=frozenset((one.server, one.tool) for one in strict),
        allowed=frozenset((one.server, one.tool) for one in meaning.allow),
    )
    return meaning.with_restrictions(ways.added)


def deleted_by_value(sentence: Sentence, toolbox: Toolbox | None) -> tuple[Sentence, ...]:
    """Return "never delete anything" for the tools that delete something if an argument says so. Empty if none does."""
    about = sentence.action
    deletes = isinstance(about, PathAction) and about.noun == "anything" and "delete" in about.deeds
    if toolbox is None or not deletes or sentence.mood == "allow":
        return ()
    tools = sorted((one for one in toolbox.tools if not one.paths), key=lambda one: one.key)
    parts = tuple(part_of(one, where=tests) for one in tools for tests in _deletions(one))
    return (replace(sentence, action=CallAction(parts=parts)),) if parts else ()


def _deletions(one: KnownTool) -> Iterator[tuple[Limit, ...]]:
    """Yield the tests, as alternatives, of the calls of a tool that delete something by a value or a label."""
    yield from label_tests(one, "delete", (), "perhaps") or ()
    yield from inner_label_tests(one, "delete")
    limit = None if one.reads or one.computes or one.code else chosen_verb(one, "delete")
    if limit is not None:
        for each in dict.fromkeys((limit, *(replace(limit, arg=arg) for arg in twin_flags(one, limit.arg)))):
            yield (each,) if each.arg in one.required else (Limit(arg=each.arg, state="present"), each)


@dataclass(frozen=True, kw_only=True)
class _Ways:
    """The other ways to what a sentence restricts. `restricted` are the tools that it restricts already, and `allowed`
    those that it permits: of these only single values can be restricted as well.
    """

    said: Said
    toolbox: Toolbox
    restricted: frozenset[tuple[str, str]]
    allowed: frozenset[tuple[str, str]]

    def added(self, parts: frozenset[ToolPart]) -> frozenset[ToolPart]:
        """Return parts with those of the other ways."""
        known = {one.key: one for one in self.toolbox.tools}
        found = set(parts)
        whole = {(part.server, part.tool) for part in parts if not part.where and not part.unless}
        for part in sorted(parts, key=str):
            tool = known.get((part.server, part.tool))
            found |= set(self._of_kind(tool, part)) if tool is not None and not tool.code else set()
            if tool is None or tool.code or tool.reads or tool.computes:
                continue
            for one in (each for each in self._others(tool) if each.key not in whole):
                more = {each for each in self._like(tool, part, one) if not _is_covered(each, parts)}
                found |= {each for each in more if one.key not in self.allowed or any(at.among for at in each.where)}
        return frozenset(found)

    def _of_kind(self, tool: KnownTool, part: ToolPart) -> Iterator[ToolPart]:
        """Yield the calls for resources of the kind that a tool is for: `delete_resource(kind: Pod)` for pods."""
        kind = kind_of(tool.head)
        for one in self.toolbox.tools if kind and len(tool.core) == 1 else ():
            arg = kind_argument(one)
            same = one.tool.server == tool.tool.server and one.head != tool.head and one.verbs & tool.verbs
            if arg and same and one.key not in self.restricted | self.allowed:
                yield from self._with(tool, part, one, (Limit(arg=arg, among=(kind,)),))

    def _others(self, tool: KnownTool) -> Iterator[KnownTool]:
        for one in self.toolbox.tools:
            if one.tool.server == tool.tool.server and not (one.reads or one.computes or one.code):
                yield one

    def _like(self, tool: KnownTool, part: ToolPart, one: KnownTool) -> Iterator[ToolPart]:
        """Yield the parts of a tool that bring about what a part is about."""
        own = one.key == tool.key
        for words, rest, as_state in self._states(tool, part):
            same = (is_about(one, tool.head) or self._is_of_all(one)) and not self._is_of_others(one)
            same = same and not (as_state and self._only_makes(one))
            for tests in ways_to(one, words, only_states=as_state) if same else ():
                plain = not tests and (own or (not as_state and self.verbs & one.verbs))  # it is read already
                if not plain:
                    yield from self._with(tool, rest, one, tests)
        if not own:
            yield from self._values(tool, part, one)
            yield from self._wholes(tool, part, one)
            yield from self._assignments(tool, part, one)

    def _is_of_all(self, one: KnownTool) -> bool:
        """Return whether a sentence names no things, so that those of any tool are meant."""
        things = self.said.objects - {"on", "off"}
        return one.head is not None and not things and not WHOLE.isdisjoint(self.said.words)

    def _with(self, tool: KnownTool, rest: ToolPart, one: KnownTool, tests: tuple[Limit, ...]) -> Iterator[ToolPart]:
        """Yield a part of a tool with tests, and the further tests of `rest`.

        Raises:
            Unclear: the tool has no argument for them.
        """
        limits = (*rest.where, *rest.unless)
        if one.key != tool.key and not all(not limit.is_total and takes(one, tool, limit) for limit in limits):
            if one.key in self.restricted:
                return  # with tests of its own
            raise Unclear(f"it is not sure that it is understood: {one.tool.name} may be meant as well")
        yield replace(rest, tool=one.tool.name, where=(*rest.where, *tests))

    def _states(self, tool: KnownTool, part: ToolPart) -> Iterator[tuple[frozenset[str], ToolPart, bool]]:
        """Yield the words of the states that a part is about, each with the part without its test.

        And whether they are said as a state, and not as a verb.
        """
        found = False
        sets = bool((tool.verbs | tool.done) & (CHANGERS | MAKERS | self.said.verbs))
        for limit in part.where if sets else ():
            texts = [value for value in limit.among if isinstance(value, str)]
            state = _noun(limit.arg or "") in STATES
            for value in texts if state else ():
                if self._is_said(value):
                    found = True
                    left = tuple(each for each in part.where if each.arg != limit.arg)
                    yield state_words(value), replace(part, where=left), True
        acted = {lexicon.NOMINAL.get(tool.head or ""), lexicon.ACTIONS.get(tool.head or "")} - {None}
        for verb in () if found else sorted(self.verbs & (tool.verbs | tool.done | acted)):
            if not self._is_participle(verb):
                yield state_words(verb, is_verb=True), part, False
        for then in () if found else self._becoming():
            if not state_words(then).isdisjoint(tool.verbs):
                yield state_words(then), part, True

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs of a sentence that say more than that something is changed or set."""
        return self.said.verbs - GENERIC - _SETTING - CHANGERS - _CREATING

    @property
    def _is_setting(self) -> bool:
        return not _SETTING.isdisjoint({*self.said.words, *self.said.verbs})

    def _becoming(self) -> Iterator[str]:
        """Yield what things are set to: the words after "as" and "to"."""
        pairs = pairwise(self.said.words) if self._is_setting else ()
        yield from (then for word, then in pairs if word in {"as", "to", "into"})

    def _is_said(self, value: str) -> bool:
        """Return whether a value says what a thing becomes."""
        low = value.lower()
        told = re.search(rf"\b(?:as|be|been|being|gets?) {re.escape(low)}\b", " ".join(self.said.words))
        becomes = self._is_setting or bool(self.said.verbs & state_words(low)) or told is not None
        return becomes and not self.said.is_state(low)

    def _is_participle(self, verb: str) -> bool:
        """Return whether a verb only says what things are: "never edit published posts"."""
        words = set(self.said.words)
        forms = state_words(verb) & words
        plain = verb in words or " " in verb  # "turn off"
        return bool(forms) and not plain and all(self.said.is_state(form) for form in forms)

    def _values(self, tool: KnownTool, part: ToolPart, one: KnownTool) -> Iterator[ToolPart]:
        """Yield the calls that give the same argument, or one for the same, such a value."""
        tested = [limit for limit in (*part.where, *part.unless) if limit.arg and not limit.is_total]
        if not tested or not self._may_change(tool, one):
            return
        for arg in dict.fromkeys(limit.arg for limit in tested if limit.arg):
            limits = [limit for limit in tested if limit.arg == arg]
            other = self._same_argument(arg, one) if self._may_set(tool, limits, one) else None
            unlike = other is not None and "degree" in self.said.forms and are_unlike(tool, arg, one, other)
            if (
                other is not None
                and not unlike
                and not self._is_selected(tool, arg)
                and not self._is_selected(one, other)
            ):
                yield from self._copied(tool, part, one, (arg, other))

    def _may_change(self, tool: KnownTool, one: KnownTool) -> bool:
        """Return whether a tool may set what another one does."""
        scaled = bool(self.verbs & tool.verbs) and self.said.verbs.isdisjoint(_CREATING)
        does = one.verbs - (DELETING - {"close"}) if self._is_setting else one.verbs & (CHANGERS | _SETTING)
        return (self._is_setting or scaled) and bool(does) and not (self._is_of_others(one) or self._only_makes(one))

    def _only_makes(self, one: KnownTool) -> bool:
        """Return whether a sentence is about making things, and a tool makes none."""
        return bool(self.said.verbs & _CREATING) and one.verbs.isdisjoint(MAKERS)

    def _is_of_others(self, one: KnownTool) -> bool:
        """Return whether a tool makes things, and a sentence is about those that are there, or the other way round."""
        makes = bool(one.verbs & MAKERS)
        told = any(word in self.said.words and makes is made for word, made in _OTHER_SIDE.items())
        return told or bool(one.verbs & _CREATING and self.said.verbs & _CHANGING_ONLY)

    def _may_set(self, tool: KnownTool, limits: Sequence[Limit], one: KnownTool) -> bool:
        """Return whether a tool is about things of the kind of another one, or about the attribute itself."""
        if not self._is_setting and not all(limit.bounds for limit in limits):
            return False
        noun = _noun(limits[0].arg or "")
        attribute = bool(one.verbs & (CHANGERS | _SETTING_PARTS)) and (
            noun == one.head or (tool.head in one.argument_words and tool.head in tool.argument_words)
        )
        return is_about(one, tool.head) or attribute or (self._assigns() and _assigns(one))

    def _assigns(self) -> bool:
        return bool(self.said.verbs & _TO_ASSIGN) or (self._is_setting and bool(self.said.forms & _OWNED))

    def _is_selected(self, one: KnownTool, arg: str) -> bool:
        """Return whether an argument says which thing is changed, and not to what."""
        if self._assigns() and _assigns(one):
            return False
        return arg in one.required and bool(one.verbs & CHANGERS) and is_selector(one, arg)

    def _same_argument(self, arg: str, one: KnownTool) -> str | None:
        """Return the argument of a tool for what an argument of another one is for. None if it has none."""
        noun = _noun(arg)
        if self._assigns() and noun in _PERSON:
            return _person(one, self.said.forms)
        found = [other for other in one.tool.args if other == arg]
        found = found or [other for other in one.tool.args if noun and _noun(other) == noun]
        return found[0] if len(found) == 1 and noun not in _NO_ATTRIBUTES else None

    def _copied(self, tool: KnownTool, part: ToolPart, one: KnownTool, pair: tuple[str, str]) -> Iterator[ToolPart]:
        """Yield a part with the tests of one argument for another one."""
        arg, other = pair
        tests = [limit for limit in (*part.where, *part.unless) if limit.arg == arg]
        named = [str(value) for limit in tests for value in limit.among]
        if not all(map(str.isdigit, named)) and takes_ids(one, other) and other not in one.listed:
            raise Unclear(f"it is not sure that it is understood: {one.tool.name} takes an id, and no name")

        def moved(limits: Iterable[Limit]) -> tuple[Limit, ...] | None:
            kept = [_fitted(one, other, limit) for limit in limits if limit.arg == arg]
            return None if None in kept else tuple(limit for limit in kept if limit is not None)

        where, unless = moved(part.where), moved(part.unless)
        if where is None or unless is None:
            return  # no call can have such a value
        left = replace(
            part,
            where=tuple(each for each in part.where if each.arg != arg),
            unless=tuple(each for each in part.unless if each.arg != arg),
        )
        if other in one.required:
            where = tuple(limit for limit in where if limit.state != "present")
        elif not where and unless:
            where = (Limit(arg=other, state="present"),)
        for each in self._with(tool, left, one, where):
            yield replace(each, unless=(*each.unless, *unless))

    def _wholes(self, tool: KnownTool, part: ToolPart, one: KnownTool) -> Iterator[ToolPart]:
        """Yield the calls that rename, move or change a thing that must not be renamed, moved or changed."""
        if not is_about(one, tool.head):
            return
        named = self._moved(part, one) if one.verbs & CHANGERS else []
        for arg in named:
            tests = [()] if arg in one.required else given(one, arg)
            for each in tests if not self._is_selected(one, arg) else ():
                yield from self._with(tool, part, one, each)
        again = any(verb in _AGAIN and verb[2:] in self.said.forms | self.said.verbs for verb in one.verbs)
        if again or self._is_changed(tool, part, one):
            yield from self._with(tool, part, one, ())

    def _moved(self, part: ToolPart, one: KnownTool) -> list[str]:
        """Return the arguments that give a thing another name or time, if a sentence is about that."""
        if "rename" in self.said.verbs:
            return [arg for arg in one.tool.args if split_name(arg)[-1] in _NAMES]
        if self.said.verbs & _MOVING and not part.where:
            return [each.name for each in timed_arguments(one)]
        return []

    def _is_changed(self, tool: KnownTool, part: ToolPart, one: KnownTool) -> bool:
        """Return whether a thing or an attribute must not be changed, and a tool changes it by a verb of its own."""
        things = {tool.head} & self.said.objects
        if not things or part.unless or self.said.verbs.isdisjoint(CHANGING):
            return False
        if tool.head in {_noun(arg) for arg in tool.tool.args}:
            return one.head == tool.head and bool(one.verbs & _SETTING_PARTS)
        joins = bool(one.verbs & {"add"}) and one.told[:1] == ((tool.head,),)
        chosen = all(is_id(limit.arg or "") or limit.is_clock for limit in part.where)
        return chosen and bool(tool.verbs & CHANGING) and (bool(one.verbs & _ALTERING) or joins)

    def _assignments(self, tool: KnownTool, part: ToolPart, one: KnownTool) -> Iterator[ToolPart]:
        """Yield the calls that assign something, if a sentence is about any assignment."""
        plain = all(limit.is_clock for limit in (*part.where, *part.unless))
        if not plain or not self._assigns() or not (self.said.verbs & (CHANGING | _TO_ASSIGN)):
            return
        arg = _person(one, self.said.forms)
        if arg is None and not _assigns(one):
            return
        tests = [()] if arg is None or arg in one.required else given(one, arg)
        for each in tests if arg is None or not self._is_selected(one, arg) else ():
            yield from self._with(tool, part, one, each)


def _noun(arg: str) -> str:
    """Return the noun of an argument: `label` for `labels` and `new_label`."""
    words = split_name(arg)
    return singular(words[-1]) if words else ""


def _person(one: KnownTool, forms: frozenset[str]) -> str | None:
    """Return the argument for whom a tool assigns something to. None if it has none. `forms` are those of the sentence.

    Raises:
        Unclear: several may be.
    """
    words = {arg: {*split_name(arg), *map(singular, split_name(arg))} for arg in one.tool.args}
    found = [arg for arg, each in words.items() if each & _PERSON and not each & _FROM]
    found = [arg for arg in found if "github-owner" not in one.tool.args[arg].all_roles]
    owner = [arg for arg in found if "owner" in words[arg]]
    assignee = [arg for arg in found if words[arg] & (_OWNED - {"owner"})]
    own = (owner or assignee) if "owner" in forms else (assignee or owner)
    found = own or (found if _assigns(one) else [])
    if len(found) > 1:
        raise Unclear(f"it is not sure that it is understood: {one.tool.name} may be meant as well")
    return found[0] if found else None


def _assigns(one: KnownTool) -> bool:
    """Return whether a tool assigns something to somebody, whatever its argument is called."""
    return bool((one.verbs | one.done) & _ASSIGNING) or one.head in _OWNED


def _fitted(one: KnownTool, arg: str, limit: Limit) -> Limit | None:
    """Return a test for another argument. None if its schema lists other values."""
    if not limit.among or arg not in one.listed:
        return replace(limit, arg=arg)
    wanted = {plain_value(str(value)) for value in limit.among}
    values = tuple(value for value in one.listed[arg] if plain_value(value) in wanted)
    return replace(limit, arg=arg, among=values) if values else None


def _is_covered(part: ToolPart, parts: Iterable[ToolPart]) -> bool:
    """Return whether parts are about all calls of another one."""
    same = (one for one in parts if (one.server, one.tool) == (part.server, part.tool))
    return any(
        set(one.unless) <= set(part.unless)
        and all(any(_implies(each, limit) for each in part.where) for limit in one.where)
        for one in same
    )


def _implies(one: Limit, other: Limit) -> bool:
    """Return whether what passes a test passes another one."""
    if one.arg != other.arg:
        return False
    return one == other or (bool(one.among) and (other.state == "present" or set(one.among) <= set(other.among)))


def with_kinds(meaning: Meaning, text: str, tools: Iterable[KnownTool]) -> Meaning:
    """Return a meaning whose tests of a kind of things have all values that are of this kind: an album is music.

    Raises:
        Unclear: something is restricted, and another value may be of its kind.
    """
    known = {one.key: one for one in tools}
    words = {singular(word) for word in re.findall("[a-z]+", text.lower())}
    tested = {str(value).lower() for part in meaning.parts for limit in part.where for value in limit.among}
    for part in meaning.never | meaning.ask:
        for limit in part.where:
            others = _of_kind(limit, known.get((part.server, part.tool)), words, lexicon.LOOSE_KINDS)
            if left := sorted(other for other in others if other.lower() not in tested):
                raise Unclear(f"{left[0]!r} of {limit.arg!r} may be meant as well; name {limit.arg!r} and its value")
    return Meaning(
        **{
            mood: frozenset(_with_kinds(part, known.get((part.server, part.tool)), words) for part in parts)
            for mood, parts in vars(meaning).items()
        }
    )


def _with_kinds(part: ToolPart, one: KnownTool | None, words: set[str]) -> ToolPart:
    def widened(limit: Limit) -> Limit:
        return replace(limit, among=tuple(dict.fromkeys((*limit.among, *_of_kind(limit, one, words, lexicon.KINDS)))))

    return replace(part, where=tuple(map(widened, part.where)), unless=tuple(map(widened, part.unless)))


def _of_kind(
    limit: Limit, one: KnownTool | None, words: set[str], kinds: Mapping[str, frozenset[str]]
) -> tuple[str, ...]:
    """Return the values of an argument that are of the same kind as those that are tested, if no words name it."""
    if one is None or limit.arg is None or words.issuperset(map(singular, split_name(limit.arg))):
        return ()
    nouns = {noun for value in limit.among for noun in kinds.get(singular(str(value).lower()), ())}
    return tuple(value for value in one.listed.get(limit.arg, ()) if singular(value.lower()) in nouns)
