"""Frames of sentences about duties: "I approve every email before it is sent", "refunds must stay below 100"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words import idioms, lexicon
from retouch.recipes.policy.english.words.acts import ANYTHING, WEB, Act, Qualifier, Statement, Thing, outside_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.frames.phrases import Phrases

_AGREE = (
    r"(?:approve|confirm|review|check|see|ok|okay|authorize|authorise|vet|sign off on|sign off|give my ok to|decide on|"
    r"look at|greenlight|clear|agree to)"
)
# What follows is an object, and then what is done to it.
_APPROVING = re.compile(
    rf"(?:i|we) (?:want to|would like to|need to|must|would have to|wish to|will|shall|like to)(?: always)?(?: first)?"
    rf" {_AGREE}(?: first)?|"
    rf"(?:always )?let (?:me|us) {_AGREE}|have (?:me|us) {_AGREE}"
)
_RUNNING_BY = re.compile(r"(?:always )?(?:run|put|clear|check|verify|discuss|confirm|double-check)")
_WITH_ME = re.compile(r"(?:by|past|with|to) (?:me|us|the user)(?: first)?")
_BEFORE_IT_IS = re.compile(
    r"(?:, )?before (?:it|they|this|that|these) (?:is|are|gets|get|has been|have been|can be|may be|is being|are being)"
)
_BEFORE_IT = re.compile(r"(?:, )?before (?:it|they)")
_BEFORE_YOU = re.compile(r"(?:, )?before you(?: actually)?")
_THAT_YOU = re.compile(rf"(?:(?:that|which) )?{idioms.YOU}(?: want to| would like to)?")
_ITSELF = re.compile(r"it|them|this|that|one|any")
_STAYING = re.compile(r"(?:must|should|may|can|shall)(?: always| only)? (?:be|stay|remain|be kept|cost|amount to)")
_CAPPED = re.compile(r"(?:is|are|must be|should be) (?:capped|limited|restricted) (?:at|to)")
_NO_MORE = re.compile(
    r"(?:must|may|should|can) (?:not|never) (?:exceed|go (?:over|above|beyond)|"
    r"(?:be|cost|amount to) (?:more|higher|larger|greater|bigger|longer) than|be (?:over|above))"
)
_KEPT = re.compile(
    r"(?:must|should|needs? to|shall|may only|can only|must only|should only)(?: always)? "
    r"(?:go|end up|be (?:saved|stored|placed|put|written|kept)|stay|land|remain|be) (?:in|into|to|inside|under|within)"
)
_WHATEVER = re.compile(
    r"(?:whatever|anything|everything|what|(?:any |every |all |the )?(?:files?|documents?)(?: that| which)?)"
    rf"(?: that)? {idioms.YOU}"
)
_NOT_WANTED = re.compile(r"(?:i|we) (?:do not|never) want(?: to (?:see|have))?(?: ever)?")
_THE_ONLY = re.compile(
    r"the only (?:sites?|websites?|pages?|hosts?|domains?|places?|folders?|director(?:y|ies)) "
    rf"(?:that |which )?{idioms.YOU} (?:may|can|(?:is|are) (?:allowed|permitted) to)"
)
_STAY = re.compile(
    rf"(?:{idioms.YOU} (?:must|should|have to) )?(?:always )?(?:stay|stick|keep|remain|only work|work only) "
    r"(?:in|inside|within|to|on|with)"
)
_READING = re.compile(
    r"(?:everything|anything|whatever|all (?:actions|tools|calls|operations)|any (?:action|tool|call|operation)|tools|"
    r"actions|operations|calls) (?:that|which) (?:is|are|only|just|is just|is only|are only|merely)? ?"
    r"(?:reads?(?: data| things| information)?|looks? (?:at things|things up)|read-only|read only|reading)|"
    r"(?:all |any )?(?:read-only|read only|reading|read) (?:tools?|actions?|operations?|calls?|quer(?:y|ies)|requests?)"
)


def statements(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield all statements about duties at a position."""
    yield from approved_first(words, at)
    yield from asked_about_things(words, at)
    yield from kept_below(words, at)
    yield from kept_in(words, at)
    yield from not_wanted(words, at)
    yield from the_only(words, at)
    yield from staying(words, at)


def subjects(words: Phrases, at: int) -> Iterator[tuple[Act, int]]:
    """Yield what a verdict such as "is fine" may follow: "everything that only reads", "every new event"."""
    yield from reading_only(words, at)
    yield from any_amount(words, at)
    yield from new_things(words, at)


def approved_first(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "I want to approve every email before it is sent" and "let me confirm any event you create"."""
    starts = [(True, start) for start in words.matches(at, _RUNNING_BY)]
    for with_me, start in (*starts, *((False, start) for start in words.matches(at, _APPROVING))):
        for things, middle in words.things(start):
            done = next(words.matches(middle, _WITH_ME), None) if with_me else middle
            if done is None:
                continue
            every = tuple(replace(one, amount="any") if one.amount == "all" else one for one in things)
            for qualifiers, then in words.qualifiers(done):
                plain = Act(verbs=(), things=every, qualifiers=qualifiers)
                yield from ((_ask(plain, verbs), end) for verbs, end in _done_to_it(words, then))
                if every != (ANYTHING,) and all(one.nouns[-1:] and one.nouns[-1] in lexicon.NOMINAL for one in every):
                    yield Statement(stance="ask", acts=(plain,)), then


def _done_to_it(words: Phrases, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the verbs of "before it is sent", "before you send it" and "that you send"."""
    for start in words.matches(at, _BEFORE_IT_IS):
        yield from words.verb_list(start, "ed")
    for start in words.matches(at, _BEFORE_IT):
        yield from ((("run",), end) for end in words.after(start, "runs", "run"))
        yield from ((("send",), end) for end in words.after(start, "goes out", "go out", "leaves", "leave"))
    for start in words.matches(at, _BEFORE_YOU):
        for verbs, then in words.verb_list(start, "base"):
            yield from ((verbs, end) for end in words.matches(then, _ITSELF))
    for start in words.matches(at, _THAT_YOU):
        yield from words.verb_list(start, "base")


def _ask(plain: Act, verbs: tuple[str, ...]) -> Statement:
    return Statement(stance="ask", acts=(replace(plain, verbs=verbs),))


def asked_about_things(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "ask me before any production deployment" and "ask me for refunds over 50": the noun of an action."""
    for asked in words.matches(at, idioms.ASK):
        for start in (*words.matches(asked, idioms.BEFORE), *words.after(asked, "for", "about")):
            for things, middle in words.things(start):
                if any(not one.nouns or one.nouns[-1] not in lexicon.NOMINAL for one in things):
                    continue
                every = tuple(replace(one, amount="any") for one in things)
                for qualifiers, end in words.qualifiers(middle):
                    yield Statement(stance="ask", acts=(Act(verbs=(), things=every, qualifiers=qualifiers),)), end


def kept_below(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "refunds must stay below 100" and "discounts are capped at 15 percent": more than that is forbidden."""
    for start in words.after(at, "keep", "always keep"):
        for things, middle in words.things(start):
            for amount, end in words.amount(middle) if ANYTHING not in things else ():
                acts = tuple(Act(verbs=(), things=things, qualifiers=(bad,)) for bad in outside_of(amount))
                if acts:
                    yield Statement(stance="forbid", acts=acts), end
    for things, middle in words.things(at):
        if ANYTHING in things:
            continue
        for qualifiers, then in words.qualifiers(middle):
            found = [pair for start in words.matches(then, _STAYING) for pair in words.amount(start)]
            rest = [(outside_of(amount), end) for amount, end in found]
            rest += [
                ((over,), end) for start in words.matches(then, _NO_MORE) for over, end in words.amount_above(start)
            ]
            capped = [pair for start in words.matches(then, _CAPPED) for pair in words.amount_above(start)]
            rest += [((over,), end) for over, end in capped if over.word]  # "limited to 5" may be five refunds
            for amounts, end in rest:
                acts = tuple(Act(verbs=(), things=things, qualifiers=(*qualifiers, bad)) for bad in amounts)
                if acts:
                    yield Statement(stance="forbid", acts=acts), end


def kept_in(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "whatever you download has to end up in ~/in" and "downloads must go to ~/in": nowhere else."""
    for start in words.matches(at, _WHATEVER):
        for verbs, then in words.verb_list(start, "base"):
            yield from _nowhere_else(words, then, Act(verbs=verbs, things=(ANYTHING,)))
    for things, then in words.things(at):
        if any(not one.nouns or one.is_owned for one in things):
            continue
        if all(one.nouns[-1] in lexicon.NOMINAL for one in things):
            yield from _nowhere_else(words, then, Act(verbs=(), things=things))
        elif all(len(one.nouns) == 1 and one.nouns[0] in lexicon.ACTIONS for one in things):
            verbs = tuple(lexicon.ACTIONS[one.nouns[0]] for one in things)
            yield from _nowhere_else(words, then, Act(verbs=verbs))


def _nowhere_else(words: Phrases, at: int, act: Act) -> Iterator[tuple[Statement, int]]:
    for start in words.matches(at, _KEPT):
        for names, end in words.folders(start):
            place = Qualifier(kind="outside", word="to", names=names)
            yield Statement(stance="forbid", acts=(replace(act, qualifiers=(place,)),)), end


def staying(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "when inserting rows, stay within the analytics schema": elsewhere it is forbidden."""
    for start in words.after(at, "when", "while", "if you are", "whenever you are", "when you are"):
        for acts, then in words.acts(start, "ing"):
            for comma in words.after(then, ","):
                for place in words.matches(comma, _STAY):
                    for qualifiers, end in words.qualifiers(place - 1):
                        clear = len(qualifiers) == 1 and qualifiers[0].kind != "about" and not qualifiers[0].only
                        if clear and len(acts) == 1 and not acts[0].exceptions:
                            spared = replace(acts[0], qualifiers=(*acts[0].qualifiers, *qualifiers))
                            yield Statement(stance="forbid", acts=(replace(acts[0], exceptions=(spared,)),)), end


def not_wanted(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "I do not want any emails deleted": deleting them is forbidden."""
    for start in words.matches(at, _NOT_WANTED):
        for things, middle in words.things(start):
            for qualifiers, then in words.qualifiers(middle):
                for done in words.optional(then, "to be", "being"):
                    for verbs, end in words.verb_list(done, "ed"):
                        act = Act(verbs=verbs, things=things, qualifiers=qualifiers)
                        yield Statement(stance="forbid", acts=(act,)), end


def the_only(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "the only sites you may visit are python.org and bbc.co.uk"."""
    for start in words.matches(at, _THE_ONLY):
        for verbs, then in words.verb_list(start, "base"):
            for placed in words.optional(then, "in", "to", "from", "into"):
                for names_at in words.after(placed, "is", "are"):
                    found = [(Qualifier(kind="sites", word="from", names=n), WEB, e) for n, e in words.sites(names_at)]
                    files = Thing(nouns=("file",), raw=("files",), amount="any")
                    found += [
                        (Qualifier(kind="inside", word="in", names=n), files, e) for n, e in words.folders(names_at)
                    ]
                    for place, thing, end in found:
                        act = Act(verbs=verbs, things=(thing,), qualifiers=(place,))
                        yield Statement(stance="permit", acts=(act,), only=True), end


def any_amount(words: Phrases, at: int) -> Iterator[tuple[Act, int]]:
    """Yield "anything over 1000 euros": spending as much is meant."""
    for start in words.after(at, "anything", "everything", "any amount", "amounts", "any sum", "sums"):
        for amount, end in words.amount(start):
            if amount.word in lexicon.CURRENCIES:
                yield Act(verbs=("spend",), qualifiers=(amount,)), end


def new_things(words: Phrases, at: int) -> Iterator[tuple[Act, int]]:
    """Yield "every new event" before a verdict: creating one is meant."""
    for thing, end in words.thing(at):
        if len(thing.nouns) > 1 and thing.nouns[0] == "new" and not thing.is_owned:
            made = replace(thing, nouns=thing.nouns[1:], raw=thing.raw[1:], amount="any", named="")
            yield Act(verbs=("create",), things=(made,)), end


def reading_only(words: Phrases, at: int) -> Iterator[tuple[Act, int]]:
    """Yield "everything that only reads" and "read-only tools"."""
    for end in words.matches(at, _READING):
        yield Act(verbs=("read",), things=(ANYTHING,)), end


def with_front(front: tuple[Qualifier, ...], statements: tuple[Statement, ...]) -> tuple[Statement, ...] | None:
    """Return statements with qualifiers that stand before them: "in ~/work, you may read and write files".

    None if one of them has a place or name of its own, so that both could limit it.
    """
    acts = [act for one in statements for act in one.acts]
    if any(act.exceptions or any(each.kind != "about" for each in act.qualifiers) for act in acts):
        return None
    return tuple(
        replace(one, acts=tuple(replace(act, qualifiers=(*act.qualifiers, *front)) for act in one.acts))
        for one in statements
    )
