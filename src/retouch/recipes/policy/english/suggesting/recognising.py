"""Recognises what it can in a sentence that the readers refuse: verdicts, limits, names and other words.

What is not recognised is left out, so this is never used to read a sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.stances.stances import verdicts
from retouch.recipes.policy.english.tools.amounts import amount_number
from retouch.recipes.policy.english.words.lexicon import CURRENCY_CODES, DAY_WORDS, VERBS, word_set
from retouch.recipes.policy.language.values import PERIOD_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Qualifier, Stance
    from retouch.recipes.policy.english.words.tokens import Token
    from retouch.recipes.policy.language.values import Period

_ASKS = re.compile(
    r"\b(?:ask|asked|asking|approv\w+|permission|check with|checking with|confirm\w*|consent|sign off|sign-off|say-so|"
    r"go-ahead|my ok|an ok|past me|by me|until i|unless i|let me know|tell me|i want to see|i first|my word)\b"
)
_FORBIDS = re.compile(
    r"\b(?:never|not|no|nothing|nobody|none|neither|nor|forbidden|prohibited|off limits|off-limits|hands off|stay out|"
    r"stay away|keep out|keep away|keep off|alone|avoid|without|refrain|mine|my job|my business)\b"
)
_NOTHING_MAY = re.compile(
    r"(?:nothing|nobody|no one|none|neither|no \w+)\b.*\b(?:may|can|should|must|gets?|is|are|has|have|goes|go)\b"
)
_ONLY = re.compile(r"\b(?:only|nowhere else|nobody else|nothing else|no one else|elsewhere|exclusively|just)\b")
_PARTING = frozenset({"but", ";", "just", ",", "and"})
_NEW_PART = re.compile(r"(?:please )?(?:do not|never|not to|ask|you (?:may|can|must)|just|leave|check with)\b")
_EXCEPTING = frozenset({"unless", "except", "excepting", "besides"})
SMALL = word_set(
    "a an the this that these those it its they them their there here i me my mine we us our you your yours is are was "
    "were be been being do does did done have has had can could may might must shall should will would need needs and "
    "or but nor if unless except when whenever while until than then to of in on at by for from with without into onto "
    "over under above below as so not no never nothing nobody none any all every each some other others else only just "
    "also ever always please more most less least one ones thing things anything everything something whatever what "
    "which who whom whose where somebody anybody someone anyone everyone want wants like fine ok free feel allowed "
    "welcome ask before after first let up out off own go goes going get gets keep leave alone , ;"
)
_NAME = re.compile(r".*[#@/~\d].*|[A-Z]{2,}.*|\.\w+|\w[\w-]*\.\w{2,}")


@dataclass(frozen=True, kw_only=True)
class Name:
    """A name, and the words around it, the nearest first."""

    text: str
    near: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class HighestRate:
    """The highest number of calls in a period, or the highest `total` of an amount of money."""

    most: float
    per: Period
    total: Qualifier | None = None


@dataclass(frozen=True, kw_only=True)
class SeenPart:
    """What was recognised in one part of a sentence.

    `limits` and `names` restrict what is meant, `spared` and `spared_names` are exceptions. `is_said`: a verdict, or a
    command at the start, says the stance. `negations` are those that the stance needs: one or none.
    """

    stance: Stance
    only: bool
    is_said: bool
    negations: int
    words: tuple[str, ...]
    limits: tuple[Qualifier, ...] = ()
    spared: tuple[Qualifier, ...] = ()
    names: tuple[Name, ...] = ()
    spared_names: tuple[Name, ...] = ()
    rate: HighestRate | None = None


@dataclass(kw_only=True)
class _Found:
    limits: list[Qualifier] = field(default_factory=list["Qualifier"])
    spared: list[Qualifier] = field(default_factory=list["Qualifier"])
    gone: set[int] = field(default_factory=set[int])
    exception: int | None = None


def recognised_parts(tokens: tuple[Token, ...], toolbox: Toolbox) -> tuple[SeenPart, ...]:
    """Return what is recognised in each part of a sentence that has a verdict of its own."""
    return tuple(_recognised(part, toolbox) for part in _parted(tokens))


def _parted(tokens: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    start = 0
    for at, one in enumerate(tokens):
        rest = " ".join(each.text for each in tokens[at + 1 : at + 5])
        if one.text in _PARTING and at > start + 2 and _NEW_PART.match(rest):
            yield tokens[start:at]
            start = at + 1
    yield tokens[start:]


def _recognised(tokens: tuple[Token, ...], toolbox: Toolbox) -> SeenPart:
    words = Phrases(tokens, known=toolbox.words)
    said = [(verdict.stance, at, end) for at in range(words.size) for verdict, end in verdicts(words, at)]
    longest = max(said, key=lambda one: (one[2] - one[1], -one[1]), default=None)
    found = _limits_in(words, set() if longest is None else set(range(*longest[1:])))
    text = " ".join(one.text for one in tokens)
    only = _ONLY.search(text) is not None or any(one.only for one in found.limits)
    stance = _stance(text, None if longest is None else longest[0], only=only)
    left = [(at, one) for at, one in enumerate(tokens) if at not in found.gone]
    content = (one.text for _, one in left if not one.quoted and one.text not in SMALL | DAY_WORDS)
    rate = _rate(tokens, found.limits)
    limits = [one for one in found.limits if one.kind not in {"per", "count"} and not _is_in(one, rate)]
    is_command = _is_command(tokens, toolbox)
    names = list(_names([at for at, one in left if is_name(one, at)], tokens))
    return SeenPart(
        stance=stance,
        only=only and stance == "permit",
        is_said=longest is not None or is_command,
        negations=_needed_negations(stance, text, is_command=is_command),
        words=tuple(dict.fromkeys(one for one in content if amount_number(one) is None)),
        limits=tuple(replace(one, only=False) for one in limits),
        spared=tuple(replace(one, only=False) for one in found.spared),
        names=tuple(name for at, name in names if found.exception is None or at < found.exception),
        spared_names=tuple(name for at, name in names if found.exception is not None and at > found.exception),
        rate=rate,
    )


def _needed_negations(stance: Stance, text: str, *, is_command: bool) -> int:
    """Return how many negations say the stance of a part: none in "pay bills under 50, not those over"."""
    if stance == "ask":
        return int(re.match(r"(?:no|nothing|nobody|none|never|do not)\b", text) is not None or " without " in text)
    return int(stance == "forbid" and not is_command)


def _is_command(tokens: Sequence[Token], toolbox: Toolbox) -> bool:
    first = next((one.text for one in tokens if one.text != "please"), "")
    return first in VERBS or first in toolbox.verbs


def _stance(text: str, said: str | None, *, only: bool) -> Stance:
    """Return what a part says of what it names: by its words, and by its longest verdict, `said`."""
    if _ASKS.search(text):
        return "ask"
    if (_NOTHING_MAY.match(text) and not only) or said == "forbid":
        return "forbid"
    if said in {"ask", "permit"}:
        return "ask" if said == "ask" else "permit"
    return "forbid" if _FORBIDS.search(text) and not only else "permit"


def _is_in(limit: Qualifier, rate: HighestRate | None) -> bool:
    """Return whether a number of a sentence is the one of its rate."""
    return rate is not None and rate.most in {limit.at_least, limit.at_most, limit.above, limit.below}


def _limits_in(words: Phrases, gone: set[int]) -> _Found:
    """Return the limits in a sentence, the longest at each place, and the positions of their words."""
    found = _Found(gone=gone)
    at = 0
    while at < words.size:
        if words.word(at) in _EXCEPTING or (words.word(at), words.word(at + 1)) == ("but", "not"):
            found.exception = found.exception or at
        here = [(one, end) for one, end in words.qualifier(at) if one.kind != "about" and SMALL.isdisjoint(one.names)]
        if here:
            one, end = max(here, key=lambda pair: pair[1])
            (found.limits if found.exception is None else found.spared).append(one)
            found.gone |= set(range(at, end))
            at = end
        else:
            at += 1
    return found


def is_name(one: Token, at: int) -> bool:
    """Return whether a word is a name: it is quoted, has a sign of names, or a capital that begins no sentence."""
    capital = at > 0 and one.raw[:1].isupper() and one.text not in DAY_WORDS and one.text != "i"
    return one.quoted or ((capital or _NAME.fullmatch(one.raw) is not None) and amount_number(one.text) is None)


def _names(places: Sequence[int], tokens: Sequence[Token]) -> Iterator[tuple[int, Name]]:
    """Yield the names at some places, with their positions. Words with capitals that follow each other are one name."""
    at = 0
    while at < len(places):
        first = last = places[at]
        while at + 1 < len(places) and places[at + 1] == last + 1 and tokens[last].raw[:1].isupper():
            at += 1
            last = places[at]
        around = (place for step in (1, 2, 3) for place in (first - step, last + step) if 0 <= place < len(tokens))
        text = " ".join(one.raw for one in tokens[first : last + 1])
        yield first, Name(text=text, near=tuple(tokens[place].text for place in around))
        at += 1


def _rate(tokens: Sequence[Token], limits: Sequence[Qualifier]) -> HighestRate | None:
    said = {one.word for one in limits if one.kind == "per"}
    period: Period | None = next((one for one in PERIOD_S if one in said), None)
    known = [number for one in tokens if (number := amount_number(one.text)) is not None]
    if period is None or not known:
        return None
    money = [one for one in limits if one.kind == "amount" and (one.is_money or one.word in CURRENCY_CODES)]
    return HighestRate(most=known[0], per=period, total=money[0] if money else None)
