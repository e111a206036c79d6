"""Extends the restriction of a named thing to calls that may name it by its id: "ID or name of the channel".

A test for `#general` says nothing about a call with `C0123456789`. Where an argument takes either, what may be an id is
restricted like the name, as nobody knows whose id it is. Where it takes ids alone, no call has the name, and the
sentence is refused.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import is_id, split_name
from retouch.recipes.policy.english.words.lexicon import singular
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

_ID = r"\b(?:ids?|uuids?|identifiers?)\b"
_NAME = r"\b(?:names?|titles?|paths?|e-?mails?|handles?|usernames?|logins?|slugs?|keys?)\b"
_EITHER = re.compile(
    rf"{_ID}(?:,|/|[^.;]*?\b(?:or|and)\b)[^.;]*?{_NAME}|{_NAME}(?:,|/|[^.;]*?\b(?:or|and)\b)[^.;]*?{_ID}"
)
_OPEN_KINDS = re.compile(r"\bor (?:an?|another|any(?: other)?) custom\b")  # whose names nobody knows
_MARKED = re.compile(r"\bnames? (?:starting|beginning|that (?:starts?|begins?)) with ['\"`]?#|#\w+.*@\w+")
_THIRD = re.compile(r"\b(?:slugs?|keys?|urls?|links?|alias(?:es)?)\b")
_PLAIN_NAME = re.compile(r"[#@]?[^\W\d]+(?: [^\W\d]+)*")
_CODED = re.compile(r"[A-Z]+(?:_[A-Z]+)*")  # `TRASH`, the id of a label that every server has
_WORD_ID = re.compile(r"['\"`](?!(?:primary|me|self|all|default|none)['\"`])[a-z]+(?:[-_][a-z]+)*['\"`]")
_WHOLE_ID = re.compile(
    r"\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[A-Z]{1,3}[0-9A-Z]{7,}|[A-Za-z]+[-_]?(?=\w*\d)\w{9,}|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
)
_DIGITS = tuple(f"*{digit}*" for digit in range(10))
# What ids without a digit begin with, by the things that they name
_BEGINNINGS = {"table": "tbl*", "view": "viw*", "field": "fld*", "record": "rec*"}


def with_ids(meaning: Meaning, tools: Iterable[KnownTool]) -> Meaning:
    """Return a meaning whose restrictions of named things reach the calls with an id that may be theirs.

    Raises:
        Unclear: an argument takes ids and no names, or no test can tell what may be an id.
    """
    known = {one.key: one for one in tools}

    def widened(parts: frozenset[ToolPart]) -> frozenset[ToolPart]:
        done = {(part.tool, limit.arg) for part in parts for limit in part.unless if limit.like}  # of ids already
        pairs = [(known.get((part.server, part.tool)), part) for part in parts]
        left = [(one, part) for one, part in pairs if one is not None and not one.code]
        left = [(one, part) for one, part in left if not any((part.tool, each.arg) in done for each in part.where)]
        return parts | {more for one, part in left for more in _by_id(one, part)}

    return meaning.with_restrictions(widened)


def _by_id(one: KnownTool, part: ToolPart) -> Iterator[ToolPart]:
    """Yield the parts for the calls of a tool that may name by its id what a part tests by its name."""
    for limit in part.where:
        name = _name_in(one, limit)
        arg, told = limit.arg or "", one.described(limit.arg or "").lower()
        if not name:
            continue
        if _EITHER.search(told) is None and not _is_open(told):
            raise Unclear(f"{one.tool.name} takes an id in {arg!r}, and {name!r} is a name; write its id instead")
        if ("/" not in name and _THIRD.search(told)) or any(each.is_total for each in (*part.where, *part.unless)):
            raise Unclear(f"{one.tool.name} takes an id in {arg!r} as well, and no rule can tell whose it is")
        given = () if arg in one.required else (Limit(arg=arg, state="present"),)
        rest = (*(each for each in part.where if each is not limit), *given)
        for tests, unless in _ids(arg, told, name):
            if unless and part.unless:
                raise Unclear(f"{one.tool.name} takes an id in {arg!r} as well, and no rule can tell whose it is")
            yield replace(part, where=tuple(dict.fromkeys((*rest, *tests))), unless=unless or part.unless)


def _ids(arg: str, told: str, name: str) -> Iterator[tuple[tuple[Limit, ...], tuple[Limit, ...]]]:
    """Yield the tests of values that may be ids, and those that are none, as alternatives."""
    present = (Limit(arg=arg, state="present"),)
    if name.startswith(("#", "@")) or _MARKED.search(told):
        yield present, (Limit(arg=arg, like=("#*", "@*")),)
    elif "/" in name:
        yield (), (Limit(arg=arg, like=("*/*", "*%2F*", "*%2f*")),)
    else:
        mails = ("*@*",) if re.search(r"\be-?mails?\b", told) and "@" not in name else ()
        begun = tuple(like for word, like in _BEGINNINGS.items() if word in split_name(arg))
        yield (Limit(arg=arg, like=(*_DIGITS, *begun, *mails)),), ()
        if _is_open(told):
            yield (Limit(arg=arg, among=(singular(name),)),), ()


def _is_open(told: str) -> bool:
    return _OPEN_KINDS.search(told) is not None


def _name_in(one: KnownTool, limit: Limit) -> str:
    """Return a name that a test compares with an argument that takes ids. "" if there is none."""
    arg = limit.arg or ""
    values = [value for value in limit.among if isinstance(value, str)]
    told = one.described(arg)
    takes = is_id(arg) or re.search(_ID, told.lower()) is not None or _is_open(told.lower())
    if not values or not takes or arg not in one.tool.args or arg in one.listed:
        return ""
    if _EITHER.search(told.lower()) or _is_open(told.lower()):
        return next((value for value in values if not _WHOLE_ID.fullmatch(value)), "")
    words = _WORD_ID.search(told) is not None
    names = (value for value in values if _PLAIN_NAME.fullmatch(value) and not _CODED.fullmatch(value))
    return "" if words else next((value for value in names if not re.search(rf"\b{re.escape(value)}\b", told)), "")
