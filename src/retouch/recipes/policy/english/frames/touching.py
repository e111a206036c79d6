"""Places and hosts that must not be touched: "stay inside ~/work", "keep out of ~/Private", "touch anything in"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits import choosing
from retouch.recipes.policy.english.tools.on_files import FILES
from retouch.recipes.policy.english.words import idioms, lexicon
from retouch.recipes.policy.english.words.acts import ANYTHING, Act, Qualifier, Statement, Thing
from retouch.recipes.policy.english.words.lexicon import singular

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.frames.phrases import Form, Phrases


def ever(words: Phrases, at: int) -> Iterator[int]:
    """Yield a position, and the one after "at all" and ", no matter what"."""
    yield at
    for start in words.optional(at, ","):
        yield from words.matches(start, idioms.EVER)


def unless_agreed(words: Phrases, at: int) -> Iterator[int]:
    """Yield the position after "without asking me" and ", unless I agree"."""
    for start in words.optional(at, ","):
        yield from words.matches(start, idioms.WITHOUT)
        yield from words.matches(start, idioms.UNLESS)


def kept_out(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "stay inside ~/work" and "keep out of ~/Private"."""
    for start in words.matches(at, idioms.STAY_IN):
        for names, end in words.folders(start):
            place = Qualifier(kind="outside", names=names)
            act = Act(verbs=("touch",), things=(ANYTHING,), qualifiers=(place,))
            yield Statement(stance="forbid", acts=(act,)), end
        for names, then in words.sites(start):
            site = Qualifier(kind="sites", word="from", names=names)
            every = Act(verbs=(lexicon.TOUCH_SITES,), things=(ANYTHING,))
            others = replace(every, exceptions=(replace(every, qualifiers=(site,)),))
            for end in (then, *words.matches(then, idioms.WHEN_BROWSING)):
                yield Statement(stance="forbid", acts=(others,)), end
    for start in words.after(
        at, "stay away from", "stay out of", "keep out of", "hands off", "keep away from", "steer clear of"
    ):
        for act, then in target(words, start):
            yield from ((Statement(stance="forbid", acts=(act,)), end) for end in ever(words, then))


def touching_or_acts(words: Phrases, at: int, form: Form) -> Iterator[tuple[tuple[Act, ...], int]]:
    """Yield verb phrases, and "touch anything in ~/Private"."""
    yield from words.acts(at, form)
    verbs = {
        "base": ("touch", "access", "go near", "use"),
        "ing": ("touching", "accessing", "using"),
        "ed": (),
        "s": ("touches", "accesses"),
    }[form]
    for then in words.after(at, *verbs):
        for start in words.optional(then, "anything in", "anything inside", "anything under", "any file in"):
            yield from (((act,), end) for act, end in target(words, start))
        for things, middle in words.things(then):
            if all(set(one.nouns) <= FILES for one in things):
                for places, end in words.qualifiers(middle):
                    if places and all(one.kind in {"inside", "outside"} and not one.only for one in places):
                        yield (Act(verbs=("touch",), things=(ANYTHING,), qualifiers=places),), end


def _named_target(words: Phrases, at: int) -> Iterator[tuple[Act, int]]:
    """Yield "#leadership", "the customer cus_1" and "the hr schema": a value of an argument."""
    for chosen, end in (*words.chosen(at), *choosing.flags(words, at)):
        yield Act(verbs=("use",), things=(ANYTHING,), qualifiers=(chosen,)), end


def left_alone(words: Phrases, at: int) -> Iterator[tuple[Act, int]]:
    """Yield a target that must be left alone. A value of an argument is so if a call gives it."""
    for act, end in target(words, at):
        given = act.verbs == ("use",) and any(one.kind in {"chosen", "named"} for one in act.qualifiers)
        yield (replace(act, verbs=(lexicon.LEAVE_ALONE,)) if given else act), end


def target(words: Phrases, at: int) -> Iterator[tuple[Act, int]]:
    """Yield a directory or host that must not be touched."""
    yield from _named_target(words, at)
    for names, end in words.folders(at):
        place = Qualifier(kind="inside", word="in", names=names)
        yield Act(verbs=("touch",), things=(ANYTHING,), qualifiers=(place,)), end
    if words.word(at) in words.servers and words.word(at) not in {"file", "files", "filesystem"}:
        yield Act(verbs=("use",), things=(Thing(nouns=(singular(words.word(at)),), raw=(words.word(at),)),)), at + 1
    for end in words.after(at, *sorted(lexicon.ENVIRONMENTS - {"test", "testing", "sandbox"})):
        where = Qualifier(kind="named", word="environment", names=(words.word(at),))
        yield Act(verbs=("use",), things=(ANYTHING,), qualifiers=(where,)), end
    for names, end in words.sites(at):
        site = Qualifier(kind="sites", word="from", names=names)
        yield Act(verbs=(lexicon.TOUCH_SITES,), things=(ANYTHING,), qualifiers=(site,)), end
