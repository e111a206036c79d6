"""Names by a pattern: "whose name starts with prod-", "with Wedding in the name", "ending in .key"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.pattern_tests import ID, PATTERN
from retouch.recipes.policy.english.words.acts import Qualifier
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.naming import DETERMINERS, STOP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.words.naming import SentenceWords

_NAMES = "names?|titles?|numbers?|ids?|keys?|identifiers?|paths?|file names?"
_NOT = r"(?:(?:do|does) not |not )?"
_STARTS = rf"{_NOT}(?:(?:all )?(?:starts?|begins?)|starting|beginning) with|(?:(?:is|are) )?{_NOT}prefixed with"
_ENDS = rf"{_NOT}(?:(?:all )?ends?|ending) (?:in|with)"
_HAS = r"(?:contains?|containing|includes?|including)"
_THEIR = "(?:the|its|their)"
# What opens a pattern, before "starts with" and the like.
_OPENINGS = (
    r"(?:that |which )?",
    rf"(?:that |which )(?:has |have )(?:a |an )?(?:{_NAMES}) (?:that )?",
    rf"(?:, )?whose (?:{_NAMES}) ",
    rf"with (?:a |an |the )?(?:{_NAMES}) (?:that )?",
    rf"(?:, )?(?:unless|if|when|as long as|provided|provided that|only if|only when) {_THEIR} (?:{_NAMES}) ",
)
_WITHIN = re.compile(rf"in {_THEIR} (?:{_NAMES})")
_HAVING = re.compile(r"with|having|(?:that|which) (?:have|has)|(?:that|which) contains?")
_KINDS = tuple(
    (re.compile("|".join(f"{one}(?:{how})" for one in openings)), shape)
    for openings, how, shape in (
        (_OPENINGS, _STARTS, "{}*"),
        (_OPENINGS, _ENDS, "*{}"),
        (_OPENINGS[1:], _HAS, "*{}*"),
    )
)
_CONDITIONS = word_set("if when provided long")
_JOINTS = (", and", ", or", ",", "and", "or", "or in", "or with")
_OR = (", or", ",", "or")
_SIGNS = {"dot": ".", "hyphen": "-", "dash": "-", "underscore": "_", "hash": "#", "tilde": "~"}
_TEXT = re.compile(r"[\w@#./~-]+")
FILES = word_set("file document folder directory")
IN_REPOSITORY = "repository"  # the `arg` of a pattern of paths in a repository
_PATH = re.compile(r"\.?\w[\w-]*(?:/[\w-][\w.-]*)*/?")
_CLEAR = re.compile(r"\..*|.*/")  # "acme/webshop" is a repository
_WHATEVER = word_set("anything everything something")
_CHANGING = word_set("change changing modify modifying edit editing update updating alter altering touch touching use")
_ONES = word_set("one those ones")
_NO_TEXTS = STOP | DETERMINERS | word_set("letter word number digit capital something anything it them")


def folders_of_repositories(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield ".github/workflows", "docs/" and "the infra folder": where files are in a repository."""
    start = next(iter(words.after(at, "the", "my", "our")), at)
    for first in words.optional(start, "folder", "directory") if words.has_repositories else ():
        one = words.tokens[first] if first < words.size else None
        if one is None or not _PATH.fullmatch(one.raw):
            continue
        ends = [end for end in words.after(first + 1, "folder", "directory") if first == start]
        ends += [first + 1] if first > start or (_CLEAR.fullmatch(one.raw) and not ends) else []
        name = one.raw.rstrip("/")
        for end in ends:
            yield Qualifier(kind="like", word="path", names=(name, f"{name}/*"), arg=IN_REPOSITORY), end


def patterns(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "whose name starts with prod-", "with Wedding in the name" and "ending in .pem or .key" after an object.

    `names` are the patterns, and `arg` is the noun of what has the name. Files have their own kind of patterns.
    """
    noun = singular(words.word(at - 1)) if at else ""
    if noun in _ONES and words.antecedent is not None and words.antecedent.nouns:
        noun = words.antecedent.nouns[-1]
    for said, shape, start in _openings(words, at):
        what = next((one for one in said if re.fullmatch(_NAMES, one)), "")
        negated = ("not" in said) is not ("unless" in said)
        for texts, end in _texts(words, start, joints=_JOINTS if shape != "*{}*" else _OR):
            made = _qualifier(noun, what, tuple(shape.format(one) for one in texts))
            both = noun == "directory" and words.word(at - 2) in {"and", "or"} and words.word(at - 3) == "files"
            if made is not None and both and made.kind == "like":
                made = replace(made, arg=noun)  # such folders are meant as well
            if made is not None and (not negated or made.kind == "chosen"):
                yield replace(made, is_condition=not _CONDITIONS.isdisjoint(said), is_negated=negated), end
    for start in words.matches(at, _HAVING):
        for texts, then in _texts(words, start, joints=_OR):
            for end in words.matches(then, _WITHIN):
                made = _qualifier(noun, words.word(end - 1), tuple(f"*{one}*" for one in texts))
                if made is not None:
                    yield made, end


def of_noun(qualifiers: tuple[Qualifier, ...], nouns: tuple[str, ...]) -> tuple[Qualifier, ...]:
    """Return "whose names start with prod-" of "those" with the noun that "those" stands for."""
    known = nouns[-1:] and [one for one in qualifiers if one.word.startswith(PATTERN) and one.arg in _ONES]
    return tuple(replace(one, arg=nouns[-1]) if known and one in known else one for one in qualifiers)


def known_ids(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "payee_landlord or payee_helio" after a verb: ids that begin like those in a description."""
    for name, then in _known_id(words, at) if words.word(at - 1) not in _CHANGING else ():
        yield Qualifier(kind="chosen", word=ID, names=(name,)), then
        for more in words.after(then, ", and", ", or", ",", "and", "or"):
            for rest, end in known_ids(words, more):
                yield Qualifier(kind="chosen", word=ID, names=(name, *rest.names)), end


def _known_id(words: SentenceWords, at: int) -> Iterator[tuple[str, int]]:
    one = words.tokens[at] if at < words.size else None
    known = one is not None and any(one.text.startswith(prefix) for prefix in words.prefixes)
    if one is not None and known and re.fullmatch(r"[\w-]+\w", one.raw):
        yield one.raw, at + 1


def excepted_branches(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "main, develop and release/" after "branches except"."""
    for names, end in words.branch_names(at):
        yield Qualifier(kind="branches", names=names), end


def _openings(words: SentenceWords, at: int) -> Iterator[tuple[list[str], str, int]]:
    """Yield the words that open a pattern, where its text is put, and the position of the text."""
    for pattern, shape in _KINDS:
        for start in words.matches(at, pattern):
            yield [words.word(one) for one in range(at, start)], shape, start


def _texts(words: SentenceWords, at: int, *, joints: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the texts of a list. After a comma alone, a last plain word says something else: "feature/, once"."""
    for text, then in _text(words, at):
        yield (text,), then
        for joint in joints:
            for more in words.after(then, joint):
                for rest, end in _texts(words, more, joints=joints):
                    if joint != "," or len(rest) != 1 or not rest[0].isalpha():
                        yield (text, *rest), end


def _text(words: SentenceWords, at: int) -> Iterator[tuple[str, int]]:
    """Yield a text that cannot be a description of one: in quotes, with a sign or a capital, or one word alone."""
    for start in words.after(at, "a", "an", "the prefix", "the word"):
        if words.word(start) in _SIGNS and words.word(at) in {"a", "an"}:
            yield _SIGNS[words.word(start)], start + 1
        elif words.word(at) == "the":
            yield from _text(words, start)
    one = words.tokens[at] if at < words.size else None
    if one is None or "*" in one.raw or not one.raw.strip():
        return
    following = words.word(at + 1)
    alone = at + 1 >= words.size or following in STOP or words.tokens[at + 1].quoted
    sound = _TEXT.fullmatch(one.raw) is not None and one.text not in _NO_TEXTS
    if one.quoted or (sound and (alone or not one.raw.isalpha())):
        yield one.raw, at + 1


def _qualifier(noun: str, what: str, names: tuple[str, ...]) -> Qualifier | None:
    """Return the qualifier of patterns. None if it cannot be about names: "meetings starting with 9"."""
    named = singular(what) if what else ""
    if noun == "branch":
        return Qualifier(kind="like", names=names)
    if noun in FILES | _WHATEVER and (noun in FILES or _are_endings(names)):
        ends = all(one.startswith("*") and not one.endswith("*") for one in names)
        hidden = names == (".*",)
        if not ends and not hidden:
            return None  # no test tells the name of a file from those of its directories
        paths = ("*/.*",) if hidden else names
        return Qualifier(kind="like", word="path", names=paths)
    signs = all(re.search(r"[^A-Za-z]", one.strip("*")) for one in names)
    if not noun.isalpha() or (not named and not signs):
        return None
    return Qualifier(kind="chosen", word=f"{PATTERN}{named}", arg=noun, names=names)


def _are_endings(names: tuple[str, ...]) -> bool:
    return all(re.fullmatch(r"\*\.[a-z0-9]{1,8}", one) for one in names)
