"""Finds the phrases of `stance_phrases` in a sentence, and says which phrases there do not say what they seem to.

"You may" before "not" permits nothing, "is fine" after "what" or "if" is no verdict, and "no" before "need to ask" is
the begin of another phrase.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.stances.fillers import FILLERS
from retouch.recipes.policy.english.stances.parts import PARTS
from retouch.recipes.policy.english.stances.phrases import OF_OTHERS, TABLE, UNLESS
from retouch.recipes.policy.english.words.lexicon import DAY_WORDS, MONTHS, word_set
from retouch.recipes.policy.english.words.word_templates import (
    Matcher,
    Node,
    Templates,
    by_first_word,
    node_of,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.recipes.policy.english.stances.phrases import Kind, Takes
    from retouch.recipes.policy.english.words.acts import Stance
    from retouch.recipes.policy.english.words.tokens import Token

_NEGATIONS = word_set("not never no nor neither hardly barely rarely seldom")
_BEFORE_CLAUSES = word_set(
    "if when whenever unless until till whether because since as that which who whom whose what whatever whichever "
    "where wherever once after before how why than"
)
_PARTS = word_set(", ; and but or so yet then though while however please also")
_PRONOUNS = word_set("it that this those these they one")
_NO = _NEGATIONS | word_set("nothing nobody none without forbidden prohibited banned taboo off")


@cache
def _templates() -> Templates:
    return Templates(PARTS)


@cache
def _phrases() -> Mapping[str, Sequence[tuple[Stance, Takes, Kind, Node]]]:
    """Return the phrases by the words that they can begin with."""
    found: list[tuple[Stance, Takes, Kind, Node]] = []
    for stance, takes, kind, several in TABLE:
        found.extend((stance, takes, kind, node_of(one)) for one in several)
    return by_first_word(_templates(), found, lambda one: one[3])


@cache
def _fillers() -> Mapping[str, Sequence[tuple[frozenset[Stance], Node]]]:
    found = [(stances, node_of(one)) for stances, several in FILLERS for one in several]
    return by_first_word(_templates(), found, lambda one: one[1])


@cache
def _others(kind: str) -> tuple[Node, ...]:
    return tuple(map(node_of, {"unless": UNLESS, "of others": OF_OTHERS}[kind]))


@lru_cache(maxsize=128)
def _matcher(words: tuple[str, ...]) -> Matcher:
    return Matcher(templates=_templates(), words=words)


def _ends(words: tuple[str, ...], at: int, nodes: Sequence[Node]) -> frozenset[int]:
    matcher = _matcher(words)
    return frozenset(end for one in nodes for end in matcher.ends(one, at) if end > at)


def stated(tokens: Sequence[Token], at: int) -> Iterator[tuple[Stance, Takes, Kind, int]]:
    """Yield the phrases that start at a position: what they say, what they take, and where they end."""
    words = words_of(tokens)
    if at >= len(words):
        return
    for stance, takes, kind, node in _phrases().get(words[at], ()):
        for end in _ends(words, at, (node,)):
            yield stance, takes, kind, end
    named = tuple(_as_name(tokens, number) for number in range(len(words)))
    for end in _ends(named, at, _others("of others")):
        yield "forbid", "none", "alone", end
    for stance, end in _closed(words, at):
        yield stance, "none", "plain", end


def filled(tokens: Sequence[Token], at: int) -> Iterator[tuple[int, frozenset[Stance]]]:
    """Yield the ends of words that say nothing, with the stances that they can be said with."""
    words = words_of(tokens)
    if at >= len(words) or (at and words[at - 1] in _NEGATIONS):
        return
    for stances, node in _fillers().get(words[at], ()):
        yield from ((end, stances) for end in _ends(words, at, (node,)))
    for stance, _, _ in _opened(words, at):
        found: frozenset[Stance] = frozenset({stance})
        yield at + 1, found


def unless_agreed(tokens: Sequence[Token], at: int) -> frozenset[int]:
    """Return the ends of "unless I say so" and the like."""
    return _ends(words_of(tokens), at, _others("unless"))


def covered(tokens: Sequence[Token]) -> frozenset[int]:
    """Return the positions of the words of phrases that say what may happen, and of words that say nothing more."""
    found: set[int] = set()
    for at in range(len(tokens)):
        ends = (end for _, _, _, end in stated(tokens, at))
        last = max((*ends, *(end for end, _ in filled(tokens, at)), *unless_agreed(tokens, at)), default=at)
        found.update(range(at, last))
    return frozenset(found)


def _as_name(tokens: Sequence[Token], at: int) -> str:
    one = tokens[at]
    capital = at > 0 and one.raw[:1].isupper() and one.raw[1:2].islower() and not one.quoted
    capital = capital and one.text.removesuffix("'s") not in _NOBODY
    return one.text if not capital else "NAME's" if one.text.endswith("'s") else "NAME"


# "Leave the drafts alone", "run every refund past me first": the phrase is around its object.

_AROUND: tuple[tuple[Stance, frozenset[str], Node], ...] = (
    ("forbid", word_set("leave keep"), node_of("[well|strictly|completely|exactly|all|just]* {untouched}")),
    ("forbid", word_set("leave"), node_of("to {me} [please]")),
    ("ask", word_set("run pass get put"), node_of("(by|past) {me} {first}")),
    ("ask", word_set("clear check confirm discuss agree settle double-check verify"), node_of("with {me} {first}")),
    ("ask", word_set("bring refer escalate submit show"), node_of("to {me} {first}")),
)
_NOBODY = word_set("claude agent assistant bot ai you") | DAY_WORDS | MONTHS  # for whom the agent would leave it
_BEFORE_OPENINGS = _PARTS | word_set("you must just should to always first kindly")


def _opened(words: tuple[str, ...], at: int) -> Iterator[tuple[Stance, int, frozenset[int]]]:
    """Yield the phrases that have one word here and the others behind an object: what they say, and where these are."""
    if at and words[at - 1] not in _BEFORE_OPENINGS:
        return
    stop = next((one for one in range(at, len(words)) if words[one] == ";"), len(words))
    for stance, openings, closing in _AROUND:
        for start in range(at + 2, stop) if words[at] in openings else ():
            ends = _ends(words, start, (closing,))
            if ends:
                yield stance, start, ends


def _closed(words: tuple[str, ...], at: int) -> Iterator[tuple[Stance, int]]:
    """Yield what the last words of such a phrase say, with their ends."""
    for before in range(at):
        for stance, start, ends in _opened(words, before):
            for end in ends if start == at else ():
                yield stance, end


# Phrases that do not say what they seem to


def is_said(words: tuple[str, ...], at: int, end: int, stance: str) -> bool:
    """Return whether a phrase says what it seems to, as far as the words around it show."""
    before = words[at - 1] if at else ""
    following = words[end] if end < len(words) else ""
    if before in _NEGATIONS or (before in _BEFORE_CLAUSES and not (before == "that" and _is_subject(words, at - 1))):
        return False
    if words[at] in _PRONOUNS and not _is_subject(words, at):
        return False
    return following not in _NEGATIONS or (stance == "forbid" and words[end - 1] in {",", ";"})


def _is_subject(words: tuple[str, ...], at: int) -> bool:
    """Return whether a pronoun begins a clause, so that it is no relative pronoun."""
    return at == 0 or words[at - 1] in _PARTS


def is_opposite(words: tuple[str, ...], at: int, end: int) -> bool:
    """Return whether "is not" and "does not" say the opposite of the clause before, which has no negation itself."""
    also = end + 1 < len(words) and words[end] == "," and words[end + 1] in {"too", "either", "also", "as", "neither"}
    return not also and _NO.isdisjoint(words[:at])


def reverses(words: tuple[str, ...], at: int) -> Iterator[tuple[Stance, int]]:
    """Yield "is" and "does" as the last words after "is not allowed" and "does not need my okay"."""
    end = at + 1
    if (end < len(words) and words[end] != ";") or words[at] not in {"is", "are", "does", "do"}:
        return
    clause = next((one + 1 for one in range(at - 1, -1, -1) if words[one] in {",", ";", "and", "but"}), 0)
    if clause == 0 or not _BEFORE_CLAUSES.isdisjoint(words[clause:at]):
        return
    said = " ".join(words[: clause - 1])
    if words[at] in {"is", "are"} and _says(said, _NOT_FINE):
        yield "permit", end
    if words[at] in {"does", "do"} and _says(said, _NEEDS_NO):
        yield "ask", end


_NOT_FINE = ("is not", "are not", "is forbidden", "are forbidden", "is never", "are never", "off limits", "prohibited")
_NEEDS_NO = ("not need", "not require", "needs no", "need no", "requires no")


def _says(text: str, phrases: tuple[str, ...]) -> bool:
    return sum(text.count(one) for one in phrases) == 1
