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
from retouch.recipes.policy.english.suggesting.permitting import permits_more
from retouch.recipes.policy.english.suggesting.recognising import recognised_parts
from retouch.recipes.policy.english.suggesting.vouching import SeenSentence, has_stances, is_doubtful, loses_the_deed
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import CallAction, Meaning, ToolPart, UseAction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.policy.english.clauses import Clause
    from retouch.recipes.policy.english.suggesting.leaving_out import LeftOut
    from retouch.recipes.policy.english.suggesting.recognising import SeenPart
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Sentence

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

    What permits is only suggested if it leaves out no word, and none is made for a question.
    """
    plain = re.sub(r"(?<=[^\s!])!+$", "", clause.text)
    try:
        tokens = known_tokens(plain, toolbox)
    except Unclear:
        return ()
    if clause.text.endswith("?") and tokens[-1].raw.endswith("?"):
        return ()
    said = SeenSentence(tokens=tokens, parts=recognised_parts(tokens, toolbox), toolbox=toolbox)
    places = said_places(tokens, toolbox)
    found: dict[str, Suggestion] = {}
    for guessed in islice(_meanings(plain, said), _MOST_MEANINGS):
        meaning = _as_restriction(guessed, said.parts)
        text = exact_text(sentences_of(clause, 1, meaning)) if meaning.parts else ""
        if not text or len(text) > MOST_CHARACTERS or text in found or not _agrees(meaning, said, places):
            continue
        lost = left_out(clause.text, meaning, said, places)
        if _is_worth_showing(meaning, lost, said, places) and _says_it(text, meaning, clause, toolbox):
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


def _as_restriction(meaning: Meaning, parts: Sequence[SeenPart]) -> Meaning:
    """Return what a meaning restricts, if no verdict of the sentence permits: a command may be below "Never:"."""
    if any("permit" in part.stances for part in parts):
        return meaning
    return Meaning(ask=meaning.ask, never=meaning.never | meaning.excepted)


def _agrees(meaning: Meaning, said: SeenSentence, places: set[int]) -> bool:
    if not has_stances(meaning, said.parts) or is_doubtful(meaning, said):
        return False
    return not meaning.allow or not permits_more(meaning, said, places)


def _is_worth_showing(meaning: Meaning, lost: LeftOut, said: SeenSentence, places: set[int]) -> bool:
    """Return whether a suggestion shows more of the sentence than it leaves out. What permits leaves out nothing."""
    if lost.is_turned or loses_the_deed(said.tokens, places, lost.words):
        return False
    if meaning.allow:
        return not lost.words and lost.shown > 1
    return lost.shown > len(lost.words)


def _meanings(text: str, said: SeenSentence) -> Iterator[Meaning]:
    with suppress(Unclear):
        yield from meanings_in_doubt(text, said.toolbox)
    with suppress(Unclear):
        yield from guesses(said.parts, said.toolbox)


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
