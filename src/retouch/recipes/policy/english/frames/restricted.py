"""Finds what a sentence forbids or asks about: the words between its verdict and its end, whatever they are.

"Never X", "X is forbidden", "no X without my approval" and "ask me before doing X" say it of X in the base form, as an
"-ing" form or as a thing. What X means is up to readers of one kind of sentence; every word of X is theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.frames import touching
from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.words import idioms
from retouch.recipes.policy.english.words.tokens import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.words.naming import KnownWords

How: TypeAlias = Literal["forbid", "ask"]
Shape: TypeAlias = Literal["base", "ing", "thing"]


@dataclass(frozen=True, kw_only=True)
class Restricted:
    """What is forbidden or asked about: its words as they are written, and the form of its verb. `thing`: no verb."""

    how: How
    shape: Shape
    said: str


def restricted(text: str, known: KnownWords) -> tuple[Restricted, ...]:
    """Return what a sentence may forbid or ask about, in all ways to read it.

    Raises:
        Unclear: a character cannot be read.
    """
    words = Phrases(tokens_of(text), known=known)
    return tuple(dict.fromkeys(_found(words)))


def _found(words: Phrases) -> Iterator[Restricted]:
    for shape, start in _openings(words):
        for end in range(start + 1, words.size + 1):
            if words.size in touching.ever(words, end):
                yield Restricted(how="forbid", shape=shape, said=_written(words, start, end))
            if words.size in touching.unless_agreed(words, end):
                yield Restricted(how="ask", shape=shape, said=_written(words, start, end))
    for asked in words.matches(0, idioms.ASK):
        for start in words.matches(asked, idioms.BEFORE):
            shape: Shape = "base" if words.word(start - 1) in {"you", "to"} else "ing"
            yield Restricted(how="ask", shape=shape, said=_written(words, start, words.size))
    yield from _judged(words)


def _judged(words: Phrases) -> Iterator[Restricted]:
    """Yield "X is forbidden" and "X needs my approval"."""
    for end in range(1, words.size):
        for verb in words.after(end, "is", "are"):
            if words.size in words.matches(verb, idioms.BAD):
                yield Restricted(how="forbid", shape="thing", said=_written(words, 0, end))
        if words.size in words.matches(end, idioms.NEEDS):
            yield Restricted(how="ask", shape="thing", said=_written(words, 0, end))


def _openings(words: Phrases) -> Iterator[tuple[Shape, int]]:
    for who in (*words.matches(0, idioms.WHO), 0):
        for start in words.matches(who, idioms.MUST_NOT):
            yield "base", start
    for start in words.matches(0, idioms.FORBID_OPENINGS):
        yield "ing" if words.word(start - 1) in {"from", "of", "on"} else "base", start
    for start in words.matches(0, idioms.NO_ACTION):
        yield "thing", start
        yield "ing", start


def _written(words: Phrases, start: int, end: int) -> str:
    """Return the words of a part of the sentence as they are written."""
    return " ".join(one.raw for one in words.tokens[start:end]).replace(" ,", ",")
