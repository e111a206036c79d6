"""Guesses what the highest number or total in a period counts: calls, an amount of money, or a number of each call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.units import is_in_cents
from retouch.recipes.policy.english.checking.explaining import forms_of
from retouch.recipes.policy.english.suggesting.guessed_tests import tests_of_limit
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from retouch.recipes.policy.english.suggesting.recognising import HighestRate
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_TIMES = word_set("time times call calls per a an each every")
_COUNTS = word_set("count quantity number copies shares pieces units")
_COST = word_set("amount total value price cost sum")


def more_than(one: KnownTool, rate: HighestRate, toolbox: Toolbox) -> Limit | None:
    """Return the test for calls of a tool that are over a rate. None if it is not sure what is counted."""
    if rate.total is not None:
        return _more_money(one, rate, toolbox)
    if counted := counted_arguments(one, rate.unit):
        return Limit(sum=counted[0], per=rate.per, above=rate.most) if len(counted) == 1 else None
    return Limit(count="calls", per=rate.per, above=rate.most) if counts_calls(one, rate.unit) else None


def counted_arguments(one: KnownTool, unit: str) -> list[str]:
    """Return the numbers of a call that count what a word names: `quantity` ("Number of shares") for "shares"."""
    if unit in _TIMES:
        return []
    told = {arg: {singular(word) for word in split_name(f"{arg} {one.described(arg)}")} for arg in one.numbers}
    named = [arg for arg, words in told.items() if singular(unit) in words]
    return named or [arg for arg in one.numbers if not _COUNTS.isdisjoint(split_name(arg))]


def counts_calls(one: KnownTool, unit: str) -> bool:
    """Return whether a number of what a word names is a number of calls: "2 transfers", "3 times"."""
    if unit in {"per", "a", "an", "each", "every"}:  # "refunds are limited to 3 per day" may be money as well
        return not any(not _COST.isdisjoint(split_name(arg)) for arg in one.numbers)
    forms = forms_of(unit)
    return unit in _TIMES or not forms.isdisjoint(one.vocabulary | one.verbs | one.done)


def _more_money(one: KnownTool, rate: HighestRate, toolbox: Toolbox) -> Limit | None:
    """Return the test of a total of money, if the tool takes no currency that had to be tested as well."""
    if rate.total is None or any("currency" in arg.lower() for arg in one.tool.args):
        return None
    found = tests_of_limit(one, rate.total, "permit", toolbox)
    arg = next((limit.arg for limit in found if limit.arg and limit.bounds), "")
    return Limit(sum=arg, per=rate.per, above=rate.most * (100 if is_in_cents(one.tool, arg) else 1)) if arg else None
