"""Reads what is done to items of to-do lists: "add things to the shopping list", "tick them off", "complete items"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.devices.acts import SHOPPING_LIST, others
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.words.names import room_spellings
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.recipes.policy.english.devices.acts import Deed
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import ToolPart

_DET = r"(?:(?:any|all|some|new|more|old|existing|other|the|my|our|your|of|on it|an?) )*"
_ITEMS = (
    rf"{_DET}(?:things?|items?|stuff|anything|something|entry|entries|groceries|products?|tasks?|to-?dos?|them|it|food)"
)
_LIST = r"(?P<{0}>{1}(?:(?:[a-z-]+|\"[^\"]+\")(?: [a-z-]+)? )?lists?(?: (?:\"[^\"]+\"))?|it|there)"
_ON, _FROM, _TO = r" (?:on|of|in|from)", r" (?:off|from|of|on|out of)", r" (?:to|on|onto|into)"


def _with(text: str, *places: str) -> re.Pattern[str]:
    for number, place in enumerate(places):
        text += rf"(?:{place} {_LIST.format(f'list{number}', _DET)})?"
    return re.compile(text)


_FORMS: tuple[tuple[tuple[Deed, ...], re.Pattern[str]], ...] = (
    (("add",), _with(rf"(?:add|put|write)(?: down)? {_ITEMS}", _TO)),
    (("add",), _with(r"(?:add|write)", _TO)),
    (("complete",), _with(rf"(?:tick|check|cross|strike) (?:{_ITEMS} off|off {_ITEMS})", _ON)),
    (("complete",), _with(rf"(?:tick|check|cross|strike) {_ITEMS}", r" off")),
    (("complete",), _with(rf"(?:complete|finish) {_ITEMS}", _ON)),
    (("complete",), _with(rf"mark {_ITEMS}(?: on it)? as (?:done|completed?|bought|finished)", _ON)),
    (("complete",), _with(rf"mark {_ITEMS}", r" on", r" as (?:done|completed?|bought|finished) in")),
    (("remove",), _with(rf"(?:remove|delete|erase|take) (?:{_ITEMS}(?: off)?|off {_ITEMS})", _FROM)),
    (("add", "complete", "remove"), _with(rf"(?:touch|change|edit|modify|use|alter|manage) {_ITEMS}", _ON)),
    (
        ("add", "complete", "remove"),
        re.compile(rf"(?:touch|change|edit|modify|alter|manage|use|control) {_LIST.format('list0', _DET)}"),
    ),
)
_GENERAL = frozenset({"", "to-do", "todo", "to do", "task", "any", "my"})
_OTHER_LISTS = (
    "to do", "to-do", "todo", "task", "chore", "work", "packing", "wish", "gift", "reminder", "errand", "school",
    "project", "shopping", "grocer",
)  # fmt: skip
_WORDS_OF: Mapping[str, tuple[str, ...]] = {
    "shopping": ("shopping", "grocer"), "grocery": ("shopping", "grocer"), "groceries": ("shopping", "grocer"),
}  # fmt: skip


def items_in(text: str) -> tuple[tuple[Deed, ...], tuple[str, ...] | None] | None:
    """Return what is done to items, and the list that is named, () for any, None if it is that of an earlier phrase."""
    for deeds, pattern in _FORMS:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        said = next((one for one in match.groupdict().values() if one), "")
        if not said:
            return deeds, None
        if re.fullmatch(r"(?:the|my|our) to-?do list", said):
            return None  # one list with this name, or any list?
        if said in {"it", "there"} or re.fullmatch(rf"{_DET}list", said):
            return deeds, None
        return deeds, _names_of(said)
    return None


def _names_of(text: str) -> tuple[str, ...]:
    quoted = re.search(r"\"([^\"]+)\"", text)
    if quoted is not None:
        return (quoted[1],)
    name = re.sub(rf"^{_DET}|\s*lists?$", "", text).strip()
    return () if name in _GENERAL else (name,)


def item_parts(
    tools: tuple[KnownTool, ...], deed: Deed, lists: tuple[str, ...], *, restricts: bool
) -> Iterator[ToolPart]:
    """Yield the calls that do something to items of lists with some names, or of any list."""
    for one in others(tools, deed):
        if not lists:
            yield part_of(one)
            continue
        is_shopping = any(name in _WORDS_OF for name in lists)
        if one.tool.name in SHOPPING_LIST or "name" not in one.tool.args:
            if is_shopping:
                yield part_of(one)
        elif restricts:
            own = tuple(dict.fromkeys(word for name in lists for word in _WORDS_OF.get(name, (name.lower(),))))
            other = [word for word in _OTHER_LISTS if not any(word in each or each in word for each in own)]
            yield part_of(one, where=(Limit(arg="name", like=tuple(f"*{word}*" for word in own)),))
            spared = tuple(each for word in other for each in (f"*{word}*", f"*{word.title()}*"))
            yield part_of(one, unless=(Limit(arg="name", like=tuple(dict.fromkeys(spared))),))
        else:
            names = tuple(each for name in lists for each in _spelled(name))
            yield part_of(one, where=(Limit(arg="name", among=names),))


def _spelled(name: str) -> tuple[str, ...]:
    whole = (name, f"{name} list") if not name.lower().endswith("list") else (name,)
    return room_spellings(whole)
