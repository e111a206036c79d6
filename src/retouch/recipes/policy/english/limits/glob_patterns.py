"""Patterns of file names that lead out of the directory beside them: `Glob(path, pattern)` with the pattern `/etc/*`.

Who may search in a directory may not do so by a pattern for another one, and what keeps out of a directory keeps out
of patterns for it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
from retouch.recipes.policy.language.values import Limit
from retouch.recipes.policy.resources.paths import expand_home

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool

_GLOB = re.compile(r"\bglob(?:s|bing)?\b")
_UP = "*..*"
_ELSEWHERE = ("/*", "~*", _UP)


def glob_argument(one: KnownTool) -> str | None:
    """Return the argument of a tool that chooses files by a pattern of their paths. None if it has none."""
    args = (arg for arg in ("pattern", "patterns") if arg in one.required and one.paths)
    told = f"{one.tool.name} {one.tool.comment}".lower()
    return next((arg for arg in args if _GLOB.search(f"{told} {one.described(arg)}".lower())), None)


def with_glob_patterns(meaning: Meaning, tools: Iterable[KnownTool], home: str) -> Meaning:
    """Return a meaning whose tests of directories hold for the patterns of file names beside them as well."""
    known = {one.key: arg for one in tools if (arg := glob_argument(one))}
    if not known:
        return meaning
    allow, excepted = set[ToolPart](), set(meaning.excepted)
    for part in meaning.allow:
        arg = known.get((part.server, part.tool))
        bounded = arg is not None and any(limit.within for limit in part.where)
        elsewhere = Limit(arg=arg, like=_ELSEWHERE)
        allow.add(replace(part, unless=(elsewhere,)) if bounded and not part.unless else part)
        if bounded and part.unless:
            excepted.add(replace(part, where=(elsewhere,), unless=()))
    found = {
        mood: frozenset(each for part in parts for each in (part, *_by_pattern(part, known, home)))
        for mood, parts in (("ask", meaning.ask), ("never", meaning.never))
    }
    return Meaning(allow=frozenset(allow), excepted=frozenset(excepted), **found)


def _by_pattern(part: ToolPart, known: dict[tuple[str, str], str], home: str) -> Iterator[ToolPart]:
    """Yield the calls that reach what is restricted by a pattern, whatever their directory is."""
    arg = known.get((part.server, part.tool))
    if arg is None:
        return
    if len(part.unless) == 1 and part.unless[0].within:
        yield replace(part, where=(*part.where, Limit(arg=arg, like=_ELSEWHERE)), unless=())
    for limit in part.where if not part.unless else ():
        if limit.within:
            places = dict.fromkeys(place for one in limit.within for place in (one, expand_home(one, home)))
            inside = Limit(arg=arg, like=(*(f"{place.rstrip('/')}*" for place in places), _UP))
            yield replace(part, where=tuple(inside if each == limit else each for each in part.where))
