"""Finds what a suggestion leaves out of a sentence: words that its tools and tests do not show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.explaining import forms_of
from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.stances.stances import fillers, verdicts
from retouch.recipes.policy.english.suggesting.guessed_tests import listed_words
from retouch.recipes.policy.english.suggesting.guessing import share_of_verb
from retouch.recipes.policy.english.suggesting.recognising import SMALL, is_name, is_of_verdict
from retouch.recipes.policy.english.tools.amounts import amount_number
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import DAY_WORDS, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.english.suggesting.recognising import SeenPart
    from retouch.recipes.policy.english.suggesting.vouching import SeenSentence
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning
    from retouch.recipes.policy.english.words.tokens import Token
    from retouch.recipes.policy.language.values import Limit

_SAYING_LITTLE = word_set(
    "per maximum minimum total altogether even each cost costs between too either such time times still actually "
    "yourself myself job call decision matter look"
)
_NARROWING = word_set("both own alone like all same first")  # small words that may say which calls are meant
_NEVER_SAID = word_set("first like alone period")  # they may mean something in a verdict, too
_BEYOND = word_set("above below under beyond")
_EMPHASIS = word_set(
    "absolutely strictly really certainly definitely simply completely totally perfectly explicitly only kindly"
)
_UNITS = word_set("euro euros dollar dollars eur usd gbp percent degree degrees piece pieces")
_MONEY = word_set("euro euros dollar dollars eur usd gbp")
_PATTERNS = word_set("start starts starting begin begins beginning end ends ending")
_NO_NUMBER = word_set("any no every each which this that the some another")
_OTHERS = word_set("other others rest otherwise remaining")
_NEGATIONS = word_set("not never no nothing nobody none neither nor without")
_TURNING = word_set("but unless except excepting apart short instead rather besides save only mistake decline need yes")
_REVERSED = word_set(
    "outside fewer less refuse wrong stop higher lower greater bigger longer shorter older newer earlier"
)  # if they are not shown
_LATER = word_set("after before until once while")
_FACTORS = (1, 100, 60, 3600, 1000, 24, 1440, 1_000_000)  # cents, minutes, seconds and the like
TIMES = word_set(
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


def left_out(text: str, meaning: Meaning, sentence: SeenSentence, said: set[int]) -> LeftOut:
    """Return what a meaning leaves out of a sentence with this text. `said` is what `said_places` returns for it."""
    tokens, parts = sentence.tokens, sentence.parts
    tools = [one for one in sentence.toolbox.tools if one.key in {(part.server, part.tool) for part in meaning.parts}]
    tests = [limit for part in meaning.parts for limit in (*part.where, *part.unless)]
    shown = _Shown(tools, tests)
    words: list[str] = []
    limits: list[str] = []
    known = 0
    for at, one in enumerate(tokens):
        if _says_nothing(tokens, at, said) and (at in said or one.text not in _LATER or shown.is_timed or meaning.ask):
            continue
        is_limit = is_name(one, at) or is_number(tokens, at) or one.text in TIMES | DAY_WORDS
        if shown.shows(one, is_limit=is_limit) and not shown.lacks_group(tokens, at):
            known += 1
        elif one.text not in text.lower() and not one.quoted:
            words += [word for word in _replaced(text, tokens) if word not in words]
        elif re.search(r"\w", one.raw) and (one.text not in _ASKING or not meaning.ask):
            words.append(one.raw)
            limits += [one.raw] if is_limit else []
    turned = _is_turned(tokens, meaning, parts) or not _REVERSED.isdisjoint(one.lower() for one in words)
    return LeftOut(words=tuple(words), limits=tuple(limits), shown=known, is_turned=turned)


def _has_other_amounts(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence is about the amounts beyond its limit, too: "everything above", "below that"."""
    numbers = [at for at, one in enumerate(tokens) if amount_number(one.text) is not None]
    words = [at for at, one in enumerate(tokens) if one.text in _BEYOND]
    return bool(numbers) and any(not any(at < number <= at + 3 for number in numbers) for at in words)


def _replaced(text: str, tokens: Sequence[Token]) -> list[str]:
    """Return the words of a text for which the readers have other ones, so that the suggestion cannot show them."""
    known = SMALL | _SAYING_LITTLE | _ASKING | {one.text for one in tokens} | {one.raw.lower() for one in tokens}
    return [word for word in re.findall(r"[^\W_][\w'-]*", text) if word.lower() not in known]


def _says_nothing(tokens: Sequence[Token], at: int, said: set[int]) -> bool:
    """Return whether a word is a verdict, or one that says nothing of which calls are meant."""
    one = tokens[at]
    is_emphasis = one.text in _EMPHASIS or not one.text.endswith("ly")
    if one.quoted or (at in said and one.text not in _NEVER_SAID and is_emphasis):
        return not one.quoted
    if one.text in _NARROWING:
        before = tokens[at - 1].text if at else ""
        verdict = before in {"would", "should", "'d"} or (one.text == "alone" and tokens[0].text == "leave")
        return verdict or (one.text == "like" and at == 0)
    if one.text == "once" and at and tokens[at - 1].text == "at":
        return True
    return one.text in SMALL | _SAYING_LITTLE and not is_number(tokens, at)


def is_number(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word is a number. "One" is, before what is counted: "delete one email"."""
    if tokens[at].text != "one":
        return amount_number(tokens[at].text) is not None
    before, after = (tokens[place].text if 0 <= place < len(tokens) else "" for place in (at - 1, at + 1))
    return bool(after) and before not in _NO_NUMBER and after not in SMALL


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
    moods = [one for one in (meaning.allow, meaning.ask, meaning.never | meaning.excepted) if one]
    if len(moods) == 1 and _has_other_amounts(tokens):
        return True
    shown = bool(meaning.excepted) or any(part.unless for part in meaning.parts)
    turning = [one for one in said if one in _TURNING | _OTHERS]
    return not shown and len(turning) > min(len(parts) - 1, said.count("but"))


def said_places(tokens: Sequence[Token], toolbox: Toolbox) -> set[int]:
    """Return the positions of the words that are the verdict, or that say nothing."""
    words = Phrases(tuple(tokens), known=toolbox.words)
    spans = [(at, end) for at in range(words.size) for _, end in verdicts(words, at)]
    spans += [(at, end) for at in range(words.size) for end, _ in fillers(words, at)]
    return {place for at, end in spans for place in range(at, end) if is_of_verdict(tokens[place], toolbox)}


class _Shown:
    """The words, names and numbers that tools and tests show."""

    def __init__(self, tools: Sequence[KnownTool], tests: Sequence[Limit]) -> None:
        self._tools = tools
        values = [str(value).lower() for limit in tests for value in limit.values]
        self._values = values
        args = [name for limit in tests for name in (limit.arg, limit.role, limit.sum, limit.same) if name]
        args += ["same"] if any(limit.same for limit in tests) else []
        self._words = {singular(word) for text in (*args, *values) for word in split_name(text)}
        self._numbers = {bound for limit in tests for bound in limit.bounds}
        self._days = any(limit.days for limit in tests)
        self._hours = [span for limit in tests for span in limit.hours]
        self._patterns = any(limit.like for limit in tests)
        bounded = [name for limit in tests if limit.bounds for name in (limit.arg, limit.sum) if name]
        told = " ".join(f"{arg} {one.described(arg)}" for one in tools for arg in one.tool.args if arg in bounded)
        takes = any("currency" in arg.lower() for one in tools for arg in one.tool.args)
        tested = any("currency" in (limit.arg or "").lower() for limit in tests)
        self._has_money = bool(bounded) and (tested or not takes)
        self._units = {singular(word) for word in split_name(told)}
        self.is_timed = any(limit.hours or limit.days or limit.after is not None for limit in tests)
        self._counts = any(limit.is_total for limit in tests)
        self._periods = {form for limit in tests if limit.per for form in (limit.per, f"{limit.per}s")}

    def shows(self, one: Token, *, is_limit: bool) -> bool:
        """Return whether the tools and tests show a word."""
        text = _ENDS.sub("", one.raw).lower()
        number = amount_number(one.text)
        if number is not None and not one.quoted:
            known = any(number * each in self._numbers for each in _FACTORS)
            return known or self._has_hour(text) or text in " ".join(self._values)
        if any(text and text.strip("#@") in value for value in self._values):
            return True
        if "/" in text and all(piece in self._values for piece in text.split("/")):
            return True  # an owner and a repository
        if one.text in TIMES | DAY_WORDS:
            of_days = self._days and one.text in DAY_WORDS | _DAYS
            of_hours = bool(self._hours) and one.text not in DAY_WORDS | _DAYS
            return of_days or of_hours or one.text in self._periods or self._has_word(one.text)
        if one.text in _UNITS:
            return self._has_money if one.text in _MONEY else singular(one.text) in self._units
        if self._has_hour(text) or (one.text in _PATTERNS and self._patterns):
            return True
        return not (is_limit and one.quoted) and self._has_word(one.text)

    def lacks_group(self, tokens: Sequence[Token], at: int) -> bool:
        """Return whether a word is what calls are counted for, as in "per order", and is not tested so."""
        grouped = at > 0 and tokens[at - 1].text in {"per", "each", "every"} and tokens[at].text not in TIMES
        return grouped and self._counts and forms_of(tokens[at].text).isdisjoint(self._words)

    def _has_hour(self, text: str) -> bool:
        """Return whether a text is an hour that is tested: "8:00" or "8" for 08:00."""
        hour, _, minute = text.partition(":")
        if not hour.isdecimal():
            return False
        known = {each for span in self._hours for each in span.split("-")}
        wanted = {f"{number:02}:{minute or '00'}" for number in (int(hour), int(hour) + 12)}  # "6 pm" is 18:00
        return not known.isdisjoint(wanted)

    def _has_word(self, word: str) -> bool:
        return not forms_of(word).isdisjoint(self._words) or any(says_word(one, word) for one in self._tools)


def says_word(one: KnownTool, word: str) -> bool:
    """Return whether a tool itself says a word: not only the name of an argument, or a value that it may have."""
    forms = forms_of(word)
    if not forms.isdisjoint(one.vocabulary):
        return True
    listed = not forms.isdisjoint(listed_words(one))
    if not listed and share_of_verb(one, word) > 0:
        return True
    said_of_argument = listed or word.endswith("ly") or not forms.isdisjoint(one.argument_words)
    return not said_of_argument and not forms.isdisjoint(one.told_words)
