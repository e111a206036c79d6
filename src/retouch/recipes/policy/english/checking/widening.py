"""Adds the tools that a restriction means as well, where they have the arguments that it tests.

"Never pay more than 200 euros" is about `create_payment(amount)`, and about `create_standing_order(amount)` too. A
sentence that restricts may restrict a tool too many, which the echo shows. A
permission becomes wider in one case: to look at channels is to read what is in them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.agreeing_tools import also_shown, may_be_meant
from retouch.recipes.policy.english.words.lexicon import CURRENCY_CODES, singular, word_set
from retouch.recipes.policy.english.words.sentences import Meaning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import ToolPart
    from retouch.recipes.policy.english.words.tokens import Token
    from retouch.recipes.policy.language.values import Limit

_UNITS = frozenset(
    {one.lower() for one in CURRENCY_CODES} | {one.lower() for one in CURRENCY_CODES.values()}
) | word_set(
    "cent minor smallest unit thousand million percent fraction millisecond second minute hour day week month byte "
    "kilobyte megabyte gigabyte kb mb gb meter metre kilometer kilometre gram kilogram degree piece item"
)
_MOST_TOOLS = 8  # that are added


def widened(meaning: Meaning, tokens: Sequence[Token], toolbox: Toolbox) -> Meaning:
    """Return what a sentence means with the tools that it restricts as well, each with the tests of one like it.

    It is returned as it is if one of them cannot be tested in the same way.
    """
    if meaning.allow and not (meaning.ask or meaning.never):
        return _with_contents(meaning, tokens, toolbox)
    if bool(meaning.ask) is bool(meaning.never) or meaning.excepted:
        return meaning
    shown = _with_contents(Meaning(allow=meaning.allow), tokens, toolbox).allow
    strict = {(one.server, one.tool) for one in (*meaning.ask, *meaning.never)}
    if strict.isdisjoint((one.server, one.tool) for one in shown):
        meaning = replace(meaning, allow=shown)
    mood = "ask" if meaning.ask else "never"
    parts = meaning.ask or meaning.never
    for _ in range(_MOST_TOOLS):
        whole = replace(meaning, **{mood: parts})
        found = next(may_be_meant(tokens, [(mood, False, one) for one in sorted(parts, key=str)], toolbox), None)
        if found is None:
            return whole
        missing, is_sure = found
        added = frozenset(_like(parts, missing, toolbox) if is_sure else ())
        if not added or any((one.server, one.tool) == missing.key for one in meaning.allow):
            return meaning
        parts |= added
    return meaning


def _with_contents(meaning: Meaning, tokens: Sequence[Token], toolbox: Toolbox) -> Meaning:
    """Return a permission to look at tables or channels with the tools that show what is in them."""
    known = {one.key: one for one in toolbox.tools}
    parts = meaning.allow
    if any(one.code and "read-only" in one.tool.comment.lower() for one in toolbox.tools):
        return meaning  # a query shows what is in tables, too
    for _ in range(_MOST_TOOLS):
        shown = also_shown(tokens, [("allow", False, one) for one in sorted(parts, key=str)], toolbox)
        if shown is None:
            return replace(meaning, allow=parts)
        added = {
            replace(part, tool=shown.tool.name)
            for part in parts
            if shown.tool.server == part.server
            and not part.unless
            and all(takes(shown, known[part.server, part.tool], limit) for limit in part.where)
        }
        if len({part.where for part in parts}) != 1 or not added:
            return meaning
        parts |= added
    return meaning


def _like(parts: frozenset[ToolPart], missing: KnownTool, toolbox: Toolbox) -> Iterator[ToolPart]:
    """Yield the parts of a tool that changes something: the tests of each part whose arguments it has."""
    known = {one.key: one for one in toolbox.tools}
    for part in parts:
        one = known[part.server, part.tool]
        tests = (*part.where, *part.unless)
        same = missing.tool.server == part.server and not one.code and not missing.reads
        if same and any(not limit.count for limit in tests) and all(takes(missing, one, limit) for limit in tests):
            yield replace(part, tool=missing.tool.name)


def takes(missing: KnownTool, one: KnownTool, limit: Limit) -> bool:
    """Return whether a test is about the same for two tools: the time of the call, or an argument that both have.

    Calls and amounts of both are counted together.
    """
    if limit.is_total and (limit.sum is None or limit.same):
        return not limit.same
    arg = limit.sum or limit.arg
    if arg is None:
        return limit.is_clock or limit.role in missing.roles
    both = arg in missing.tool.args and missing.tool.args[arg] == one.tool.args[arg]
    same = both and missing.listed.get(arg) == one.listed.get(arg)
    return same and (not limit.bounds or _units(missing, arg) == _units(one, arg))


def _units(one: KnownTool, arg: str) -> frozenset[str]:
    """Return the units that the name and the description of an argument tell: cents, euros, minutes."""
    return frozenset(map(singular, re.findall(r"[a-z]+", f"{arg} {one.described(arg)}".lower()))) & _UNITS
