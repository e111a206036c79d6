"""Parses amounts of ordinary sentences: "under 50 euros", "500 euros or more", "between 17 and 22 degrees"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.units import CHARACTERS, is_unit_of_text, unit_named
from retouch.recipes.policy.english.tools.known_tools import CHARACTER
from retouch.recipes.policy.english.words import lexicon, rates
from retouch.recipes.policy.english.words.acts import Qualifier
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.naming import SentenceWords

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBER = re.compile(r"[$\u20ac\u00a3]?(\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?[$\u20ac\u00a3%]?")
_THOUSAND = re.compile(r"[$\u20ac\u00a3]?\d{1,3}\.\d{3}[$\u20ac\u00a3%]?")
_PER_CALL = re.compile(
    r"(?:(?:per|for each|on each|on a single|in a single|for a single|in one|for one|on one|for any|on any|a|an) "
    r"(?P<noun>order|booking|refund|payment|transfer|purchase|transaction|reservation|charge|discount|flight|hotel)"
    r"|each|apiece|a pop)"
)
_AT_ONCE = (
    "at once", "at a time", "at one time", "in one go", "each time", "per call", "in one call", "in a single call",
)  # fmt: skip
_PER = re.compile(r"(?:per|a|an|each|every) (?P<noun>[a-z]+)")
ONCE = "once"
_SPANS = word_set("second minute hour day night week month quarter year")
_BELOW = ("under", "below", "less than", "smaller than", "lower than", "fewer than", "shorter than",
           "cheaper than", "lighter than", "colder than", "cooler than")  # fmt: skip
_ABOVE = (
    "over", "above", "more than", "exceeding", "larger than", "greater than", "higher than", "bigger than", "beyond",
    "longer than", "heavier than", "more expensive than", "warmer than", "hotter than", "louder than", "taller than",
    "wider than", "bulkier than", "pricier than", "dearer than",
    "in excess of", "exceeds", "that exceed", "that exceeds", "which exceed",
)  # fmt: skip
_AT_MOST = ("up to", "of up to")
_NO_MORE = ("at most", "no more than", "not more than", "of at most", "a maximum of", "maximum", "max")
_AT_LEAST = ("at least", "of at least", "a minimum of", "no less than")
_BOUNDS = (
    (_BELOW, "below"), (_ABOVE, "above"), (_AT_MOST, "at_most"), (_NO_MORE, "at_most"), (_AT_LEAST, "at_least"),
)  # fmt: skip
_OR_MORE = ("or more", "or above", "or over", "or higher", "and above", "and more", "and up")
_OR_LESS = ("or less", "or below", "or under", "or fewer", "or lower")
_CLOSED = ("at most", "at the most", "at the very most", "tops", "max", "max.", "maximum")
_WORTH = (
    "of", "for", "worth", "costing", "totalling", "totaling", "valued at", "priced at", "that cost", "that costs",
    "which cost", "that are", "that is", "which are", "that last", "lasting", "with", "by", "that have", "that has",
    "that lasts", "that take", "that takes", "taking", "that run for", "that go on for",
)  # fmt: skip


class Amounts(SentenceWords):
    """The amounts of one sentence."""

    def limits(self, at: int) -> Iterator[tuple[tuple[Qualifier, ...], int]]:
        """Yield the limit at a position: "max 100 messages at a time"."""
        yield from (((one,), end) for one, end in self.amount(at) if one.is_bound)

    def amount_above(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield the amount that is more than the one at a position."""
        number = amount_number(self.word(at))
        for unit, end in self._unit(at) if number is not None else ():
            yield replace(_amount_of("above", number or 0), word=unit), end
        if number is not None:
            yield from self._sizes(at, _amount_of("above", number))

    def amount(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "under 50 euros", "of up to 50", "to more than 10 replicas", "above 20 percent"."""
        at = next(iter(self.after(at, *_WORTH)), at)
        yield from self._amount_or_more(at)
        for then in self.after(at, "between", "from"):
            yield from self._between(then)
        start = at + 1 if self.word(at) == "to" or (self.word(at) == "at" and self.word(at + 1) == "up") else at
        for phrases, field in _BOUNDS:
            for then in self.after(start, *phrases):
                number = amount_number(self.word(then))
                if number is not None:
                    for unit, end in self._unit(then):
                        if start == at or unit:
                            found = replace(_amount_of(field, number), word=unit, is_bound=phrases is _NO_MORE)
                            yield found, end
                            yield from ((replace(found, names=names), more) for names, more in self.per_call(end))
                    yield from self._sizes(then, replace(_amount_of(field, number), is_bound=phrases is _NO_MORE))

    def _sizes(self, at: int, amount: Qualifier) -> Iterator[tuple[Qualifier, int]]:
        """Yield "280 characters", "10 guests per event" and "5 at once" as a size of one call."""
        if amount.at_least == 1 or amount.above == 0:
            return  # "at least one tag": it must be given
        noun = CHARACTER if self.word(at + 1) in CHARACTERS else singular(self.word(at + 1))
        size = replace(amount, kind="size", word=noun)
        if noun == CHARACTER or is_unit_of_text(noun):
            yield size, at + 2
            yield from ((size, end) for end in self.after(at + 2, "long", "each"))
        elif noun in self.sized:
            yield size, at + 2
            yield from ((replace(size, names=names or (ONCE,)), end) for names, end in self.per_call(at + 2))
        yield from ((replace(size, word="", names=(ONCE,)), end) for end in self.after(at + 1, *_AT_ONCE))

    def _between(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "17 and 22 degrees" after "between": both bounds are included."""
        first = amount_number(self.word(at))
        for then in self.after(at + 1, "and", "to") if first is not None else ():
            last = amount_number(self.word(then))
            for unit, end in self._unit(then) if last is not None and first is not None and first <= last else ():
                if unit:
                    yield Qualifier(kind="amount", word=unit, at_least=first, at_most=last), end

    def _amount_or_more(self, at: int) -> Iterator[tuple[Qualifier, int]]:
        """Yield "500 euros or more" and "7 nights or less"."""
        number = amount_number(self.word(at))
        for unit, then in self._unit(at) if number is not None else ():
            for field, phrases in (("at_least", _OR_MORE), ("at_most", _OR_LESS)):
                for end in self.after(then, *phrases):
                    yield replace(_amount_of(field, number or 0), word=unit), end
            for end in self.after(then, *_CLOSED) if unit else ():
                if rates.number_of(self.word(end)) is None and self.word(end) not in {"once", "twice"}:
                    yield replace(_amount_of("at_most", number or 0), word=unit, is_bound=True), end

    def _unit(self, at: int) -> Iterator[tuple[str, int]]:
        """Yield the unit of the number at a position: a currency, its sign, percent, or an argument of a tool."""
        text, after = self.word(at), self.word(at + 1)
        if after in lexicon.CURRENCIES or after in {"percent", "%"}:
            yield after, at + 2
            return
        if text.endswith("%"):
            yield "percent", at + 1
            return
        signed = text.strip("0123456789.,")
        yield lexicon.SIGNS.get(signed, ""), at + 1
        if after and singular(after) in self.units:
            yield singular(after), at + 2
        elif unit_named(after):
            yield unit_named(after), at + 2

    def per_call(self, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield the noun and the end of "per order": an amount is always the amount of one call."""
        for end in self.matches(at, _PER_CALL):
            noun = self.word(end - 1)
            yield ((noun,) if noun not in {"each", "apiece", "pop"} else ()), end
        for end in self.matches(at, _PER):
            noun = self.word(end - 1)
            if noun in self.rated:  # a rate such as `price_per_night`
                yield ("per", noun), end
            elif noun in self.common and noun not in _SPANS and not _PER_CALL.fullmatch(f"per {noun}"):
                yield (noun,), end
        yield from (((), end) for end in self.after(at, *_AT_ONCE))


def amount_number(text: str) -> float | None:
    """Return a number in digits, or a small one in words. "1.000" is a thousand to many people, so it is no number."""
    if _NUMBER.fullmatch(text) and not _THOUSAND.fullmatch(text):
        return float(re.sub(r"[^\d.]", "", text))
    return rates.number_of(text) if text.isalpha() else None


def _amount_of(field: str, number: float) -> Qualifier:
    """Return a qualifier with one bound."""
    return Qualifier(
        kind="amount",
        at_least=number if field == "at_least" else None,
        at_most=number if field == "at_most" else None,
        above=number if field == "above" else None,
        below=number if field == "below" else None,
    )
