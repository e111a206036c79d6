"""Names of things after their noun: "the container postgres", "the folders Orders and Bills", "channels except HR"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.naming import DETERMINERS, PREPOSITIONS, STOP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.policy.english.words.naming import SentenceWords

_SMALL = re.compile(r"[a-z]{2,}")
_NO_NAMES = (
    STOP
    | DETERMINERS
    | lexicon.GENERIC
    | lexicon.ATTRIBUTES
    | word_set(
        "it them one ones they these those this that anything everything nothing anyone anybody someone everyone "
        "everybody people others again now today tomorrow always ever daily hourly weekly monthly yourself itself "
        "alone together too anyway online offline here there elsewhere anywhere please twice once yet still otherwise "
        "either both so such me us mine yours there forever whenever wherever however unasked"
    )
)
_NAMED = ("named", "called", "with the name")


def is_plural(word: str) -> bool:
    """Return whether a word can be a noun in the plural."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def word_after(words: SentenceWords, at: int, *, first: int) -> Iterator[tuple[str, int]]:
    """Yield `museum` in "the database museum", and each of "the collections visitors and events": a name in small
    letters. `first` is the position after the noun.

    After a noun in the singular it may also be the end of a compound, as in "the project budget". So it must be a word
    that neither the tools nor common things have.
    """
    one = words.tokens[at] if 0 < first <= at < words.size else None
    if one is None or one.quoted or not _SMALL.fullmatch(one.raw) or one.text in _NO_NAMES or one.text.endswith("ly"):
        return
    following = words.word(at + 1)
    ends = at + 1 == words.size or following in STOP
    strange = not lexicon.is_adjective(one.text) and (is_plural(words.word(first - 1)) or _is_strange(words, one.text))
    if ends and strange and _is_definite(words, first - 1):
        yield one.raw, at + 1


def bare_name(words: SentenceWords, at: int) -> Iterator[tuple[str, int]]:
    """Yield `dev` in "post in dev": a word without an article after a preposition, which nothing here knows.

    A name with a hyphen or a point may be any word but an adjective: "it-support", "dr.weber".
    """
    one = words.tokens[at] if at < words.size else None
    following = words.word(at + 1)
    if one is None or one.quoted or (at + 1 < words.size and following not in STOP):
        return
    plain = re.fullmatch(r"[a-z]{3,}", one.raw) and not one.text.endswith(("ly", "ed")) and _is_strange(words, one.text)
    joined = re.fullmatch(r"[a-z]+(?:[-.][a-z0-9]+)+", one.raw) is not None
    host = "." in one.text and words.word(at - 1) in {"at", "from"}
    known = (
        host
        or one.text in _NO_NAMES | lexicon.NO_PLACES | lexicon.ENVIRONMENTS | lexicon.FILE_TYPES | lexicon.CURRENCIES
    )
    if (plain or joined) and not known and not lexicon.is_adjective(one.text.rpartition("-")[2]):
        yield one.raw, at + 1


def beside_example(words: SentenceWords, at: int) -> Iterator[tuple[str, int]]:
    """Yield `northeurope` in "westeurope or northeurope", if a description of an argument names the first one."""
    joined = words.word(at - 1) in {",", "and", "or"} and words.word(at - 2) in words.examples
    ahead = words.word(at + 1) in {",", "and", "or"} and words.word(at + 2) in words.examples
    known = (joined or ahead) and at < words.size and _SMALL.fullmatch(words.tokens[at].raw)
    plain = words.word(at) not in _NO_NAMES and not lexicon.is_adjective(words.word(at))
    if known and plain and _is_strange(words, words.word(at)) and not words.word(at).endswith("ly"):
        yield words.tokens[at].raw, at + 1


def after_naming(words: SentenceWords, at: int) -> int:
    """Return the position after "named" or "called" in "the project called Apollo"."""
    return next(iter(words.after(at, *_NAMED)), at)


def _is_strange(words: SentenceWords, word: str) -> bool:
    known = words.objects | words.given | words.values | lexicon.THINGS | lexicon.VERBS.keys() | lexicon.NOMINAL.keys()
    return singular(word) not in known and word not in known


def _is_definite(words: SentenceWords, at: int) -> bool:
    """Return whether a noun that ends at a position has "the" or a preposition before it."""
    return any(words.word(one) in PREPOSITIONS | {"the", "my", "our"} for one in range(max(0, at - 2), at))


def excepted_word(words: SentenceWords, at: int) -> Iterator[tuple[str, int]]:
    """Yield `billing` in "all data sources except billing": neither a kind of things nor an adjective."""
    if at >= words.size:
        return
    one = words.tokens[at]
    ends = at + 1 == words.size or words.word(at + 1) in STOP
    small = _SMALL.fullmatch(one.raw) and not is_plural(one.text) and _is_strange(words, one.text)
    plain = one.text not in _NO_NAMES and not one.text.endswith(("ly", "ed"))
    if small and ends and plain and one.text not in lexicon.ADJECTIVES:
        yield one.raw, at + 1


ROOM_NOUNS = frozenset({"area", "room"})  # what arguments for the room of a device are called
ROOM = (
    r"(?:nursery|kitchen|bedroom|bathroom|hall|hallway|corridor|office|garage|cellar|basement|attic|garden|terrace|patio|"
    r"balcony|studio|pantry|workshop|warehouse|lobby|study|library|playroom|ballroom|storeroom|"
    r"(?!(?:any|every|each|this|that|one|another|same|other|no|which|whole|entire|single|a|the|my|our) )[a-z]+ room)"
)


def room_spellings(names: Iterable[str]) -> tuple[str, ...]:
    """Return the ways to write names of rooms: `living room`, `Living Room`, `Living room` and `living_room`."""
    found: list[str] = []
    for name in names:
        low = name.lower()
        others = () if any(map(str.isdigit, name)) else (name.title(), name.capitalize(), low, "_".join(low.split()))
        found += [name, *others]
    return tuple(dict.fromkeys(found))
