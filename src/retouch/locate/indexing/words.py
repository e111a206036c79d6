"""Splits identifiers into words, for the index and for queries."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_IDENTIFIER = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_APART = re.compile(r"[_$]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[^A-Za-z0-9]+")
_MEMORY = 200_000  # distinct identifiers; a large tree has about 60,000


def identifiers(data: bytes) -> list[bytes]:
    """Return the identifiers in a source, in order."""
    return _IDENTIFIER.findall(data)


def pieces(identifier: str) -> tuple[str, ...]:
    """Return the parts between underscores and dollars in lower case, without numbers and single letters."""
    return tuple(word for part in _APART.split(identifier) if _counts(word := part.lower()))


def subwords(identifier: str) -> tuple[str, ...]:
    """Return the camelCase words in lower case, of parts that have several. A number belongs to the word before it."""
    found: list[str] = []
    for part in _APART.split(identifier):
        camel = _CAMEL.findall(part)
        if len(camel) > 1:
            found += [word for each in camel if _counts(word := each.lower())]
    return tuple(found)


def terms(identifier: str) -> tuple[str, ...]:
    """Return the index terms of one identifier: its parts, then the words inside them."""
    return pieces(identifier) + subwords(identifier)


def term_counts(names: Iterable[bytes]) -> dict[str, int]:
    """Return how often each term occurs in identifiers."""
    found: dict[str, int] = {}
    for name, number in Counter(names).items():
        for term in _terms(name):
            found[term] = found.get(term, 0) + number
    return found


@lru_cache(maxsize=_MEMORY)
def _terms(name: bytes) -> tuple[str, ...]:
    text = name.decode("utf-8", "replace")
    return (text,) if len(text) > 1 and text.isalpha() and text.islower() else terms(text)


def _counts(word: str) -> bool:
    return len(word) > 1 and not word.isdigit()
