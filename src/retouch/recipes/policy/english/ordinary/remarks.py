"""Leaves out what a remark after a restriction permits: "ask me before declining an invitation; accepting is fine".

The remark says what the restriction is not about. It is no permission, after which everything else would be denied. A
remark about calls that the restriction is about is an exception, and stays.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

_REMARK = re.compile(
    r"(?:please )?(?:never|do not|don['\u2019]t|no|(?:always )?(?:ask|check with)|you (?:must|may|can|should) "
    r"?(?:not|never)|"
    r"you (?:cannot|can['\u2019]t|mustn['\u2019]t))\b[^;]*(?:;|,| -| \u2014| \u2013)(?: but| while| though)? [^;,]+? "
    r"(?:is|are) (?:always |perfectly |totally |all )?(?:fine|ok|okay|allowed|no problem|alright|permitted|"
    r"welcome|good)"
    r"(?: (?:with|by) me)?[.!]?",
    re.IGNORECASE,
)


def without_remark(text: str, meaning: Meaning) -> Meaning:
    """Return the restriction of a sentence without the permission that its remark gives, if they do not overlap."""
    strict = meaning.ask | meaning.never
    if not meaning.allow or not strict or meaning.excepted or not _REMARK.fullmatch(text.strip()):
        return meaning
    if all(_are_apart(one, other) for one in meaning.allow for other in strict):
        return replace(meaning, allow=frozenset())
    return meaning


def _are_apart(one: ToolPart, other: ToolPart) -> bool:
    """Return whether no call is one of both parts: they are of two tools, or an argument has two values."""
    if (one.server, one.tool) != (other.server, other.tool):
        return True
    mine = {limit.arg: {*limit.among} for limit in one.where if limit.arg and limit.among}
    its = {limit.arg: {*limit.among} for limit in other.where if limit.arg and limit.among}
    return any(mine[arg].isdisjoint(its[arg]) for arg in mine.keys() & its.keys())
