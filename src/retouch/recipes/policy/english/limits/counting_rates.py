"""Parses how often something is done in other orders: "three times a day", "five a day at most", "two per patient"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument
from retouch.recipes.policy.english.words import rates
from retouch.recipes.policy.english.words.acts import Qualifier, count_of
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.naming import SentenceWords

BARE = "bare"
NUMBER = "number"  # it can be a number of calls, or an amount
_AT_MOST = (
    "at most", "at the most", "at the very most", "at maximum", "max", "max.", "maximum", "tops", "no more", "not more",
    "is the maximum", "is the limit", "is the most", "at the maximum",
)  # fmt: skip
_BOUNDS = ("with a maximum of", "with at most", "not over", "limited to", "with a limit of")
_SPANS = word_set("second minute hour day night week month quarter year session conversation time call item unit go")
_PEOPLE = word_set("person recipient address individual")
_SITES = word_set("site website host domain")
_EACH = ("per", "for each", "to each", "from each", "for every", "to every", "from every")
_SAME = ("for the same", "to the same", "from the same", "on the same", "with the same", "in the same", "at the same")
_ANYBODY = ("to any one person", "to each person")


def rates_after(words: SentenceWords, at: int) -> Iterator[tuple[tuple[Qualifier, ...], int]]:
    """Yield a whole rate after an object: "up to three times a day", ", two per patient per day at the most".

    A bare number is a limit only with a bound before or after it, or as "times".
    """
    start = at + 1 if words.word(at) == "," else at
    start = next(iter(words.after(start, "but", "though")), start)
    for bounded, count, middle in _numbers(words, start):
        for rest, end in _periods_and_values(words, middle):
            closed = list(words.after(end, *(f"{extra}{one}" for one in _AT_MOST for extra in ("", ", "))))
            yield from (((count, *rest), last) for last in closed)
            if bounded:
                yield (count, *rest), end


def _numbers(words: SentenceWords, at: int) -> Iterator[tuple[bool, Qualifier, int]]:
    starts = [(False, at), *((True, then) for then in words.after(at, *_BOUNDS, *rates.AT_MOST))]
    for bounded, start in starts:
        for word, times in (("once", 1.0), ("twice", 2.0)):
            for end in words.after(start, word):
                yield True, Qualifier(kind="count", word="" if bounded else BARE, at_most=times), end
        for number, then in rates.numbers(words, start):
            for end in words.after(then, "times", "time"):
                yield True, count_of("at_most", number), end
            yield bounded, Qualifier(kind="count", word=NUMBER, at_most=number), then
            noun = singular(words.word(then))
            apart = not {words.word(at), words.word(at - 1)}.isdisjoint({",", "with"})
            if apart and noun.isalpha() and noun not in _SPANS | _NOT_NOUNS:
                yield bounded, Qualifier(kind="count", at_most=number, names=(noun,)), then + 1
    yield from _numbers_above(words, at)


def _numbers_above(words: SentenceWords, at: int) -> Iterator[tuple[bool, Qualifier, int]]:
    for then in words.after(at, "more than"):
        if words.word(at - 1) not in {"no", "not"}:
            for number, middle in rates.numbers(words, then):
                yield from ((True, count_of("above", number), end) for end in words.after(middle, "times", "time"))
            for word, times in _TIMES:
                yield from ((True, count_of("above", times), end) for end in words.after(then, word))


_TIMES = (("once", 1.0), ("twice", 2.0))
_NOT_NOUNS = word_set("a an per each every in on for to from the at of within time times daily weekly hourly monthly")


def _periods_and_values(words: SentenceWords, at: int) -> Iterator[tuple[tuple[Qualifier, ...], int]]:
    """Yield one period, with a value that it counts for before or after it."""
    for period, end in rates.periods(words, at):
        span = Qualifier(kind="per", word=period)
        yield (span,), end
        for same, last in same_value(words, end):
            yield (span, same), last
    for same, middle in same_value(words, at):
        for period, end in rates.periods(words, middle):
            yield (same, Qualifier(kind="per", word=period)), end


def same_value(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "per patient", "from the same site" and "to anybody": each value has its own limit."""
    for end in words.after(at, *_ANYBODY):
        yield Qualifier(kind="same", word="person"), end
    for then in words.after(at, *_EACH, *_SAME):
        noun = singular(words.word(then))
        if noun.isalpha() and noun not in _SPANS:
            yield Qualifier(kind="same", word=noun), then + 1


def same_object(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "the same supplier" as an object, with the position of its noun."""
    for then in words.after(at, "the same", "any one"):
        noun = singular(words.word(then))
        if noun.isalpha() and noun not in _SPANS:
            yield Qualifier(kind="same", word=noun), then


def compared_argument(one: KnownTool, noun: str) -> str:
    """Return the argument whose values a limit is for: `patient_id` for "per patient".

    Raises:
        Unclear: none or several are meant, it may be left out, or its values are lists or paths.
    """
    named = [arg for arg in one.tool.args if _is_meant(one, arg, noun)]
    if len(named) != 1:
        raise Unclear(f"{'no' if not named else 'more than one'} argument of {one.tool.name} is the {noun}")
    (arg,) = named
    roles = set(one.tool.args[arg].all_roles)
    single = one.takes_one_text(arg) or arg in one.numbers
    if not single or roles & PATH_ROLES or arg not in one.required:
        raise Unclear(f"no rule can count the calls of {one.tool.name} for each {noun}: {arg!r} is not one given value")
    return arg


def _is_meant(one: KnownTool, arg: str, noun: str) -> bool:
    roles = set(one.tool.args[arg].all_roles)
    if noun in _SITES and roles & URL_ROLES:
        return True
    if noun in _PEOPLE and "email-address" in roles:
        return True
    return noun in nouns_of_argument(one, arg)
