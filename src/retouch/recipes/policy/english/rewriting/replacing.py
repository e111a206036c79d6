"""Replaces phrases of a sentence, as patterns over its words, and keeps the words in the groups of a pattern.

A pattern matches whole words that are joined by blanks. A name in quotes is `QUOTED` there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.tokens import Token

if TYPE_CHECKING:
    from collections.abc import Mapping

QUOTED = "\x00"
_GROUP = re.compile(r"\{(?P<name>\w+)\}")


@dataclass(frozen=True, kw_only=True)
class Rewriting:
    """A phrase and the words that replace it. `{x}` is the words of the group `x`."""

    pattern: re.Pattern[str]
    words: str


def rewriting(pattern: str, words: str) -> Rewriting:
    """Return a rewriting of whole words."""
    return Rewriting(pattern=re.compile(rf"(?<!\S)(?:{pattern})(?!\S)"), words=words)


def text_of(tokens: tuple[Token, ...]) -> str:
    """Return the words joined by blanks, as patterns see them."""
    return " ".join(QUOTED if one.quoted else one.text for one in tokens)


def rewritten(tokens: tuple[Token, ...], one: Rewriting) -> tuple[Token, ...]:
    """Return the words with the first such phrase replaced. The same words if there is none."""
    found = one.pattern.search(text_of(tokens))
    if found is None or found.end() == found.start():
        return tokens
    return replaced(tokens, found, one.words)


def replaced(
    tokens: tuple[Token, ...], found: re.Match[str], words: str, more: Mapping[str, str] | None = None
) -> tuple[Token, ...]:
    """Return the words with a phrase replaced. `more` are groups that are not in the phrase."""
    made: list[Token] = []
    for word in words.split():
        group = _GROUP.fullmatch(word)
        if group is None:
            made.append(Token(text=word, raw=word))
        elif more is not None and group["name"] in more:
            made += [Token(text=each, raw=each) for each in more[group["name"]].split()]
        elif found[group["name"]]:
            made += _between(tokens, found.start(group["name"]), found.end(group["name"]))
    before = _between(tokens, 0, found.start())
    after = _between(tokens, found.end(), len(text_of(tokens)))
    return (*before, *made, *after)


def _between(tokens: tuple[Token, ...], start: int, end: int) -> tuple[Token, ...]:
    """Return the words between two places of their text. A part of a word is none."""
    starts = accumulate((len(QUOTED if one.quoted else one.text) + 1 for one in tokens), initial=0)
    return tuple(one for one, at in zip(tokens, starts, strict=False) if start <= at < end)
