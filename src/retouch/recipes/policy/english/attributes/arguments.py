"""Which argument of a tool is an attribute of a thing, and whether a tool is about that thing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.limits.binding import plain_value
from retouch.recipes.policy.english.limits.demanding import CHANGERS, MAKERS
from retouch.recipes.policy.english.tools.known_tools import ID_OR_NAME, nouns_of_argument, split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.tools.known_tools import KnownTool

About: TypeAlias = Literal["yes", "perhaps", "no"]
CHANGING = CHANGERS | word_set(
    "replace transition reassign upsert overwrite toggle mark correct amend alter apply save put store import sync "
    "bulk batch move transfer switch raise lower increase decrease reprioritize label tag categorize"
)
MAKING = MAKERS | word_set("insert upsert import register submit duplicate clone copy")
DELETING = word_set("delete remove trash erase destroy purge drop clear wipe reset unset close cancel archive")
_NEW = word_set("new the updated target a an")
_SAME: dict[tuple[str, ...], tuple[str, ...]] = {
    ("email", "address"): ("email",),
    ("e-mail", "address"): ("email",),
    ("phone", "number"): ("phone",),
}
_ASSIGNEES = word_set("assignee assignees assigned")
_OWNERS = _ASSIGNEES | word_set("owner responsible")
_OPEN_TEXT = re.compile(r"\b(?:json|yaml|xml|manifest|fields|properties|attributes|patch|payload)\b", re.IGNORECASE)
_IDS = word_set("id ids key keys number iid uuid uid slug ref")
_ALL_OF = word_set("field property attribute record entry item object data detail info")


def phrases(one: KnownTool, arg: str) -> frozenset[tuple[str, ...]]:
    """Return the nouns that name an argument: `price` for `new_price`, `postal address` for "New postal address"."""
    words = split_name(arg)
    found = {tuple(noun.split()) for noun in nouns_of_argument(one, arg)}
    found |= {tuple(words[start:]) for start in range(2) if words[start:] and (start == 0 or words[0] in _NEW)}
    told = re.match(r"[A-Za-z-]+(?: [A-Za-z-]+){0,3}(?=$|[,.;(]| \(| in | of )", one.described(arg))
    if told:
        said = told[0].lower().split()
        while said and said[0] in _NEW:
            said = said[1:]
        found |= {tuple(said)} if 0 < len(said) <= 3 else set()
    return frozenset(plain_nouns(each) for each in found if each)


def plain_nouns(nouns: tuple[str, ...]) -> tuple[str, ...]:
    """Return nouns with the last one in the singular: `email` for "email addresses"."""
    found = (*nouns[:-1], singular(nouns[-1]))
    return _SAME.get(found, found)


def args_named(one: KnownTool, nouns: tuple[str, ...]) -> list[str]:
    """Return the arguments that nouns name, without the one that says which thing a tool changes: `issue_key`."""
    found = [arg for arg in one.tool.args if plain_nouns(nouns) in phrases(one, arg)]
    acted = {one.head, *(each[-1] for each in one.told[:1])}
    return [arg for arg in found if nouns[-1] not in acted or split_name(arg)[-1] not in _IDS]


def has_exactly(tools: Iterable[KnownTool], nouns: tuple[str, ...]) -> bool:
    """Return whether an argument of a tool has this name."""
    return any(
        plain_nouns(tuple(split_name(arg))) == plain_nouns(nouns) for one in tools for arg in one.tool.args if arg
    )


def is_thing(tools: Iterable[KnownTool], nouns: tuple[str, ...]) -> bool:
    """Return whether some tool acts on things of this name."""
    return any(about(one, nouns, ()) == "yes" for one in tools)


def args_for_person(one: KnownTool, *, again: bool) -> list[str]:
    """Return the arguments for whom something is assigned to. `again`: also its owner, if there is no other one."""
    found = [arg for arg in one.tool.args if not _ASSIGNEES.isdisjoint(split_name(arg))]
    return found or [arg for arg in one.tool.args if again and not _OWNERS.isdisjoint(split_name(arg))]


def about(one: KnownTool, thing: tuple[str, ...], attribute: tuple[str, ...]) -> About:
    """Return whether a tool is about a thing, or about an attribute of it: `set_priority(ticket_id)`."""
    if not thing:
        return "yes"
    noun = thing[-1]
    told = {each[-1] for each in one.told}
    if not set(thing[:-1]) <= one.vocabulary | {word for each in one.told for word in each}:
        return "perhaps" if noun in {one.head, *told, *one.vocabulary, *one.argument_words} else "no"
    if noun == one.head or (one.told and one.told[0][-1] == noun):
        return "yes"
    if re.match(rf"[a-z]+ (?:an? |the )?{re.escape(noun)}'s ", one.tool.comment.lower()):
        return "yes"  # "Change a patient's contact data"
    own = bool(attribute) and one.nouns[-1:] == attribute[-1:]
    if own and noun in one.argument_words | told:
        return "yes"
    if noun in one.argument_words | one.vocabulary | told or one.head is None or one.head in _ALL_OF:
        return "perhaps"
    return "no"


def is_open(one: KnownTool) -> bool:
    """Return whether a call can name any field in an argument, so that nobody sees which attribute it changes."""
    return any(_is_open(one.tool.schemas.get(arg)) or _OPEN_TEXT.search(one.described(arg)) for arg in one.tool.args)


def _is_open(schema: JSON) -> bool:
    if not isinstance(schema, dict):
        return True
    kinds = schema.get("type")
    kinds = set(map(str, kinds)) if isinstance(kinds, list) else {str(kinds)}
    if "array" in kinds:
        return _is_open(schema.get("items") or {"type": "string"})
    return not kinds <= {"string", "number", "integer", "boolean", "null"}


def is_selector(one: KnownTool, arg: str) -> bool:
    """Return whether an argument of a tool that changes things may say which one is changed: `update_user(email)`."""
    if arg not in one.required:
        return bool({"old", "current", "previous", "from", "filter"} & {*split_name(arg)})
    told = re.match(r"(?:the )?(?:new|target|updated)\b", one.described(arg).lower())
    own = {singular(word) for word in split_name(arg)} & {*one.nouns, *map(singular, one.words)}
    others = [split_name(other)[-1] for other in one.required if other != arg]
    named = any(word in _IDS or singular(word) in {one.head, "name", "page", "path"} for word in others)
    sets = named or one.verbs & word_set("set assign transition reassign move toggle put adjust reschedule add mark")
    return not (sets or told or "new" in split_name(arg) or own)


def mentions(one: KnownTool, nouns: tuple[str, ...], names: tuple[str, ...], *, anywhere: bool) -> bool:
    """Return whether a tool says an attribute: in its name, its description or, with `anywhere`, an argument.

    An argument that the schema lists other values for than `names` is another attribute.
    """
    args = [arg for arg in one.tool.args if anywhere and (not names or not lists_others(one, arg, names))]
    texts = [" ".join(one.words), one.tool.comment, *map(one.described, args)]
    texts += [" ".join(split_name(arg)) for arg in args]
    wanted = f" {' '.join(plain_nouns(nouns))} "
    for text in texts:
        said = [singular(word) for word in re.findall(r"[a-z]+", text.lower())]
        if wanted in f" {' '.join(said)} ":
            return True
    return False


def lists_others(one: KnownTool, arg: str, names: tuple[str, ...]) -> bool:
    """Return whether the schema lists values of an argument, and none of some names."""
    return arg in one.listed and {*map(plain_value, names)}.isdisjoint(map(plain_value, one.listed[arg]))


def takes_ids(one: KnownTool, arg: str) -> bool:
    """Return whether an argument takes ids, so that a name shows nothing."""
    told = f"{' '.join(split_name(arg))} {one.described(arg)}".lower()
    return re.search(r"\b(?:ids?|uuid|identifiers?)\b", told) is not None and ID_OR_NAME.search(told) is None
