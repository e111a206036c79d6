"""Finds the argument whose values have names by a pattern, as in "servers whose name starts with prod-"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument, split_name
from retouch.recipes.policy.english.words.acts import ANYTHING, Qualifier
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.language.values import Limit
from retouch.recipes.policy.resources.roles import URL_ROLES

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.acts import Act

PATTERN = "name: "  # begins the `word` of a qualifier with patterns, before what is named: `name: number`
ID = "id: "  # the `word` of a qualifier with ids that begin like those in a description
_IDS = word_set("id ids number key identifier code slug")
_NUMBERS = word_set("number id key identifier")
_CHANGING = word_set("change modify edit update alter touch use")
_TITLES = word_set("name title")


def is_pattern(qualifier: Qualifier) -> bool:
    """Return whether a qualifier has patterns of names."""
    return qualifier.kind == "chosen" and qualifier.word.startswith(PATTERN)


def pattern_limit(one: KnownTool, qualifier: Qualifier) -> Limit | None:
    """Return the test of names by a pattern: of the argument that has the name of such a thing. None if none is sure.

    A number is an id, as in "tickets whose number starts with FAC". An id shows no name.
    """
    noun, what = qualifier.arg, qualifier.word.removeprefix(PATTERN)
    named = [arg for arg in one.tool.args if _is_named(one, arg, noun) and _is_free(one, arg)]
    ids = [arg for arg in named if _IDS & set(split_name(arg)) or _is_told_id(one, arg)]
    if what in _NUMBERS:
        own = [arg for arg in one.tool.args if arg.lower() in _IDS and noun == one.head and _is_free(one, arg)]
        entity = [arg for arg in one.tool.args if split_name(arg) == ["entity", "id"] and _is_free(one, arg)]
        args = ids or own or entity  # `lock.front_door` for any device
    else:
        own = [arg for arg in one.tool.args if arg.lower() in _TITLES and noun == one.head and _is_free(one, arg)]
        plain = [arg for arg in named if arg not in ids]
        titled = [arg for arg in plain if singular(split_name(arg)[-1]) in _TITLES]
        args = titled or plain or ([] if ids else own)
    if len(args) != 1:
        return None
    marks = [
        mark for mark in "#@" if re.search(rf"(?:leading|with an?) {mark}|e\.g\. {mark}\w", one.described(args[0]))
    ]
    marked = [f"{mark}{name}" for mark in marks for name in qualifier.names if name[:1] not in {"*", mark}]
    return Limit(arg=args[0], like=(*qualifier.names, *marked))


def _is_named(one: KnownTool, arg: str, noun: str) -> bool:
    return noun in nouns_of_argument(one, arg) or split_name(arg) in ([noun, "title"], [noun, "titles"])


def _is_free(one: KnownTool, arg: str) -> bool:
    """Return whether an argument may be any name. The end of a URL is no end of the site: `example.com/page.gov`."""
    address = not URL_ROLES.isdisjoint(one.tool.args[arg].all_roles)
    return one.takes_text(arg) and arg not in one.listed and not address


def _is_told_id(one: KnownTool, arg: str) -> bool:
    told = one.described(arg).lower()
    return re.search(r"\b(?:ids?|identifiers?|uuid)\b", told) is not None and re.search(r"\bnames?\b", told) is None


def with_ids(act: Act, prefixes: frozenset[str]) -> Act:
    """Return "payee_landlord may be paid" with the id as a value of an argument. Other acts are returned unchanged."""
    names = tuple(" ".join(thing.raw) for thing in act.things)
    known = all(re.fullmatch(r"[\w-]+", name) and name.lower().startswith(tuple(prefixes)) for name in names)
    said = bool(act.verbs) and _CHANGING.isdisjoint(act.verbs)  # a payee is not changed by paying it
    if not names or not prefixes or not known or not said or act.exceptions:
        return act
    return replace(
        act, things=(ANYTHING,), qualifiers=(Qualifier(kind="chosen", word=ID, names=names), *act.qualifiers)
    )
