"""Reads one sentence, or one part of a longer one, by itself: by the frames, and by its words if it fits no frame."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.english.frames.attaching import other_attachments, refuse_half_conditions
from retouch.recipes.policy.english.frames.frames import Frames
from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.ordinary.loose import LooseReader
from retouch.recipes.policy.english.ordinary.matching import matched, meaning_by_words
from retouch.recipes.policy.english.ordinary.meaning import meaning_of
from retouch.recipes.policy.english.rewriting.paraphrases import plain_words
from retouch.recipes.policy.english.words import idioms
from retouch.recipes.policy.english.words.acts import ANYTHING
from retouch.recipes.policy.english.words.scanning import Doubtful, Unclear

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Act, Statement
    from retouch.recipes.policy.english.words.sentences import Meaning
    from retouch.recipes.policy.english.words.tokens import Token

Reading: TypeAlias = "tuple[Statement, ...]"
# Why the frames may not understand what the words say. What else is unclear stays so.
NOT_FOUND = ("no tool here does this", "the exception has a place, name or owner of its own")
MAX_READINGS = 3_000


@dataclass(frozen=True, kw_only=True)
class ReadPart:
    """One part of a sentence with its meaning, and the readings that mean it. `by_words`: it fits no frame."""

    tokens: tuple[Token, ...]
    meaning: Meaning
    readings: tuple[Reading, ...]
    by_words: bool


def parts_alone(tokens: tuple[Token, ...], toolbox: Toolbox, *, led: bool) -> tuple[ReadPart, ...]:
    """Return a part of a sentence with each of its meanings."""
    found, whys = first_meanings(tokens, toolbox, lenient=False, led=led) if tokens else ({}, [])
    by_words = not found and all(one.startswith(NOT_FOUND) for one in whys)
    if by_words:
        found, _ = by_their_words(plain_words(tokens), toolbox)
    return tuple(
        ReadPart(tokens=tokens, meaning=meaning, readings=tuple(readings), by_words=by_words)
        for meaning, readings in found.items()
    )


def by_their_words(tokens: tuple[Token, ...], toolbox: Toolbox) -> tuple[dict[Meaning, list[Reading]], list[str]]:
    """Return the different meanings by the words, each with its readings, and why other readings make no sense.

    "As you see fit" at the end of a permission says nothing more.
    """
    found, whys = matched(tokens, toolbox)
    words = Phrases(tokens, known=toolbox.words)
    for at in range(words.size - 1, 0, -1) if not found else ():
        if words.size in words.matches(at, idioms.FREELY):
            shorter, _ = matched(tokens[:at], toolbox)
            if all(one.stance == "permit" for readings in shorter.values() for reading in readings for one in reading):
                found |= shorter
    return found, whys


def loose_meanings(
    tokens: tuple[Token, ...], toolbox: Toolbox, *, led: bool
) -> tuple[dict[Meaning, list[Reading]], list[str]]:
    """Return the different meanings of a sentence whose parts come in any order, and why other readings make none."""
    found: dict[Meaning, list[Reading]] = {}
    whys: list[str] = []
    for reading in dict.fromkeys(LooseReader(tokens, known=toolbox.words, led=led).readings()):
        try:
            meaning = _meaning_of(reading, toolbox)
            refuse_half_conditions(reading)
        except Doubtful:
            raise
        except Unclear as error:
            whys.append(error.why)
            continue
        found.setdefault(meaning, []).append(reading)
    return found, whys


def _meaning_of(reading: Reading, toolbox: Toolbox) -> Meaning:
    try:
        return meaning_of(reading, toolbox, lenient=False)
    except Unclear as error:
        if not error.why.startswith(NOT_FOUND):
            raise
    return meaning_by_words(tuple(map(_in_words, reading)), toolbox)


def _in_words(one: Statement) -> Statement:
    """Return a statement with one object for each act, as a phrase."""
    acts = [replace(act, things=(thing,)) for act in one.acts for thing in act.things or (ANYTHING,)]
    return replace(one, acts=tuple(map(_in_phrase, acts)))


def _in_phrase(act: Act) -> Act:
    (thing,) = act.things
    noun = (" ".join(thing.nouns),) if thing.nouns else ()
    exceptions = tuple(replace(one, things=act.things) for one in act.exceptions if one.things in ((), act.things))
    if len(exceptions) != len(act.exceptions):
        raise Unclear(f"{NOT_FOUND[0]}: {noun[0] if noun else ''}")
    return replace(act, things=(replace(thing, nouns=noun, raw=noun),), exceptions=tuple(map(_in_phrase, exceptions)))


def first_meanings(
    tokens: tuple[Token, ...], toolbox: Toolbox, *, lenient: bool, led: bool
) -> tuple[dict[Meaning, list[Reading]], list[str]]:
    """Return the different meanings by the frames, each with its readings, and why other readings make no sense.

    Raises:
        Unclear: there are too many readings.
    """
    frames = Frames(
        plain_words(tokens),
        known=toolbox.words,
        led=led,
    )
    readings = tuple(islice(frames.readings(), MAX_READINGS))
    if len(readings) == MAX_READINGS:
        raise Unclear("the sentence is too long; write one sentence for each action")
    found, whys = _meanings(readings, toolbox, lenient=False)
    if not found and lenient:
        found, whys = _meanings(readings, toolbox, lenient=True)
    return found, whys


def _meanings(
    readings: tuple[Reading, ...], toolbox: Toolbox, *, lenient: bool
) -> tuple[dict[Meaning, list[Reading]], list[str]]:
    """Return the different meanings of the readings that make sense here, and why the others do not."""
    found: dict[Meaning, list[Reading]] = {}
    whys: list[str] = []
    for reading in readings:
        try:
            meaning = meaning_of(reading, toolbox, lenient=lenient)
        except Doubtful:
            raise
        except Unclear as error:
            whys.append(error.why)
            continue
        refuse_half_conditions(reading)
        found.setdefault(meaning, []).append(reading)
        for other in other_attachments(reading):
            with suppress(Unclear):
                found.setdefault(meaning_of(other, toolbox, lenient=lenient), []).append(other)
    return found, whys
