"""What a sentence about an attribute means for the tools at hand.

It is refused if a tool may do it in a way that no test sees: by an object of any fields, by a verb of its own such as
"close", or by an argument that may name the thing that is changed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.attributes.arguments import (
    CHANGING,
    DELETING,
    MAKING,
    about,
    args_for_person,
    args_named,
    has_exactly,
    is_open,
    is_selector,
    is_thing,
    lists_others,
    mentions,
    takes_ids,
)
from retouch.recipes.policy.english.attributes.forms import sayings
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.limits.binding import PERSONS, chosen_limit, plain_value, spellings
from retouch.recipes.policy.english.limits.marking import given
from retouch.recipes.policy.english.limits.several_tests import restriction
from retouch.recipes.policy.english.tools.known_tools import is_id, nouns_of_argument, split_name
from retouch.recipes.policy.english.words.acts import Qualifier
from retouch.recipes.policy.english.words.lexicon import ENDING, bases_of, word_set
from retouch.recipes.policy.english.words.scanning import Doubtful, Unclear
from retouch.recipes.policy.english.words.sentences import Meaning
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.attributes.said import OnAttribute
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import ToolPart
    from retouch.recipes.policy.english.words.tokens import Token

_ENDED = word_set("done completed complete finished resolved solved closed")
_TO_END = word_set("complete finish resolve solve close")
_KEYS = (["key"], ["number"], ["name"])
_STATES = word_set("status state stage phase")
_TURNS = (ENDING - {"delete"}) | word_set(
    "reopen open retire start stop release promote demote restore confirm accept decline"
)
_COMMON = word_set("new open all any none other low high normal medium draft active default public private")
_USERS = re.compile(r"\b(?:usernames?|user names?|logins?|handles?)\b")
_PLURAL = re.compile(r"(?<![aiou])s$")  # Jonas and Chris are names
_NO_NAMES = word_set(
    "support sales marketing finance hr legal engineering accounting operations purchasing production management "
    "leadership backend frontend design security triage"
)


def meaning_of_attribute(tokens: tuple[Token, ...], toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about an attribute means. None if it is another one.

    Raises:
        Doubtful: it has two meanings, or no test shows the attribute for each tool that may change it.
    """
    found: set[Meaning] = set()
    whys: list[str] = []
    quoted = frozenset(one.raw for one in tokens if one.quoted)
    for said in dict.fromkeys(sayings(tokens, toolbox.words)):
        try:
            found.add(_meaning(replace(said, quoted=quoted), toolbox))
        except _Other:
            continue
        except Unclear as error:
            whys.append(error.why)
    if whys or len(found) > 1:
        raise Doubtful(whys[0] if whys else "it can be read in two ways")
    return found.pop() if found else None


class _Other(Exception):
    """No tool has what a reading says, so that it is none."""


def _meaning(said: OnAttribute, toolbox: Toolbox) -> Meaning:
    whole = said.reference
    if whole.others and said.deed != "change":
        raise _Other
    if whole.existing and said.calls != "make":
        said = replace(said, calls="change")
    each = [
        replace(said, reference=replace(whole, attribute=one, others=())) for one in (whole.attribute, *whole.others)
    ]
    parts = frozenset(part for one in each for part in _parts(one, toolbox))
    if said.how == "permit":
        return Meaning(allow=_pure(said, parts, toolbox))
    found = restriction(parts, toolbox, asks=said.how == "ask")
    if said.permits and said.how != "ask":
        return replace(found, allow=frozenset(_permitted(said, parts, toolbox)))
    return found


def _parts(said: OnAttribute, toolbox: Toolbox) -> Iterator[ToolPart]:
    tools = [one for one in toolbox.tools if not (one.reads or one.computes or one.code)]
    if said.reference.thing and not is_thing(tools, said.reference.thing):
        raise _Other
    bare = said.reference.attribute if not said.reference.thing else ()
    if said.deed == "change" and bare and bare[-1] in PERSONS:
        raise _Other  # "owners must not be changed" may be about what they are
    if bare and is_thing(tools, bare) and not has_exactly(tools, bare):
        raise _Other  # "set tickets to closed"
    args = {one: _args_of(one, said) for one in tools if about(one, said.reference.thing, _nouns(said)) != "no"}
    meant = [one for one, found in args.items() if found and _does(one, said)]
    if not meant:
        raise _Other
    more = _other_values(meant, args, said)
    doubt = next((why for one in args if (why := _doubt(one, args[one], said, more))), "")
    if doubt:
        raise Unclear(doubt)
    users = any(_USERS.search(one.described(arg).lower()) for one in meant for arg in args[one])
    for one in meant:
        _refuse_unnamed(one, args[one][0], said, users=users)
    found = [part for one in meant for part in _restricted(one, args[one][0], said)]
    if not found:
        raise _Other
    yield from found


def _nouns(said: OnAttribute) -> tuple[str, ...]:
    return said.reference.attribute or (("assignee",) if said.deed == "assign" else ())


def _args_of(one: KnownTool, said: OnAttribute) -> list[str]:
    """Return the arguments of a tool that may be the attribute."""
    if said.reference.attribute:
        found = args_named(one, said.reference.attribute)
        tested = bool(said.names) and said.how != "only"
        return [arg for arg in found if not (tested and lists_others(one, arg, said.names))]
    wanted = {plain_value(name) for name in said.names}
    if said.deed == "set":
        return [arg for arg, values in one.listed.items() if wanted <= set(map(plain_value, values))]
    shown = [arg for arg, texts in one.examples.items() if wanted & set(map(plain_value, texts))]
    return shown or args_for_person(one, again=said.calls == "change")


def _does(one: KnownTool, said: OnAttribute) -> bool:
    """Return whether a tool changes or makes things, as a sentence says."""
    verbs = one.verbs | one.done
    changes, makes = bool(verbs & CHANGING), bool(verbs & MAKING)
    if said.deed == "change" or said.calls == "change":
        return changes
    return makes if said.calls == "make" else changes or makes


def _other_values(meant: list[KnownTool], args: dict[KnownTool, list[str]], said: OnAttribute) -> frozenset[str]:
    """Return the further values that an attribute can get: all that schemas list, if a sentence is about all others."""
    if said.names and said.how != "only":
        return frozenset()
    return frozenset(value.lower() for one in meant for arg in args[one] for value in one.listed.get(arg, ()))


def _doubt(one: KnownTool, args: list[str], said: OnAttribute, more: frozenset[str]) -> str:
    """Return why it is not sure what a sentence means for a tool that is or may be about its thing. "" if it is."""
    sure = about(one, said.reference.thing, _nouns(said)) == "yes"
    verbs = one.verbs | one.done
    name = one.tool.name
    if args and _does(one, said):
        if not sure or len(args) > 1:
            return f"{name} may be about something else"
        if verbs & CHANGING and is_selector(one, args[0]):
            return f"{args[0]!r} of {name} may say what is changed, and not to what"
        return ""
    changes_only = said.deed == "change" or said.calls == "change"
    if is_open(one) and (verbs & CHANGING or (verbs & MAKING and not changes_only)) and (sure or one.head is None):
        return f"{name} takes any fields, and no rule can test which"
    made = changes_only and verbs & MAKING and not verbs & CHANGING
    if made or (said.calls == "make" and not verbs & MAKING):
        return ""
    if args and not verbs & DELETING:
        return f"{name} may do it as well"
    said_there = _says_value(one, said, more) or _says_attribute(one, said, anywhere=sure or bool(args))
    return f"{name} may do it as well" if said_there else ""


def _says_attribute(one: KnownTool, said: OnAttribute, *, anywhere: bool) -> bool:
    """Return whether a tool says the attribute that a sentence is about by its name or description.

    `anywhere`: also by an argument.
    """
    attribute = _nouns(said)
    if not attribute or not mentions(one, attribute, said.names, anywhere=anywhere):
        return False
    return not one.verbs & DELETING or (one.nouns[-1:] == attribute[-1:] and not said.names)


def _says_value(one: KnownTool, said: OnAttribute, more: frozenset[str]) -> bool:
    """Return whether a tool does by its verb or description what a value says. `more` are further values."""
    attribute = _nouns(said)
    told = set(re.findall(r"[a-z]+", one.tool.comment.lower()))
    named = frozenset(map(str.lower, said.names))
    if (named | (more - _COMMON)) & told or (
        not named - more and attribute[-1:] and attribute[-1] in _STATES and one.verbs & _TURNS
    ):
        return True
    bases = (base for low in named | more for base in (*bases_of(low, form="ed"), low))
    return not one.verbs.isdisjoint({*bases, *(_TO_END if _ENDED & (named | more) else ())})


def _restricted(one: KnownTool, arg: str, said: OnAttribute) -> Iterator[ToolPart]:
    """Yield the calls of a tool that a sentence restricts. None if the attribute cannot have the values there."""
    present = () if arg in one.required else (Limit(arg=arg, state="present"),)
    if said.deed == "change" and not said.names:
        tests = given(one, arg) if present else [()]
        if not tests:
            raise Unclear(f"no test shows whether {arg!r} of {one.tool.name} is given")
        yield from (part_of(one, where=(*present, *test)) for test in tests)
        return
    limit = _values(one, arg, said)
    if limit is None:
        return
    if present and arg in one.lists:
        present = (*present, Limit(arg=arg, size="items", above=0))
    if said.how == "only":
        yield part_of(one, where=() if said.demands else present, unless=(limit,))
    else:
        yield part_of(one, where=(*(() if _may_be_default(one, arg, said) else present), limit))


def _values(one: KnownTool, arg: str, said: OnAttribute) -> Limit | None:
    """Return the test of the values of an attribute. None if the schema lists others.

    Raises:
        Unclear: no value of the argument shows them.
    """
    noun = min(nouns_of_argument(one, arg), default="")
    limit = chosen_limit(one, Qualifier(kind="chosen", arg=noun, names=said.names)) if noun else None
    if limit is not None and limit.arg == arg:
        if arg in one.listed:
            return limit
        return Limit(
            arg=arg, among=tuple(dict.fromkeys(each for value in limit.among for each in spellings(str(value))))
        )
    words = {word for name in said.names for word in plain_value(name).split()}
    listed = {word for value in one.listed.get(arg, ()) for word in plain_value(value).split()}
    if arg in one.listed and words.isdisjoint(listed) and said.how != "only":
        return None
    raise Unclear(f"no value of {arg!r} of {one.tool.name} shows {said.names[0]!r}")


def _refuse_unnamed(one: KnownTool, arg: str, said: OnAttribute, *, users: bool) -> None:
    """Refuse words that may describe somebody, and names where a call has an id. `users`: usernames are meant.

    Raises:
        Unclear: it is not sure that the words are values.
    """
    if arg in one.listed or not said.names:
        return
    if takes_ids(one, arg) and not all(name.isdigit() for name in said.names):
        raise Unclear(f"{one.tool.name} takes an id, and no name")
    examples = {text.lower() for text in one.examples.get(arg, ())}
    for name in said.names if said.deed == "assign" and not said.reference.attribute else ():
        plain = name.isalpha() and name.islower() and name not in examples | said.quoted
        if plain and (not users or _PLURAL.search(name) or name in _NO_NAMES):
            raise Unclear(f"{name!r} may describe somebody; put the name in quotes")


def _may_be_default(one: KnownTool, arg: str, said: OnAttribute) -> bool:
    """Return whether a call without the argument may give it one of the values."""
    told = one.described(arg).lower()
    wanted = [plain_value(name) for name in said.names]
    return (
        bool(one.verbs & MAKING)
        and (one.has_default(arg) or "default" in told)
        and any(name in plain_value(told) for name in wanted if "default" in told)
    )


def _pure(said: OnAttribute, parts: frozenset[ToolPart], toolbox: Toolbox) -> frozenset[ToolPart]:
    """Return what a permission is for: calls of the tools that do nothing else.

    Raises:
        Unclear: all tools can change more in the same call.
    """
    known = {one.key: one for one in toolbox.tools}
    tested = {(part.server, part.tool): part for part in parts if len(part.where) == 1}
    found = frozenset(part for key, part in tested.items() if _does_only(known[key], part.where[0].arg or ""))
    lost = [known[part.server, part.tool] for part in parts - found]
    if not found or not said.names or any(one.verbs & CHANGING for one in lost):
        raise Unclear("a tool can change more in the same call, so that this would allow too much")
    return found


def _does_only(one: KnownTool, arg: str) -> bool:
    """Return whether a call of a tool says what is changed, and gives the argument, and nothing else."""
    others = set(one.tool.args) - {arg}
    return others <= one.required and all(is_id(other) or split_name(other)[-1:] in _KEYS for other in others)


def _permitted(said: OnAttribute, parts: frozenset[ToolPart], toolbox: Toolbox) -> Iterator[ToolPart]:
    """Yield what a sentence with "only" permits: calls of a tool that does nothing else, with these values."""
    known = {one.key: one for one in toolbox.tools}
    for part in parts:
        one = known[part.server, part.tool]
        alone = all(_does_only(one, limit.arg or "") for limit in part.unless)
        if not part.where and part.unless and (alone or said.verb in one.verbs):
            yield part_of(one, where=part.unless)
