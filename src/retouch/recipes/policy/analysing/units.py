"""The unit of a number, as a tool's name for the argument and its schema describe it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.json_schema import has_only

if TYPE_CHECKING:
    from retouch.recipes.policy.language.values import Tool

_CENTS = re.compile(
    r"smallest (?:currency )?unit|minor (?:currency )?units?|\b(?:euro)?cents?\b|\bpence\b|\bcentimes?\b", re.IGNORECASE
)
_NO_CENTS = re.compile(r"\b(?:not|no|never|without|rather than|instead of)(?: in)? (?:euro)?cents?\b", re.IGNORECASE)
_CENTS_NAME = re.compile(r"(?:^|[_-])(?:cents?|pence)(?:$|[_-])|[Cc]ents$")
# By a server or an argument: payment services whose amounts are in the smallest unit of the currency.
_IN_MINOR_UNITS = re.compile(r"stripe|square|adyen|razorpay|mollie|\b(?:unit_amount|payment_?intent)")
# Units of time in seconds. Those of sizes are not converted: a megabyte is 1000 or 1024 kilobytes.
_SECONDS = {"millisecond": 0.001, "second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_SIZES = {"b": "byte", "kb": "kilobyte", "mb": "megabyte", "gb": "gigabyte", "tb": "terabyte"}
_SHORT = {"ms": "millisecond", "sec": "second", "secs": "second", "min": "minute", "mins": "minute"}
_UNITS = frozenset((*_SECONDS, *_SIZES.values()))
CHARACTERS = frozenset({"character", "characters", "char", "chars"})
_PARTS_OF_TEXT = frozenset({"letter", "word", "line", "sentence", "paragraph", "page", "token", "symbol"})
_TOLD = re.compile(r"\b(?:in|number of|maximum number of) ([a-z]+)\b")


def is_in_cents(tool: Tool, arg: str) -> bool:
    """Return whether an argument is an amount in cents, by its name, its description or that of its tool."""
    told = _NO_CENTS.sub("", described(tool, arg) or tool.comment)
    return _CENTS_NAME.search(arg) is not None or _CENTS.search(told) is not None


def may_be_in_cents(tool: Tool, arg: str) -> bool:
    """Return whether nothing says what an amount in whole numbers is in, and the service counts in cents."""
    minor = _IN_MINOR_UNITS.search(" ".join((tool.server, *tool.args)).lower()) is not None
    return minor and has_only(tool.schemas.get(arg), "integer") and not described(tool, arg)


def unit_named(word: str) -> str:
    """Return the unit of time or size that a word names, such as `kilobyte` for `KB`. "" for other words."""
    low = word.lower()
    one = _SIZES.get(low) or _SHORT.get(low) or low.removesuffix("s")
    return one if one in _UNITS else ""


def is_unit_of_text(word: str) -> bool:
    """Return whether strings are measured in the unit that a word names, other than characters: words, lines, pages."""
    return word.lower().removesuffix("s") in _PARTS_OF_TEXT


def unit_of_argument(tool: Tool, arg: str) -> str:
    """Return the unit of time or size of an argument, by its name or its description. "" if they name none or two."""
    if rate_of_argument(arg):
        return ""
    last = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", arg)[-1:]
    told = {unit_named(word) for word in (*last, *_TOLD.findall(described(tool, arg).lower()))} - {""}
    return told.pop() if len(told) == 1 else ""


def rate_of_argument(arg: str) -> str:
    """Return what an argument is given for each of: `night` for `price_per_night`, `day` for `daily_budget`.

    "" for other arguments.
    """
    regular = re.match(r"(daily|hourly|weekly|monthly)(?=[_-]|[A-Z])", arg)
    if regular:
        return {"daily": "day", "hourly": "hour", "weekly": "week", "monthly": "month"}[regular[1]]
    found = re.search(r"(?:(?:^|[_-])per[_-]|(?<=[a-z])Per(?=[A-Z]))([A-Za-z]+)$", arg)
    return found[1].lower() if found else ""


def factor_between(unit: str, other: str) -> float | None:
    """Return how many of `other` one `unit` is. None if this is not known exactly."""
    if unit == other:
        return 1
    pair = (_SECONDS.get(unit), _SECONDS.get(other))
    return None if pair[0] is None or pair[1] is None else pair[0] / pair[1]


def described(tool: Tool, arg: str) -> str:
    """Return what the schema of a tool states about an argument. "" if it states nothing."""
    schema = tool.schemas.get(arg)
    text = schema.get("description") if isinstance(schema, dict) else None
    return text if isinstance(text, str) else ""
