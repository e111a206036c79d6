"""Frames of sentences about things: "new servers must be of type cx22", "at most 3 posts a day", "no task may cost"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits import choosing
from retouch.recipes.policy.english.words import lexicon, rates
from retouch.recipes.policy.english.words.acts import ANYTHING, Act, Qualifier, Statement, count_of, outside_of
from retouch.recipes.policy.english.words.lexicon import singular

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.frames.phrases import Phrases
    from retouch.recipes.policy.english.words.acts import Thing

_MUST = re.compile(r"(?:must|should|shall|needs? to|has to|have to)(?: always)?")
_HAVING = re.compile(r"(?:must|should|shall|needs? to|has to|have to)(?: always)? have")
_USING = re.compile(
    r"(?:must|should|shall|needs? to|has to|have to)(?: always| only)? "
    r"(?:target|use|name|have|carry|get|go to|be for|go into)"
)
_BEING = r"(?:be valid(?: for)?|be|have|cost|exceed|last|take|get|contain|weigh|go|give|grant|offer)"
_MAY_NOT = re.compile(rf"(?:may|must|should|can|shall)(?: ever)? {_BEING}|is|are|has|costs|lasts")
_MUST_NOT = re.compile(rf"(?:may|must|should|can|shall) (?:not|never)(?: ever)? {_BEING}")
_HAS_NOT = re.compile(r"(?:may|must|should|can|shall) (?:not|never)(?: ever)? (?:allow|have|use|enable|permit)")
_CONTAINS_NOT = re.compile(r"(?:may|must|should|can|shall) (?:not|never)(?: ever)? (?:contain|include|mention)")
_USES_NOT = re.compile(r"(?:never|do not|you (?:must|may|should) (?:not|never)) (?:use|mention|include|write|put)")
_LASTING = re.compile(r"(?:may|can)(?: only)? (?:be valid(?: for)?|run|last|take|cost|be|have|weigh|go)(?: for)?")
# What must be done to something is no limit of how it is done: "files must be deleted from /tmp".
_DUTIES = lexicon.word_set("delete remove erase destroy archive cancel close wipe purge drop terminate review approve")
# What is read as well as made: "no more than 3 emails per day" does not say which.
_BOTH_WAYS = lexicon.word_set("email message file page request call query search result event")
_ENOUGH = ("at least one", "at least 1", "one", "a", "an")


def statements(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield all statements of this kind."""
    yield from _made_at_most(words, at)
    yield from _done_at_most(words, at)
    yield from _none_over(words, at)
    yield from not_said(words, at)
    for things, middle in words.things(at):
        if ANYTHING in things or any(one.is_owned or not one.nouns for one in things):
            continue
        for qualifiers, then in words.qualifiers(middle):
            if all(one.kind in {"about", "chosen", "value"} for one in qualifiers):
                act = Act(verbs=(), things=things, qualifiers=qualifiers, made=True)
                yield from _must(words, then, act)
                yield from _lasting(words, then, act)
                for start in words.matches(then, _MUST_NOT):
                    yield from _over(words, start, act)
                    yield from _bad(words, start, act)
                for start in words.matches(then, _HAS_NOT):
                    for flag, end in choosing.flags(words, start):
                        yield Statement(stance="forbid", acts=(replace(act, qualifiers=(*qualifiers, flag)),)), end
                yield from _using(words, then, act)
                for start in words.matches(then, _CONTAINS_NOT):
                    for said, end in choosing.containing(words, start):
                        yield Statement(stance="forbid", acts=(replace(act, qualifiers=(*qualifiers, said)),)), end


def _must(words: Phrases, at: int, act: Act) -> Iterator[tuple[Statement, int]]:
    for then in words.matches(at, _HAVING):
        for needed, end in (*_argument(words, then), *_flag(words, then), *words.qualifiers(then)):
            yield from _demand(act, needed, end)
    for start in words.matches(at, _MUST):
        for then in words.after(start, "be"):
            for needed, end in (*_flag(words, then), *words.qualifiers(then)):
                yield from _demand(act, needed, end)
            for verbs, middle in words.verb_list(then, "ed"):
                for needed, end in words.qualifiers(middle) if _DUTIES.isdisjoint(verbs) else ():
                    yield from _demand(replace(act, verbs=verbs, made=False), needed, end)
                    yield from _demand(act, needed, end)


def _using(words: Phrases, at: int, act: Act) -> Iterator[tuple[Statement, int]]:
    """Yield "must always target the branch develop" and "must use the supplier Kessler": a value of an argument."""
    for then in words.matches(at, _USING):
        for start in words.optional(then, "the"):
            for noun, middle in choosing.named_argument(words, start):
                verb = words.word(then - 1)
                target = f"{verb} {noun}"  # `target_branch`
                side = "to" if verb in {"target", "to", "into"} else ""
                for names, end in words.value_names(middle):
                    whole = target if target in words.given else noun
                    needed = Qualifier(kind="chosen", word=side, arg=whole, names=names)
                    yield Statement(stance="forbid", acts=(replace(act, demanded=(needed,)),)), end


def _demand(act: Act, needed: tuple[Qualifier, ...], end: int) -> Iterator[tuple[Statement, int]]:
    """Yield that an act must have qualifiers. Amounts outside of its limits are forbidden."""
    if not needed or any(one.kind in {"about", "count", "per", "time"} or one.only for one in needed):
        return
    bad = [one for amount in needed if amount.kind in {"amount", "size"} for one in outside_of(amount)]
    if bad and any(one.kind not in {"amount", "size"} for one in needed):
        return  # "must be under 300 characters in #dev" says nothing of other channels
    if len(needed) == 1 and any(one.above is not None or one.at_least is not None for one in bad):
        yield (
            Statement(stance="forbid", acts=tuple(replace(act, qualifiers=(*act.qualifiers, one)) for one in bad)),
            end,
        )
    else:
        yield Statement(stance="forbid", acts=(replace(act, demanded=needed),)), end


def never_without(words: Phrases, at: int, acts: tuple[Act, ...]) -> Iterator[tuple[Statement, int]]:
    """Yield "without a due date" after a prohibition: the argument must be given."""
    for then in words.after(at, "without") if len(acts) == 1 and not acts[0].exceptions else ():
        for start in words.after(then, *_ENOUGH, "any"):
            given = [
                (Qualifier(kind="chosen", arg=noun, names=("*",)), end)
                for noun, end in choosing.named_argument(words, start)
            ]
            for needed, end in given:
                yield Statement(stance="forbid", acts=(replace(acts[0], demanded=(needed,)),)), end
        for start in words.optional(then, *_ENOUGH, "any"):
            for needed, end in choosing.flags(words, start):
                yield Statement(stance="forbid", acts=(replace(acts[0], demanded=(needed,)),)), end


def _flag(words: Phrases, at: int) -> Iterator[tuple[tuple[Qualifier, ...], int]]:
    """Yield "masked" and "in privileged mode", if `masked` and `privileged` are arguments that are true or false, and
    "small or medium", if a schema lists them.
    """
    for flag, end in choosing.flags(words, at):
        yield (flag,), end
    for values, end in choosing.listed_values(words, at):
        yield (values,), end


def _argument(words: Phrases, at: int) -> Iterator[tuple[tuple[Qualifier, ...], int]]:
    """Yield "a due date" and "at least one tag": an argument that must be given."""
    for then in words.after(at, *_ENOUGH):
        for noun, end in choosing.named_argument(words, then):
            yield (Qualifier(kind="chosen", arg=noun, names=("*",)),), end


def _over(words: Phrases, at: int, act: Act) -> Iterator[tuple[Statement, int]]:
    """Yield "more than 20 points" and, after "exceed", "20 points": such amounts are forbidden."""
    exceeding = words.word(at - 1) == "exceed"
    found = words.amount_above(at) if exceeding else words.amount(at)
    for amount, end in found:
        if amount.above is not None or amount.at_least is not None or amount.below is not None:
            yield Statement(stance="forbid", acts=(replace(act, qualifiers=(*act.qualifiers, amount)),)), end


def _bad(words: Phrases, at: int, act: Act) -> Iterator[tuple[Statement, int]]:
    """Yield "public" and "of type cx22" after "must not be": such ones are forbidden."""
    if words.word(at - 1) == "be":
        for bad, end in (*_flag(words, at), *words.qualifiers(at)):
            if bad and all(one.kind in {"flag", "chosen", "value"} for one in bad):
                yield Statement(stance="forbid", acts=(replace(act, qualifiers=(*act.qualifiers, *bad)),)), end


def not_said(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "do not use the hashtag #ad in posts": what a text must not contain."""
    for start in words.matches(at, _USES_NOT):
        for said, then in choosing.containing(words, start):
            for more in words.after(then, "in"):
                for things, end in words.things(more):
                    if ANYTHING not in things and not any(one.is_owned for one in things):
                        act = Act(verbs=(), things=things, qualifiers=(said,), made=True)
                        yield Statement(stance="forbid", acts=(act,)), end


def _none_over(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "no payment to a supplier may be higher than 1,500 euros" and "no task may have more than 20 points"."""
    for start in words.after(at, "no"):
        for things, middle in words.things(start):
            for qualifiers, then in words.qualifiers(middle):
                if ANYTHING not in things and all(one.kind == "about" for one in qualifiers):
                    act = Act(verbs=(), things=things, qualifiers=qualifiers, made=True)
                    for over in words.matches(then, _MAY_NOT):
                        yield from _over(words, over, act)


def _lasting(words: Phrases, at: int, act: Act) -> Iterator[tuple[Statement, int]]:
    """Yield "rentals may last up to 4 hours": a permission with a limit."""
    for start in words.matches(at, _LASTING):
        for amount, end in words.amount(start):
            if amount.at_most is not None or amount.below is not None:
                whole = replace(act, qualifiers=(*act.qualifiers, amount))
                yield Statement(stance="permit", acts=(whole,)), end
                if "run" in {words.word(start - 1), words.word(start - 2)}:  # what runs is run by somebody
                    yield Statement(stance="permit", acts=(replace(whole, verbs=("run",), made=False),)), end


def _made_at_most(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "at most 3 posts a day" and "no more than 2 new servers per day": more than that is forbidden."""
    for bound, number, start in rates.quantities(words, at) if at == 0 else ():
        for things, middle in words.things(start) if bound == "at_most" else ():
            if ANYTHING in things or any(one.nouns[-1] in _BOTH_WAYS for one in things) or _are_nominal(things):
                continue  # the frames know actions
            for qualifiers, end in words.qualifiers(middle):
                if any(one.kind == "per" for one in qualifiers):
                    act = Act(verbs=(), things=things, qualifiers=(*qualifiers, count_of("above", number)), made=True)
                    yield Statement(stance="forbid", acts=(act,)), end
                    for done in words.after(end, "may be", "can be", "are allowed to be"):
                        for verbs, last in words.verb_list(done, "ed"):
                            yield Statement(stance="forbid", acts=(replace(act, verbs=verbs, made=False),)), last


def _done_at_most(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "no more than 250 portions may be planned per meal": doing it with more is forbidden."""
    for bound, _, _ in rates.quantities(words, at) if at == 0 else ():
        for amount, middle in words.amount(at) if bound == "at_most" else ():
            known = amount.word not in {"", *lexicon.NOMINAL}  # "3 orders" may be three calls
            for then in words.after(middle, "may be", "can be", "must be", "should be") if known else ():
                for verbs, done in words.verb_list(then, "ed"):
                    over = tuple(Act(verbs=verbs, qualifiers=(one,)) for one in outside_of(amount))
                    yield Statement(stance="forbid", acts=over), done
                    for names, end in words.per_call(done):
                        each = tuple(
                            replace(one, qualifiers=(replace(one.qualifiers[0], names=names),)) for one in over
                        )
                        yield Statement(stance="forbid", acts=each), end


def _are_nominal(things: tuple[Thing, ...]) -> bool:
    return all(one.nouns and singular(one.nouns[-1]) in lexicon.NOMINAL for one in things)
