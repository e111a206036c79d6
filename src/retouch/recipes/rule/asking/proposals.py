"""When a hint sounds like a computation, a function in Python is proposed; nothing is decided by a word."""

from __future__ import annotations

import re

_WORDS = re.compile(
    r"\b(if|else|when|unless|otherwise|depending|calculate|compute|computed|convert|decode|base64|look ?up|mapping|"
    r"map(?:s|ped)? to|range|start and end|first month|last month|quarter into|join|combine|"
    r"sum|add up|plus|minus|times)\b",
    re.IGNORECASE,
)


def looks_like_computation(hint: str) -> str:
    """Return the word of a hint that speaks of a computation, "" when none does; parts of words do not count."""
    found = _WORDS.search(hint)
    return found[0] if found is not None else ""
