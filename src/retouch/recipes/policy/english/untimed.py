"""A sentence without its time or exception: it must be about the same tools.

"Merging needs my approval except on Mondays" is about what "merging needs my approval" is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.english.clock_times import times
from retouch.recipes.policy.english.phrases import Phrases

if TYPE_CHECKING:
    from retouch.recipes.policy.english.naming import KnownWords
    from retouch.recipes.policy.english.tokens import Token

_EXCEPT = (
    "except", "except for", "unless it is", "unless they are", "unless", "other than", "apart from", "but not",
    "with the exception of",
)  # fmt: skip


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
