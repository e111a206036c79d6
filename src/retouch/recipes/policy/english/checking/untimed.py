"""A sentence without its time or exception: with it, it must be about the same tools.

"Merging needs my approval except on Mondays" is about what "merging needs my approval" is about. An exception may
spare tools, and adds none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.words.clock_times import times

if TYPE_CHECKING:
    from retouch.recipes.policy.english.words.naming import KnownWords
    from retouch.recipes.policy.english.words.tokens import Token

_EXCEPT = (
    "except", "except for", "unless", "unless it is", "unless they are", "other than", "apart from", "aside from",
    "with the exception of", "excluding", "save for",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The tools that a sentence is about at most. `exact`: it must be about all of them. No tools: nothing is known."""

    tools: frozenset[tuple[str, str]] = frozenset()
    exact: bool = False

    def fit(self, tools: frozenset[tuple[str, str]]) -> bool:
        """Return whether a sentence may restrict these tools. What permits something restricts none."""
        return not self.tools or not tools or (tools == self.tools if self.exact else tools <= self.tools)


def without_time(tokens: tuple[Token, ...], known: KnownWords) -> tuple[Token, ...]:
    """Return a sentence without the time, or the exception of one, at its end or beginning. () if it has none."""
    words = Phrases(tokens, known=known)
    for at in range(2, words.size):
        starts = (at, *(more for then in (at, *words.after(at, ",")) for more in words.after(then, *_EXCEPT)))
        if any(end == words.size for start in starts for _, end in times(words, start)):
            return tokens[:at]
    ends = {end for start in (0, *words.after(0, *_EXCEPT)) for _, end in times(words, start) if end < words.size}
    after = max(ends, default=0)
    return tokens[max((after, *words.after(after, ","))) :] if after else ()


def without_exception(tokens: tuple[Token, ...], known: KnownWords) -> tuple[Token, ...]:
    """Return a sentence without the exception at its end. () if it has none."""
    words = Phrases(tokens, known=known)
    at = next((at for at in range(2, words.size) if any(True for _ in words.after(at, *_EXCEPT))), 0)
    return tokens[: at - (words.word(at - 1) == ",")]
