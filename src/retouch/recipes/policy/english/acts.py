"""The parts of an ordinary sentence as values: objects, qualifiers, and verb phrases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from retouch.recipes.policy.english.rates import Bound, NamedTime

QualifierKind: TypeAlias = Literal[
    "inside", "outside", "sites", "emails", "branches", "like", "named", "about", "amount", "count", "per", "time",
    "repositories", "value",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Thing:
    """An object: its nouns in canonical form, and the same words as written. No nouns: anything.

    `amount` is `any` or `all` if the sentence says so. "Never delete all files" is not "never delete any file".
    `named`: it is a noun in the singular with a name before it, as in "the salaries table", or after it, as in "table
    salaries".
    """

    nouns: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()
    amount: Literal["", "any", "all"] = ""
    named: Literal["", "before", "after"] = ""


@dataclass(frozen=True, kw_only=True)
class Qualifier:
    """A place, recipient, branch, name, amount, number of calls (`count`), period (`per`) or time.

    `word` is its preposition, the name of an argument, a currency, a unit, or a period. `only`: nothing outside of it
    is permitted. `arg` names the argument of an amount, as in "if the price is under 50". `is_condition`: it begins
    with "if" or the like.
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


@dataclass(frozen=True, kw_only=True)
class Act:
    """Verbs with one object and its qualifiers. `verbs` is empty for an action that is a noun, as in "refunds".

    `exceptions` are alternatives: each is an object, or qualifiers that must all hold.
    """

    verbs: tuple[str, ...]
    things: tuple[Thing, ...] = ()
    qualifiers: tuple[Qualifier, ...] = ()
    exceptions: tuple[Act, ...] = ()


ANYTHING = Thing()
WEB = Thing(nouns=("page",), raw=("pages",), amount="any")


def count_of(bound: Bound, number: float) -> Qualifier:
    """Return a qualifier that limits how often something is done."""
    if bound == "above":
        return Qualifier(kind="count", above=number)
    return Qualifier(kind="count", at_most=number)
