"""Small frames of sentences: "at most 3 refunds per day", "if a refund is over 100", "before they are created"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words import idioms, lexicon, rates
from retouch.recipes.policy.english.words.acts import ANYTHING, Act, Qualifier, Statement, Thing, count_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.frames.phrases import Phrases

_AGREEING = lexicon.word_set("approve confirm check review authorize authorise clear sign")
_ALLOWED = ("are allowed", "are fine", "are ok", "are permitted")
_MUST_NOTS = ("must not", "must never", "may not", "may never", "should not", "should never", "can not")


def limited(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "at most 3 refunds per day" and "limit refunds to 3 per day": more than that is forbidden."""
    for bound, number, start in rates.quantities(words, at) if at == 0 else ():
        for things, middle in _actions(words, start) if bound == "at_most" else ():
            for qualifiers, then in words.qualifiers(middle):
                act = Act(verbs=(), things=things, qualifiers=qualifiers)
                yield from _allowed_often(words, then, act, number, permits=words.word(at) == "up")
        for act, end in _made_often(words, start, number) if bound == "at_most" else ():
            yield Statement(stance="forbid", acts=(act,)), end
    for start, joint in (*((one, "to") for one in words.after(at, "limit")), (at, "are limited to")):
        for things, then in _actions(words, start):
            for more in words.after(then, joint):
                yield from _limited_to(words, more, things)


def _allowed_often(
    words: Phrases, at: int, act: Act, number: float, *, permits: bool
) -> Iterator[tuple[Statement, int]]:
    """Yield "are allowed per day" after "at most ten refunds", or nothing. "Up to ten" permits them as well."""
    ends = list(words.after(at, *_ALLOWED))
    over = replace(act, qualifiers=(*act.qualifiers, count_of("above", number)))
    yield from ((Statement(stance="forbid", acts=(over,)), end) for end in (at, *([] if permits else ends)))
    for more, end in (pair for then in ends if permits for pair in words.qualifiers(then)):
        limits = (*act.qualifiers, *more, count_of("at_most", number))
        yield Statement(stance="permit", acts=(replace(act, qualifiers=limits),)), end


def _made_often(words: Phrases, at: int, number: float) -> Iterator[tuple[Act, int]]:
    """Yield "new events per day" after "at most 4": more of them must not be made, or sent."""
    for things, middle in words.things(at):
        nouns = {thing.nouns[-1] for thing in things if thing.nouns}
        if ANYTHING in things or not nouns or nouns & lexicon.NOMINAL.keys():
            continue
        verbs = ("send",) if nouns == {"email"} else ()
        for qualifiers, end in words.qualifiers(middle):
            if any(one.kind == "per" for one in qualifiers):
                limits = (*qualifiers, count_of("above", number))
                yield Act(verbs=verbs, things=things, qualifiers=limits, made=not verbs), end


def _limited_to(words: Phrases, at: int, things: tuple[Thing, ...]) -> Iterator[tuple[Statement, int]]:
    number = rates.number_of(words.word(at))
    for period, end in rates.periods(words, at + 1) if number is not None else ():
        limit = (count_of("above", number or 0), Qualifier(kind="per", word=period))
        yield Statement(stance="forbid", acts=(Act(verbs=(), things=things, qualifiers=limit),)), end


def for_things(words: Phrases, at: int) -> Iterator[tuple[Act, int]]:
    """Yield "for refunds over 100" at the start of "for refunds over 100, ask me"."""
    for start in words.after(at, "for"):
        for things, middle in words.things(start):
            for qualifiers, end in words.qualifiers(middle):
                if ANYTHING not in things:
                    yield Act(verbs=(), things=things, qualifiers=qualifiers), end


def if_things_are(words: Phrases, at: int) -> Iterator[tuple[Act, int]]:
    """Yield "if a refund is over 100", "when an order costs more than 50" and "if a transfer exceeds 500"."""
    for start in words.after(at, "if", "when", "whenever"):
        for things, middle in words.things(start) if words.word(start) in {"a", "an", "any", "the"} else ():
            thens = (*words.after(middle, "is", "is for", "costs", "amounts to", "goes", "lasts"), middle)
            for then in thens if ANYTHING not in things else ():
                for amount, end in words.amount(then):
                    if then > middle or words.word(middle) == "exceeds":
                        yield Act(verbs=(), things=things, qualifiers=(amount,)), end


def not_exceeding(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "discounts must not exceed 15 percent"."""
    for things, middle in words.things(at):
        for then in words.after(middle, *(f"{one} exceed" for one in _MUST_NOTS)) if ANYTHING not in things else ():
            for amount, end in words.amount_above(then):
                yield Statement(stance="forbid", acts=(Act(verbs=(), things=things, qualifiers=(amount,)),)), end


def having_access(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "read-only access to ~/work is fine" and "you have read access to the drive"."""
    starts = [(then, False) for then in words.matches(at, idioms.HAVE_ACCESS)]
    for start, judged in (*starts, *((then, True) for then in words.matches(at, idioms.READ_ACCESS))):
        found = [(ANYTHING, qualifiers, end) for qualifiers, end in words.qualifiers(start - 1) if qualifiers]
        found += [(thing, (), end) for thing, end in words.thing(start)]
        for thing, qualifiers, then in found:
            act = Act(verbs=("read",), things=(thing,), qualifiers=qualifiers)
            if not judged:
                yield Statement(stance="permit", acts=(act,)), then
            for verb in words.after(then, "is") if judged else ():
                for end in words.matches(verb, idioms.FINE):
                    yield Statement(stance="permit", acts=(act,)), end


def messages(words: Phrases, at: int) -> Iterator[tuple[Act, int]]:
    """Yield "emails to anyone outside acme.example": sending them is meant."""
    for things, middle in words.things(at):
        if all(thing.nouns == ("email",) for thing in things):
            for qualifiers, then in words.qualifiers(middle):
                if any("emails" in (one.kind, one.word) for one in qualifiers):
                    act = Act(verbs=("send",), things=things, qualifiers=qualifiers)
                    yield act, then


def by_people(words: Phrases, at: int, plain: Act) -> Iterator[tuple[Statement, int]]:
    """Yield "pull requests are merged by humans only" and "pages are yours to edit"."""
    for start in words.after(at, "are", "may only be", "can only be", "must be", "must only be", "should only be"):
        for verbs, middle in words.verb_list(start, "ed"):
            exclusive = "only" in {words.word(start - 2), words.word(middle)}
            for end in words.matches(middle, idioms.BY_PEOPLE) if not _AGREEING & set(verbs) else ():
                if exclusive or words.word(end - 1) in {"only", "alone"} or words.word(start - 2) == "must":
                    yield Statement(stance="forbid", acts=(replace(plain, verbs=verbs),)), end
    for start in words.matches(at, idioms.YOURS):
        for verbs, end in words.verb_list(start, "base"):
            yield Statement(stance="permit", acts=(replace(plain, verbs=verbs),)), end


def before_it_is_done(words: Phrases, at: int, acts: tuple[Act, ...]) -> Iterator[tuple[Statement, int]]:
    """Yield "before they are created" and "before creating them" after "deals need my approval"."""
    if any(one.verbs or not one.things for one in acts):
        return
    found = [
        pair
        for start in words.after(at, "before they are", "before it is", "before being", "before they can be", "to be")
        for pair in words.verb_list(start, "ed")
    ]
    for start in words.after(at, "before"):
        for verbs, then in words.verb_list(start, "ing"):
            found += [(verbs, end) for end in words.after(then, "it", "them", "one")]
    for verbs, end in found:
        yield Statement(stance="ask", acts=tuple(replace(one, verbs=verbs) for one in acts)), end


def if_they_are(words: Phrases, at: int, acts: tuple[Act, ...]) -> Iterator[tuple[Statement, int]]:
    """Yield "if they are longer than 6 months" after "loans need my approval"."""
    if len(acts) == 1 and not acts[0].exceptions and all(one.kind == "about" for one in acts[0].qualifiers):
        for qualifier, end in words.qualifier(at):
            if qualifier.is_condition and not qualifier.only:
                act = replace(acts[0], qualifiers=(*acts[0].qualifiers, replace(qualifier, is_condition=False)))
                yield Statement(stance="ask", acts=(act,)), end


def only_fine_where(words: Phrases, at: int, acts: tuple[Act, ...]) -> Iterator[tuple[Statement, int]]:
    """Yield "is only allowed in /tmp": nothing else of the kind is."""
    if len(acts) != 1 or acts[0].exceptions or any(one.kind != "about" for one in acts[0].qualifiers):
        return
    for start in words.matches(at, idioms.ONLY_FINE):
        for qualifiers, end in words.qualifiers(start):
            if qualifiers and all(one.kind != "about" and not one.only for one in qualifiers):
                whole = replace(acts[0], qualifiers=(*acts[0].qualifiers, *qualifiers))
                yield Statement(stance="permit", acts=(whole,), only=True), end


def bad_where(words: Phrases, at: int, acts: tuple[Act, ...]) -> Iterator[tuple[Statement, int]]:
    """Yield "are not allowed on any branch": the place follows the verdict."""
    if any(one.exceptions or one.qualifiers for one in acts):
        return
    for qualifiers, end in words.qualifiers(at):
        if qualifiers and all(one.kind != "about" or one.is_any for one in qualifiers):
            yield Statement(stance="forbid", acts=tuple(replace(one, qualifiers=qualifiers) for one in acts)), end


def only_if_agreed(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "only delete files if I agree"."""
    for start in words.after(at, "only"):
        for acts, then in words.acts(start, "base"):
            for asked in words.optional(then, ","):
                for end in words.matches(asked, idioms.IF_AGREED):
                    yield Statement(stance="ask", acts=acts), end


def but_not_to(words: Phrases, at: int, before: Statement) -> Iterator[tuple[Statement, int]]:
    """Yield "but not to delete them" after "you are allowed to create events"."""
    for start in words.after(at, "not to", "never to") if before.stance == "permit" else ():
        for acts, end in words.acts(start, "base"):
            yield Statement(stance="forbid", acts=acts), end


def never_to_other(words: Phrases, at: int, act: Act) -> Iterator[tuple[Statement, int]]:
    """Yield "never to off" after "the mode may be set to full or strict": the same with other listed values."""
    for start in words.after(at, "not", "never"):
        for qualifiers, end in words.qualifiers(start):
            if qualifiers and all(one.kind == "value" for one in (*qualifiers, *act.qualifiers)):
                yield Statement(stance="forbid", acts=(replace(act, qualifiers=qualifiers),)), end


def is_the_act(words: Phrases, at: int, end: int, before: Statement | None) -> bool:
    """Return whether "that" and "it" stand for the action before, as in "never delete letters, that is my job"."""
    return before is not None and end == at + 1 and words.word(at) in {"that", "this", "it"}


def but_ask(words: Phrases, at: int, acts: tuple[Act, ...]) -> Iterator[tuple[Statement, int]]:
    """Yield "but ask me first" at the end of a permission: it asks about the same."""
    for then in words.after(at, "but", ", but", "; but"):
        for end in words.matches(then, idioms.ASK):
            if words.size == end:
                yield Statement(stance="ask", acts=acts), end


def _actions(words: Phrases, at: int) -> Iterator[tuple[tuple[Thing, ...], int]]:
    """Yield objects that name actions, such as "refunds"."""
    for things, end in words.things(at):
        if all(thing.nouns and thing.nouns[-1] in lexicon.NOMINAL for thing in things):
            yield things, end
