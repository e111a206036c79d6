"""Finds what a suggestion leaves out of a sentence: words that its tools and tests do not show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.explaining import forms_of
from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.stances.stances import fillers, verdicts
from retouch.recipes.policy.english.suggesting.guessing import share_of
from retouch.recipes.policy.english.suggesting.recognising import SMALL, is_name
from retouch.recipes.policy.english.tools.amounts import amount_number
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import DAY_WORDS, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.english.suggesting.recognising import SeenPart
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning
    from retouch.recipes.policy.english.words.tokens import Token
    from retouch.recipes.policy.language.values import Limit

_SAYING_LITTLE = word_set(
    "per maximum minimum total altogether together even new existing each cost costs between again too either both "
    "such euro euros dollar dollars percent degree degrees piece pieces time times once twice straight still actually "
    "yourself myself job call decision matter look"
)
_OTHERS = word_set("other others rest otherwise remaining")
_NEGATIONS = word_set("not never no nothing nobody none neither nor without")
_TURNING = word_set("but unless except excepting apart short instead rather besides save only mistake decline need yes")
_REVERSED = word_set("outside fewer less refuse wrong stop")  # if they are not shown
_LATER = word_set("after before until once while")
_FACTORS = (1, 100, 60, 3600, 1000, 24, 1440, 1_000_000)  # cents, minutes, seconds and the like
_TIMES = word_set(
    "am pm noon midnight morning evening afternoon night weekend weekends weekday weekdays hour hours minute minutes "
    "day days week weeks month months year o'clock time times today tomorrow"
)
_DAYS = word_set("weekend weekends weekday weekdays day days today tomorrow")
_ASKING = word_set(
    "ask approval approve confirm confirmation permission check consent ok first say-so sign-off go-ahead"
)
_ENDS = re.compile(r"^[('\"]+|[)'\".!?:]+$")


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """What a suggestion leaves out: all `words` in order, of which `limits` are names, numbers and times.

    `shown` is the number of words that the tools or tests show. `is_turned`: a word is left out that may turn the
    meaning around.
    """

    words: tuple[str, ...]
    limits: tuple[str, ...]
    shown: int
    is_turned: bool

    @property
    def weight(self) -> int:
        """How much is left out. A limit counts for three words."""
        return len(self.words) + 2 * len(self.limits)


def left_out(
    tokens: Sequence[Token], meaning: Meaning, toolbox: Toolbox, *, parts: Sequence[SeenPart], said: set[int]
) -> LeftOut:
    """Return what a meaning leaves out of a sentence with these parts. `said` is what `said_places` returns for it."""
    tools = [one for one in toolbox.tools if one.key in {(part.server, part.tool) for part in meaning.parts}]
    tests = [limit for part in meaning.parts for limit in (*part.where, *part.unless)]
    shown = _Shown(tools, tests)
    words: list[str] = []
    limits: list[str] = []
    known = 0
    for at, one in enumerate(tokens):
        if at in said or (one.text in SMALL | _SAYING_LITTLE and not one.quoted):
            continue
        is_limit = is_name(one, at) or amount_number(one.text) is not None or one.text in _TIMES | DAY_WORDS
        if shown.shows(one, is_limit=is_limit):
            known += 1
        elif one.text not in _ASKING:
            words.append(one.raw)
            limits += [one.raw] if is_limit else []
    turned = _is_turned(tokens, meaning, parts) or not _REVERSED.isdisjoint(one.lower() for one in words)
    return LeftOut(words=tuple(words), limits=tuple(limits), shown=known, is_turned=turned)


def _is_turned(tokens: Sequence[Token], meaning: Meaning, parts: Sequence[SeenPart]) -> bool:
    """Return whether a negation, an exception or "the others" is left out, which may turn the meaning around.

    Each part of the sentence that forbids has one negation that says so, and "but" may join two parts.
    """
    said = [one.text for one in tokens]
    negations = [one for one, after in zip(said, [*said[1:], ""], strict=True) if one in _NEGATIONS and after != "even"]
    if len(negations) > sum(part.negations for part in parts) + bool(meaning.excepted):
        return True
    limits = [limit for part in meaning.parts for limit in (*part.where, *part.unless)]
    timed = any(limit.hours or limit.after is not None for limit in limits)
    if meaning.allow and not timed and not _LATER.isdisjoint(said):
        return True
    shown = bool(meaning.excepted) or any(part.unless for part in meaning.parts)
    turning = [one for one in said if one in _TURNING | _OTHERS]
    return not shown and len(turning) > min(len(parts) - 1, said.count("but"))


def said_places(tokens: Sequence[Token], toolbox: Toolbox) -> set[int]:
    """Return the positions of the words that are the verdict, or that say nothing."""
    words = Phrases(tuple(tokens), known=toolbox.words)
    spans = [(at, end) for at in range(words.size) for _, end in verdicts(words, at)]
    spans += [(at, end) for at in range(words.size) for end, _ in fillers(words, at)]
    return {place for at, end in spans for place in range(at, end)}


class _Shown:
    """The words, names and numbers that tools and tests show."""

    def __init__(self, tools: Sequence[KnownTool], tests: Sequence[Limit]) -> None:
        self._tools = tools
        values = [str(value).lower() for limit in tests for value in limit.values]
        self._values = values
        args = [name for limit in tests for name in (limit.arg, limit.role, limit.sum, limit.same) if name]
        self._words = {singular(word) for text in (*args, *values) for word in split_name(text)}
        self._numbers = {bound for limit in tests for bound in limit.bounds}
        self._days = any(limit.days for limit in tests)
        self._hours = any(limit.hours for limit in tests)
        self._periods = {form for limit in tests if limit.per for form in (limit.per, f"{limit.per}s")}

    def shows(self, one: Token, *, is_limit: bool) -> bool:
        """Return whether the tools and tests show a word."""
        text = _ENDS.sub("", one.raw).lower()
        number = amount_number(one.text)
        if number is not None and not one.quoted:
            known = any(number * each in self._numbers for each in _FACTORS)
            return known or self._hours or text in " ".join(self._values)
        if any(text and text.strip("#@") in value for value in self._values):
            return True
        if "/" in text and all(piece in self._values for piece in text.split("/")):
            return True  # an owner and a repository
        if one.text in _TIMES | DAY_WORDS:
            of_days = self._days and one.text in DAY_WORDS | _DAYS
            of_hours = self._hours and one.text not in DAY_WORDS | _DAYS
            return of_days or of_hours or one.text in self._periods or self._has_word(one.text)
        return not (is_limit and one.quoted) and self._has_word(one.text)

    def _has_word(self, word: str) -> bool:
        return not forms_of(word).isdisjoint(self._words) or any(share_of(one, word) > 0 for one in self._tools)
