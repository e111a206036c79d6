"""Finds the calls over a limit per period: which tools it counts, what it adds up, and in which currency."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import spellings_of_currency
from retouch.recipes.policy.english.limits.counting_rates import compared_argument
from retouch.recipes.policy.english.limits.sized_arguments import has_several
from retouch.recipes.policy.english.tools.amount_tests import amount_limit
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Collection

    from retouch.recipes.policy.english.limits.argument_tests import Rate
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Act, Qualifier
    from retouch.recipes.policy.english.words.sentences import ToolPart

_PAYING = word_set("pay transfer wire")
_DELETING = word_set("delete remove erase destroy wipe drop send email")
_MAKING = lexicon.CREATING | word_set("new")


def of_new_things(act: Act, rate: Rate) -> Act:
    """Return an act that makes things as one that makes new ones if they are counted: who changes one makes none."""
    if not act.made or rate.amount is not None:
        return act
    return replace(act, things=tuple(replace(one, nouns=("new", *one.nouns)) for one in act.things))


def counted(
    act: Act, parts: frozenset[ToolPart], certain: Collection[tuple[str, str]], toolbox: Toolbox
) -> frozenset[ToolPart]:
    """Return the parts that a limit counts.

    If a tool transfers, paying a bill is no transfer. If a tool creates issues, what adds something else creates none.
    """
    verbs = set(act.verbs) or {lexicon.NOMINAL.get(noun, "") for thing in act.things for noun in thing.nouns[-1:]}
    sure = frozenset(one for one in parts if (one.server, one.tool) in certain)
    if sure and verbs <= _PAYING:
        return sure
    nouns = {thing.nouns[-1:] for thing in act.things}
    if sure and nouns <= {()} and verbs.isdisjoint(_DELETING | _PAYING):
        return sure
    if not sure or not verbs <= _MAKING or () in nouns:
        return parts
    known = {one.key: one for one in toolbox.tools}
    return sure | {one for one in parts if _is_of(known[one.server, one.tool], nouns)}


def _is_of(one: KnownTool, nouns: set[tuple[str, ...]]) -> bool:
    """Return whether a tool acts on one of some things."""
    return (one.head,) in nouns or not nouns.isdisjoint(told[-1:] for told in one.told[:1])


def over(parts: frozenset[ToolPart], rate: Rate, toolbox: Toolbox) -> frozenset[ToolPart]:
    """Return the parts for calls over a limit. They must be counted together, so they need the same tests.

    Raises:
        Unclear: they cannot be counted together, or not at all.
    """
    known = {one.key: one for one in toolbox.tools}
    found: set[ToolPart] = set()
    others: set[ToolPart] = set()
    for part in parts:
        one = known[part.server, part.tool]
        limit, same = rate.limit, ()
        if rate.amount is None and any(has_several(one, word) for word in rate.raw):
            raise Unclear(f"one call of {part.tool} can be about several of them, and no rule adds that up")
        if rate.amount is not None:
            limit, same = _total(one, rate.amount, limit)
            others |= {replace(part, where=(*part.where, *_others(each)), unless=(*part.unless, each)) for each in same}
        if rate.may_be_amount and (one.numbers or one.spends):
            raise Unclear("the number can be an amount or a number of calls; write '3 times per day'")
        if rate.same:
            limit = replace(limit, same=compared_argument(one, rate.same))
        found.add(replace(part, where=(*part.where, *same, limit)))
    if len({(one.server, one.where, one.unless) for one in found}) > 1:
        raise Unclear("the tools that this is about cannot be counted together; write one sentence for each")
    return frozenset(found | others)


def _total(one: KnownTool, amount: Qualifier, limit: Limit) -> tuple[Limit, tuple[Limit, ...]]:
    """Return the test of a sum, and that of its currency: amounts of another one cannot be added to it.

    Raises:
        Unclear: a tool has no such amount, or may be called without its currency.
    """
    money = [arg for arg in one.tool.args if "currency" in arg.lower()]
    code = lexicon.CURRENCY_CODES.get(amount.word)
    priced = bool(money) and code is not None
    found = amount_limit(one, replace(amount, word="", is_money=True) if priced else amount, "restrict")
    if found is None or len(money) > 1:
        raise Unclear("not every tool that this is about has one amount to add up")
    if priced and not set(money) <= one.required:
        raise Unclear(f"{one.tool.name} may be called without a currency, so that the amount can be of any")
    same = tuple(Limit(arg=arg, among=spellings_of_currency(one, arg, code or "")) for arg in money if priced)
    return replace(limit, sum=found.arg, count=None, above=found.at_most), same


def _others(currency: Limit) -> tuple[Limit, ...]:
    return (Limit(arg=currency.arg, like=("*",)),)
