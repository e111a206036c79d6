"""Measures how well a layout describes paths: the length of the shortest description of the paths that uses it.

A path that the layout does not match is spelled out. In a path that it matches, literal text is free, and a value costs
what its kind leaves open: a digit 3.3 bits, a letter 4.7, any other character 6.5. A column of few different values
costs a dictionary and one reference per value, if that is shorter.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

BITS = 6.5
SHARED = 0.1  # the share of the samples that must have a token for it to be known
_COLUMN = 4.0
_KINDS = (
    (re.compile(r"[0-9]+"), 3.33),
    (re.compile(r"[0-9a-f]+|[0-9A-F]+"), 4.0),
    (re.compile(r"[a-z]+|[A-Z]+"), 4.7),
    (re.compile(r"[0-9A-Za-z]+"), 5.95),
)
_DATE = re.compile(r"(?:19|20)[0-9]{2}[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12][0-9]|3[01])")
_TIME = re.compile(rf"{_DATE.pattern}[-T_. ](?:[01][0-9]|2[0-3])([-_.:])[0-5][0-9]\1[0-5][0-9]Z?")
_DAY, _SECOND = 14.0, 17.0

_TOKEN = re.compile(r"[0-9]+|[A-Za-z]+|[^0-9A-Za-z]+")
_KNOWN = 4.0
LEFT_OUT = 10.0
USUAL = 0.8


def tokens_of(path: str) -> list[str]:
    """Return the numbers, words and separators of a path."""
    return _TOKEN.findall(path)


def shared_tokens(paths: Sequence[str]) -> frozenset[str]:
    """Return the tokens that several paths have."""
    counts = Counter(token for path in paths for token in set(tokens_of(path)))
    return frozenset(token for token, number in counts.items() if number >= max(2, SHARED * len(paths)))


def spelled_out(path: str, known: Container[str]) -> float:
    """Return the cost of a path that is not matched. Tokens that several samples have are cheap."""
    return LEFT_OUT + sum(_KNOWN if one in known else _token_cost(one) for one in tokens_of(path))


def column_cost(values: Sequence[str]) -> float:
    """Return the cost of the values of one column. Which of them are empty costs the entropy of that."""
    there = [value for value in values if value]
    different = set(there)
    references = math.log2(len(different)) if different else 0.0
    dictionary = sum(BITS * (len(one) + 1) for one in different) + len(there) * references
    return _COLUMN + _presence(len(there), len(values)) + min(dictionary, sum(map(_value_cost, there)))


def ignored_cost(values: Sequence[str]) -> float:
    """Return the cost of texts of a place that no column takes. If nearly all paths have one, they are spelled out."""
    there = [value for value in values if value]
    usual = len(there) >= USUAL * len(values)
    return sum(map(_value_cost, there)) + _presence(len(there), len(values)) if usual else column_cost(values)


def repeated_words(endings: Sequence[str]) -> float:
    """Return the part of the cost of extensions that words have which an earlier one has, as `warc.wet.gz`."""
    words = [word for one in {*endings} for word in one.split(".")]
    return BITS * sum((number - 1) * (len(word) + 1) for word, number in Counter(words).items() if word)


def _presence(some: int, of: int) -> float:
    """Return the cost of saying which of the values are there."""
    shares = [number / of for number in (some, of - some) if number]
    return -of * sum(share * math.log2(share) for share in shares) if len(shares) > 1 else 0.0


@lru_cache(maxsize=65536)  # the same values are described as parts of many layouts
def _value_cost(value: str) -> float:
    """Return the cost of a value: that of its numbers and words, and of what separates them."""
    if _DATE.fullmatch(value):
        return _DAY
    if _TIME.fullmatch(value):
        return _DAY + _SECOND  # its marks say nothing
    return 2.0 + sum(_token_cost(one) for one in tokens_of(value))


@lru_cache(maxsize=65536)
def _token_cost(token: str) -> float:
    return 1.0 + len(token) * next((bits for kind, bits in _KINDS if kind.fullmatch(token)), BITS)
