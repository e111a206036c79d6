"""What a call makes of a thing: "mark a task as done", "assign tasks to Ada", "change the title of a page"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.binding import spellings
from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument, split_name
from retouch.recipes.policy.english.tools.timed_arguments import timed_arguments
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.marks import MARK_AS
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.on_files import Level
    from retouch.recipes.policy.english.words.acts import Act, Qualifier, Thing

_CHANGING = word_set("change edit update modify alter adjust correct")
_CHANGERS = word_set("update edit modify change patch set")
_RETIMING = word_set("reschedule postpone")
_ASSIGNEE = word_set("assignee assigned")


def mark_of(one: KnownTool, verb: str, thing: Thing, level: Level) -> tuple[Limit, ...] | None:
    """Return the tests of "mark as done" for a tool. None if it does not mark such things like that.

    A permission needs a tool that always marks: others change more in the same call.
    """
    value = verb.removeprefix(MARK_AS)
    if value == verb or one.reads or one.computes or one.code:
        return None
    nouns = tuple(noun for noun in thing.nouns if noun != "new")
    if nouns and not (set(nouns) <= one.vocabulary or nouns in one.told):
        return None
    words = one.words
    if words[-1] == value and one.verbs & {"mark", "flag", "set", "label"}:
        return ()
    if value in {form for verb in one.verbs for form in (f"{verb}ed", f"{verb}d")}:
        return ()
    acted = one.told[:1] == (nouns,) or one.head in {*nouns, *map(singular, one.listed), *map(singular, one.flags)}
    if nouns and not acted:
        return None  # `invite_guest(event, role)` changes no event
    found = [(arg, text) for arg, texts in one.listed.items() for text in texts if text.lower() == value]
    limits = [Limit(arg=arg, among=(text,)) for arg, text in found]
    limits += [Limit(arg=one.flags[value], among=(True,))] if value in one.flags else []
    sure = len(limits) == 1 and (level == "perhaps" or limits[0].arg in one.required)
    return tuple(limits) if sure else None


def assigned(one: KnownTool, verb: str, qualifier: Qualifier) -> Qualifier:
    """Return "to Paul Meyer" with the noun of the argument, if tasks are assigned to him."""
    args = [arg for arg in one.tool.args if not _ASSIGNEE.isdisjoint(split_name(arg))]
    somebody = verb == "assign" and qualifier.kind == "chosen" and qualifier.word == "to" and not qualifier.arg
    if not somebody or len(args) != 1:
        return qualifier
    names = tuple(dict.fromkeys(each for name in qualifier.names for each in spellings(name)))
    return replace(qualifier, arg=min(nouns_of_argument(one, args[0])), names=names)


def changes_more(one: KnownTool, tests: tuple[Limit, ...]) -> bool:
    """Return whether a call that passes tests can change more: `update_issue(state, title)` for a state."""
    tested = {limit.arg for limit in tests if limit.arg is not None and limit.arg not in one.required}
    return one.verbs <= _CHANGERS and bool(tested) and not set(one.tool.args) <= one.required | tested


_NAMES = (["name"], ["new", "name"], ["title"], ["filename"])


def changed_argument(one: KnownTool, verb: str, thing: Thing, level: Level) -> list[tuple[Limit, ...]]:
    """Return the tests, as alternatives, of "change the title" and "assign tasks": the argument is given.

    Only for what restricts: a call that gives one argument may give others too.
    """
    if level == "surely" or one.reads or one.code or one.computes or not thing.nouns:
        return []
    if verb == "assign":
        args = [arg for arg in one.tool.args if not _ASSIGNEE.isdisjoint(split_name(arg))]
        named = one.head == thing.nouns[-1]
    elif verb == "rename":
        args = [arg for arg in one.tool.args if split_name(arg) in _NAMES and arg not in one.required]
        named = one.verbs <= _CHANGERS and one.head == thing.nouns[-1]
    else:
        noun = " ".join(thing.nouns)
        args = [arg for arg in one.tool.args if noun in nouns_of_argument(one, arg) or noun == singular(arg.lower())]
        named = verb in _CHANGING and one.verbs <= _CHANGERS and noun != one.head
    times = [] if args or verb == "assign" else _times(one, thing)
    if not named or not (times or len(args) == 1):
        return []
    return [each for arg in times or args for each in ([()] if arg in one.required else given(one, arg))]


def _times(one: KnownTool, thing: Thing) -> list[str]:
    """Return the arguments of "the time" and "the start time" of what a tool changes. Empty for anything else."""
    if thing.nouns[-1] not in {"time", "date"} or len(thing.nouns) > 2:
        return []
    kinds = {"start": {"start"}, "end": {"end"}, "": {"start", "end", "other"}}
    wanted = kinds.get(thing.nouns[0] if len(thing.nouns) == 2 else "", set())
    return [arg.name for arg in timed_arguments(one) if arg.kind in wanted]


def retimed(one: KnownTool, verb: str) -> list[tuple[Limit, ...]]:
    """Return the tests, as alternatives, of "reschedule" for a tool that changes more than times: one is given.

    Empty if each of its calls may give something another time.
    """
    if verb not in _RETIMING or not one.verbs <= _CHANGERS:
        return []
    times = [arg.name for arg in timed_arguments(one)]
    found = [each for arg in times for each in given(one, arg)]
    return found if one.required.isdisjoint(times) and not set(one.tool.args) <= {*one.required, *times} else []


def may_be_former(one: KnownTool, verb: str, act: Act) -> bool:
    """Return whether a value may be what a changed argument was before: "change the priority of urgent tickets"."""
    changed = any(changed_argument(one, verb, thing, "perhaps") for thing in act.things)
    values = [each for each in act.qualifiers if each.kind == "value"]
    return changed and any(each.is_condition or each.arg not in {"to", "as", "into"} for each in values)


def given(one: KnownTool, arg: str) -> list[tuple[Limit, ...]]:
    """Return the tests, as alternatives: a call that gives an argument passes one. Empty if nothing shows it."""
    if arg in one.numbers or (arg in one.coded and not one.takes_text(arg)):
        return [(Limit(arg=arg, at_least=0),), (Limit(arg=arg, below=0),)]
    if arg in one.lists:
        return [(Limit(arg=arg, state="present"),)]
    if arg in one.flags.values():
        return [(Limit(arg=arg, among=(True, False)),)]
    return [(Limit(arg=arg, like=("*",)),)] if one.takes_text(arg) else []
