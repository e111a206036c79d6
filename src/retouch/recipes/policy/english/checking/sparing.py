"""Spares calls that a restriction does not mean: without a flag that is false then, with an empty list, without guests.

"Never put anybody in bcc" is not about `bcc=[]`, "public buckets are forbidden" is not about a call without `public`,
which is false by default, and an update without a `status` does not close a ticket.
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


def _tests(one: KnownTool, part: ToolPart) -> Iterator[Limit]:
    """Yield the tests of a restriction of a tool, with further ones."""
    given = {limit.arg for limit in part.where if limit.state == "present"}
    updates = bool(one.verbs & CHANGERS)
    for limit in part.where:
        guests = _guests(one, limit)
        arg = guests or _free(one, limit, updates=updates)
        if arg and arg not in given:
            yield Limit(arg=arg, state="present")
            if guests in one.lists:
                yield Limit(arg=guests, size="items", above=0)
        yield limit
        alone = sum(other.arg == limit.arg for other in part.where) == 1
        if limit.state == "present" and limit.arg in one.lists and alone and not updates:
            yield Limit(arg=limit.arg, size="items", above=0)  # an update with an empty list removes what was there


def _guests(one: KnownTool, limit: Limit) -> str:
    """Return the argument for people whom a call may leave out, and then means nobody. "" if there are others."""
    args = [arg for arg, spec in one.tool.args.items() if limit.role in spec.all_roles]
    free = len(args) == 1 and args[0] not in one.required and not _GUESTS.isdisjoint(split_name(args[0]))
    return args[0] if limit.emails and free else ""


def _free(one: KnownTool, limit: Limit, *, updates: bool) -> str:
    """Return the tested argument, if it is a flag that is false where it is left out, or an update leaves it as it is.
    Otherwise "".
    """
    arg = limit.arg or ""
    is_state = bool(limit.among) and split_name(arg)[-1:] in (["status"], ["state"])
    kept = updates and (limit.like == ("*",) or is_state) and arg not in one.required and not one.has_default(arg)
    return arg if kept or (limit.among == (True,) and one.is_false_by_default(arg)) else ""
