"""Parts that continue the one before: "but not sent", "everything above needs approval", "but ask in production"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.english.frames import others, small_frames, touching
from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.words import idioms, lexicon
from retouch.recipes.policy.english.words.acts import ANYTHING, Act, Statement, complement_of
from retouch.recipes.policy.english.words.lexicon import word_set

if TYPE_CHECKING:
    from retouch.recipes.policy.english.words.acts import Qualifier, Stance

Judged: TypeAlias = Callable[[Phrases, int, tuple[Act, ...], Statement | None], Iterator[tuple[Statement, int]]]
_LARGER = ("larger", "bigger", "higher", "greater", "longer", "more expensive", "pricier", "heavier")
_WEIGHTS = word_set("kg kilo kilogram gram tonne ton weight lb")
_COSTS = word_set("price cost total fee budget value")
_IF_MORE = re.compile(
    r"if (?:it|that|one) (?:is|costs|gets|goes|weighs|lasts|takes|comes to) (?:any )?(?:more|higher|larger|bigger)"
    r"(?: than (?:that|this))?"
)
_COMMA_ASK = re.compile(rf", (?:{idioms.ASK.pattern})")


def continued(words: Phrases, at: int, before: Statement, *, judged: Judged) -> Iterator[tuple[Statement, int]]:
    """Yield what follows a permission: "but not sent", "but ask in production", "anything above needs my approval"."""
    act = before.acts[-1]
    if before.stance != "permit" or act.exceptions:
        return
    for start in words.after(at, "not", "never"):
        for verbs, middle in words.verb_list(start, "ed"):
            for qualifiers, end in words.qualifiers(middle):
                yield Statement(stance="forbid", acts=(replace(act, verbs=verbs, qualifiers=qualifiers),)), end
    yield from _but_no(words, at, act)
    yield from _never_more(words, at, before)
    for start in words.matches(at, idioms.ASK):
        for then in words.optional(start, "before doing so", "before doing that", "before you do so", "to do so"):
            for qualifiers, end in words.qualifiers(then):
                if qualifiers:
                    acts = tuple(replace(one, qualifiers=qualifiers) for one in before.acts)
                    yield Statement(stance="ask", acts=acts), end
    yield from small_frames.never_to_other(words, at, act)
    if len(before.acts) == 1 and (words.antecedent is not None or others.object_of(before, None) is None):
        yield from _above(words, at, act, judged)


def _never_more(words: Phrases, at: int, before: Statement) -> Iterator[tuple[Statement, int]]:
    """Yield "but never more than 200 pieces" after a permission without a number."""
    act = before.acts[-1]
    if len(before.acts) > 1 or any(one.kind in {"amount", "size", "count"} for one in act.qualifiers):
        return
    for start in words.after(at, "never", "not"):
        for more, end in words.amount(start):
            if more.above is not None:
                yield Statement(stance="forbid", acts=(replace(act, qualifiers=(*act.qualifiers, more)),)), end


def _but_no(words: Phrases, at: int, act: Act) -> Iterator[tuple[Statement, int]]:
    """Yield "but no VIP tickets" after a permission: the same must not be done to them."""
    for start in words.after(at, "no") if act.verbs else ():
        for things, end in words.things(start):
            if ANYTHING not in things:
                yield Statement(stance="forbid", acts=(Act(verbs=act.verbs, things=things),)), end


def but_only(words: Phrases, at: int, before: Statement) -> Iterator[tuple[Statement, int]]:
    """Yield a permission with the limit of ", but only between 8:00 and 18:00": what that excludes is forbidden."""
    if before.stance != "permit" or before.only or len(before.acts) != 1 or before.acts[0].exceptions:
        return
    (act,) = before.acts
    for then in words.after(at, ", but only", "but only", ", and only", "and only", ", only", "; but only"):
        for found, end in words.qualifiers(then):
            if found and all(one.kind not in {"about", "count", "per"} and not one.only for one in found):
                limits = tuple(replace(one, only=True) for one in found)
                yield replace(before, acts=(replace(act, qualifiers=(*act.qualifiers, *limits)),)), end


def continued_passive(words: Phrases, at: int, before: Statement) -> Iterator[tuple[Statement, int]]:
    """Yield "but must never be changed" after "records may be viewed", and "jobs posted" after "interviews may be
    scheduled".
    """
    act = before.acts[-1]
    plain = not act.exceptions and all(one.kind == "about" for one in act.qualifiers)
    if before.stance == "ask" or before.only or not plain or not act.things or ANYTHING in act.things:
        return
    found: list[tuple[Stance, Act, int]] = []
    openings_of: tuple[tuple[Stance, tuple[str, ...]], ...] = (
        ("forbid", idioms.MUST_NOT_BE),
        ("permit", idioms.MAY_BE),
    )
    for stance, openings in openings_of:
        for start in words.after(at, *openings):
            for verbs, end in words.verb_list(start, "ed"):
                found.append((stance, replace(act, verbs=verbs), end))
    for things, middle in words.things(at) if act.verbs and words.word(at - 1) == "and" else ():
        for verbs, end in words.verb_list(middle, "ed"):
            if words.size in {
                end,
                *words.matches(end, idioms.FREELY if before.stance == "permit" else idioms.EVER),
            }:
                found.append((before.stance, Act(verbs=verbs, things=things), end))
    for stance, one, then in found:
        end = next(words.matches(then, idioms.BY_AGENT), then)
        yield Statement(stance=stance, acts=(one,)), end
        if stance == "permit":
            yield from ((Statement(stance=stance, acts=(one,)), last) for last in words.matches(end, idioms.FREELY))
        else:
            yield from ((Statement(stance="ask", acts=(one,)), last) for last in touching.unless_agreed(words, end))


def _above(words: Phrases, at: int, act: Act, judged: Judged) -> Iterator[tuple[Statement, int]]:
    """Yield "anything above needs my approval", "larger ones are forbidden", "otherwise ask me"."""
    amounts = [one for one in act.qualifiers if one.kind == "amount"]
    rest = complement_of(amounts[0]) if len(amounts) == 1 else None
    if rest is None:
        return
    over = replace(act, qualifiers=(*(one for one in act.qualifiers if one.kind != "amount"), rest))
    asked: list[int] = []
    larger = [end for end in words.matches(at, idioms.OVER) if _fits(_said(words, at, end), rest)]
    larger += _larger(words, at, act, rest)
    fors = [
        end
        for then in words.after(at, "for")
        for end in (*words.matches(then, idioms.OVER), *_larger(words, then, act, rest))
        if _fits(_said(words, then, end), rest)
    ]
    for start in (*fors, *words.matches(at, _IF_MORE)):
        asked += [end for pattern in (idioms.ASK, _COMMA_ASK) for end in words.matches(start, pattern)]
    for start in larger:
        yield from judged(words, start, (over,), None)
        asked += words.matches(start, _COMMA_ASK)
    for start in words.after(at, "otherwise", "else"):
        asked += words.matches(start, idioms.ASK)
    for start in words.matches(at, idioms.ASK):
        asked += [end for end in words.matches(start, idioms.FOR_MORE) if _fits(_said(words, start, end), rest)]
        asked += [end for then in words.after(start, "for", "about") for end in _larger(words, then, act, rest)]
        asked += words.matches(start, _IF_MORE)
        for then in words.matches(start, idioms.BEFORE):
            asked += [end for more in others.same_verbs(words, then, act) for end in _larger(words, more, act, rest)]
    yield from ((Statement(stance="ask", acts=(over,)), end) for end in asked)
    for start in others.forbidding(words, at):
        for then in others.same_verbs(words, start, act):
            for end in _larger(words, then, act, rest):
                yield from ((Statement(stance="forbid", acts=(over,)), last) for last in touching.ever(words, end))
                yield from (
                    (Statement(stance="ask", acts=(over,)), last) for last in touching.unless_agreed(words, end)
                )


def _larger(words: Phrases, at: int, act: Act, amount: Qualifier) -> Iterator[int]:
    """Yield the position after "larger refunds" and "a heavier one", if the sentence is about refunds and weights."""
    for start in words.optional(at, "a", "an", "any"):
        for then in words.after(start, *_LARGER):
            if _fits(_said(words, start, then), amount):
                yield from words.after(then, "one", "ones")
                yield from (end for things, end in words.things(then) if others.is_same(things, act))
    for then in words.after(at, "more"):
        yield from words.optional(then, "than that", "than this")


def _said(words: Phrases, at: int, end: int) -> str:
    return " ".join(words.word(place) for place in range(at, end))


def _fits(said: str, amount: Qualifier) -> bool:
    """Return whether a comparison can be about an amount: money is not heavier, and nights are not more expensive."""
    money = amount.is_money or amount.word in lexicon.CURRENCIES | {"sign", *_COSTS}
    weight = amount.word in _WEIGHTS
    if re.search(r"\b(?:expensive|pricier)\b", said):
        return money or not amount.word
    if re.search(r"\bheavier\b", said):
        return weight
    return re.search(r"\blonger\b", said) is None or not (money or weight)
