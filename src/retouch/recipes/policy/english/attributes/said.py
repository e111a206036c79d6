"""What a sentence says of an attribute, and the phrases that it is made of: "the status of an order", "to closed"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.naming import DETERMINERS, OWNERS, STOP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.words.naming import SentenceWords

How: TypeAlias = Literal["permit", "forbid", "ask", "only"]
Deed: TypeAlias = Literal["set", "assign", "change"]
Calls: TypeAlias = Literal["any", "change", "make"]
_ARTICLES = DETERMINERS - OWNERS - word_set("its their all every each")  # not all of them may be all at once
_EXISTING = frozenset({"existing", "current"})
_OF_THINGS = ("of", "on", "for", "from")
_NO_NOUNS = (
    STOP
    | DETERMINERS
    | word_set(
        "it them one ones they these those this that anything everything nothing something anyone everyone nobody "
        "people who whom whose what which how me us you him her i we same other another else set change give assign"
    )
)
# What stands for a value, or says which one it is: no value of its own.
_NO_VALUES = _NO_NOUNS | word_set(
    "new old true false yes no none null empty blank default zero lower higher bigger smaller better worse today "
    "tomorrow myself yourself somebody whoever whatever different similar specific particular certain again back "
    "staff everybody management outsiders externals owner author users user agent assistant human humans"
)
_MOST_WORDS = 4


@dataclass(frozen=True, kw_only=True)
class Reference:
    """An attribute and what it is an attribute of, as lists of nouns. Either may be empty.

    `others` are further attributes of the thing. `existing`: it says that the thing is there already.
    """

    attribute: tuple[str, ...] = ()
    thing: tuple[str, ...] = ()
    others: tuple[tuple[str, ...], ...] = ()
    existing: bool = False


@dataclass(frozen=True, kw_only=True)
class OnAttribute:
    """What a sentence says: `deed` is done with an attribute, to the values `names`, or any if there are none.

    `permits`: an "only" that says what may be done as well. `calls`: it is about calls that change or make a thing.
    `demands`: a value of these must be given. `quoted` are the names in quotes.
    """

    deed: Deed
    reference: Reference
    names: tuple[str, ...] = ()
    how: How = "forbid"
    permits: bool = False
    calls: Calls = "any"
    verb: str = ""
    demands: bool = False
    quoted: frozenset[str] = frozenset()


def references(words: SentenceWords, at: int) -> Iterator[tuple[Reference, int]]:
    """Yield "the status", "ticket priority", "a contact's phone number" and "the due dates of existing issues"."""
    start = _after_articles(words, at)
    found = words.word(start - 1) in _EXISTING
    owner = _possessive(words, start)
    for attributes, end in _attributes(words, start):
        for thing, end_of_thing in _things_after(words, end):
            existing = found or not _EXISTING.isdisjoint(words.word(one) for one in range(end, end_of_thing))
            yield _reference(attributes, thing, existing=existing), end_of_thing
        yield _reference(attributes, (), existing=found), end
        first, *others = attributes
        for middle in range(1, len(first)):  # "ticket priority"
            yield _reference((first[middle:], *others), _singular(first[:middle]), existing=found), end
    if owner:
        thing = (*_nouns(words, start, owner - 1), singular(words.word(owner - 1).rstrip("'").removesuffix("'s")))
        for attributes, end in _attributes(words, owner):
            yield _reference(attributes, thing, existing=found), end


def _reference(attributes: tuple[tuple[str, ...], ...], thing: tuple[str, ...], *, existing: bool) -> Reference:
    return Reference(attribute=attributes[0], others=attributes[1:], thing=thing, existing=existing)


def _attributes(words: SentenceWords, at: int) -> Iterator[tuple[tuple[tuple[str, ...], ...], int]]:
    """Yield "title" and "title, description or labels", each as its nouns."""
    for end in range(at + 1, min(at + _MOST_WORDS, words.size) + 1):
        if not all(_is_noun(words, one) for one in range(at, end)):
            return
        first = _nouns(words, at, end)
        yield (first,), end
        for joint in words.after(end, ", or", ", and", ",", "or", "and", "nor"):
            for rest, then in _attributes(words, _after_articles(words, joint)):
                if len(rest) > 1 or words.word(joint - 1) != ",":
                    yield (first, *rest), then


def things(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the nouns of "a support ticket"."""
    start = _after_articles(words, at)
    for end in range(start + 1, min(start + _MOST_WORDS, words.size) + 1):
        if not all(_is_noun(words, one) for one in range(start, end)):
            break
        yield _nouns(words, start, end), end


def values(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield lists of values: "closed", "To Do or Done", "priya, tom and lena"."""
    for start in words.optional(at, "the", "either", "either the"):
        yield from _value_list(words, start)


def noun_after(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield no noun, and "group" after "to the billing or tier2"."""
    yield (), at
    yield from nouns(words, at)


def nouns(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield nouns that follow each other, without articles."""
    for end in range(at + 1, min(at + 3, words.size) + 1):
        if not all(_is_noun(words, one) for one in range(at, end)):
            return
        yield _nouns(words, at, end), end


def one_noun(words: SentenceWords, at: int) -> Iterator[tuple[str, int]]:
    """Yield the noun of "bills" and "all payments"."""
    start = _after_articles(words, at)
    if start < words.size and _is_noun(words, start):
        yield singular(words.word(start)), start + 1


def _value_list(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    for name, then in _value(words, at):
        yield (name,), then
        for joint in words.after(
            then, ", or", ", and", ",", "or", "and", "or to", "and to", ", or to", "nor", "nor to"
        ):
            for rest, end in _value_list(words, joint):
                if len(rest) > 1 or words.word(joint - 1) != ",":
                    yield (name, *rest), end


def _value(words: SentenceWords, at: int) -> Iterator[tuple[str, int]]:
    """Yield a quoted name, one that a schema lists, several words with capitals, or one word."""
    if at >= words.size:
        return
    one = words.tokens[at]
    if one.quoted:
        yield one.raw, at + 1
        return
    listed = list(words.value_in_schema(at))
    if not listed and one.text.endswith("s") and singular(one.text) in words.values:
        listed = [(singular(one.text), at + 1)]  # "as drafts"
    yield from listed
    end = at
    while end < words.size and words.tokens[end].raw[:1].isupper() and not words.tokens[end].quoted:
        end += 1
    if end > at + 1 and not any(then == end for _, then in listed):
        yield " ".join(each.raw for each in words.tokens[at:end]), end
    known = any(then == at + 1 for _, then in listed)
    if not known and end <= at + 1 and one.text not in _NO_VALUES and one.raw[:1].isalnum():
        yield one.raw, at + 1


def _after_articles(words: SentenceWords, at: int) -> int:
    while words.word(at) in _ARTICLES | _EXISTING:
        at += 1
    return at


def _possessive(words: SentenceWords, at: int) -> int:
    """Return the position after "contact's" and "support tickets'". 0 if no such word follows."""
    for one in range(at, min(at + 3, words.size)):
        word = words.word(one)
        if word.endswith(("'s", "s'")):
            return one + 1
        if not _is_noun(words, one):
            break
    return 0


def _things_after(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    for start in words.after(at, *_OF_THINGS):
        yield from things(words, start)


def _is_noun(words: SentenceWords, at: int) -> bool:
    word = words.word(at)
    return word.replace("-", "").isalpha() and word not in _NO_NOUNS


def _nouns(words: SentenceWords, at: int, end: int) -> tuple[str, ...]:
    return _singular(tuple(words.word(one) for one in range(at, end)))


def _singular(nouns: tuple[str, ...]) -> tuple[str, ...]:
    """Return words with the last one in the singular."""
    return (*nouns[:-1], singular(nouns[-1])) if nouns else ()
