"""What one clause of a sentence says, with what it leaves out from the clauses before it.

"Refunds under 100 you just do, over 500 you do not touch": the second clause has neither the action nor the currency.
It is about the action before it, if that is the only one, and has other limits of the same kinds. A word such as "it"
stands for objects only if it can be no others, and these keep their limits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.frames.phrases import target_of
from retouch.recipes.policy.english.words.acts import ANYTHING, Act, Qualifier, Statement, Thing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.stances.stances import StancePhrase
    from retouch.recipes.policy.english.words.acts import Stance

# After these, what follows may belong to the clause before as well.
LOOSE = frozenset({"and", ",", ", and", "; and", ", while", "while", "just", ", so"})
AGAIN = "the same unit again"
_WEAK = frozenset({"and", ","})
_LIGHT = frozenset({"do", "handle", "touch"})
_OPPOSITE: dict[Stance, Stance] = {"permit": "forbid", "forbid": "permit", "ask": "permit"}


@dataclass(frozen=True, kw_only=True)
class Saying:
    """The chunks of one clause. `acts` may lack their objects, which are then the topic or those of the clause before.

    `asked`: the action comes after "before" or "whenever", so that only a question can be about it.
    """

    verdict: StancePhrase | None = None
    acts: tuple[Act, ...] = ()
    done: tuple[str, ...] = ()
    topic: tuple[Thing, ...] = ()
    limits: tuple[Qualifier, ...] = ()
    agreed: bool = False
    asked: bool = False
    bare: bool = False
    stances: frozenset[str] = frozenset({"permit", "forbid", "ask"})

    @property
    def has_action(self) -> bool:
        """True if it has an action, or objects that one can be about."""
        return bool(self.acts or self.topic)


@dataclass(frozen=True, kw_only=True)
class Before:
    """What the clauses before one say, and the joint after them.

    `is_fronted`: the last one begins with a place, a time or a condition, which may hold for what follows as well.
    """

    said: tuple[Statement, ...] = ()
    joint: str = ""
    is_fronted: bool = False

    @property
    def stance(self) -> Stance | None:
        """What the last clause does."""
        return self.said[-1].stance if self.said else None

    @property
    def alone(self) -> tuple[Statement, ...]:
        """The last statement, if all are about the same action, so that "more" can be more of nothing else."""
        kinds = set(map(kinds_of, self.said))
        return self.said[-1:] if len(kinds) == 1 else ()

    @property
    def acts(self) -> tuple[Act, ...]:
        """The actions that a clause without one is about. Empty if there are several."""
        return self.alone[0].acts if self.alone else ()

    @property
    def things(self) -> tuple[Thing, ...]:
        """What "it" and "them" stand for. Empty if that is not clear. They are limited if what they stand for is."""
        acts = [act for one in self.said for act in one.acts]
        found = {tuple(one.nouns for one in act.things) for act in acts}
        if len(found) != 1 or not found.isdisjoint({(), ((),)}):
            targets = {target for act in acts for target in [target_of(act)] if target is not None}
            return tuple(targets) if len(targets) == 1 and all(target_of(act) for act in acts) else ()
        limited = any(target is not None and target.is_limited for target in map(target_of, acts))
        return tuple(replace(one, is_limited=limited) for one in acts[0].things)

    def may_share(self, one: Statement) -> bool:
        """Return whether limits may be limits of the clause before, too: "read letters and send mail on Mondays"."""
        if self.joint not in LOOSE or self.stance != one.stance:
            return False
        limits = [each for act in one.acts for each in act.qualifiers if each.kind != "about"]
        return bool(limits) if self.joint in _WEAK else any(each.is_condition or each.when for each in limits)


def joined(one: Saying, other: Saying) -> Saying:
    """Return the chunks of two parts of one clause together."""
    return Saying(
        verdict=one.verdict or other.verdict,
        acts=one.acts or other.acts,
        done=one.done or other.done,
        topic=one.topic or other.topic,
        limits=one.limits + other.limits,
        agreed=one.agreed or other.agreed,
        asked=one.asked or other.asked,
        bare=one.bare or other.bare,
        stances=one.stances & other.stances,
    )


def stance_of(saying: Saying, before: Before, *, led: bool) -> Stance | None:
    """Return what a clause does. A bare command is a permission, unless a line before it may forbid."""
    verdict, last = saying.verdict, before.stance
    if verdict is not None and verdict.again and (last is None or saying.has_action or not saying.limits):
        return None
    if verdict is None:
        permits = not led if last is None else last == "permit"
        return "permit" if saying.bare and permits else None
    if verdict.stance == "opposite":
        return None if last is None else _OPPOSITE[last]
    return None if verdict.anaphoric and last is None and not saying.has_action else verdict.stance


def acts_of(saying: Saying, before: Before) -> Iterator[tuple[Act, ...]]:
    """Yield the actions of a clause, with the objects and verbs that it leaves out."""
    if saying.done:
        yield _done(saying, before)
    elif not saying.acts and saying.topic:
        yield (_limited(Act(verbs=(), things=saying.topic), saying.limits),)
        yield tuple(_limited(replace(act, things=saying.topic), saying.limits) for act in before.acts)
    elif not saying.acts:
        same = saying.verdict is not None and saying.verdict.stance == before.stance  # "hands off them"
        yield _instead(before.acts, saying.limits) if saying.limits or same else ()
    elif all(map(_stands_for_action, saying.acts)):
        limits = (*(one for act in saying.acts for one in act.qualifiers), *saying.limits)
        said = (Act(verbs=(), things=saying.topic),) if saying.topic else before.acts
        yield _instead(said, limits)
    elif not (saying.topic and any(act.things and not has_it(act) for act in saying.acts)):
        things = saying.topic or before.things
        for acts in _with_things(saying.acts, things):
            yield tuple(_limited(one, saying.limits) for one in acts)


def _stands_for_action(act: Act) -> bool:
    """Return whether "do" and "do it" stand for the action before. To do a thing would be to make one."""
    does_it = set(act.verbs) == {"do"} and has_it(act)
    return bool(act.verbs) and set(act.verbs) <= _LIGHT and (does_it or not act.things) and not act.exceptions


def _done(saying: Saying, before: Before) -> tuple[Act, ...]:
    """Return the actions of "may be rebooted": of what stands before it, or of what the clause before is about."""
    nothing = saying.verdict is not None and saying.verdict.nothing
    if saying.acts:
        acts = tuple(replace(act, verbs=saying.done) for act in saying.acts if not act.verbs)
        acts = acts if len(acts) == len(saying.acts) and not (saying.topic or nothing) else ()
    else:
        things = saying.topic or before.things
        if nothing:
            things = () if saying.topic else (ANYTHING,)
        acts = (Act(verbs=saying.done, things=things),) if things else ()
    return tuple(_limited(act, saying.limits) for act in acts)


def _with_things(acts: tuple[Act, ...], things: tuple[Thing, ...]) -> Iterator[tuple[Act, ...]]:
    """Yield actions with the objects that they leave out, or that "it" stands for."""
    yield from product(*(list(_filled(act, things)) for act in acts))


def _filled(act: Act, things: tuple[Thing, ...]) -> Iterator[Act]:
    if has_it(act):
        if things:
            yield replace(act, things=things)
    elif act.things or not (act.verbs or act.made):
        yield act
    else:
        if things:
            yield replace(act, things=things)
        if act.verbs and (act.qualifiers or not things):
            yield act


def kinds_of(one: Statement) -> tuple[object, ...]:
    """Return what a statement is about, without its limits."""
    return tuple((act.verbs, act.things) for act in one.acts)


def has_it(act: Act) -> bool:
    """Return whether an object of an action is a word that stands for another one."""
    return any("it" in thing.nouns for thing in act.things)


def with_units(limits: tuple[Qualifier, ...], before: tuple[Act, ...]) -> tuple[Qualifier, ...]:
    """Return limits with the currency or unit of the clause before, where they have none: "over 500"."""
    units = {(one.word, one.arg, one.is_money) for act in before for one in act.qualifiers if one.kind == "amount"}
    if len(units) != 1:
        return limits
    ((word, arg, is_money),) = units
    return tuple(
        replace(one, word=word, arg=arg, is_money=is_money, names=() if one.names == (AGAIN,) else one.names)
        if one.kind == "amount" and not one.word
        else one
        for one in limits
    )


def _limited(act: Act, limits: tuple[Qualifier, ...]) -> Act:
    if act.exceptions and limits:
        exceptions = tuple(replace(one, qualifiers=(*one.qualifiers, *limits)) for one in act.exceptions)
        return replace(act, qualifiers=(*act.qualifiers, *limits), exceptions=exceptions)
    return replace(act, qualifiers=(*act.qualifiers, *limits))


def _instead(acts: tuple[Act, ...], limits: tuple[Qualifier, ...]) -> tuple[Act, ...]:
    """Return actions with other limits of the same kinds: "over 500" after "under 100 euros".

    Nothing if they have a limit of another kind: in "payouts over 1000 ask me, never on weekends" it is not clear
    whether smaller ones are forbidden on weekends.
    """
    kinds = {"about", *(one.kind for one in limits)}
    if limits and any(one.kind not in kinds for act in acts for one in act.qualifiers):
        return ()
    return tuple(
        replace(act, qualifiers=(*(one for one in act.qualifiers if one.kind not in kinds - {"about"}), *limits))
        for act in acts
        if not (limits and act.exceptions)
    )
