"""The parts of an ordinary sentence as values: objects, qualifiers, and verb phrases."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection

    from retouch.recipes.policy.english.words.clock_times import NamedTime
    from retouch.recipes.policy.english.words.rates import Bound

Stance: TypeAlias = Literal["permit", "forbid", "ask"]
QualifierKind: TypeAlias = Literal[
    "inside", "outside", "sites", "emails", "branches", "like", "named", "about", "amount", "count", "per", "time",
    "repositories", "value", "chosen",
    "flag", "contains", "bare", "size", "same",
]  # fmt: skip


OUT_OF = "out of"  # a place that is left: what is moved inside of it stays there


@dataclass(frozen=True, kw_only=True)
class Thing:
    """An object: its nouns in canonical form, and the same words as written. No nouns: anything.

    `amount` is `any` or `all` if the sentence says so. "Never delete all files" is not "never delete any file".
    `named`: it is a noun in the singular with a name before it, as in "the salaries table", or after it, as in "table
    salaries". `is_limited`: it is a pronoun, and what it stands for has a place, recipient or the like. `is_owned`: it
    begins with "my" or the like.
    """

    nouns: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()
    amount: Literal["", "any", "all"] = ""
    named: Literal["", "before", "after"] = ""
    is_limited: bool = False
    is_owned: bool = False


@dataclass(frozen=True, kw_only=True)
class Qualifier:
    """A place, recipient, branch, name, amount, number of calls (`count`), period (`per`) or time.

    `word` is its preposition, the name of an argument, a currency, a unit, or a period. `only`: nothing outside of
    it is permitted. `arg` names the argument of an amount, as in "if the price is under 50". `is_condition`: it
    begins with "if" or the like. `is_owned`: it begins with "my" or the like. `is_bound`: it begins with "at most"
    or so, and a permission is none for more. `is_money`: a currency was named. `is_limited`: as of an object. A
    `chosen` value has its noun in `arg`. `is_negated`: all other values are meant. `is_any`: it says "any" or
    "every". A `bare` name has neither a noun nor a capital.

    A `same` value has its own limit, as in "two per patient per day".

    A `size` is the number of characters of a text, or of the things that one call is about.
    """

    kind: QualifierKind
    word: str = ""
    names: tuple[str, ...] = ()
    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    below: float | None = None
    when: NamedTime | None = None
    only: bool = False
    arg: str = ""
    is_condition: bool = False
    is_owned: bool = False
    is_bound: bool = False
    is_money: bool = False
    is_limited: bool = False
    is_negated: bool = False
    is_any: bool = False


@dataclass(frozen=True, kw_only=True)
class Act:
    """Verbs with one object and its qualifiers. `verbs` is empty for an action that is a noun, as in "refunds".

    `exceptions` are alternatives: each is an object, or qualifiers that must all hold. `demanded` are qualifiers that
    every such action must have: "servers must be of type cx22". `made`: the objects are made, whatever the verb.
    """

    verbs: tuple[str, ...]
    things: tuple[Thing, ...] = ()
    qualifiers: tuple[Qualifier, ...] = ()
    exceptions: tuple[Act, ...] = ()
    demanded: tuple[Qualifier, ...] = ()
    made: bool = False


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What one part of a sentence permits, forbids or asks about. `only`: nothing else of the kind is permitted."""

    stance: Stance
    acts: tuple[Act, ...]
    only: bool = False


ANYTHING = Thing()
WEB = Thing(nouns=("page",), raw=("pages",), amount="any")


def count_of(bound: Bound, number: float) -> Qualifier:
    """Return a qualifier that limits how often something is done."""
    if bound == "above":
        return Qualifier(kind="count", above=number)
    return Qualifier(kind="count", at_most=number)


def complement_of(amount: Qualifier) -> Qualifier | None:
    """Return the amounts beyond an upper bound. None if it has none."""
    return next((one for one in outside_of(amount) if one.above is not None or one.at_least is not None), None)


def outside_of(amount: Qualifier) -> tuple[Qualifier, ...]:
    """Return the amounts that an amount does not include: under 90 and over 180 for "between 90 and 180 euros"."""
    none = replace(amount, at_least=None, at_most=None, above=None, below=None, is_bound=False)
    bounds = (
        (amount.at_least, replace(none, below=amount.at_least)),
        (amount.above, replace(none, at_most=amount.above)),
        (amount.at_most, replace(none, above=amount.at_most)),
        (amount.below, replace(none, at_least=amount.below)),
    )
    return tuple(one for bound, one in bounds if bound is not None)


def with_listed_word(act: Act, values: Collection[str]) -> Act:
    """Return an act with the value that its object begins with, as in "double rooms", as a qualifier."""
    (*before, last) = act.things or (ANYTHING,)
    if before or len(last.raw) < 2 or len(last.raw) != len(last.nouns) or last.raw[0].lower() not in values:
        return act
    rest = replace(last, nouns=last.nouns[1:], raw=last.raw[1:], named="")
    listed = Qualifier(kind="value", names=(last.raw[0].lower(),))
    return replace(act, things=(rest,), qualifiers=(listed, *act.qualifiers))
