"""Repositories that a call names by their path in one argument: `project_id: acme/website`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument, split_name
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.tools.known_tools import KnownTool

_PROJECTS = word_set("project repository repo")
_SHOWN = re.compile(r"\be\.g\.,? ['\"`]?[\w.-]+/[\w.-]+['\"`]?(?![\w/])")
_OTHERWISE = re.compile(r"\b(?:ids?|numeric|encoded|number|url)\b")


def paths_inside(one: KnownTool) -> tuple[str, ...]:
    """Return the arguments of a tool that are paths of files in a repository, also in the items of a list."""
    if not {"github-owner", "github-repo"} <= one.roles:
        return ()
    found = (one.tool.input_schema or {}).get("properties")
    schemas = found if isinstance(found, dict) else {}
    return tuple(arg for arg, schema in schemas.items() if arg in one.tool.args and _is_path(arg, schema))


def _is_path(arg: str, schema: JSON) -> bool:
    items = schema.get("items") if isinstance(schema, dict) else None
    inner = items.get("properties") if isinstance(items, dict) else None
    return split_name(arg)[-1:] in (["path"], ["filepath"]) or (isinstance(inner, dict) and "path" in inner)


def project_limit(one: KnownTool, names: tuple[str, ...], *, exact: bool) -> Limit | None:
    """Return the test of `acme/website`. None if no argument takes such a path.

    `exact`: nothing else passes. What restricts needs an argument that takes paths only, and not ids as well.
    """
    arg = _argument(one, exact=exact)
    return None if arg is None else Limit(arg=arg, among=names)


def owner_limit(one: KnownTool, names: tuple[str, ...], *, exact: bool) -> Limit | None:
    """Return the test of all repositories of `acme`. None if no argument takes their paths."""
    arg = _argument(one, exact=exact)
    return None if arg is None else Limit(arg=arg, like=tuple(f"{name}/*" for name in names))


def _argument(one: KnownTool, *, exact: bool) -> str | None:
    found = [
        arg
        for arg in one.tool.args
        if one.takes_one_text(arg)
        and arg not in one.listed
        and _SHOWN.search(one.described(arg)) is not None
        and not _PROJECTS.isdisjoint({*split_name(arg), *nouns_of_argument(one, arg)})
    ]
    if len(found) != 1:
        return None
    return found[0] if exact or _OTHERWISE.search(one.described(found[0]).lower()) is None else None
