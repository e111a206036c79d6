"""Tools that change files on a branch of a hosted repository: whoever calls one commits and pushes at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.recipes.policy.english.tools.known_tools import KnownTool

PUSHING = word_set("push commit")
_DELETING = word_set("delete remove")
# What is pushed, whatever it is. Files have tools of their own.
_WHATEVER = word_set("anything everything something code change commit work stuff it")
_BRANCH = (["branch"], ["branch", "name"])
_CONTENT = word_set("content contents files actions")


def is_pushed(nouns: tuple[str, ...]) -> bool:
    """Return whether the object of "push" is no special one: anything, code, changes."""
    return set(nouns) <= _WHATEVER


def pushing_tools(tools: Iterable[KnownTool], *, permits: bool = False) -> tuple[KnownTool, ...]:
    """Return the tools that change files on the branch that a call names. None if another tool pushes or commits.

    `permits`: without those that delete, of which leave to push says nothing.
    """
    found = tuple(one for one in tools if not (one.reads or one.code))
    hosted = tuple(filter(changes_branch, found))
    if any(not one.verbs.isdisjoint(PUSHING) and one not in hosted for one in found):
        return ()
    return tuple(one for one in hosted if not permits or one.verbs.isdisjoint(_DELETING))


def changes_branch(one: KnownTool) -> bool:
    """Return whether a tool changes files on a branch that a call names."""
    return bool(branch_argument(one)) and _changes_files(one)


def branch_argument(one: KnownTool) -> str:
    """Return the argument for the branch that a tool acts on. "" if there is none."""
    found = [arg for arg in one.tool.args if split_name(arg) in _BRANCH and one.takes_one_text(arg)]
    return found[0] if len(found) == 1 else ""


def _changes_files(one: KnownTool) -> bool:
    """Return whether a tool writes or deletes files: it has their content, or deletes what is at a path."""
    args = {word for arg in one.tool.args for word in split_name(arg)}
    deletes = bool(one.verbs & _DELETING) and ("path" in args or "file" in one.nouns)
    return deletes or one.commits or (not args.isdisjoint(_CONTENT) and _of_files(one))


def _of_files(one: KnownTool) -> bool:
    return "file" in one.nouns or re.search(r"\bfiles?\b", one.tool.comment.lower()) is not None
