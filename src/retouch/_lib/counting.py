"""Numbers with their nouns."""

from __future__ import annotations

import re

_HISSING = re.compile(r"(s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"(?<=[^aeiou])y$")


def counted(number: int, noun: str) -> str:
    """Return `number` with its noun in the right form.

    Example:
        >>> counted(1, "run"), counted(2_000, "run"), counted(0, "reply"), counted(2, "fix")
        ('1 run', '2,000 runs', '0 replies', '2 fixes')
    """
    return f"{number:,} {noun if number == 1 else _plural(noun)}"


def counted_are(number: int, noun: str) -> str:
    """Return `number` with its noun and its verb, as in "1 page is" and "4 pages are"."""
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'}"


def _plural(noun: str) -> str:
    if _CONSONANT_Y.search(noun):
        return _CONSONANT_Y.sub("ies", noun)
    return f"{noun}es" if _HISSING.search(noun) else f"{noun}s"
