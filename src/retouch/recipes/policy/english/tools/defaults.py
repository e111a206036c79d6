"""What an argument is if a call leaves it out: by the schema of the tool, by its description, or by what is usual."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import word_set

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.language.values import Limit

_TOLD = re.compile(
    r"\bdefaults?\b(?: (?:is|to|value|of))*[:=]? ?(?P<mark>[`'\"]?)(?P<value>-?\d+(?:\.\d+)?(?![\w.])|\w+)(?P=mark)",
    re.IGNORECASE,
)
_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_OFTEN_ON = word_set(
    "notify notification send enable enabled activate active auto automatic automatically include included overwrite "
    "replace follow open allow allowed sync track save visible visibility public shared share"
)


def default_of(one: KnownTool, arg: str) -> str | float | None:
    """Return the default of an argument by its schema, or by "(default 30)" in its description. None if not known."""
    default = one.default_of(arg)
    told = _TOLD.search(one.described(arg)) if default is None else None
    if told is None:
        return default if isinstance(default, str | int | float | bool) else None
    text = told["value"]
    if arg in one.flags.values():
        return _WORDS.get(text.lower())
    if arg in one.numbers:
        return float(text) if re.fullmatch(r"-?[\d.]+", text) else None
    return next((value for value in one.listed.get(arg, ()) if value.lower() == text.lower()), None)


def is_off_if_omitted(one: KnownTool, arg: str) -> bool:
    """Return whether a flag without a known default is taken to be false if a call leaves it out.

    It is not where such a flag is often on, such as `notify`, or shows who can see something, such as `public`.
    """
    told = "default" in one.described(arg).lower()
    return arg in one.flags.values() and not told and _OFTEN_ON.isdisjoint(split_name(arg))


def meets(limit: Limit, value: str | float) -> bool:
    """Return whether a value passes the test of an argument. True if that cannot be told."""
    if limit.among:
        return str(value).lower() in {str(one).lower() for one in limit.among}
    if isinstance(value, str) or (limit.above, limit.at_least, limit.below, limit.at_most) == (None,) * 4:
        return True
    return (
        (limit.above is None or value > limit.above)
        and (limit.at_least is None or value >= limit.at_least)
        and (limit.below is None or value < limit.below)
        and (limit.at_most is None or value <= limit.at_most)
    )
