"""Spares calls that a restriction does not mean: those that leave out a flag that is false then, or give an empty list.

"Never put anybody in bcc" is not about `bcc=[]`, and "public buckets are forbidden" is not about a call without
`public`, which is false by default.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart


def sparing(meaning: Meaning, toolbox: Toolbox) -> Meaning:
    """Return a meaning whose restrictions test whether a flag is given, and whether a given list has items."""
    known = {one.key: one for one in toolbox.tools}

    def narrowed(parts: frozenset[ToolPart]) -> frozenset[ToolPart]:
        return frozenset(
            replace(part, where=tuple(_tests(known[part.server, part.tool], part)))
            if (part.server, part.tool) in known
            else part
            for part in parts
        )

    return replace(
        meaning, ask=narrowed(meaning.ask), never=narrowed(meaning.never), excepted=narrowed(meaning.excepted)
    )


def _tests(one: KnownTool, part: ToolPart) -> Iterator[Limit]:
    """Yield the tests of a restriction of a tool, with further ones."""
    for limit in part.where:
        alike = [other for other in part.where if other.arg == limit.arg]
        if limit.among == (True,) and one.is_false_by_default(limit.arg or "") and len(alike) == 1:
            yield Limit(arg=limit.arg, state="present")
        yield limit
        if limit.state == "present" and limit.arg in one.lists and len(alike) == 1:
            yield Limit(arg=limit.arg, size="items", above=0)
