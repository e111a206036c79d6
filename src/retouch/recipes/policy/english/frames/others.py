"""Parts about what a permission does not name: "but not to any other list", "ask me before you use any other one"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.frames import touching
from retouch.recipes.policy.english.frames.phrases import target_of
from retouch.recipes.policy.english.limits import targets
from retouch.recipes.policy.english.tools.known_tools import PEOPLE
from retouch.recipes.policy.english.words import idioms, lexicon
from retouch.recipes.policy.english.words.acts import ANYTHING, Act, Statement, Thing
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.naming import PREPOSITIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.frames.phrases import Phrases
    from retouch.recipes.policy.english.words.acts import Qualifier

_LIMITING = frozenset({"named", "chosen", "value", "branches", "like", "inside", "sites", "emails", "repositories"})
_NOUNS_OF = {
    "branches": word_set("branch"),
    "inside": word_set("directory place location path"),
    "sites": word_set("page host domain server place"),
    "emails": word_set("address recipient person domain email"),
    "repositories": word_set("repository project"),
}
_OTHER = ("any other", "all other", "every other", "other", "any of the other", "all the other", "another")
_PERSONS = ("anyone else", "anybody else", "any other person", "other people", "any other people")
_PLACES = ("anywhere else",)
_THINGS = ("anything else",)
_OTHERS = (
    *_PERSONS,
    *_PLACES,
    *_THINGS,
    "any others",
    "others",
    "any other ones",
    "any other one",
    "other ones",
    "all others",
    "the others",
)
_IT = ("one", "it", "them", "ones", "any", "something", "anything")
_AMOUNTS = frozenset({"amount", "size", "count", "per"})
_INTO = frozenset({"to", "into", "onto", "in", "inside"})
_IS = ("is", "are", "stays", "stay", "remains", "remain")


def limited_by_rest(words: Phrases, at: int, before: Statement) -> Iterator[tuple[tuple[Statement, ...], int]]:
    """Yield a permission with its limit, after "but not to any other list", "no others" and "others are forbidden".

    What is forbidden is so whatever its amount: "up to 60 euros to Ann, but not to anyone else".
    """
    if before.stance != "permit" or before.only or len(before.acts) != 1 or before.acts[0].exceptions:
        return
    (act,) = before.acts
    for joined in words.optional(at, ",", ";", ", but", "but", ", and", "and", "; but"):
        for limit, end in (*_ruled_out(words, joined, act), *_judged_bad(words, joined, act)) if joined > at else ():
            if any(one.kind in _AMOUNTS for one in act.qualifiers):
                yield (before, Statement(stance="forbid", acts=(_others_of(act, limit),))), end
            else:
                yield (replace(before, acts=(_marked(act, limit),)),), end


def _ruled_out(words: Phrases, at: int, act: Act) -> Iterator[tuple[Qualifier, int]]:
    """Yield the rest of "not to any other list", "no others" and "do not buy anything else"."""
    for then in words.after(at, "not", "never"):
        yield from _rest(words, then, act)
    for start in _after_preposition(words, at):
        for then in words.after(start, "no"):
            yield from _rest(words, then, act, openings=("other",), alone=("others", "other ones"))
    for start in forbidding(words, at):
        for then in _same_again(words, start, act):
            for limit, end in _rest(words, then, act):
                yield from ((limit, last) for last in touching.ever(words, end))


def _judged_bad(words: Phrases, at: int, act: Act) -> Iterator[tuple[Qualifier, int]]:
    """Yield the rest of "all other boards are forbidden" and "orders for others are not allowed"."""
    for limit, then in (*_rest(words, at, act), *_of_same_things(words, at, act)):
        for verb in words.after(then, *_IS):
            yield from ((limit, end) for end in words.matches(verb, idioms.BAD))
            yield from ((limit, end) for not_ in words.after(verb, "not") for end in words.matches(not_, idioms.FINE))


def has_one_limit(one: Statement) -> bool:
    """Return whether each act of a permission has at most one limit besides amounts, so that "nobody else" means it."""
    kinds = [[each.kind for each in act.qualifiers if each.kind not in {"about", *_AMOUNTS}] for act in one.acts]
    return all(len(each) <= 1 for each in kinds)


def object_of(one: Statement, before: Thing | None) -> Thing | None:
    """Return the object that "them" stands for after a statement, or the one before. None if there are several."""
    targets = [found for act in one.acts for found in [target_of(act)] if found]
    if not targets:
        return before
    alike = len({each.nouns for each in (*targets, *([before] if before else []))}) == 1
    return targets[-1] if alike else None


def forbidding(words: Phrases, at: int) -> Iterator[int]:
    """Yield the position after "do not", "never" and "you must not"."""
    yield from words.matches(at, idioms.FORBID_OPENINGS)
    yield from (end for who in words.matches(at, idioms.WHO) for end in words.matches(who, idioms.MUST_NOT))


def asked_about_rest(words: Phrases, at: int, before: Statement) -> Iterator[tuple[Statement, int]]:
    """Yield "ask me before you change one in any other folder" and "other folders need my approval"."""
    if before.stance != "permit" or before.only or len(before.acts) != 1 or before.acts[0].exceptions:
        return
    (act,) = before.acts
    for limit, end in (*_asked_first(words, at, act), *_asked_after(words, at, act)):
        yield Statement(stance="ask", acts=(_others_of(act, limit),)), end


def _others_of(act: Act, limit: Qualifier) -> Act:
    """Return an act of any amount, except with one of its qualifiers."""
    scope = replace(act, qualifiers=tuple(one for one in act.qualifiers if one.kind not in _AMOUNTS))
    whole = replace(scope, qualifiers=tuple(limit if _same(one, limit) else one for one in scope.qualifiers))
    rest = replace(scope, qualifiers=tuple(one for one in scope.qualifiers if not _same(one, limit)))
    return replace(rest, exceptions=(whole,))


def _asked_first(words: Phrases, at: int, act: Act) -> Iterator[tuple[Qualifier, int]]:
    """Yield the rest of "ask me for others" and "never use another one without asking me"."""
    for asked in words.matches(at, idioms.ASK):
        for then in words.after(asked, "for", "about", "in", "before using", "before you use"):
            yield from _rest(words, then, act)
        for start in words.matches(asked, idioms.BEFORE):
            for then in _same_again(words, start, act):
                yield from _rest(words, then, act)
    for start in forbidding(words, at):
        for then in _same_again(words, start, act):
            for limit, end in _rest(words, then, act):
                yield from ((limit, last) for last in touching.unless_agreed(words, end))


def _asked_after(words: Phrases, at: int, act: Act) -> Iterator[tuple[Qualifier, int]]:
    """Yield the rest of "other folders need my approval" and "for any other reason, ask me"."""
    for limit, then in (*_rest(words, at, act), *_of_same_things(words, at, act)):
        yield from ((limit, end) for end in words.matches(then, idioms.NEEDS))
        for start in words.optional(then, ","):
            yield from ((limit, end) for end in _asked_again(words, start, act))


def _asked_again(words: Phrases, at: int, act: Act) -> Iterator[int]:
    """Yield the position after "ask me" and "ask me before you suspend it"."""
    for asked in words.matches(at, idioms.ASK):
        yield asked
        yield from (end for then in words.matches(asked, idioms.BEFORE) for end in _same_again(words, then, act))


def _of_same_things(words: Phrases, at: int, act: Act) -> Iterator[tuple[Qualifier, int]]:
    """Yield the rest in "orders for any other supplier", if the act is about orders."""
    for things, then in words.things(at):
        if is_same(things, act):
            yield from _rest(words, then, act)


def is_same(things: tuple[Thing, ...], act: Act) -> bool:
    """Return whether objects are those of an act, or their last noun: "orders" for "purchase orders"."""
    nouns = [one.nouns for one in things]
    own = [one.nouns for one in act.things]
    if len(own) != 1 or ANYTHING in act.things:
        return nouns == own
    (*before, last) = nouns[0] or ("",)
    done = lexicon.NOMINAL.get(last) in act.verbs and tuple(before) in {(), own[0]}  # "order groceries": the order
    return len(nouns) == 1 and (nouns[0] in {own[0], own[0][-1:]} or done)


def same_verbs(words: Phrases, at: int, act: Act) -> Iterator[int]:
    """Yield the position after the verbs of an act: "change", "changing"."""
    for form in ("base", "ing"):
        yield from (then for verbs, then in words.verb_list(at, form) if verbs == act.verbs)


def _same_again(words: Phrases, at: int, act: Act) -> Iterator[int]:
    """Yield the position after the verb of an act, and after "it" or its object: "change one", "add subscribers"."""
    for then in same_verbs(words, at, act):
        yield from words.optional(then, *_IT)
        yield from (end for things, end in words.things(then) if is_same(things, act))
    yield from words.optional(at, "doing so", "you do so", "do so", "do it", "doing it")


def _rest(
    words: Phrases, at: int, act: Act, openings: tuple[str, ...] = _OTHER, alone: tuple[str, ...] = _OTHERS
) -> Iterator[tuple[Qualifier, int]]:
    """Yield the qualifier that "to any other list" is the rest of, with the argument that its noun names."""
    limiting = [one for one in act.qualifiers if one.kind in _LIMITING]
    if any(one.kind == "time" for one in act.qualifiers):
        return  # are others excluded at all times, or then?
    for start in _after_preposition(words, at):
        for end in words.after(start, *alone):
            said = " ".join(words.word(place) for place in range(start, end))
            if len(limiting) == 1 and _can_be(said, limiting[0], words.word(at) if start > at else ""):
                yield limiting[0], end
        for then in words.after(start, *openings):
            for size in (1, 2):
                said = [words.word(one) for one in range(then, then + size)]
                noun = " ".join((*said[:-1], singular(said[-1])))
                found = [one for one in (_called(words, limit, noun) for limit in limiting) if one is not None]
                if is_same((Thing(nouns=(noun,)),), act) and not any(map(_noun_of, limiting)):
                    found = limiting if _is_whole(act, limiting) else []  # "all other bills": not for electricity
                found = targets.alike(found, words.word(at) if start > at else "")
                if len(found) == 1:
                    yield found[0], then + size


def _noun_of(one: Qualifier) -> str:
    """Return the noun of the argument that a qualifier names. A listed value has its preposition there."""
    return "" if one.kind == "value" and one.arg in PREPOSITIONS else one.arg


def _is_whole(act: Act, limiting: list[Qualifier]) -> bool:
    """Return whether an act has one limit only, so that its other objects are those without it."""
    return len(limiting) == 1 and [one for one in act.qualifiers if one.kind != "about"] == limiting


def _can_be(said: str, one: Qualifier, preposition: str) -> bool:
    """Return whether "to anyone else" or "anything else" can be the rest of a qualifier."""
    noun = one.word if one.kind == "named" else _noun_of(one)
    said_before = one.arg if one.kind == "value" else one.word
    own = said_before if one.kind not in {"named", "inside"} and said_before in PREPOSITIONS else ""
    alike = (
        own == preposition or (not own and noun) or {own, preposition} <= _INTO or one.kind not in {"chosen", "value"}
    )
    if said in _PERSONS:
        return one.kind in {"emails", "chosen", "named"} and (noun in PEOPLE | {""}) and bool(alike)
    if said in _PLACES:
        return one.kind in {*_NOUNS_OF, "chosen", "named"} - {"emails"} and noun not in PEOPLE
    return bool(alike) and (said not in _THINGS or preposition != "" or not own)


def _after_preposition(words: Phrases, at: int) -> Iterator[int]:
    yield at
    if words.word(at) in PREPOSITIONS:
        yield at + 1


def _called(words: Phrases, one: Qualifier, noun: str) -> Qualifier | None:
    """Return a qualifier if a noun can stand for its values: the argument that it names has to be the same one."""
    known = _NOUNS_OF.get(one.kind)
    if known is not None or one.kind == "like":
        types = {"file type", "type", "kind", "format", "file", "file format"} if one.word == "path" else {"branch"}
        return one if noun in (known or types) else None
    own = one.word if one.kind == "named" else _noun_of(one)
    if own:
        return one if noun == own else None
    named = noun in words.given or noun in words.arguments
    return replace(one, kind="chosen", arg=noun) if named else None


def _same(one: Qualifier, limit: Qualifier) -> bool:
    return one == limit or (one.names == limit.names and limit.kind == "chosen" and one.kind in {"chosen", "value"})


def _marked(act: Act, limit: Qualifier) -> Act:
    """Return an act with one qualifier as its limit: what that excludes is forbidden."""
    return replace(
        act, qualifiers=tuple(replace(limit, only=True) if _same(one, limit) else one for one in act.qualifiers)
    )
