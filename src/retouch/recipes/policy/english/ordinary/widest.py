"""Chooses the widest of several meanings of a sentence: the one that restricts all that the others do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
    from retouch.recipes.policy.language.values import Limit


def widest(found: Iterable[Meaning]) -> tuple[Meaning, ...]:
    """Return the meaning that restricts all that the others do, if they permit the same. Otherwise all of them."""
    known = tuple({_unordered(one): one for one in reversed(tuple(found))}.values())[::-1]
    for one in known:
        if all(one.allow == other.allow and one.ask >= other.ask and one.never >= other.never for other in known):
            return (one,)
        if all(_is_narrower(one, other) for other in known):
            return (one,)
    return (min(known, key=_looseness),) if len({_folded(one) for one in known}) == 1 else known


def _folded(meaning: Meaning) -> tuple[frozenset[object], ...]:
    """Return the parts of a meaning with the texts that are tested in lower case: `Archive` and `archive` are one."""

    def folded(limits: Iterable[Limit]) -> frozenset[object]:
        return frozenset(
            (replace(one, among=()), tuple(dict.fromkeys(str(value).lower() for value in one.among))) for one in limits
        )

    groups = (meaning.allow, meaning.ask, meaning.never, meaning.excepted)
    return tuple(
        frozenset((one.server, one.tool, folded(one.where), folded(one.unless)) for one in parts) for parts in groups
    )


def _looseness(meaning: Meaning) -> int:
    """Return how many spellings a meaning permits: those that are allowed, or are exceptions of what is restricted."""
    strict = (*meaning.ask, *meaning.never, *meaning.excepted)
    permitted = [limit for one in meaning.allow for limit in one.where] + [
        each for one in strict for each in one.unless
    ]
    restricted = (limit for one in strict for limit in one.where)
    return sum(len(one.among) for one in permitted) - sum(len(one.among) for one in restricted)


def _is_narrower(one: Meaning, other: Meaning) -> bool:
    """Return whether a meaning permits the calls of one tool that pass more tests than in another one.

    Of several tools a test at the end may be for the last one alone, so that neither reading is sure.
    """
    if (one.ask, one.never, one.excepted) != (other.ask, other.never, other.excepted):
        return False
    pairs = list(zip(one.allow, other.allow, strict=False))
    return len(one.allow) == len(other.allow) == 1 and all(
        (part.server, part.tool) == (more.server, more.tool)
        and set(more.where) <= set(part.where)
        and set(more.unless) <= set(part.unless)
        for part, more in pairs
    )


def _unordered(meaning: Meaning) -> tuple[frozenset[object], ...]:
    """Return the parts of a meaning without the order of their tests, and each value of a list in a part of its own."""
    groups = (meaning.allow, meaning.ask, meaning.never, meaning.excepted)
    return tuple(
        frozenset((one.server, one.tool, frozenset(one.where), frozenset(one.unless)) for one in _for_each_value(parts))
        for parts in groups
    )


def _for_each_value(parts: Iterable[ToolPart]) -> Iterator[ToolPart]:
    """Yield parts with one value instead of several of their only test: "in the tables a and b" is in either."""
    for part in parts:
        limit = part.where[0] if len(part.where) == 1 else None
        if limit is None or limit.is_total or len(limit.among) < 2:
            yield part
        else:
            yield from (replace(part, where=(replace(limit, among=(value,)),)) for value in limit.among)
