"""Detects hints that describe a computation, so that a Python function can be proposed to the user."""

from __future__ import annotations

import re

_COMPUTATION = re.compile(
    r"\b(if|else|when|unless|otherwise|depending|calculate|compute|computed|convert|decode|base64|look ?up|mapping|"
    r"map(?:s|ped)? to|range|start and end|first month|last month|quarter into|join|combine|"
    r"sum|add up|plus|minus|times)\b",
    re.IGNORECASE,
)


def looks_like_computation(hint: str) -> str:
    """Return the word of a hint that describes a computation, or "". Parts of words do not count."""
    found = _COMPUTATION.search(hint)
    return found[0] if found is not None else ""
