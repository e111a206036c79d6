"""A place at the end of a permission is that of all its actions: "open issues and comment on them in acme/webshop"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
    from retouch.recipes.policy.language.values import Limit

_OF_REPOSITORIES = frozenset({"github-owner", "github-repo"})
_ARGUMENTS = frozenset({"owner", "repo", "repository", "project", "project_id"})


def in_one_place(meanings: tuple[Meaning, ...]) -> tuple[Meaning, ...]:
    """Return the meaning that permits the least, if the others permit some of the same tools in any place as well."""
    for one in meanings:
        if all(one == other or _is_narrower(one, other) for other in meanings):
            return (one,)
    return meanings


def _is_narrower(one: Meaning, other: Meaning) -> bool:
    """Return whether a meaning permits what another one does, and only in the place that a part of it is about."""
    restricted = (one.ask, one.never, one.excepted) == (other.ask, other.never, other.excepted)
    mine, theirs = _by_tool(one.allow), _by_tool(other.allow)
    if not restricted or not mine or mine.keys() != theirs.keys() or len(mine) != len(one.allow):
        return False
    places = {limit for part in one.allow for limit in part.where if _is_place(limit)}
    return all(
        part.unless == theirs[key].unless
        and set(theirs[key].where) <= set(part.where)
        and set(part.where) - set(theirs[key].where) <= places <= set(part.where)
        for key, part in mine.items()
    )


def _by_tool(parts: frozenset[ToolPart]) -> dict[tuple[str, str], ToolPart]:
    return {(part.server, part.tool): part for part in parts}


def _is_place(limit: Limit) -> bool:
    return bool(limit.within) or limit.role in _OF_REPOSITORIES or limit.arg in _ARGUMENTS
