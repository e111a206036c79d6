"""Sentences about how much one call may fetch: "never fetch more than 50 results at a time".

They are about the arguments of reading tools that say how many things a call returns, such as `page_size`. If a call
leaves the argument out, the default of the schema counts. Without one it is not known how many are returned.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.stances.framing import framed
from retouch.recipes.policy.english.tools.defaults import default_of
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.rates import number_of
from retouch.recipes.policy.english.words.sentences import Meaning
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import ToolPart
    from retouch.recipes.policy.english.words.tokens import Token

_SIZES = frozenset(
    {
        "page size", "per page", "limit", "max results", "page limit", "max items", "results limit", "num results",
        "count", "top", "maxresults", "pagesize", "perpage",
    }
)  # fmt: skip
_FETCH = (
    r"(?:fetch|pull|list|get|return|retrieve|request|load|read|show|ask for|look up|see|query|search(?: "
    r"for)?|download|go "
    r"through)"
)
_MORE = r"(?:more than|over|above)"
_LESS = r"(?:at most|no more than|not more than|up to|a maximum of|max(?:imum)?)"
_ONCE = (
    r"(?:at (?:a|one) time|at once|in one go|per (?P<per>(?:[a-z]+ )?(?:request|call|page|search|query|"
    r"go))|(?:in|with|by) "
    r"(?:a single|one|any one|a) (?P<in>(?:[a-z]+ )?(?:request|call|page|search|query|go)))"
)
_WHAT = r"(?P<what>[a-z]+(?: [a-z]+)?)"
_OVER = re.compile(rf"{_FETCH} {_MORE} (?P<number>[\w-]+) {_WHAT} {_ONCE}")
_COMMAND = re.compile(rf"(?:please )?(?:only )?{_FETCH} {_LESS} (?P<number>[\w-]+) {_WHAT} {_ONCE}")
_SIZE_OVER = re.compile(
    rf"(?:(?:use|set|request) )?(?:(?:a|the|any) )?(?:page sizes?|limits?|result limits?)(?: to)? (?:of "
    rf")?(?:{_MORE}|larger than|"
    rf"bigger than|higher than) (?P<number>[\w-]+)(?: {_WHAT})?"
)
_BOUNDED = re.compile(
    rf"(?:(?:the )?page size|search results|results|result lists|searches|lists) (?:(?:must|may|should|can) "
    rf"(?:never|not) "
    rf"(?:be {_MORE}|exceed)|(?:is|are) (?:limited|capped) (?:to|at)|(?:must|may|should) be {_LESS}|(?:must|"
    rf"should) (?:stay|be) "
    rf"(?:below|within)) (?P<number>[\w-]+)(?: {_WHAT})?(?: {_ONCE})?"
)
_LIMITED = re.compile(
    rf"(?:please )?(?:always )?(?:limit|cap|keep) (?:(?:all|your|any|the|every) )?(?:searches|search "
    rf"results|results|lists|queries|"
    rf"the page size|page sizes) (?:to|at|below) {_LESS}? ?(?P<number>[\w-]+)(?: {_WHAT})?(?: {_ONCE})?"
)
_ANY_THINGS = word_set("result item entry record hit object thing row")


def meaning_of_page_size(tokens: tuple[Token, ...], toolbox: Toolbox) -> Meaning | None:
    """Return what a limit of how much one call fetches means. None if the sentence is about something else."""
    sizes = {one: arg for one in toolbox.tools if one.reads and (arg := _size_of(one))}
    if not sizes or not any(number_of(one.text) is not None for one in tokens):
        return None
    text = " ".join(f'"{one.raw}"' if one.quoted else one.text for one in tokens).replace(" ,", ",")
    found: set[tuple[str, str, float]] = set()
    for how, match in (*_framed(tokens, toolbox), *_whole(text)):
        number = number_of(match["number"])
        if number is not None:
            said = [match.groupdict().get(one) or "" for one in ("what", "per", "in")]
            found.add((how, " ".join(filter(None, said)), number))
    if len(found) != 1:
        return None
    ((how, what, number),) = found
    words = [singular(word) for word in what.split() if singular(word) not in _ANY_THINGS | _ONE_CALL]
    tools = {one: arg for one, arg in sizes.items() if _is_about(one, words)}
    if not tools or any(_lists_whole(one, words) for one in toolbox.tools if one not in tools):
        return None
    parts = frozenset(_over(one, arg, number) for one, arg in tools.items())
    return Meaning(ask=parts) if how == "ask" else Meaning(never=parts)


_ONE_CALL = word_set("request call page search query go")


def _framed(tokens: tuple[Token, ...], toolbox: Toolbox) -> Iterator[tuple[str, re.Match[str]]]:
    for one in framed(tokens, toolbox.words):
        if one.how in {"forbid", "ask"} and not one.times:
            for pattern in (_OVER, _SIZE_OVER):
                if (match := pattern.fullmatch(one.said)) is not None:
                    yield one.how, match


def _whole(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    for pattern in (_COMMAND, _BOUNDED, _LIMITED):
        if (match := pattern.fullmatch(text)) is not None:
            yield "forbid", match


def _size_of(one: KnownTool) -> str:
    """Return the argument of a tool that says how many things a call returns. "" if there is none."""
    found = [arg for arg in one.numbers if " ".join(split_name(arg)) in _SIZES]
    return found[0] if len(found) == 1 else ""


def _is_about(one: KnownTool, words: list[str]) -> bool:
    """Return whether the name or the description of a tool has all words of what is fetched."""
    told = {singular(word) for word in re.findall(r"[a-z]+", f"{' '.join(one.words)} {one.tool.comment.lower()}")}
    return set(words) <= told


def _lists_whole(one: KnownTool, words: list[str]) -> bool:
    """Return whether a tool lists such things without a limit."""
    lists = not {"list", "search", "find"}.isdisjoint(one.words)
    return bool(words) and one.reads and lists and _is_about(one, words)


def _over(one: KnownTool, arg: str, number: float) -> ToolPart:
    """Return the calls of a tool that fetch more. A known default that is no more may be left out."""
    default = default_of(one, arg)
    small = isinstance(default, int | float) and default <= number
    present = (Limit(arg=arg, state="present"),) if small and arg not in one.required else ()
    return part_of(one, where=(*present, Limit(arg=arg, above=number)))
