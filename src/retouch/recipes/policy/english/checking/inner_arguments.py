"""Takes in the calls that give what a restriction tests in another argument, or inside of one.

"Never archive e-mails" tests `modify_email(removeLabelIds)`, and is about `create_filter(action.removeLabelIds)` as
well; "don't add followers" is about `create_task(followers)`, "don't assign tasks" about an assignee in the items of
`update_tasks(tasks)`, and who must not be written to must not be forwarded to, either.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.json_schema import has_only, keyword_values
from retouch.recipes.policy.english.checking.left_open import OpenTools
from retouch.recipes.policy.english.checking.said_words import CHANGING
from retouch.recipes.policy.english.limits.demanding import MAKERS
from retouch.recipes.policy.english.tools.inner_names import plain_words_of, slots_of
from retouch.recipes.policy.english.tools.known_tools import is_id, split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.inner_names import CallSlot
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

_ADDING = word_set("add attach include invite put apply assign")
_TAKING = word_set("delete remove move archive complete close")
_ASSIGNING = word_set("assign reassign delegate")
_ASSIGNS = re.compile(r"\b(?P<again>re)?(?:assign(?:s|ed|ing)?|delegat(?:e|es|ed|ing))\b")
_ASSIGNED = word_set("assignee assigned responsible")
_WRITING_TO = word_set("send email mail message write forward")
_LETTERS = word_set("email mail message letter")
_FORWARDED = word_set("forward redirect")
_AGAIN = word_set("assign send deploy publish post")  # what is done again is done
_DONE_BY_FLAG = word_set("drop delete trash archive star mark publish send merge close forward overwrite replace")
_BECOMING = word_set("add set make")
_RENAMED = word_set("name filename title")


def with_inner_arguments(meaning: Meaning, low: str, said: Said, tools: tuple[KnownTool, ...]) -> Meaning:
    """Return a meaning whose restrictions reach the same argument of other tools, whole or inside of another one.

    Raises:
        Unclear: such an argument cannot be tested for what the sentence says.
    """
    whole = OpenTools(text=low, meaning=meaning, said=said, tools=tools)
    if not whole.strict:
        return meaning
    known = {one.key: one for one in tools if not one.code}
    allowed = {(part.server, part.tool) for part in meaning.allow}
    others = [one for one in whole.beside if one.key not in allowed]

    def widened(parts: frozenset[ToolPart]) -> frozenset[ToolPart]:
        found = {_done_again(whole, known.get((part.server, part.tool)), part) for part in parts}
        for part in found.copy():
            one = known.get((part.server, part.tool))
            if one is None or one.reads:
                continue
            for other in others:
                if other.tool.server == part.server and not _is_covered(other, parts):
                    found |= {each for way in _WAYS for each in way(whole, one, part, other)}
        return frozenset(found)

    return meaning.with_restrictions(widened)


def _is_covered(one: KnownTool, parts: frozenset[ToolPart]) -> bool:
    return any((part.server, part.tool) == one.key and not (part.where or part.unless) for part in parts)


def _done_again(whole: OpenTools, one: KnownTool | None, part: ToolPart) -> ToolPart:
    """Return a part whose value for what is done has that for doing it again: `assign`, and `reassign`."""

    def both(limit: Limit) -> Limit:
        again = {f"re{verb}" for verb in whole.said.acts & _AGAIN}
        listed = one.listed.get(limit.arg or "", ()) if one is not None else ()
        done = any(str(value).lower() in _AGAIN for value in limit.among)
        more = [value for value in listed if done and value.lower() in again]
        return replace(limit, among=tuple(dict.fromkeys((*limit.among, *more))))

    return replace(part, where=tuple(map(both, part.where)))


def _same_argument(whole: OpenTools, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that give the tested argument inside of another one, if its name has several words."""
    tested = {limit.arg for limit in part.where if limit.arg}
    if len(tested) != 1 or other.key == one.key or not _may_set(whole, other):
        return
    (arg,) = tested
    words = plain_words_of(arg)
    if len(words) < 2 or arg in one.required:
        return
    for slot in _inner(other):
        if slot.words == words and singular(split_name(slot.name)[-1]) == singular(split_name(arg)[-1]):
            yield _with_tests(part, other, slot)


def _inner(one: KnownTool) -> Iterator[CallSlot]:
    return (slot for slot in slots_of(one) if slot.key is not None)


def _may_set(whole: OpenTools, other: KnownTool) -> bool:
    """Return whether a tool may give what others set: who changes things makes none, and the other way round."""
    verbs, own = whole.said.verbs, other.verbs | other.done
    if other.head not in whole.heads:
        return True
    makes = bool(verbs & (MAKERS - {"add", "set"}))
    return not (makes and own.isdisjoint(MAKERS)) and not (verbs & CHANGING and own <= MAKERS)


def _with_tests(part: ToolPart, other: KnownTool, slot: CallSlot) -> ToolPart:
    """Return the part of a tool with the tests of another one for an argument inside of its own.

    Raises:
        Unclear: they are no tests of single texts or values.
    """
    values = [limit for limit in part.where if limit.state != "present"]
    if part.unless or any(not (limit.among or limit.like) for limit in values):
        raise _unclear(other, slot)
    return replace(part, tool=other.tool.name, where=(*slot.given(other), *map(slot.takes, values)))


def _unclear(other: KnownTool, slot: CallSlot) -> Unclear:
    return Unclear(
        f"it is not sure that it is understood: {other.tool.name} may be meant as well, which takes {slot.name!r}"
    )


def _added_thing(whole: OpenTools, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that add things in an argument, if these must not be added: `create_task(followers)`."""
    own = other.verbs | other.done
    if whole.said.verbs.isdisjoint(_ADDING) or own <= _TAKING or _is_narrow(part):
        return
    things = (
        {plain_words_of(arg)[-1] for arg in one.lists} & whole.said.forms & frozenset(map(singular, whole.text.split()))
    )
    for slot in slots_of(other):
        named = slot.words[-1:] and slot.words[-1] in things and len(slot.words) == 1
        if named and not is_id(slot.name) and slot.arg not in other.required and other.head not in things:
            yield replace(part, tool=other.tool.name, where=slot.given(other))


def _is_narrow(part: ToolPart) -> bool:
    """Return whether a part is only about some of the calls of a tool."""
    return bool(part.unless) or any(limit.state != "present" for limit in part.where)


def _assigned(whole: OpenTools, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that assign something inside of an argument: `update_tasks(tasks[].assignee)`."""
    found = {match["again"] for match in _ASSIGNS.finditer(whole.text)}
    if not found or other.key == one.key or (found == {"re"} and (other.verbs | other.done) <= MAKERS):
        return
    for slot in _inner(other):
        if not _ASSIGNED.isdisjoint(split_name(slot.name)):
            values = [limit for limit in part.where if not _is_deed(limit)]
            if part.unless or any(limit.role is None and not _names_person(limit) for limit in values):
                raise _unclear(other, slot)
            yield _with_tests(replace(part, where=tuple(values)), other, slot)


def _is_deed(limit: Limit) -> bool:
    deeds = {f"{again}{verb}" for verb in _ASSIGNING for again in ("", "re")}
    return bool(limit.among) and deeds.issuperset(str(value).lower() for value in limit.among)


def _names_person(limit: Limit) -> bool:
    words = {*map(singular, split_name(limit.arg or ""))}
    return bool(words & (_ASSIGNED | {"user", "owner", "agent", "member", "person"}))


def _forwarded(whole: OpenTools, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that have mail forwarded, if nobody, or not everybody, must be written to."""
    sends = one.head in _LETTERS and bool((one.verbs | one.done) & _WRITING_TO)
    tests = (*part.where, *part.unless)
    plain = all(limit.emails for limit in tests)
    if not sends or whole.said.acts.isdisjoint(_WRITING_TO) or not plain:
        return
    for slot in slots_of(other):
        texts = keyword_values(slot.schema, "type") <= {"string", "array"}
        if texts and not _FORWARDED.isdisjoint(slot.words[:1]) and len(slot.words) <= 2:
            tests = map(slot.takes, part.where)
            yield replace(part, tool=other.tool.name, where=(*slot.given(other), *tests), unless=())


def _subordinate(whole: OpenTools, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that make a thing below another one, if none must be made: `create_task(parent)` for subtasks."""
    head = next((word for word in (one.head or "", *one.core) if word.startswith("sub")), "")
    below = other.head == head.removeprefix("sub").strip("-_") if head else False
    makes = bool(whole.said.verbs & MAKERS) and bool((other.verbs | other.done) & MAKERS)
    if not below or not makes or head not in whole.said.forms or _is_narrow(part):
        return
    for slot in slots_of(other):
        if slot.words[:1] == ("parent",) and set(slot.words[1:]) <= {other.head}:
            yield replace(part, tool=other.tool.name, where=slot.given(other))


def _renamed(whole: OpenTools, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that change a thing and can give it another name, if none must be renamed."""
    if "rename" not in whole.said.verbs or "rename" not in one.verbs or _is_narrow(part) or not whole.is_left(other):
        return
    things = whole.said.objects | {word for word in one.told_words if "file" in one.told_words}
    about = other.head in whole.said.objects | {one.head} or (not whole.said.objects and other.head is not None)
    about = about or bool(set(other.told_words) & whole.said.objects & things)
    if not about or (other.verbs | other.done).isdisjoint(CHANGING):
        return
    for slot in slots_of(other):
        if slot.key is None and slot.words[-1:] and slot.words[-1] in _RENAMED and set(slot.words[:-1]) <= {"new"}:
            yield replace(part, tool=other.tool.name, where=slot.given(other))


def _switched(whole: OpenTools, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that do it by a flag: `rename_table(drop_target)`, or `parameters.archive` of a filter."""
    acts = (whole.said.acts & _DONE_BY_FLAG) - {"make"}
    if not acts or _is_narrow(part) or not (one.head in whole.heads or part.where):
        return
    for slot in slots_of(other):
        act = slot.words[:1] and slot.words[0] in acts
        flag = has_only(slot.schema, "boolean") and act
        if flag and (slot.key is not None or other.head in whole.heads) and not _is_tested(whole, other, slot):
            yield replace(part, tool=other.tool.name, where=(*slot.given(other), Limit(arg=slot.arg, among=(True,))))


def _is_tested(whole: OpenTools, other: KnownTool, slot: CallSlot) -> bool:
    own = [part for part in whole.strict if (part.server, part.tool) == other.key]
    return any(limit.arg == slot.arg for part in own for limit in (*part.where, *part.unless))


def _made_so(whole: OpenTools, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that make a thing what a flag does by a value of another argument: `data.visibility: public`."""
    flags = [limit for limit in part.where if limit.arg in one.flags.values() and limit.among == (True,)]
    made = whole.said.verbs & (MAKERS - _BECOMING)
    if len(flags) != 1 or part.unless or other.head != one.head or (made and other.verbs.isdisjoint(MAKERS)):
        return
    word = plain_words_of(flags[0].arg or "")[-1]
    rest = tuple(limit for limit in part.where if limit.arg != flags[0].arg)
    for slot in slots_of(other):
        listed = slot.schema.get("enum")
        values = [value for value in listed if isinstance(value, str)] if isinstance(listed, list) else []
        named = tuple(value for value in values if word in split_name(value))
        if named and not _is_tested(whole, other, slot):
            if rest:
                raise _unclear(other, slot)
            yield replace(part, tool=other.tool.name, where=(*slot.given(other), Limit(arg=slot.arg, among=named)))


def _written_with(whole: OpenTools, one: KnownTool, part: ToolPart, other: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls of a tool that comment by a text, if a value of another argument does: `body` beside `event`."""
    values = {str(value).lower() for limit in part.where for value in limit.among}
    if other.key != one.key or "comment" not in values & whole.said.forms or part.unless:
        return
    for slot in slots_of(other):
        if slot.key is None and slot.words in {("body",), ("comment",)} and slot.arg not in other.required:
            yield replace(part, where=slot.given(other))


_WAYS: tuple[Callable[[OpenTools, KnownTool, ToolPart, KnownTool], Iterator[ToolPart]], ...] = (
    _same_argument,
    _added_thing,
    _assigned,
    _forwarded,
    _subordinate,
    _renamed,
    _switched,
    _made_so,
    _written_with,
)
