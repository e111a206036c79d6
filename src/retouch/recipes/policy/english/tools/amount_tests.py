"""Finds the test of an amount: of the argument that its unit, its currency or its noun names, in the units of that."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.analysing.units import (
    factor_between,
    is_in_cents,
    may_be_in_cents,
    rate_of_argument,
    unit_named,
    unit_of_argument,
)
from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument, split_name
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.acts import Qualifier

Side: TypeAlias = Literal["permit", "restrict"]
_PERCENT = word_set("percent percentage rate pct")
_COUNTING = word_set("id number no index page limit offset count key version port line lines size timeout year pid")
_OF_THING = re.compile(r"^(?:The |the |A |An )?(?:unique )?(?:[Ii][Dd]|[Ii]dentifier)s? (?:of|for)\b")
_SHARES = word_set("tip fee deposit")
_DEGREES = re.compile(r"\b(?:degrees?|celsius|fahrenheit)\b")
_TOLD_PERCENT = re.compile(r"\bpercent(?:age)?\b")
_SETTINGS = re.compile(r"\b(?:volume|brightness)\b")
_KELVIN = re.compile(r"\b(?:kelvin|mireds?)\b")  # the temperature of a color
_AMOUNTS = word_set("amount total price sum value cost budget salary wage fee fare bonus tip deposit rent premium")


def _is_done(one: KnownTool, noun: str) -> bool:
    """Return whether one call of a tool is one of the things of "50 per order"."""
    return noun in {*one.nouns, *one.verbs} or lexicon.NOMINAL.get(noun) in one.verbs


def unit_of(arg: str) -> str:
    """Return the unit at the end of the name of an argument: `mg` for `dose_mg`. "" for a name of one word."""
    parts = re.findall(r"[A-Z]?[a-z]+", arg)
    return singular(parts[-1]) if len(parts) > 1 else ""


def _amount_arguments(one: KnownTool, qualifier: Qualifier) -> list[str]:
    """Return the arguments that an amount may be about: those of its unit, or the amounts of money."""
    parts = {arg: {part.lower() for part in arg.replace("-", "_").split("_")} for arg in one.tool.args}
    unit = singular(qualifier.word)
    if qualifier.word in {"percent", "%"}:
        told = [arg for arg in one.numbers if _TOLD_PERCENT.search(one.described(arg).lower())]
        return [arg for arg, words in parts.items() if words & _PERCENT] or told
    if unit_named(unit):
        return [arg for arg in one.numbers if factor_between(unit_named(unit), unit_of_argument(one.tool, arg))]
    if unit and unit in {singular(arg.lower()) for arg in one.numbers}:
        return [arg for arg in one.tool.args if singular(arg.lower()) == unit]
    if unit in one.counted:
        return [one.counted[unit]]
    if unit and unit not in lexicon.CURRENCIES and any(unit == unit_of(arg) for arg in one.numbers):
        return [arg for arg in one.numbers if unit_of(arg) == unit]
    quantity = [arg for arg in one.numbers if arg.lower() in {"quantity", "qty", "units", "pieces"}]
    if unit and unit == one.head and len(quantity) == 1:
        return quantity
    if unit and unit not in lexicon.CURRENCIES | set(lexicon.SIGNS.values()):
        return []  # it is a number of something else
    if qualifier.word and any("currency" in words for words in parts.values()):
        return []  # 100 of another currency may be more or less
    args = [arg for arg, words in parts.items() if words & _AMOUNTS and not words & (_PERCENT | _COUNTING)]
    args = [arg for arg in args if not _OF_THING.search(one.described(arg))]  # a price that is named by its id
    args = [arg for arg in args if arg in one.numbers] or args  # `cost_center` is a text
    whole = [arg for arg in args if "total" in parts[arg]]  # a tip and a fee are part of it
    args = whole if len(whole) == 1 and all(arg in whole or parts[arg] & _SHARES for arg in args) else args
    return args if qualifier.word else _without_unit(one, qualifier, args, quantity)


def _without_unit(one: KnownTool, qualifier: Qualifier, args: list[str], quantity: list[str]) -> list[str]:
    """Return the arguments of a number without a unit. "More than 3 of an item" is a quantity, and no price."""
    if not qualifier.is_money and quantity:
        return [] if args else quantity
    if args or len(one.numbers) != 1:
        return args
    return [arg for arg in one.numbers if _COUNTING.isdisjoint(split_name(arg))]  # "never set the volume above 60"


def _named_amounts(one: KnownTool, qualifier: Qualifier) -> list[str]:
    """Return the arguments that a noun names as an amount: `daily_rate` for "the rate". A text is no amount."""
    noun = singular(qualifier.arg)
    free = [arg for arg in one.tool.args if not one.takes_text(arg)]
    found = [arg for arg in free if singular(arg.lower()) == noun]
    found = found or [arg for arg in free if noun in nouns_of_argument(one, arg)]
    if qualifier.word in {"percent", "%"}:
        return [arg for arg in found if _PERCENT & set(re.findall("[a-z]+", f"{arg} {one.described(arg)}".lower()))]
    return found


def is_of_color(one: KnownTool, arg: str) -> bool:
    """Return whether an argument is the temperature of a color, and so in no degrees."""
    told = one.described(arg).lower()
    return _KELVIN.search(told) is not None and _DEGREES.search(told) is None


def setting_given(one: KnownTool, limit: Limit) -> tuple[Limit, ...]:
    """Return the test that a setting of a device is given, for a limit of it: one that is left out stays as it is."""
    arg = limit.arg or ""
    if not limit.bounds or arg not in one.numbers or arg in one.required or one.has_default(arg) or one.reads:
        return ()
    told = f"{' '.join(split_name(arg))} {one.described(arg)}".lower()
    is_setting = _DEGREES.search(told) is not None or _SETTINGS.search(told) is not None
    return (Limit(arg=arg, state="present"),) if is_setting else ()


def are_unlike(one: KnownTool, arg: str, other: KnownTool, other_arg: str) -> bool:
    """Return whether one argument is in degrees and the other one is the temperature of a color."""
    return any(
        _DEGREES.search(first.described(own).lower()) is not None and is_of_color(second, its)
        for first, own, second, its in ((one, arg, other, other_arg), (other, other_arg, one, arg))
    )


def amount_limit(one: KnownTool, qualifier: Qualifier, side: Side) -> Limit | None:
    """Return the test of an amount: of the argument that its unit names, or of the only amount of money."""
    rated = qualifier.names[1] if qualifier.names[:1] == ("per",) else ""
    known = _named_amounts(one, qualifier) if qualifier.arg else _amount_arguments(one, qualifier)
    named = rate_of_argument(qualifier.arg.replace(" ", "_"))  # "the daily limit"
    args = [arg for arg in known if rate_of_argument(arg) in ({rated} if rated else {"", named})]
    args = [arg for arg in args if singular(qualifier.word) != "degree" or not is_of_color(one, arg)]
    if len(args) != 1:
        return None
    if qualifier.names and not rated and not _is_done(one, qualifier.names[0]):
        return None
    qualifier = _in_units(one, args[0], qualifier)
    low = qualifier.at_least
    if side == "permit" and low is None and qualifier.above is None:
        low = 0.0  # a negative amount is below every limit, but it is not what "under 50" means
    return Limit(arg=args[0], at_least=low, at_most=qualifier.at_most, above=qualifier.above, below=qualifier.below)


def _in_units(one: KnownTool, arg: str, qualifier: Qualifier) -> Qualifier:
    """Return an amount as a tool takes it: 50 euros are 5000, if its argument is in cents, and 2 hours 120 minutes.

    Raises:
        Unclear: it is in cents, and the sentence names no currency; or it does, and nothing says what it is in.
    """
    time = unit_named(qualifier.word)
    if time:
        factor = factor_between(time, unit_of_argument(one.tool, arg))
        if factor is None:
            raise Unclear(f"{arg!r} of {one.tool.name} is not known to be in {qualifier.word}s")
        return _scaled(qualifier, factor)
    money = qualifier.word in lexicon.CURRENCIES or qualifier.word in lexicon.SIGNS.values()
    code, own = lexicon.CURRENCY_CODES.get(qualifier.word), currency_of(one, arg)
    if code and own and code != own:
        raise Unclear(f"{arg!r} of {one.tool.name} is in {own}, and not in {code}")
    money = money or qualifier.is_money
    if qualifier.word in {"percent", "%"}:
        return qualifier
    if not is_in_cents(one.tool, arg):
        if money and own is None and may_be_in_cents(one.tool, arg):
            raise Unclear(f"nothing says whether {arg!r} of {one.tool.name} is in cents; name no currency")
        return qualifier
    if not money:
        raise Unclear(f"{arg!r} of {one.tool.name} is in cents; name the currency of the amount, as in '50 euros'")
    return _scaled(qualifier, 100)


def currency_of(one: KnownTool, arg: str) -> str | None:
    """Return the currency of an amount, if its name or description says it: `amount_eur`, "Value in USD"."""
    words = re.findall("[a-z]+", f"{' '.join(split_name(arg))} {one.described(arg)}".lower())
    codes = {code for word in words if (code := lexicon.CURRENCY_CODES.get(word))}
    return codes.pop() if len(codes) == 1 else None


def _scaled(qualifier: Qualifier, factor: float) -> Qualifier:
    bounds = {name: getattr(qualifier, name) for name in ("at_least", "at_most", "above", "below")}
    return replace(qualifier, **{name: one if one is None else one * factor for name, one in bounds.items()})
