"""Determines whether a tool acts on everything below a path, by its name, its roles and the names of its arguments."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_MOVING: frozenset[str] = frozenset({"move", "mv", "rename"})
_READING_WORDS = """
    archive attach backup bundle clone compress copy copytree cp crawl download du egrep export find glob grep gzip
    index mirror pack package publish recursive recursively rg rgrep ripgrep rsync scan scp search send share sync tar
    traverse tree upload walk zip
"""
_READING: frozenset[str] = _MOVING | frozenset(_READING_WORDS.split())
_WRITING_WORDS = """
    chattr checkout chgrp chmod chown copy copytree cp decompress decrypt encrypt extract mirror mount recursive
    recursively replace restore rmtree rsync scp sync unarchive unpack untar unzip
"""
_WRITING: frozenset[str] = frozenset(_WRITING_WORDS.split())
_DEPTH: frozenset[str] = frozenset({"depth", "recurse", "recursion", "recursive", "recursively"})


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


def has_depth(args: Iterable[str]) -> bool:
    """Return whether an argument sets how deep a tool goes, such as `recursive` or `maxDepth`."""
    return any(not _words(arg).isdisjoint(_DEPTH) for arg in args)


@cache
def reaches_below(role: str, tool: str, roles: frozenset[str], *, deep: bool = False) -> bool:
    """Return whether a tool of this name, with these roles, acts on everything below a path of one role.

    Deleting a directory deletes everything below it. So does moving: the moved path has the role delete-path. If no
    argument has that role, any path of the tool may be the one that is moved. `deep` tools have an argument that sets
    how deep they go.
    """
    if role == "delete-path" or deep:
        return True
    words = _words(tool)
    if role == "write-path":
        moves = "delete-path" not in roles and not words.isdisjoint(_MOVING)
        return moves or not words.isdisjoint(_WRITING)
    return not words.isdisjoint(_READING)
