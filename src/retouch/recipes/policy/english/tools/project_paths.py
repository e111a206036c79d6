"""Repositories that a call names by their path in one argument: `project_id: acme/website`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument, split_name
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

_PROJECTS = word_set("project repository repo")
_SHOWN = re.compile(r"\be\.g\.,? ['\"`]?[\w.-]+/[\w.-]+['\"`]?(?![\w/])")
_EITHER = re.compile(r"\bids? (?:or|/) (?:the |its )?(?:url[- ]encoded |full |namespaced? |encoded )*path\b")
_PATHS = ("*/*", "*%2F*", "*%2f*")  # what is no number
_OTHERWISE = re.compile(r"\b(?:ids?|numeric|encoded|number|url)\b")


def paths_inside(one: KnownTool) -> tuple[str, ...]:
    """Return the arguments of a tool that are paths of files in a repository, also in the items of a list."""
    if not {"github-owner", "github-repo"} <= one.roles and _argument(one) is None:
        return ()
    return tuple(arg for arg, schema in one.tool.schemas.items() if arg in one.tool.args and _is_path(arg, schema))


def _is_path(arg: str, schema: JSON) -> bool:
    items = schema.get("items") if isinstance(schema, dict) else None
    inner = items.get("properties") if isinstance(items, dict) else None
    named = split_name(arg)[-1:] in (["path"], ["filepath"])
    return named or (isinstance(inner, dict) and any(split_name(name)[-1:] == ["path"] for name in inner))


def takes_projects(one: KnownTool) -> bool:
    """Return whether a call of a tool names a repository by its path in one argument."""
    return _argument(one) is not None


def project_limit(one: KnownTool, names: tuple[str, ...], *, exact: bool) -> Limit | None:
    """Return the test of `acme/website`. None if no argument takes such a path.

    `exact`: nothing else passes. What restricts needs an argument that takes paths, and ids only where it says so
    (see `with_numbers`).
    """
    arg = _argument(one)
    if arg is None or (not exact and _takes_ids_otherwise(one, arg)):
        return None
    encoded = takes_either(one, arg) and not (exact and "encoded" not in one.described(arg).lower())
    return Limit(arg=arg, among=tuple(each for name in names for each in (name, *(_encoded(name) if encoded else ()))))


def with_numbers(meaning: Meaning, tools: Iterable[KnownTool]) -> Meaning:
    """Return a meaning whose restrictions of a project are also about numbers in place of its path.

    Nobody sees of which project a number is the id: it may be the one that is meant.

    Raises:
        Unclear: such a restriction has an exception.
    """
    known = {one.key: one for one in tools}

    return meaning.with_added(
        lambda parts: (each for part in parts for each in _by_number(part, known.get((part.server, part.tool))))
    )


def _by_number(part: ToolPart, one: KnownTool | None) -> Iterator[ToolPart]:
    for limit in part.where if one is not None else ():
        if one is None or limit.arg is None or not (limit.among or limit.like) or not takes_either(one, limit.arg):
            continue
        if part.unless:
            raise Unclear(f"{limit.arg!r} of {one.tool.name} may be a number, and nobody sees of what project")
        rest = tuple(each for each in part.where if each != limit)
        yield replace(part, where=rest, unless=(Limit(arg=limit.arg, like=_PATHS),))


def _encoded(name: str) -> tuple[str, ...]:
    return tuple(name.replace("/", sign) for sign in ("%2F", "%2f"))


def owner_limit(one: KnownTool, names: tuple[str, ...], *, exact: bool) -> Limit | None:
    """Return the test of all repositories of `acme`. None if no argument takes their paths."""
    arg = _argument(one)
    if arg is not None and not exact and _takes_ids_otherwise(one, arg):
        return None
    signs = ("/", "%2F", "%2f") if arg is not None and takes_either(one, arg) else ("/",)
    return None if arg is None else Limit(arg=arg, like=tuple(f"{name}{sign}*" for name in names for sign in signs))


def _argument(one: KnownTool) -> str | None:
    found = [
        arg
        for arg in one.tool.args
        if one.takes_one_text(arg)
        and arg not in one.listed
        and (_SHOWN.search(one.described(arg)) is not None or takes_either(one, arg))
        and not _PROJECTS.isdisjoint({*split_name(arg), *nouns_of_argument(one, arg)})
    ]
    return found[0] if len(found) == 1 else None


def takes_either(one: KnownTool, arg: str) -> bool:
    """Return whether an argument is described as the id or the path of a project: "Project ID or URL-encoded path"."""
    return _EITHER.search(one.described(arg).lower()) is not None


def _takes_ids_otherwise(one: KnownTool, arg: str) -> bool:
    """Return whether a description says in other words that an argument takes something beside paths."""
    return not takes_either(one, arg) and _OTHERWISE.search(one.described(arg).lower()) is not None
