"""Spares calls that a restriction does not mean: without a flag that is false then, with an empty list, without guests.

"Never put anybody in bcc" is not about `bcc=[]`, and "public buckets are forbidden" is not about a call without
`public`, which is false by default.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.demanding import CHANGERS
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

# A call without them has none, where one without `to` may have those that the server knows.
_GUESTS = word_set("attendee attendees guest guests participant participants invitee invitees cc bcc")


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


def _guests(one: KnownTool, limit: Limit) -> str:
    """Return the argument for people whom a call may leave out, and then means nobody. "" if there are others."""
    args = [arg for arg, spec in one.tool.args.items() if limit.role in spec.all_roles]
    free = len(args) == 1 and args[0] not in one.required and not _GUESTS.isdisjoint(split_name(args[0]))
    return args[0] if limit.emails and free else ""


def _tests(one: KnownTool, part: ToolPart) -> Iterator[Limit]:
    """Yield the tests of a restriction of a tool, with further ones."""
    given = {limit.arg for limit in part.where if limit.state == "present"}
    for limit in part.where:
        if (guests := _guests(one, limit)) and guests not in given:
            yield Limit(arg=guests, state="present")
            if guests in one.lists:
                yield Limit(arg=guests, size="items", above=0)
        alike = [other for other in part.where if other.arg == limit.arg]
        changed = limit.like == ("*",) and limit.arg not in one.required and bool(one.verbs & CHANGERS)
        if changed and limit.arg not in given:
            yield Limit(arg=limit.arg, state="present")
        if limit.among == (True,) and one.is_false_by_default(limit.arg or "") and len(alike) == 1:
            yield Limit(arg=limit.arg, state="present")
        yield limit
        if limit.state == "present" and limit.arg in one.lists and len(alike) == 1 and not one.verbs & CHANGERS:
            yield Limit(arg=limit.arg, size="items", above=0)  # an update with an empty list removes what was there
