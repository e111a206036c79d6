"""Recognises what it can in a sentence that the readers refuse: verdicts, limits, names and other words.

What is not recognised is left out, so this is never used to read a sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.explaining import forms_of
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
_NO_TOLD_STANCE = re.compile(r"\b(?:never|not|no|nothing|nobody)\b.*\b(?:without|unless|until|before|first)\b")
_PLAIN_WITHOUT = re.compile(
    r" without (?!(?:first )?(?:asking|my|me|check\w*|approv\w*|permission|confirm\w*|consent|a word)\b)"
)
_BEFORE_NOUNS = word_set(
    "a an the my our your any all every each some no one two more of in to with for from new other"
)
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
_OF_VERDICTS = word_set("ask approve approved approval check confirm get let stop make take give need see sign permit")
_NAME = re.compile(r".*[#@/~\d].*|[A-Z]{2,}.*|\.\w+|\w[\w-]*\.\w{2,}")


@dataclass(frozen=True, kw_only=True)
class Name:
    """A name, and the words around it, the nearest first."""

    text: str
    near: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class HighestRate:
    """The highest number of calls in a period, or the highest `total` of an amount of money.

    `unit` is the word after the number: what is counted, as in "10 shares", or another word.
    """

    most: float
    per: Period
    unit: str = ""
    total: Qualifier | None = None


@dataclass(frozen=True, kw_only=True)
class SeenPart:
    """What was recognised in one part of a sentence.

    `limits` and `names` restrict what is meant, `spared` and `spared_names` are exceptions. `stances` are those that
    its verdicts say: none for a command. `negations` are those that the stance needs: one or none. `words` are those
    that say something, `said` are all, and `nouns` those that stand where a noun does. `start` and `end` are its place
    in the sentence, and `exception` is where its exceptions begin.
    """

    stance: Stance
    only: bool
    stances: frozenset[str]
    negations: int
    words: tuple[str, ...]
    said: frozenset[str]
    nouns: frozenset[str]
    start: int
    end: int
    exception: int
    limits: tuple[Qualifier, ...] = ()
    spared: tuple[Qualifier, ...] = ()
    names: tuple[Name, ...] = ()
    spared_names: tuple[Name, ...] = ()
    rate: HighestRate | None = None

    @property
    def is_mixed(self) -> bool:
        """Return whether it has verdicts that differ, so that it is not known which words belong to which."""
        return len(self.stances) > 1

    @property
    def has_content(self) -> bool:
        """Return whether it says what it is about."""
        return bool(self.words or self.names or self.limits)


@dataclass(kw_only=True)
class _Found:
    limits: list[Qualifier] = field(default_factory=list["Qualifier"])
    spared: list[Qualifier] = field(default_factory=list["Qualifier"])
    gone: set[int] = field(default_factory=set[int])
    exception: int | None = None


def recognised_parts(tokens: tuple[Token, ...], toolbox: Toolbox) -> tuple[SeenPart, ...]:
    """Return what is recognised in each part of a sentence that has a verdict of its own."""
    return tuple(_recognised(start, part, toolbox) for start, part in _parted(tokens, toolbox))


def _parted(tokens: tuple[Token, ...], toolbox: Toolbox) -> Iterator[tuple[int, tuple[Token, ...]]]:
    start = 0
    for at, one in enumerate(tokens):
        following = [each.text for each in tokens[at + 1 : at + 5]]
        opens = _NEW_PART.match(" ".join(following)) is not None
        denies = following[:1] == ["not"] and _is_deed(following[1:2], toolbox)
        if one.text in _PARTING and at > start + 2 and (opens or (one.text == "but" and denies)):
            yield start, tokens[start:at]
            start = at + 1
    yield start, tokens[start:]


def _is_deed(words: Sequence[str], toolbox: Toolbox) -> bool:
    return any(word in VERBS or word in toolbox.verbs or word in toolbox.values for word in words)


def _said_stances(words: Phrases) -> tuple[tuple[str, int, int], ...]:
    """Return the verdicts of a part that do not overlap, the longest first, each with its place."""
    said = [(verdict.stance, at, end) for at in range(words.size) for verdict, end in verdicts(words, at)]
    found: list[tuple[str, int, int]] = []
    for one in sorted(said, key=lambda one: (one[1] - one[2], one[1])):
        if all(one[2] <= other[1] or other[2] <= one[1] for other in found):
            found.append(one)
    return tuple(found)


def _recognised(start: int, tokens: tuple[Token, ...], toolbox: Toolbox) -> SeenPart:
    words = Phrases(tokens, known=toolbox.words)
    said = _said_stances(words)
    longest = said[0] if said else None
    told = () if longest is None else range(*longest[1:])
    found = _limits_in(words, {at for at in told if is_of_verdict(tokens[at], toolbox)})
    text = " ".join(one.text for one in tokens)
    only = _ONLY.search(text) is not None or any(one.only for one in found.limits)
    is_command = _is_command(tokens, toolbox)
    stance = _stance(text, None if longest is None else longest[0], only=only, is_command=is_command)
    left = [(at, one) for at, one in enumerate(tokens) if at not in found.gone]
    small = SMALL if stance == "ask" else SMALL - {"first"}  # which may be a value: "first class"
    content = [(at, one.text) for at, one in left if not one.quoted and one.text not in small | DAY_WORDS]
    rate = _rate(tokens, found.limits)
    limits = [one for one in found.limits if one.kind not in {"per", "count"} and not _is_in(one, rate)]
    names = list(_names([at for at, one in left if is_name(one, at)], tokens))
    return SeenPart(
        stance=stance,
        only=only and stance == "permit",
        stances=_told_stances(text, {one[0] for one in said}),
        negations=_needed_negations(stance, text, is_command=is_command),
        words=tuple(dict.fromkeys(word for _, word in content if amount_number(word) is None)),
        said=frozenset(one.text for one in tokens),
        nouns=frozenset(word for at, word in content if _is_noun_place(tokens, at, toolbox)),
        start=start,
        end=start + len(tokens),
        exception=start + (len(tokens) if found.exception is None else found.exception),
        limits=tuple(replace(one, only=False) for one in limits),
        spared=tuple(replace(one, only=False) for one in found.spared),
        names=tuple(name for at, name in names if found.exception is None or at < found.exception),
        spared_names=tuple(name for at, name in names if found.exception is not None and at > found.exception),
        rate=rate,
    )


def _told_stances(text: str, said: set[str]) -> frozenset[str]:
    """Return the stances that the verdicts of a part say. "Never ... without asking" says that it asks."""
    if said == {"ask", "forbid"} and _NO_TOLD_STANCE.search(text):
        return frozenset({"ask"})
    return frozenset(said)


def _is_noun_place(tokens: Sequence[Token], at: int, toolbox: Toolbox) -> bool:
    """Return whether a word stands where a noun does: after a determiner, or behind a verb as in "read old emails"."""
    before = tokens[at - 1].text if at else ""
    if before in _BEFORE_NOUNS or amount_number(before) is not None:
        return True
    for one in reversed(tokens[:at]):
        if one.text in SMALL and not one.quoted:
            return False
        if any(form in VERBS or form in toolbox.verbs for form in forms_of(one.text)):
            return True
    return False


def is_of_verdict(one: Token, toolbox: Toolbox) -> bool:
    """Return whether a word in a verdict only says the stance, and not what is done: "close" in "mine to close"."""
    return one.text not in toolbox.verbs or one.text in SMALL | _OF_VERDICTS


def _needed_negations(stance: Stance, text: str, *, is_command: bool) -> int:
    """Return how many negations say the stance of a part: none in "pay bills under 50, not those over"."""
    if stance == "ask":
        return int(re.match(r"(?:no|nothing|nobody|none|never|do not)\b", text) is not None or _asks_without(text))
    return int(stance == "forbid" and not is_command)


def _asks_without(text: str) -> bool:
    return " without " in text and not _PLAIN_WITHOUT.search(text)


def _is_command(tokens: Sequence[Token], toolbox: Toolbox) -> bool:
    first = next((one.text for one in tokens if one.text != "please"), "")
    return first in VERBS or first in toolbox.verbs


def _stance(text: str, said: str | None, *, only: bool, is_command: bool) -> Stance:
    """Return what a part says of what it names: by its words, and by its longest verdict, `said`."""
    if _ASKS.search(text, text.find(" ") + 1 if is_command and said != "ask" else 0):  # "Approve at most 10 expenses"
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
    known = [(at, number) for at, one in enumerate(tokens) if (number := amount_number(one.text)) is not None]
    if period is None or not known:
        return None
    money = [one for one in limits if one.kind == "amount" and (one.is_money or one.word in CURRENCY_CODES)]
    at, most = known[0]
    unit = tokens[at + 1].text if at + 1 < len(tokens) else ""
    return HighestRate(most=most, per=period, unit=unit, total=money[0] if money else None)
