"""Whether a suggestion permits no more than its sentence: each tool that it permits must show every word of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.explaining import forms_of
from retouch.recipes.policy.english.suggesting.guessed_tests import listed_words
from retouch.recipes.policy.english.suggesting.guessing import share_of_verb, verbs_in
from retouch.recipes.policy.english.suggesting.leaving_out import TIMES, is_number
from retouch.recipes.policy.english.suggesting.recognising import SMALL, is_name
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import DAY_WORDS, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.policy.english.suggesting.recognising import SeenPart
    from retouch.recipes.policy.english.suggesting.vouching import SeenSentence
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
    from retouch.recipes.policy.english.words.tokens import Token

# Outside of a verdict they begin a condition that no word of a test shows: "emails that I wrote", "if he agrees".
_OF_OTHERS = word_set(
    "i you we he she who whose whom where my mine our ours your his her their have has had was were been did does when "
    "whenever until while once"
)
_CONDITIONS = word_set("if provided that which they it")
_PLACING = word_set("in at on with for to from into by")
_PARTS_OF_ALL = word_set("each every one")


def permits_more(meaning: Meaning, said: SeenSentence, places: set[int]) -> bool:
    """Return whether a tool may be permitted that does not show all words of the parts that permit.

    `places` are the positions of the verdicts.
    """
    known = {one.key: one for one in said.toolbox.tools}
    tokens = list(_permitting_tokens(said, places))
    words = {said.tokens[at].text for at in tokens}
    if not words.isdisjoint(_OF_OTHERS) or _joins_limits([said.tokens[at].text for at in tokens]):
        return True
    verbs = {verb for part in said.parts if part.stance == "permit" for verb in verbs_in(part, said.toolbox)}
    for part in meaning.allow:
        tool = known[part.server, part.tool]
        own = _Shown(tool, part, meaning)
        if not words.isdisjoint(_CONDITIONS) and not part.where:
            return True
        if not any(own.does(verb) for verb in verbs):
            return True
        if any(not own.shows(said.tokens, at, verbs) for at in tokens):
            return True
    shown = [_Shown(known[part.server, part.tool], part, meaning) for part in meaning.allow]
    return any(not any(own.does(verb) for own in shown) for verb in verbs) or _is_bare(said.parts, verbs, meaning)


def _joins_limits(words: Sequence[str]) -> bool:
    """Return whether limits are alternatives: "in dev, and in production with a dry run" is not all of them at once."""
    following = zip(words, words[1:], words[2:], strict=False)
    return any(one == "," and joint in {"and", "or"} and after in _PLACING for one, joint, after in following)


def _permitting_tokens(said: SeenSentence, places: set[int]) -> Iterator[int]:
    for part in said.parts:
        if part.stance == "permit" or part.is_mixed:
            yield from (at for at in range(part.start, min(part.end, part.exception)) if at not in places)


def _is_bare(parts: Iterable[SeenPart], verbs: set[str], meaning: Meaning) -> bool:
    """Return whether a part that permits has no object: "create" in "You may create but not overwrite files"."""
    permitting = [part for part in parts if part.stance == "permit" and not part.is_mixed]
    bare = any(not set(part.words) - verbs and not part.names and not part.limits for part in permitting)
    return bare and any(not part.where for part in meaning.allow)


class _Shown:
    """The words that one permitted tool shows: by its name, its own tests, and the limits of the same tool."""

    def __init__(self, tool: KnownTool, part: ToolPart, meaning: Meaning) -> None:
        self._tool = tool
        same = [
            one for one in (*meaning.excepted, *meaning.never) if (one.server, one.tool) == (part.server, part.tool)
        ]
        limits = [*part.where, *(limit for one in same for limit in one.where if limit.is_total)]
        self._limits = limits
        self._values = [str(value).lower() for limit in limits for value in limit.values]
        names = [name for limit in limits for name in (limit.arg, limit.role, limit.sum, limit.same) if name]
        self._words = {singular(word) for text in (*names, *self._values) for word in split_name(text)}
        self._per = {form for limit in limits if limit.per for form in (limit.per, f"{limit.per}s")}

    def does(self, verb: str) -> bool:
        """Return whether the tool surely does what a verb says, or is tested for it: "buy" for `side`."""
        if not forms_of(verb).isdisjoint(listed_words(self._tool)):
            return self._is_tested(verb) or not forms_of(verb).isdisjoint(self._tool.verbs)
        return share_of_verb(self._tool, verb) >= 1

    def shows(self, tokens: Sequence[Token], at: int, verbs: set[str]) -> bool:
        """Return whether a word is shown, or says nothing."""
        one = tokens[at]
        if one.text in _PARTS_OF_ALL and not is_number(tokens, at):
            return one.text == "one" or any(limit.same for limit in self._limits)
        if one.text in verbs or (one.text in SMALL and not one.quoted and not is_number(tokens, at)):
            return True
        if is_number(tokens, at) or one.text in TIMES | DAY_WORDS:
            return self._shows_number_or_time(one)
        text = one.raw.lower().strip("'\"()#@.!,")
        if any(text in value for value in self._values):
            return True
        if "/" in text and all(piece in self._values for piece in text.split("/")):
            return True
        return not (one.quoted or is_name(one, at)) and self._says(one.text)

    def _shows_number_or_time(self, one: Token) -> bool:
        times = any(limit.hours or limit.days or limit.bounds for limit in self._limits)
        return times or one.text in self._per

    def _is_tested(self, word: str) -> bool:
        return not forms_of(word).isdisjoint(self._words)

    def _says(self, word: str) -> bool:
        forms = forms_of(word)
        if self._is_tested(word) or not forms.isdisjoint(self._tool.vocabulary):
            return True
        of_argument = not forms.isdisjoint(self._tool.argument_words | listed_words(self._tool)) or word.endswith("ly")
        bounded = any(limit.bounds for limit in self._limits)
        return (not of_argument and not forms.isdisjoint(self._tool.told_words)) or (bounded and self._is_unit(word))

    def _is_unit(self, word: str) -> bool:
        bounded = {name for limit in self._limits if limit.bounds for name in (limit.arg, limit.sum) if name}
        told = {singular(each) for arg in bounded for each in split_name(f"{arg} {self._tool.described(arg)}".lower())}
        return singular(word) in told or word in _MONEY_AND_BOUNDS


_MONEY_AND_BOUNDS = word_set(
    "euro euros dollar dollars eur usd gbp maximum minimum total per time times between cost costs"
)
