"""Takes in, or refuses, the tools that a read sentence leaves open although they bring about what it restricts.

"Never post messages" is about `broadcast_message`, "no urgent issues" about `create_issues(issues[].priority)`, and
"never comment on tickets" about `update_ticket(comment)`. These rules look at all tools once a sentence is read.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.restriction import Restriction
from retouch.recipes.policy.english.tools.act_facts import is_scheduled
from retouch.recipes.policy.english.tools.inner_names import names_inside
from retouch.recipes.policy.english.tools.known_tools import is_id, split_name
from retouch.recipes.policy.english.tools.on_files import FILES
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

_POSTING = word_set("post send publish write message email mail")
_SENDING = _POSTING | word_set("broadcast announce blast schedule dispatch deliver")
_LETTERS = word_set("message email mail letter post")
_WRITTEN_BELOW = frozenset({"comment", "reply", "reply to", "respond", "respond to", "add", "leave"})
_ENDING = word_set("delete remove clear unpin archive unschedule cancel edit update discard pin mark read save")
_MAKING = word_set("create make add book schedule open file register new plan set arrange")
_COPYING = word_set("duplicate clone copy")
_ALTERING = word_set("change modify edit update alter adjust set patch write")
_IN_ANY_WAY = _ALTERING - {"set", "adjust", "write"}  # "set_position" is one way
_MANY = re.compile(r"\b(?:several|many|multiple|batch|bulk|at once)\b")
_LIST_AS_TEXT = re.compile(r"\bjson (?:array|list)\b|\b(?:array|list) of\b|\b(?:comma|newline|line)[- ]separated\b")
_MANY_NAMED = word_set("batch bulk many all multiple mass multi")
_MOVED = re.compile(
    r"\b(?:mov|reschedul|postpon|shift|delay)(?:e|es|ed|ing|s)?\b(?!.* (?:to|into|from|out of|in|under) )"
)
_RETIMING = word_set("reschedule postpone shift delay")
_RENAMED = re.compile(r"\brenam(?:e|es|ed|ing)\b")
_TITLES = word_set("summary heading headline")
_WORDS = word_set("comment message note")
_INTRODUCING = word_set("initial first opening intro introductory welcome")
_REPLYING = word_set("reply respond answer")
_ANSWERED = word_set("message email mail post comment thread")
_REPLY_TO = re.compile(r"(?:in )?(?:reply|response) to\b|reply(?: id)?$|thread (?:ts|id)$")
_PLAIN = word_set("id ids name text date time type value key description body content start end url path query")
_PERSON = word_set("user person recipient recipients")
_GUESTS = word_set("attendee guest participant invitee email recipient member")
_JOINING = word_set("add remove")
_ADDRESSED = word_set("recipient recipients to channel chat phone")
_DIRECT = re.compile(r"\b(?:direct|private) messages?\b|\bdms?\b")
_LABELLING = re.compile(
    r"\b(?:add|put|attach|apply|set|stick)\w* (?:\w+ ){0,3}(?:label|tag)s? (?:on|to|onto) "
    r"(?:(?:an?|any|the|my|our|all|new) )*(?P<a>[a-z]+)\b|"
    r"\b(?:label|tag)(?:l?ing|l?ed|ged|ging)? (?:(?:an?|any|the|my|our|all|new) )*(?P<b>[a-z]+)\b"
)
_CONSEQUENCES = word_set("suspend ban block deactivate archive")
_DEEDS = word_set("send delete erase destroy pay refund charge merge publish transfer forward share invite execute")


def with_left_open(meaning: Meaning, low: str, said: Said, tools: tuple[KnownTool, ...]) -> Meaning:
    """Return a meaning whose restrictions reach the tools that do the same. `low` is the sentence in lower case.

    Raises:
        Unclear: such a tool cannot be tested for what the sentence says.
    """
    whole = OpenTools(text=low, meaning=meaning, said=said, tools=tools)
    return meaning.with_added(whole.added)


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenTools(Restriction):
    """What a sentence says and restricts, and the tools that do not only read."""

    said: Said

    @cached_property
    def changing(self) -> tuple[KnownTool, ...]:
        """The tools that are restricted and change something."""
        return tuple(one for one in self.restricted if not one.reads)

    @cached_property
    def heads(self) -> frozenset[str]:
        """The things of these tools."""
        return frozenset(one.head for one in self.changing if one.head)

    @cached_property
    def open(self) -> tuple[KnownTool, ...]:
        """The tools of their servers that change something, and of which not all calls are restricted."""
        servers = {one.tool.server for one in self.changing}
        whole = {(part.server, part.tool) for part in self.strict if not (part.where or part.unless)}
        return tuple(one for one in self.beside if one.tool.server in servers and one.key not in whole)

    def is_left(self, one: KnownTool) -> bool:
        """Return whether nothing is said about a tool."""
        return all((part.server, part.tool) != one.key for part in self.meaning.parts)

    def added(self, parts: frozenset[ToolPart]) -> Iterator[ToolPart]:
        """Yield the parts of the tools that parts leave open.

        Raises:
            Unclear: a tool has no argument for what is tested.
        """
        known = {one.key: one for one in self.changing}
        mine = [part for part in parts if (part.server, part.tool) in known]
        for one in self.open if mine else ():
            if any(rule(self, one) for rule in _REFUSED):
                raise _unclear(one)
            like = next((part for part in mine if part.server == one.tool.server), None)
            if like is None or not self.is_left(one):
                continue
            tests = (
                [*_introduced(self, one), *_named_so(self, one)]
                if not any(rule(self, one) for rule in _TAKEN_IN)
                else [()]
            )
            plain = all(each.is_clock or each.is_total for part in mine for each in (*part.where, *part.unless))
            timed = any(each.is_clock for each in like.where) and any(map(is_scheduled, one.tool.args))
            if tests and (timed or not plain):
                raise _unclear(one)
            for each in tests:
                yield replace(like, tool=one.tool.name, where=(*like.where, *each))


def _unclear(one: KnownTool) -> Unclear:
    return Unclear(f"it is not sure that it is understood: {one.tool.name} may be meant as well; say it in other words")


def _sends(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether messages must not be sent, and a tool sends them: `broadcast_message`, `send_draft`."""
    letters = whole.heads & _LETTERS
    about = one.head in letters or (one.head == "draft" and bool(letters))
    own = one.verbs | one.done
    if not about or not own & _SENDING or own & _ENDING or not whole.is_left(one) or _DIRECT.search(whole.text):
        return False
    if _is_without_files(whole, one):
        return False
    places = {singular(split_name(limit.arg)[0]) for limit in whole.limits if limit.arg and limit.among}
    if not places <= {singular(word) for arg in one.tool.args for word in split_name(arg)}:
        return False  # it does not send to such places
    return whole.said.acts <= _POSTING | {"go"} and any(map(_puts_out, whole.changing))


def _is_without_files(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether a sentence is about files and no messages, and a tool takes none: `send_message(text)`."""
    files = not FILES.isdisjoint(whole.said.forms) and _LETTERS.isdisjoint(whole.said.objects)
    return files and not one.paths and not any("file" in split_name(arg) for arg in one.tool.args)


def _sends_to_same(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether messages must not be sent, and a tool sends something else to the same people: `send_file`."""
    plain = all(limit.is_clock or limit.is_total for limit in whole.limits)  # else others take in what is tested
    letters = bool(whole.heads & _LETTERS) and whole.said.acts <= _POSTING and plain
    sends = one.verbs <= _SENDING and one.head not in whole.heads
    others = [other for other in whole.changing if other.head in _LETTERS and other.verbs & _SENDING]
    people = {arg for arg in one.required if {*split_name(arg)} & _ADDRESSED}
    return letters and sends and whole.is_left(one) and any(people & other.required for other in others)


def _puts_out(one: KnownTool) -> bool:
    return not (one.verbs | one.done).isdisjoint(_SENDING | {"add", "create", "comment", "reply"})


def _makes_from_text(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether things must not be made, and a tool without a noun makes them: `quick_add(text)`."""
    unnamed = one.head not in lexicon.THINGS and one.told_words.isdisjoint(one.core)
    makes = not one.done.isdisjoint(_MAKING) and not whole.heads.isdisjoint(one.told_words)
    return unnamed and makes and not whole.said.verbs.isdisjoint(_MAKING) and whole.is_left(one)


def _makes_likewise(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether things must not be made, and a tool makes one below another, or a copy: `create_subtask`."""
    lesser = one.head is not None and one.head.startswith("sub") and one.head[3:] in whole.heads & whole.said.forms
    same = one.head in whole.heads & whole.said.forms
    makes = (lesser and bool(one.verbs & _MAKING)) or (same and bool(one.verbs & _COPYING))
    making = any(other.verbs & _MAKING for other in whole.changing)
    return makes and making and whole.said.acts <= _MAKING and whole.is_left(one)


def _is_verb_of_noun(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether a tool is named by the verb of a thing: `batch_refund`, if no refunds may be made."""
    if _is_without_files(whole, one):
        return False
    nouns = whole.heads & whole.said.forms
    verbs = {noun for noun in nouns if noun in lexicon.VERBS} | whole.said.acts
    made = any(other.verbs & (_MAKING | verbs) for other in whole.changing)
    return made and whole.is_left(one) and bool(verbs & one.verbs & _DEEDS) and _acts_on_like(whole, one)


def _alters_parts(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether a tool that is left out alters such a thing in any way: `manage_schema(operation=alter_table)`."""
    values = (frozenset(split_name(text)) for texts in one.listed.values() for text in texts)
    about = any(words & _IN_ANY_WAY and (words - _ALTERING) & whole.said.forms for words in values)
    return about and whole.is_left(one)


def _acts_on_like(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether a tool has the thing of a restricted one, or no other noun than its verb."""
    nouns = {singular(noun) for noun in one.core} - one.verbs
    told = {word for other in whole.changing for word in other.told_words}
    return one.head in whole.heads or not nouns or (nouns <= told and not one.verbs.isdisjoint(whole.heads))


def _introduced(whole: OpenTools, one: KnownTool) -> list[tuple[Limit, ...]]:
    """Return the tests of an argument with a message or comment, if none must be written: `update_ticket(comment)`."""
    kinds = whole.heads & (_WORDS | {"post"})
    writes = whole.said.acts <= _POSTING | _WRITTEN_BELOW and whole.said.verbs.isdisjoint(_ENDING)
    makes = any(map(_puts_out, whole.changing))
    if not kinds or not writes or not makes or one.head in kinds:
        return []
    return [(Limit(arg=arg, state="present"),) for arg in one.tool.args if _introduces(kinds, one, arg)]


def _named_so(whole: OpenTools, one: KnownTool) -> Iterator[tuple[Limit, ...]]:
    """Yield the tests of arguments that are named by what must not be done: `add_label_ids` for "adding labels"."""
    verbs, nouns = whole.said.verbs & _JOINING, whole.heads & whole.said.objects
    for arg in one.tool.args:
        words = {*map(singular, split_name(arg))}
        if words & verbs and words & nouns and words <= verbs | nouns | {"id", "name"}:
            yield (Limit(arg=arg, state="present"),)


def _introduces(kinds: frozenset[str], one: KnownTool, arg: str) -> bool:
    words = split_name(arg)
    first = bool(_INTRODUCING & {*words}) and not {*words[-1:]}.isdisjoint(_WORDS | {"text"})
    return arg not in one.required and (first or (len(words) == 1 and words[0] in kinds & {"comment", "note"}))


def _inside(whole: OpenTools, one: KnownTool) -> Iterator[str]:
    """Yield the names inside of the arguments of a tool that are not tested themselves."""
    parts = [part for part in whole.strict if (part.server, part.tool) == one.key]
    tests = [limit for part in parts for limit in (*part.where, *part.unless)]
    for arg, schema in one.tool.schemas.items():
        roles = set(one.tool.args[arg].all_roles) if arg in one.tool.args else set[str]()
        if not any(limit.arg == arg or (limit.role and limit.role in roles) for limit in tests):
            yield from (name for name, _ in names_inside(schema))


def _has_test_inside(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether what is tested is inside of an argument of another tool: `issues[].priority`."""
    tested = {singular(split_name(limit.arg)[-1]) for limit in whole.limits if limit.arg and split_name(limit.arg)}
    tested = (tested - _PLAIN) | (_GUESTS if any(limit.emails for limit in whole.limits) else frozenset[str]())
    verbs, own = whole.said.verbs, one.verbs | one.done
    exact = {
        limit.arg for limit in whole.limits if limit.arg and len(split_name(limit.arg)) > 1 and not is_id(limit.arg)
    }
    like = all(own & (other.verbs | other.done) for other in whole.changing) and whole.is_left(one)
    if like and not exact.isdisjoint(_inside(whole, one)):
        return True
    if verbs & _MAKING and own.isdisjoint(_MAKING | _SENDING) and not verbs & (_ALTERING | {"add", "set"}):
        return False
    if verbs & _ALTERING and own <= _MAKING - {"set"}:
        return False
    about = one.head in whole.heads | {"attendee"} or not whole.heads.isdisjoint(map(singular, one.argument_words))
    changes = not own.isdisjoint(_MAKING | _ALTERING | _SENDING) and about
    return changes and any(singular(split_name(name)[-1]) in tested for name in _inside(whole, one) if split_name(name))


def _holds_inside(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether things must not be added, and a tool that sends has them in an argument: `message.attachments`."""
    things = whole.heads & whole.said.forms & {"attachment", "file", "image"}
    adds = any(other.verbs & {"add", "attach", "upload", "send"} for other in whole.changing)
    sends = adds and whole.is_left(one) and not (one.verbs | one.done).isdisjoint(_SENDING)
    return sends and any(not things.isdisjoint(map(singular, split_name(name))) for name in _inside(whole, one))


def _does_by_value(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether a value of an argument is what a restricted tool does: `bulk_action(action: add_label)`."""
    done = [Counter(other.words) for other in whole.changing if other.core and len(other.verbs) == 1]
    done = [words for words in done if len(words) > 1]
    values = [Counter(split_name(value)) for values in one.listed.values() for value in values]
    # The value `merge_request` is the thing of `merge_merge_request`, and merges none
    return whole.is_left(one) and any(words <= value for words in done for value in values)


def _does_inside(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether a part of an argument does what is restricted: `create_filter(action.forward_to)`."""
    deeds = whole.said.acts & _DEEDS
    names = (split_name(name)[:1] for name in _inside(whole, one))
    return whole.is_left(one) and any(not deeds.isdisjoint(words) for words in names)


def _does_by_flag(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether a flag does it as well: `create_invoice(auto_send)`."""
    flags = (set(words.split()) for words in one.flags)
    same = whole.is_left(one) and one.head in whole.heads & whole.said.forms
    return same and any(words & whole.said.acts & _DEEDS for words in flags)


def _does_as_told(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether a description says that a tool does it as well: "Accept a claim, which refunds the customer"."""
    nouns = whole.heads & whole.said.forms & _DEEDS
    deeds = (whole.said.acts & (_DEEDS | _CONSEQUENCES)) | nouns
    told = one.tool.comment.lower()
    amounts = {word for arg in one.numbers if not is_id(arg) for word in split_name(arg)}
    also = any(
        re.search(rf"\b(?:which|and|that|then|also)(?: also| automatically)? {verb}s?\b", told) for verb in deeds
    )
    return whole.is_left(one) and (also or bool(amounts & nouns))


def _counts_many(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether calls are counted, and one call of a tool does it to several things."""
    counted = any(limit.count and not limit.same for limit in whole.limits) and "call" not in whole.said.forms
    words = {*one.words}
    many = bool(words & _MANY_NAMED) or _MANY.search(one.tool.comment.lower()) is not None
    verbs = {verb for other in whole.changing for verb in other.verbs | other.done} | whole.said.acts
    same = one.head in whole.heads or one.key in {other.key for other in whole.changing}
    same = same or bool(one.verbs & whole.said.acts & _DEEDS)
    listed = bool(one.lists) or any(map(_LIST_AS_TEXT.search, map(str.lower, map(one.described, one.tool.args))))
    return counted and many and listed and same and bool(verbs & (one.verbs | one.done))


def _gives_number(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether the numbers of a thing are tested, and another tool sets one: `update_product(default_price)`."""
    named = [limit for limit in whole.limits if limit.arg and not limit.size]
    tested = any(limit.bounds or (limit.among and "currency" in split_name(limit.arg or "")) for limit in named)
    if not tested or not whole.is_left(one) or whole.said.acts - _MAKING or (one.verbs & _ENDING - {"update", "edit"}):
        return False
    nouns = whole.heads & whole.said.forms - (
        frozenset({"temperature"}) if "degree" in whole.said.forms else frozenset()
    )
    return any(not nouns.isdisjoint(map(singular, split_name(arg)[-1:])) for arg in one.numbers if not is_id(arg))


def _reschedules(whole: OpenTools, one: KnownTool) -> bool:
    moved = _MOVED.search(whole.text) is not None and one.head in whole.heads
    return moved and whole.is_left(one) and bool(one.verbs & _RETIMING)


def _retitles(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether things must not be renamed, and a change gives them another title: `update_event(summary)`."""
    named = any(arg.lower().removeprefix("new_") in _TITLES for arg in one.tool.args)
    about = _RENAMED.search(whole.text) is not None and one.head in whole.heads | whole.said.forms
    return about and named and bool((one.verbs | one.done) & _ALTERING) and whole.is_left(one)


def _replies(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether nobody must be answered, and a message can be an answer: `send_message(reply_to)`."""
    if whole.said.acts.isdisjoint(_REPLYING) or not whole.said.acts <= _REPLYING or one.head not in _ANSWERED:
        return False
    to = any(_REPLY_TO.match(" ".join(split_name(arg))) for arg in one.tool.args)
    about = bool(whole.heads & (_ANSWERED | _REPLYING))
    return about and to and bool((one.verbs | one.done) & (_SENDING | {"add"})) and whole.is_left(one)


def _labels(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether a label must not be put on things, but tools that make labels are restricted."""
    found = _LABELLING.search(whole.text)
    made = any(other.head in {"label", "tag"} and other.verbs & _MAKING for other in whole.changing)
    if found is None or not made:
        return False
    given = any({singular(word) for word in split_name(arg)} & {"label", "tag"} for arg in one.tool.args)
    return given and one.head == singular(found["a"] or found["b"]) and whole.is_left(one)


def _writes_to_person(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether a call may be a message to a person: `send_message(channel, user)`, both of them optional."""
    people = [arg for arg in one.tool.args if {*split_name(arg)} & _PERSON and arg not in one.required]
    if not people or one.head not in _LETTERS or not (one.verbs | one.done) & _POSTING:
        return False
    if _DIRECT.search(whole.text) and "message" in whole.heads and whole.is_left(one):
        return True
    mine = [part for part in whole.strict if (part.server, part.tool) == one.key]
    tests = [limit for part in mine for limit in part.unless if limit.arg and (limit.among or limit.like)]
    return any(limit.arg not in one.required and {*split_name(limit.arg or "")} & {"channel"} for limit in tests)


def _assigns_too(whole: OpenTools, one: KnownTool) -> bool:
    """Return whether things must not be assigned, and a tool makes them with an assignee."""
    said = whole.said.verbs & {"assign", "reassign"} and one.head in whole.heads | whole.said.forms
    mine = any((part.server, part.tool) == one.key for part in whole.strict)
    return bool(said) and not mine and any({"assignee", "assignees"} & {*split_name(arg)} for arg in one.tool.args)


_TAKEN_IN: tuple[Callable[[OpenTools, KnownTool], bool], ...] = (
    _sends,
    _sends_to_same,
    _makes_from_text,
    _makes_likewise,
    _is_verb_of_noun,
)
_REFUSED: tuple[Callable[[OpenTools, KnownTool], bool], ...] = (
    _alters_parts,
    _has_test_inside,
    _holds_inside,
    _does_by_value,
    _does_inside,
    _does_by_flag,
    _does_as_told,
    _counts_many,
    _gives_number,
    _reschedules,
    _retitles,
    _replies,
    _labels,
    _writes_to_person,
    _assigns_too,
)
