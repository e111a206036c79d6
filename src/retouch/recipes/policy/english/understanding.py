"""Reads an ordinary sentence: all its readings, their meaning for the tools, and whether that agrees with its words."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.agreeing import disagreement
from retouch.recipes.policy.english.agreeing_tools import wrong_tool
from retouch.recipes.policy.english.attaching import other_attachments, refuse_half_conditions
from retouch.recipes.policy.english.explaining import unexplained
from retouch.recipes.policy.english.frames import Frames
from retouch.recipes.policy.english.lexicon import word_set
from retouch.recipes.policy.english.matching import matched
from retouch.recipes.policy.english.meaning import Meaning, meaning_of
from retouch.recipes.policy.english.paraphrases import plain_words
from retouch.recipes.policy.english.sentences import CallAction, Mood, Sentence, ToolPart
from retouch.recipes.policy.english.tokens import tokens_of
from retouch.recipes.policy.english.trimming import shortened
from retouch.recipes.policy.english.words import Unclear

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.recipes.policy.english.acts import Statement
    from retouch.recipes.policy.english.clauses import Clause
    from retouch.recipes.policy.english.tokens import Token
    from retouch.recipes.policy.english.toolbox import Toolbox

_REFERS = word_set(
    "it its them they their this that these those one ones other others another else rest remaining same so there then "
    "instead either both neither otherwise such any"
)
# Why the frames may not understand what the words say. What else is unclear stays so.
NOT_FOUND = ("no tool here does this", "the exception has a place, name or owner of its own")
NOT_UNDERSTOOD = "the sentence is not understood"
MAX_READINGS = 3_000
MOST_ENDINGS = 6  # that are left out
_MOODS: Mapping[str, Mood] = {"permit": "allow", "forbid": "never", "ask": "ask"}


def sentences_in(clause: Clause, number: int, toolbox: Toolbox, *, lenient: bool, led: bool) -> tuple[Sentence, ...]:
    """Return what a clause means for the tools at hand, one sentence per mood. Empty if it is about other tools.

    `lenient`: there are other servers, so that an object without a tool here may have one there. `led`: a heading or
    a line that ends in a colon comes before the clause, so that a bare command is no permission.

    Raises:
        Unclear: the clause is not understood, has two meanings, or no tool here does what it says.
    """
    tokens = tokens_of(clause.text)
    found, whys = _first_meanings(tokens, toolbox, lenient=lenient, led=led)
    shorter = () if found else shortened(plain_words(tokens), toolbox.verbs, toolbox.nouns)
    for tokens in islice(shorter, MOST_ENDINGS):
        found, more = _first_meanings(tokens, toolbox, lenient=lenient, led=led)
        whys = whys or more
        if found:
            break
    if not found and all(one.startswith(NOT_FOUND) for one in whys):
        plain = plain_words(tokens_of(clause.text))
        found, more = matched(plain, toolbox)
        found, whys = found or _in_parts(plain, toolbox, led=led), whys or more
    if len({(one.allow, one.ask, one.never | one.excepted) for one in found}) > 1:
        raise Unclear("it can be read in two ways; write one sentence for each action, with its own place")
    if not found:
        raise Unclear(whys[0] if whys else NOT_UNDERSTOOD)
    meaning = max(found, key=lambda one: len(one.never))  # an exception of a permission is a prohibition
    read = tuple(_sentences(clause, number, meaning))
    parts = tuple(_parts_of(read))
    why = (
        disagreement(clause.text, parts, toolbox)
        or unexplained(tokens, parts, toolbox)
        or wrong_tool(tokens, parts, toolbox)
    )
    if why:
        raise Unclear(f"it is not sure that it is understood: {why}; say it in other words")
    return read


def _in_parts(tokens: tuple[Token, ...], toolbox: Toolbox, *, led: bool) -> dict[Meaning, None]:
    """Return the meaning of two sentences that "but" or a semicolon joins, if each can be read alone."""
    found: dict[Meaning, None] = {}
    texts = [one.text for one in tokens]
    for at, text in enumerate(texts):
        end = at + 1 + (text in {",", ";"} and texts[at + 1 : at + 2] == ["but"])
        if text not in {"but", ";"} and end == at + 1:
            continue
        parts = (tokens[:at], tokens[end:])
        alone = [_alone(part, toolbox, led=led) for part in parts]
        if all(alone) and _REFERS.isdisjoint(one.text for one in parts[1]) and parts[1][0].text not in {"not", "no"}:
            whole = Meaning()
            for meanings in alone:
                whole |= next(iter(meanings))
            found[whole] = None
    return found


def _alone(tokens: tuple[Token, ...], toolbox: Toolbox, *, led: bool) -> dict[Meaning, None]:
    """Return the one meaning of a part of a sentence. {} if it has none, several, or only half of one."""
    found, whys = _first_meanings(tokens, toolbox, lenient=False, led=led) if tokens else ({}, [])
    if not found and all(one.startswith(NOT_FOUND) for one in whys):
        found, _ = matched(tokens, toolbox)
    return found if len(found) == 1 else {}


def _parts_of(sentences: tuple[Sentence, ...]) -> Iterator[tuple[Mood, bool, ToolPart]]:
    for one in sentences:
        for part in one.action.parts if isinstance(one.action, CallAction) else ():
            yield one.mood, one.excepted, part


def _first_meanings(
    tokens: tuple[Token, ...], toolbox: Toolbox, *, lenient: bool, led: bool
) -> tuple[dict[Meaning, None], list[str]]:
    """Return the different meanings of a sentence, and why other readings make no sense.

    Raises:
        Unclear: it has too many readings.
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
    readings: tuple[tuple[Statement, ...], ...], toolbox: Toolbox, *, lenient: bool
) -> tuple[dict[Meaning, None], list[str]]:
    """Return the different meanings of the readings that make sense here, and why the others do not."""
    found: dict[Meaning, None] = {}
    whys: list[str] = []
    for reading in readings:
        try:
            meaning = meaning_of(reading, toolbox, lenient=lenient)
        except Unclear as error:
            whys.append(error.why)
            continue
        refuse_half_conditions(reading)
        found[meaning] = None
        for other in other_attachments(reading):
            with suppress(Unclear):
                found[meaning_of(other, toolbox, lenient=lenient)] = None
    return found, whys


def _sentences(clause: Clause, number: int, meaning: Meaning) -> Iterator[Sentence]:
    moods: tuple[tuple[Mood, bool, frozenset[ToolPart]], ...] = (
        ("never", False, meaning.never),
        ("ask", False, meaning.ask),
        ("never", True, meaning.excepted),
        ("allow", False, meaning.allow),
    )
    for mood, excepted, parts in moods:
        if parts:
            ordered = tuple(sorted(parts, key=lambda one: (one.server, one.tool, str(one.where), str(one.unless))))
            action = CallAction(parts=ordered)
            yield Sentence(
                number=number, line=clause.line, quote=clause.text, mood=mood, action=action, excepted=excepted
            )
