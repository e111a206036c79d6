"""Names of fields and rules, and the closest known name to a misspelt one."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME: Final = re.compile(r"[a-z][a-z0-9_]*")


def closest(word: str, known: Iterable[str]) -> str:
    """Return the known word that a misspelt one most likely means, or ""."""
    return next(iter(get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)), "")


def as_name(text: str) -> str:
    """Return the name nearest to `text`: lower case, digits and underscores, starting with a letter."""
    words = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return words if NAME.fullmatch(words) else f"n_{words}".rstrip("_")
