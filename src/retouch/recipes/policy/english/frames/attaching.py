"""Qualifiers at the end of a permission: they may belong to its last action only, or to the actions before it too.

"You may delete pods and install charts in staging" can be read in two ways.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.acts import ANYTHING, OUT_OF
from retouch.recipes.policy.english.words.scanning import Unclear

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.words.acts import Act, Qualifier, Statement

_COMPLEMENTS = frozenset({"emails", "branches", "sites", "about"})
_DIRECTIONS = frozenset({"to", "from", "into", "onto", OUT_OF})


def other_attachments(reading: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    """Yield the readings in which qualifiers at the end of a permission also belong to the actions before."""
    for at, one in enumerate(reading):
        shared = _shared(one)
        if shared:
            acts = tuple(replace(act, qualifiers=shared) if _is_open(act) else act for act in one.acts[:-1])
            if acts != one.acts[:-1]:
                yield (*reading[:at], replace(one, acts=(*acts, one.acts[-1])), *reading[at + 1 :])


def refuse_half_conditions(reading: tuple[Statement, ...]) -> None:
    """Raise if a condition at the end of a permission may be meant for an action that it is not attached to.

    Raises:
        Unclear: as in "cancel orders and refund them if they cost less than 30".
    """
    for one in reading:
        conditions = [qualifier for qualifier in one.acts[-1].qualifiers if qualifier.is_condition]
        if one.stance == "permit" and conditions and any(_is_open(act) for act in one.acts[:-1]):
            raise Unclear("the condition can be meant for each action; write one sentence for each, with its condition")


def _shared(one: Statement) -> tuple[Qualifier, ...]:
    """Return the qualifiers of the last action that can belong to others. What follows its verb is a part of it."""
    found = one.acts[-1].qualifiers if one.stance == "permit" else ()
    if found and found[-1].kind == "count":  # "send at most 3 emails per day"
        return ()
    return tuple(
        each
        for each in found
        if each.kind not in _COMPLEMENTS and not (each.kind == "inside" and each.word in _DIRECTIONS)
    )


def _is_open(act: Act) -> bool:
    everything = ANYTHING in act.things or any(thing.amount for thing in act.things)
    return not act.qualifiers and not act.exceptions and not everything
