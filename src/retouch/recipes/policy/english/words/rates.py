"""Parses limits of ordinary sentences: "at most 3 per day", "more than twice", "5 times an hour"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.words.naming import SentenceWords
    from retouch.recipes.policy.language.values import Period

Bound: TypeAlias = Literal["at_most", "above"]
_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve "
    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_ONES = {word: number for number, word in enumerate(_WORDS.split(), start=1)}
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: ten for ten, word in enumerate(_TENS_WORDS.split(), start=2)}
_NUMBERS = (
    _ONES
    | {word: 10 * ten for word, ten in _TENS.items()}
    | {f"{word}-{one}": 10 * ten + _ONES[one] for word, ten in _TENS.items() for one in list(_ONES)[:9]}
    | {"hundred": 100}
)
NUMBER_WORDS = frozenset(_NUMBERS) | {"dozen"}
AT_MOST = ("at most", "no more than", "not more than", "up to", "a maximum of", "maximum", "max", "max.", "only")
_ABOVE = ("more than",)
_PERIODS: tuple[Period, ...] = ("minute", "hour", "day", "week", "month")
# "In a single day" and "in the course of one day"
_WITHIN = ("in", "on", "within", "during", "in the course of", "over the course of", "in the space of")
_ONE = ("a single", "any one", "any single", "one and the same", "one single", "any given", "the same", "one", "a", "1")
_SINGLE = tuple(f"{preposition} {one}" for preposition in _WITHIN for one in _ONE)
_ADVERBS: dict[str, Period] = {"daily": "day", "hourly": "hour", "weekly": "week", "monthly": "month"}
PERIOD = (
    rf"(?:(?:(?:{'|'.join(_WITHIN)}) (?:{'|'.join(_ONE)})|per|a|an|each|every|in any|in every|of one|of a single|"
    "of any one) "
    rf"(?:{'|'.join(_PERIODS)})|daily|hourly|weekly|monthly)"
)


def quantities(words: SentenceWords, at: int) -> Iterator[tuple[Bound, float, int]]:
    """Yield numbers that limit how often something is done: `at most 3`, `more than 3`."""
    for bound, then in _bounds(words, at):
        number = number_of(words.word(then))
        if number is not None and not (bound == "above" and words.word(at - 1) in {"no", "not"}):
            yield bound, number, then + 1


def _bounds(words: SentenceWords, at: int) -> Iterator[tuple[Bound, int]]:
    for then in words.after(at, *AT_MOST):
        yield "at_most", then
    for then in words.after(at, *_ABOVE):
        yield "above", then


def repetitions(words: SentenceWords, at: int) -> Iterator[tuple[Bound, float, int]]:
    """Yield how often something is done: `at most 3 times`, `more than once`, `twice`."""
    for bound, number, then in quantities(words, at):
        for end in words.after(then, "times", "time"):
            yield bound, number, end
    starts: list[tuple[Bound, int]] = [("at_most", at), *_bounds(words, at)]
    for start, then in starts:
        for word, number in (("once", 1.0), ("twice", 2.0)):
            for end in words.after(then, word):
                yield start, number, end


def periods(words: SentenceWords, at: int) -> Iterator[tuple[Period, int]]:
    """Yield periods: `per day`, `a week`, `every hour`, `daily`, `in 24 hours`."""
    for period in _PERIODS:
        article = "an" if period == "hour" else "a"
        openings = (
            "per",
            article,
            "each",
            "every",
            "in any",
            f"in {article}",
            f"within {article}",
            *_SINGLE,
        )
        for end in words.after(at, *(f"{one} {period}" for one in openings)):
            yield period, end
    for end in words.after(at, "within 24 hours", "in 24 hours", "per 24 hours"):
        yield "day", end
    for word, period in _ADVERBS.items():
        for end in words.after(at, word):
            yield period, end


def numbers(words: SentenceWords, at: int) -> Iterator[tuple[float, int]]:
    """Yield a whole number: in digits, in words to a hundred, "a dozen"."""
    number = number_of(words.word(at))
    if number is not None:
        yield number, at + 1
    yield from ((12.0, end) for end in words.after(at, "a dozen", "one dozen"))


def number_of(text: str) -> float | None:
    """Return a whole number in digits or words. None for other words."""
    if text in _NUMBERS:
        return _NUMBERS[text]
    return float(text) if re.fullmatch(r"\d{1,9}", text) else None
