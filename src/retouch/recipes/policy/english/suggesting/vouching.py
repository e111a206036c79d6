"""Second looks at a suggestion: it is not made if its tests or stances are not those of the words.

This uses only the words and the tests, and not how the tests were found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.units import is_in_cents
from retouch.recipes.policy.english.checking.explaining import forms_of
from retouch.recipes.policy.english.suggesting.guessed_totals import counted_arguments, counts_calls
from retouch.recipes.policy.english.suggesting.guessing import does_opposite, share_of_verb, verbs_in
from retouch.recipes.policy.english.tools.amounts import amount_number
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import CURRENCY_CODES, VERBS, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.policy.english.suggesting.recognising import SeenPart
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
    from retouch.recipes.policy.english.words.tokens import Token
    from retouch.recipes.policy.language.values import Limit

_NO_VALUES = word_set("zero none named called nothing anyone anything someone them it me us")
_TOUCHES = "touch"
_MARKED = re.compile(r"[(\[].*|.*[!?,;:)\]]|[a-z]+ly\*?", re.DOTALL)  # a mark of the sentence, or an adverb


@dataclass(frozen=True, kw_only=True)
class SeenSentence:
    """A sentence: its words, and the parts that have a verdict of their own."""

    tokens: Sequence[Token]
    parts: Sequence[SeenPart]
    toolbox: Toolbox

    @property
    def words(self) -> frozenset[str]:
        """All words as the readers know them."""
        return frozenset(one.text for one in self.tokens)


def has_stances(meaning: Meaning, parts: Iterable[SeenPart]) -> bool:
    """Return whether a meaning permits, forbids and asks if parts of the sentence do, and permits and asks only then.

    A command ("Delete emails") permits nothing: it may be below a heading that forbids it.
    """
    told = [part.stances or ({part.stance} - {"permit"}) for part in parts if part.has_content]
    said = {stance for stances in told for stance in stances}
    spares = any(part.unless for part in meaning.allow)
    forbids = bool(meaning.never or meaning.excepted) or spares
    asks = bool(meaning.ask)
    return (
        bool(meaning.allow) is ("permit" in said)
        and ("forbid" not in said or forbids or asks)
        and asks is any(part.stance == "ask" or "ask" in part.stances for part in parts)
    )


def is_doubtful(meaning: Meaning, said: SeenSentence) -> bool:
    """Return whether a test can never hold, has a value that is none, or counts something else than is said."""
    known = {one.key: one for one in said.toolbox.tools}
    for part in meaning.parts:
        tool = known[part.server, part.tool]
        limits = (*part.where, *part.unless)
        if _is_impossible(part.where) or any(_is_strange(limit, tool) for limit in limits):
            return True
        if any(limit.is_total and _counts_others(limit, tool, said) for limit in limits):
            return True
    return _mixes_stances(meaning, said) or _does_something_else(meaning, said, known)


def _is_impossible(where: Sequence[Limit]) -> bool:
    """Return whether two tests of one thing exclude each other: other values, days or hours."""
    for one, other in combinations(where, 2):
        if (one.arg, one.role, one.is_clock) != (other.arg, other.role, other.is_clock) or one.size != other.size:
            continue
        pairs = ((one.values, other.values), (one.days, other.days), (one.hours, other.hours))
        if any(mine and theirs and set(mine).isdisjoint(theirs) for mine, theirs in pairs) or _lies_apart(one, other):
            return True
    return False


def _lies_apart(one: Limit, other: Limit) -> bool:
    """Return whether no number is within the bounds of both: below 16 and above 24."""
    if one.is_total or other.is_total:
        return False
    lows = [low for each in (one, other) for low in (each.at_least, each.above) if low is not None]
    highs = [high for each in (one, other) for high in (each.at_most, each.below) if high is not None]
    return bool(lows and highs) and max(lows) > min(highs)


def _is_strange(limit: Limit, tool: KnownTool) -> bool:
    """Return whether a test has a value that is none, as a mark, or an address for one of several arguments."""
    texts = [value for value in limit.values if isinstance(value, str)]
    plain = [text for text in limit.among if isinstance(text, str)]
    known = {value for values in tool.listed.values() for value in values}
    if any((_MARKED.fullmatch(text) or text.lower() in _NO_VALUES) and text not in known for text in texts):
        return True
    if limit.arg is None or not plain:
        return False
    roles = tool.tool.args[limit.arg].all_roles if limit.arg in tool.tool.args else ()
    listed = tool.listed.get(limit.arg, ())
    return (
        any("*" in text or text.startswith(".") for text in plain)
        or ("email-address" in roles and any("@" in text for text in plain))
        or (limit.arg not in tool.listed and not tool.takes_text(limit.arg))
        or any(amount_number(text) is not None and not text[:1].isdigit() and text not in listed for text in plain)
    )


def _counts_others(limit: Limit, tool: KnownTool, said: SeenSentence) -> bool:
    """Return whether a test of earlier calls counts something else than what stands after its number."""
    at = _number_of_period(limit, said)
    if at is None:
        return True
    unit = said.tokens[at + 1].text if at + 1 < len(said.tokens) else ""
    if limit.sum is not None:
        return _sums_others(limit, tool, said.tokens[at], unit)
    return not counts_calls(tool, unit) or bool(counted_arguments(tool, unit))


def _number_of_period(limit: Limit, said: SeenSentence) -> int | None:
    """Return the place of the number of a period: the last one before its word, or the first one behind it.

    None if the test has another number.
    """
    texts = [one.text for one in said.tokens]
    numbers = {at: number for at, text in enumerate(texts) if (number := amount_number(text)) is not None}
    period = next((at for at, text in enumerate(texts) if singular(text) == limit.per), len(texts))
    at = max((place for place in numbers if place < period), default=min(numbers, default=None))
    if at is None:
        return None
    return at if any(numbers[at] * factor in limit.bounds for factor in (1, 100)) else None


def _sums_others(limit: Limit, tool: KnownTool, number: Token, unit: str) -> bool:
    is_money = unit in CURRENCY_CODES or number.raw[:1] in set("$\u20ac\u00a3")
    if is_in_cents(tool.tool, limit.sum or "") and amount_number(number.text) in limit.bounds:
        return True
    return not is_money and limit.sum not in counted_arguments(tool, unit)


def _mixes_stances(meaning: Meaning, said: SeenSentence) -> bool:
    """Return whether a value that only a permission says is forbidden, or that only an exception says is permitted."""
    if not meaning.allow:
        return False
    permitted, others = _sides(said)
    strict = [*meaning.never, *meaning.ask, *(one for one in meaning.excepted if not _is_over(one))]
    wrong = ((_values(meaning.allow), others, permitted), (_values(strict), permitted, others))
    return any(_is_in(value, here) and not _is_in(value, there) for values, here, there in wrong for value in values)


def _sides(said: SeenSentence) -> tuple[set[str], set[str]]:
    """Return the words of what is permitted, and those of what is not."""
    permitted: set[str] = set()
    others: set[str] = set()
    for part in said.parts:
        for at in range(part.start, part.end):
            side = permitted if part.stance == "permit" and not part.is_mixed and at < part.exception else others
            side |= _forms(said.tokens[at])
    mixed = any(part.is_mixed for part in said.parts)
    return (permitted | others, permitted | others) if mixed else (permitted, others)


def _forms(one: Token) -> set[str]:
    return {one.raw.lower().strip("#@"), *forms_of(one.text), *map(singular, split_name(one.raw))}


def _is_over(part: ToolPart) -> bool:
    """Return whether an exception is what is over a limit of the permission, and so has its tests."""
    return any(limit.is_total or limit.bounds or limit.hours or limit.days for limit in part.where)


def _values(parts: Iterable[ToolPart]) -> Iterator[str]:
    for part in parts:
        yield from (value for limit in part.where for value in limit.values if isinstance(value, str))


def _is_in(value: str, words: set[str]) -> bool:
    return value.lower().strip("#@") in words or not {*map(singular, split_name(value))}.isdisjoint(words)


def _does_something_else(meaning: Meaning, said: SeenSentence, known: dict[tuple[str, str], KnownTool]) -> bool:
    """Return whether a tool does not do what the sentence says, or the opposite; or what is done is not shown."""
    verbs = {verb for part in said.parts for verb in verbs_in(part, said.toolbox)}
    tools = {known[part.server, part.tool] for part in meaning.parts}
    counted = any(limit.is_total for part in meaning.parts for limit in part.where)
    if not verbs:
        return counted and len(tools) > 1 and any(one.reads for one in tools)
    shares = {one: max(share_of_verb(one, verb) for verb in verbs) for one in tools if not one.code}
    least = 0.9 if max(shares.values(), default=0.0) >= 0.9 else 0.6
    return (
        any(share < least for share in shares.values())
        or any(all(does_opposite(one, part) for part in said.parts) for one in tools)
        or any(_misses_tool(verb, tools, said) for verb in verbs)
        or _has_clause_with_verb(said.tokens, verbs)
        or (_TOUCHES in said.words and any(one.has_files for one in said.toolbox.tools))
    )


def _misses_tool(verb: str, tools: set[KnownTool], said: SeenSentence) -> bool:
    """Return whether no tool has a verb of the sentence in its name, although one for the same things has it."""
    forms = forms_of(verb)
    having = [one for one in said.toolbox.tools if not forms.isdisjoint(one.verbs)]
    meant = [one for one in having if any(forms_of(word) & one.vocabulary for word in said.words)]
    return bool(meant) and tools.isdisjoint(having)


def _has_clause_with_verb(tokens: Sequence[Token], verbs: set[str]) -> bool:
    """Return whether a verb says which things are meant: "filters that delete emails"."""
    return any(one.text in {"that", "which", "who"} and after.text in verbs for one, after in pairwise(tokens))


def loses_the_deed(tokens: Sequence[Token], said: set[int], lost: Iterable[str]) -> bool:
    """Return whether the verb after the verdict is left out: "assign" in "Never assign tickets to me"."""
    first = next((at for at in range(1, len(tokens)) if at - 1 in said and at not in said), None)
    if first is None or tokens[first].raw not in set(lost):
        return False
    forms = forms_of(tokens[first].text)
    return any(form in VERBS for form in forms) and tokens[first].text != "use"
