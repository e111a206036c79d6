"""Frames of sentences about a property of things: "the rate of a double room must not be lower than 90 euros"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits import choosing
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.acts import (
    ANYTHING,
    Act,
    Qualifier,
    Statement,
    Thing,
    outside_of,
    with_listed_word,
)
from retouch.recipes.policy.english.words.lexicon import singular

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.frames.phrases import Phrases

_MUST_NOT = re.compile(
    r"(?:must|may|should|can|shall) (?:not|never)(?: ever)? "
    r"(?:be(?: set| raised| lowered)?|cost|last|take|go|fall|rise)"
)
_EXCEED = re.compile(r"(?:must|may|should|can|shall) (?:not|never)(?: ever)? exceed")
_MUST = re.compile(
    r"(?:must|should|shall|needs? to)(?: always| only)? (?:be(?: set)?|stay|remain|lie)|(?:may|can) only be"
)
_START_WITH = re.compile(r"(?:must|should|shall|has to|have to)(?: always)? (?:start|begin) with")
_IS = re.compile(r"(?:must|should|shall|needs? to)(?: always)? be(?: set to)?|(?:may|can) only be(?: set to)?")
_IS_NOT = re.compile(r"(?:must|may|should|can|shall) (?:not|never)(?: ever)? be(?: set to)?")
_OR = ("or", ", or", "and", "nor", "or be", "or to")


def statements(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield all statements about properties at a position."""
    yield from _set_alone(words, at)
    yield from _beginnings(words, at)
    for noun, act, then in _subjects(words, at):
        for amounts, end in _bad_amounts(words, then):
            bad = tuple(replace(one, arg=noun) for one in amounts)
            acts = tuple(replace(act, qualifiers=(*act.qualifiers, one)) for one in bad)
            yield Statement(stance="forbid", acts=acts), end
        for value, end in _values(words, then, _IS, noun):
            yield Statement(stance="forbid", acts=(replace(act, demanded=(value,)),)), end
        for value, end in _values(words, then, _IS_NOT, noun):
            yield Statement(stance="forbid", acts=(replace(act, qualifiers=(*act.qualifiers, value)),)), end


def _set_alone(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "estimates must be between 1 and 8 points": whatever sets such an argument."""
    start = next(iter(words.after(at, "the")), at)
    noun = singular(words.word(start))
    for amounts, end in _bad_amounts(words, start + 1) if noun in words.units else ():
        thing = Thing(nouns=(noun,), raw=(noun,))
        acts = tuple(Act(verbs=("set",), things=(thing,), qualifiers=(one,)) for one in amounts)
        yield Statement(stance="forbid", acts=acts), end
    for amounts, end in _bad_amounts(words, start + 1) if noun in words.given else ():
        if all(one.kind == "size" for one in amounts):  # "titles must not be longer than 60 characters"
            thing = Thing(nouns=(noun,), raw=(words.word(start),))
            acts = tuple(
                Act(verbs=(), things=(thing,), qualifiers=(replace(one, arg=noun),), made=True) for one in amounts
            )
            yield Statement(stance="forbid", acts=acts), end


def _beginnings(words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
    """Yield "every commit message must start with LED-": whatever gives such an argument."""
    start = next(iter(words.after(at, "the", "every", "all", "each")), at)
    for noun, middle in choosing.named_argument(words, start):
        for then in words.matches(middle, _START_WITH):
            for name, end in words.prefix(next(iter(words.after(then, "the letter", "the prefix", "the word")), then)):
                others = Qualifier(kind="chosen", arg=noun, names=(f"{name}*",), is_negated=True)
                act = Act(verbs=(lexicon.GIVE_VALUES,), things=(ANYTHING,), qualifiers=(others,))
                yield Statement(stance="forbid", acts=(act,)), end


def _subjects(words: Phrases, at: int) -> Iterator[tuple[str, Act, int]]:
    """Yield "the rate of a double room" as the argument `rate`, with the act that makes such a room."""
    start = next(iter(words.after(at, "the")), at)
    for noun, middle in choosing.named_argument(words, start):
        for then in words.after(middle, "of", "for"):
            for things, end in words.things(then):
                if ANYTHING not in things and len(things) == 1 and things[0].nouns and not things[0].is_owned:
                    yield noun, with_listed_word(Act(verbs=(), things=things, made=True), words.values), end


def _bad_amounts(words: Phrases, at: int) -> Iterator[tuple[tuple[Qualifier, ...], int]]:
    """Yield the amounts that "must not be lower than 90 euros or higher than 180 euros" forbids."""
    for start in words.matches(at, _MUST_NOT):
        yield from _amounts(words, start)
    for start in words.matches(at, _EXCEED):
        yield from (((amount,), end) for amount, end in words.amount_above(start))
    for start in words.matches(at, _MUST):
        for amount, end in words.amount(start):
            beyond = outside_of(amount)
            if beyond:
                yield beyond, end


def _amounts(words: Phrases, at: int) -> Iterator[tuple[tuple[Qualifier, ...], int]]:
    for amount, end in words.amount(at):
        yield (amount,), end
        for more in words.after(end, *_OR):
            for rest, last in _amounts(words, more):
                yield (amount, *rest), last


def _values(words: Phrases, at: int, verb: re.Pattern[str], noun: str) -> Iterator[tuple[Qualifier, int]]:
    """Yield "private or unlisted" after "the visibility of an episode must be": listed values of that argument."""
    for start in words.matches(at, verb):
        for value, end in choosing.listed_values(words, start):
            yield Qualifier(kind="chosen", arg=noun, names=value.names), end
