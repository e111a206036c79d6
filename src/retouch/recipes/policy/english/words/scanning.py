"""Tokenises one sentence and reads its words from left to right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_TOKEN = re.compile(r"`(?P<code>[^`]*)`|\"(?P<said>[^\"]*)\"|(?P<comma>,)|(?P<word>[^\s,`\"]+)")


# Why a reading makes no sense: a tool that it is certainly about cannot be tested for what the sentence says.
UNTESTED = re.compile(r"no argument of (?:[^\s/]+/)?(\S+) can be tested for ")


class Unclear(Exception):
    """A sentence is not understood. The message names the word and what was expected."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Doubtful(Unclear):
    """A sentence may mean less or more than one of its readings, so that no other reading may be taken instead."""


class Words:
    """The words of a sentence. The final full stop is dropped. Text in quotes or backticks is one word."""

    def __init__(self, text: str) -> None:
        text = re.sub(r"\*\*|__", "", text).rstrip(" ;,")
        body = text.rstrip("!?").removesuffix(".")
        self._tokens: list[tuple[str, bool]] = []
        end = 0
        for found in _TOKEN.finditer(body):
            if body[end : found.start()].strip():
                break
            quoted = found["code"] if found["code"] is not None else found["said"]
            self._tokens.append((found[0], False) if quoted is None else (quoted, True))
            end = found.end()
        self._rest = text[end:].strip().removesuffix(".")
        self._at = 0

    @property
    def next_is_quoted(self) -> bool:
        """True if the next word is in quotes or backticks."""
        return self._at < len(self._tokens) and self._tokens[self._at][1]

    def peek(self, ahead: int = 0) -> str:
        """Return a word ahead in lower case without consuming it. "" at the end and for quoted words."""
        place = self._at + ahead
        if place >= len(self._tokens) or self._tokens[place][1]:
            return ""
        return self._tokens[place][0].lower()

    def skip(self, *phrases: str) -> bool:
        """Consume the first of `phrases` that comes next. Return whether one did."""
        for phrase in phrases:
            parts = phrase.split()
            if all(self.peek(ahead) == part for ahead, part in enumerate(parts)):
                self._at += len(parts)
                return True
        return False

    def need(self, *phrases: str) -> None:
        """Consume one of `phrases`.

        Raises:
            Unclear: none of them comes next.
        """
        if not self.skip(*phrases):
            raise self.unclear(" or ".join(map(repr, phrases)))

    def take(self, what: str) -> str:
        """Consume one word and return it as written.

        Raises:
            Unclear: there are no more words, or a comma comes next.
        """
        if self._at >= len(self._tokens) or self.peek() == ",":
            raise self.unclear(what)
        self._at += 1
        return self._tokens[self._at - 1][0]

    def several(self, one: Callable[[Words], str]) -> tuple[str, ...]:
        """Consume a list of items that `one` parses: `a`, `a and b`, `a, b or c`.

        Raises:
            Unclear: an item is not understood.
        """
        found = [one(self)]
        while self.skip(", and", ", or", ",", "and", "or"):
            found.append(one(self))
        return tuple(dict.fromkeys(found))

    def end(self) -> None:
        """Check that the sentence ends here.

        Raises:
            Unclear: there are more words.
        """
        if self._at < len(self._tokens) or self._rest:
            raise self.unclear("the end of the sentence")

    def unclear(self, expected: str) -> Unclear:
        """Return the error with the unexpected word and what was expected."""
        here = self._tokens[self._at][0] if self._at < len(self._tokens) else self._rest
        seen = f"at {here!r}" if here else "at its end"
        return Unclear(f"not understood {seen}: expected {expected}")
