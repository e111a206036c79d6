"""Sentences about the account that money leaves, and who gets it: "never take money out of the savings account"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.attributes.arguments import takes_ids
from retouch.recipes.policy.english.attributes.said import one_noun, values
from retouch.recipes.policy.english.frames import touching
from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.limits.binding import spellings
from retouch.recipes.policy.english.limits.several_tests import restriction
from retouch.recipes.policy.english.tools.known_tools import PAYING, split_name
from retouch.recipes.policy.english.words import idioms
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.scanning import Doubtful
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.naming import KnownWords
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
    from retouch.recipes.policy.english.words.tokens import Token

Side: TypeAlias = Literal["account", "payee"]
_VERBS = (
    "take", "taking", "move", "moving", "withdraw", "withdrawing", "draw", "drawing", "pay", "paying", "spend",
    "spending",
)  # fmt: skip
_MONEY = ("money", "any money", "funds", "any funds", "cash", "any cash", "anything")
_OUT = ("out of", "from", "off")
_OWN = ("the", "my", "our")
_PAID_FROM = ("be paid from", "be paid out of", "be made from", "come from", "come out of", "be taken from")
_PAID_TO = ("go to", "be made to", "be sent to", "be paid to")
_PAY_TO = ("pay", "make payments to", "send payments to", "send money to", "pay money to")
_MODALS = ("may", "can", "must", "should", "shall")
_NO_ACCOUNTS = word_set(
    "bank same other wrong right new old different user customer client email following correct linked external "
    "closed frozen this that any every each default which whose certain some several"
)
_SOURCE = word_set("from source debit payer debtor")
_PAYEE = word_set("payee recipient beneficiary creditor")
_LEAVES = re.compile(r"\b(?:from|debit|debited|charge|charged|withdraw)\b")
_TAKING = word_set("withdraw pay send spend transfer wire charge")


@dataclass(frozen=True, kw_only=True)
class _Said:
    """What a sentence says: money leaves accounts or goes to payees of these names, never, only if asked, or only.

    `thing`: what is paid, such as a bill. "" for any money, and "payment" for money that somebody else gets.
    `permits`: an "only" that says what may be done as well.
    """

    side: Side
    names: tuple[str, ...]
    how: Literal["forbid", "ask", "only"] = "forbid"
    thing: str = ""
    permits: bool = False


def meaning_of_money(tokens: tuple[Token, ...], toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about where money comes from or goes to means. None if it is another one.

    Raises:
        Doubtful: no test shows it for each tool that moves money.
    """
    found = set(_sayings(tokens, toolbox.words))
    if len(found) != 1:
        return None
    (said,) = found
    parts = frozenset(part for one in toolbox.tools for part in _parts(one, said))
    if not parts:
        return None
    found = restriction(parts, toolbox, asks=said.how == "ask")
    allow = frozenset(replace(part, where=part.unless, unless=()) for part in parts)
    return replace(found, allow=allow) if said.permits and said.how != "ask" else found


def _sayings(tokens: tuple[Token, ...], known: KnownWords) -> Iterator[_Said]:
    words = Phrases(tokens, known=known)
    starts = [end for who in (*words.matches(0, idioms.WHO), 0) for end in words.matches(who, idioms.MUST_NOT)]
    for start in (*starts, *words.matches(0, idioms.FORBID_OPENINGS)):
        for said, then in _taken(words, start):
            yield from (said for end in touching.ever(words, then) if end == words.size)
            yield from (replace(said, how="ask") for end in touching.unless_agreed(words, then) if end == words.size)
    for asked in words.matches(0, idioms.ASK):
        for start in words.matches(asked, idioms.BEFORE):
            yield from (replace(said, how="ask") for said, end in _taken(words, start) if end == words.size)
    for said, then in _taken(words, 0):
        for verb in words.after(then, "is", "are"):
            yield from (said for end in words.matches(verb, idioms.BAD) if end == words.size)
        yield from (replace(said, how="ask") for end in words.matches(then, idioms.NEEDS) if end == words.size)
    yield from _limited(tokens, known)


def _taken(words: Phrases, at: int) -> Iterator[tuple[_Said, int]]:
    """Yield "move money out of the savings account"."""
    for then in words.after(at, *_VERBS):
        for middle in words.optional(then, *_MONEY):
            for start in words.after(middle, *_OUT):
                bare = middle == then and words.word(at) not in {"pay", "paying", "spend", "spending"}
                for names, end in _accounts(words, start) if not bare else ():
                    yield _Said(side="account", names=names), end


def _accounts(words: Phrases, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the names of "the savings account", "my savings or joint account" and "the account Reserve"."""
    for start in words.optional(at, *_OWN):
        for names, then in values(words, start):
            if start > at and _NO_ACCOUNTS.isdisjoint(name.lower() for name in names):
                yield from ((names, end) for end in words.after(then, "account", "accounts"))
        for then in words.after(start, "account", "accounts", "account called", "account named"):
            yield from values(words, then)


def _limited(tokens: tuple[Token, ...], known: KnownWords) -> Iterator[_Said]:
    """Yield "bills may only be paid from the household account" and "payments go to Ada and Tom only"."""
    places = [at for at, one in enumerate(tokens) if one.text == "only"]
    if len(places) != 1:
        return
    (at,) = places
    beside = tokens[at + 1].text if at + 1 < len(tokens) else ""
    bound = beside in {"", "from", "out", "to", "go", "ever", "be"} or (at and tokens[at - 1].text in _MODALS)
    rest = tuple(one for place, one in enumerate(tokens) if place != at and (one.text, place - 1) != ("ever", at))
    words = Phrases(rest, known=known)
    if bound:  # "only bills may be paid" says what may be paid
        yield from _limited_things(words)
    if bound or at == 0:
        for start in words.optional(0, "you may", "you can"):
            yield from _limited_paying(words, start)


def _limited_things(words: Phrases) -> Iterator[_Said]:
    for thing, middle in one_noun(words, 0):
        for start in (*words.after(middle, *_MODALS), middle):
            only = partial(_only, thing=thing, permits=words.word(start - 1) in {"may", "can"})
            for then in words.after(start, *_PAID_FROM):
                yield from (only("account", names) for names, end in _accounts(words, then) if end == words.size)
            for then in words.after(start, *_PAID_TO) if thing in PAYING else ():
                yield from (only("payee", names) for names, end in values(words, then) if end == words.size)


def _limited_paying(words: Phrases, at: int) -> Iterator[_Said]:
    for then in words.after(at, *_PAY_TO):
        yield from (
            _only("payee", names, thing="payment", permits=True)
            for names, end in values(words, then)
            if end == words.size
        )
    for then in words.after(at, "pay"):
        for thing, middle in one_noun(words, then):
            for out in words.after(middle, "from", "out of"):
                found = (names for names, end in _accounts(words, out) if end == words.size)
                yield from (_only("account", names, thing=thing, permits=True) for names in found)


def _only(side: Side, names: tuple[str, ...], *, thing: str, permits: bool) -> _Said:
    kind = "" if thing in _MONEY else "payment" if thing in PAYING else thing
    return _Said(side=side, names=names, how="only", thing=kind, permits=permits)


def _parts(one: KnownTool, said: _Said) -> Iterator[ToolPart]:
    """Yield the calls of a tool that a sentence restricts.

    Raises:
        Doubtful: the tool moves money, and no test shows the account or the payee.
    """
    if one.reads or one.computes or one.code:
        return
    if said.thing not in {"", "payment"} and said.thing not in {one.head, *(each[-1] for each in one.told[:1])}:
        return
    args = _sources(one) if said.side == "account" else _payees(one)
    moves = one.spends or bool(one.verbs & _TAKING and any("amount" in split_name(arg) for arg in one.numbers))
    if said.thing == "payment" and _is_between_accounts(one):
        return
    if not args and (moves or said.thing not in {"", "payment"}):
        raise Doubtful(f"no argument of {one.tool.name} shows the {said.side}")
    if not args:
        return
    if len(args) > 1 or takes_ids(one, args[0]) or args[0] not in one.required or not one.takes_one_text(args[0]):
        raise Doubtful(f"no test shows the {said.side} of {one.tool.name}")
    if args[0] in one.listed and not {name.lower() for name in said.names} <= set(map(str.lower, one.listed[args[0]])):
        raise Doubtful(f"{args[0]!r} of {one.tool.name} has other values")
    limit = Limit(arg=args[0], among=tuple(dict.fromkeys(each for name in said.names for each in spellings(name))))
    yield part_of(one, unless=(limit,)) if said.how == "only" else part_of(one, where=(limit,))


def _sources(one: KnownTool) -> list[str]:
    """Return the arguments for the account that money leaves."""
    accounts = [arg for arg in one.tool.args if "account" in f"{arg} {one.described(arg)}".lower()]
    named = [arg for arg in accounts if not _SOURCE.isdisjoint(split_name(arg))]
    told = [arg for arg in accounts if _LEAVES.search(one.described(arg).lower())]
    taking = [arg for arg in accounts if split_name(arg)[:1] == ["account"]] if one.verbs & _TAKING else []
    return named or told or taking


def _is_between_accounts(one: KnownTool) -> bool:
    """Return whether a tool moves money from one account to another one, and pays nobody."""
    words = [{*split_name(arg)} for arg in one.tool.args]
    return {"from", "account"} in words and {"to", "account"} in words and not _payees(one)


def _payees(one: KnownTool) -> list[str]:
    """Return the arguments for the name of whoever gets money."""
    if not any("amount" in split_name(arg) for arg in one.numbers):
        return []
    told = (arg for arg in one.tool.args if one.takes_one_text(arg))
    found = [arg for arg in told if _PAYEE & {*split_name(arg), *re.findall(r"[a-z]+", one.described(arg).lower())}]
    return [arg for arg in found if "iban" not in f"{arg} {one.described(arg)}".lower()]
