"""Suggests exact sentences for a sentence that is not understood, for the user to choose from."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.compiling import understood
from retouch.recipes.policy.english.exact import exact_text
from retouch.recipes.policy.english.ordinary.understanding import known_tokens, meanings_in_doubt, sentences_of
from retouch.recipes.policy.english.suggesting.guessing import guesses
from retouch.recipes.policy.english.suggesting.leaving_out import left_out, said_places
from retouch.recipes.policy.english.suggesting.recognising import recognised_parts
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import CallAction, ToolPart, UseAction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.policy.english.clauses import Clause
    from retouch.recipes.policy.english.suggesting.leaving_out import LeftOut
    from retouch.recipes.policy.english.suggesting.recognising import SeenPart
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning, Sentence

MOST = 3
_MOST_MEANINGS = 8
MOST_CHARACTERS = 600  # of the nearest forms in an answer
_LEAVES_OUT = re.compile(r" <!-- leaves out: (?P<words>.*) -->$")


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """One or more exact sentences, and the words of the sentence that they leave out."""

    text: str
    left_out: LeftOut

    def __str__(self) -> str:
        words = ", ".join(self.left_out.words)
        words = re.sub("-(?=-)", "- ", words)  # two hyphens would end the comment
        return f"{self.text} <!-- leaves out: {words} -->" if words else self.text


def suggestions(clause: Clause, toolbox: Toolbox) -> tuple[Suggestion, ...]:
    """Return at most three exact sentences that one which is not understood may mean: first what leaves out least.

    What permits is only suggested if it leaves out at most one word, and no name, number or time.
    """
    try:
        tokens = known_tokens(clause.text, toolbox)
    except Unclear:
        return ()
    parts, said = recognised_parts(tokens, toolbox), said_places(tokens, toolbox)
    found: dict[str, Suggestion] = {}
    for meaning in islice(_meanings(clause, parts, toolbox), _MOST_MEANINGS):
        text = exact_text(sentences_of(clause, 1, meaning))
        if not text or len(text) > MOST_CHARACTERS or text in found or not _has_stances(meaning, parts):
            continue
        lost = left_out(tokens, meaning, toolbox, parts=parts, said=said)
        if _is_worth_showing(meaning, lost) and _says_it(text, meaning, clause, toolbox):
            found[text] = Suggestion(text=text, left_out=lost)
    return tuple(sorted(found.values(), key=lambda one: one.left_out.weight)[:MOST])


def nearest_sentences(clause: Clause, toolbox: Toolbox) -> str:
    """Return the suggestions for a clause, one per line, as far as an answer has room for them. "" for a heading."""
    lines: list[str] = []
    for one in () if clause.heading else suggestions(clause, toolbox):
        if len("\n".join((*lines, str(one)))) <= MOST_CHARACTERS:
            lines.append(str(one))
    return "\n".join(lines)


def words_left_out(line: str) -> tuple[str, ...]:
    """Return the words that a suggestion as text says it leaves out."""
    found = _LEAVES_OUT.search(line)
    return () if found is None else tuple(found["words"].split(", "))


def without_note(line: str) -> str:
    """Return a suggestion as text without what it says it leaves out."""
    return _LEAVES_OUT.sub("", line)


def _has_stances(meaning: Meaning, parts: Sequence[SeenPart]) -> bool:
    """Return whether a meaning permits only where a part of the sentence plainly does, and asks where one does."""
    permits = any(part.stance == "permit" and part.is_said for part in parts)
    return (permits or not meaning.allow) and (bool(meaning.ask) is any(part.stance == "ask" for part in parts))


def _is_worth_showing(meaning: Meaning, lost: LeftOut) -> bool:
    """Return whether a suggestion shows more of the sentence than it leaves out."""
    if lost.is_turned:
        return False
    if meaning.allow:
        return not lost.limits and len(lost.words) <= 1 < lost.shown
    return lost.shown >= max(1, len(lost.words))


def _meanings(clause: Clause, parts: Sequence[SeenPart], toolbox: Toolbox) -> Iterator[Meaning]:
    with suppress(Unclear):
        yield from meanings_in_doubt(clause.text, toolbox)
    with suppress(Unclear):
        yield from guesses(parts, toolbox)


def _says_it(text: str, meaning: Meaning, clause: Clause, toolbox: Toolbox) -> bool:
    """Return whether the exact sentences are read, and say no more and no less than the meaning."""
    again, refused = understood(text, toolbox)
    return not refused and set(_plain(again)) == set(_plain(sentences_of(clause, 1, meaning)))


def _plain(sentences: Iterable[Sentence]) -> Iterator[tuple[str, bool, ToolPart]]:
    """Yield what sentences say of each tool."""
    for one in sentences:
        parts: Iterable[ToolPart] = ()
        if isinstance(one.action, CallAction):
            parts = one.action.parts
        elif isinstance(one.action, UseAction):  # of tools without tests
            parts = (ToolPart(server=one.action.server, tool=tool) for tool in one.action.tools or ())
        yield from ((one.mood, one.excepted, part) for part in parts)
