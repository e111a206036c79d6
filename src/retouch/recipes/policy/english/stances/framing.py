"""Splits a whole sentence into what it says of an action and the words of the action: "never" and "drop a table".

The words are those of a command or of a noun: "dropping tables is forbidden", "tables must not be dropped" and "you
must not drop tables" all have the words "drop tables". Every other word of the sentence belongs to a phrase of
`stances`, so that none is ignored. Readers of some subject, such as SQL, look only at the words of the action.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.stances.stances import StancePhrase, agreed, fillers, verdicts
from retouch.recipes.policy.english.words.lexicon import VERBS, bases_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.words.acts import Qualifier, Stance
    from retouch.recipes.policy.english.words.naming import KnownWords
    from retouch.recipes.policy.english.words.tokens import Token

How: TypeAlias = Literal["permit", "forbid", "ask", "only"]
_PASSIVE = tuple(
    f"{one}{ever}"
    for one in (
        "gets",
        "get",
        "may be",
        "must be",
        "should be",
        "can be",
        "shall be",
        "is",
        "are",
        "is to be",
        "are to be",
    )
    for ever in ("", " ever")
)
_FORBIDDEN = StancePhrase(stance="forbid", takes="ed")
_TAKING = frozenset({"base", "ing", "thing", "place"})
_APPROVING = frozenset({"approve", "confirm", "review", "authorize", "authorise"})
_MOST = 40  # words of a sentence
_ENDINGS = frozenset({"and", "or", ",", "then", "also"})
_NO_VERBS = frozenset({"anything", "nothing", "everything", "something", "during", "string", "billing", "staging"})
_MORE_VERBS = frozenset(
    [
        "drop",
        "truncate",
        "alter",
        "insert",
        "select",
        "grant",
        "revoke",
        "query",
        "modify",
        "finalize",
        "submit",
        "fill",
        "log",
        "publish",
    ]
)


@dataclass(frozen=True, kw_only=True)
class Framed:
    """What a sentence says of an action (`how`), and the words of the action, as a command or a noun with its words.

    `times`: it is said of these times.
    """

    how: How
    said: str
    times: tuple[Qualifier, ...] = ()


def framed(tokens: tuple[Token, ...], known: KnownWords) -> Iterator[Framed]:
    """Yield every way to split a sentence into what it says and the words of the action."""
    if len(tokens) > _MOST or not tokens:
        return
    words = Phrases(tokens, known=known)
    found: dict[Framed, None] = {}
    for start, stances in _after_fillers(words, 0):
        readers = (_from_opening, _from_action, _from_none) if start < words.size else ()
        for one in (each for read in readers for each in read(words, start)):
            if one.how == "only" or one.how in stances:
                found[one] = None
    yield from found


def _after_fillers(words: Phrases, at: int) -> Iterator[tuple[int, frozenset[Stance]]]:
    """Yield a position, and those after words that say nothing, with the stances that these can be said with."""
    yield at, frozenset({"permit", "forbid", "ask"})
    for end, stances in fillers(words, at):
        yield from ((last, stances & more) for last, more in _after_fillers(words, end))
    if at:
        yield from (pair for then in words.after(at, ",") for pair in _after_fillers(words, then))


def _from_opening(words: Phrases, at: int) -> Iterator[Framed]:
    """Yield what a sentence says that begins with a phrase: "you must not drop tables without asking me"."""
    for verdict, start in verdicts(words, at):
        approving = verdict.stance == "ask" and verdict.takes == "none" and words.word(start - 1) in _APPROVING
        if (verdict.takes not in _TAKING and not approving) or verdict.anaphoric or verdict.stance == "opposite":
            continue
        for then, _ in _after_fillers(words, start):
            for stop in range(then + 1, words.size + 1):
                for how, times in _endings(words, stop, _how(verdict)):
                    for said in _commands(words, then, stop, verdict.takes):
                        yield Framed(how=how, said=said, times=times)
    for start in words.after(at, "only", "you only"):
        for stop in range(start + 1, words.size + 1):
            for how, times in _endings(words, stop, "only"):
                yield Framed(how=how, said=_text(words, start, stop), times=times)


def _from_action(words: Phrases, at: int) -> Iterator[Framed]:
    """Yield what a sentence says that begins with the action: "dropping tables needs my approval"."""
    for middle in range(at + 1, words.size):
        for verdict, start in verdicts(words, middle):
            if verdict.anaphoric or verdict.stance == "opposite":
                continue
            if verdict.takes == "none":
                for how, times in _endings(words, start, _how(verdict)):
                    for form in ("ing", "base") if how == "ask" else ("ing",):
                        for said in _commands(words, at, middle, form):
                            yield _only_first(Framed(how=how, said=said, times=times))
            if verdict.takes == "ed":
                yield from map(_only_first, _done(words, at, middle, start, verdict))


def _from_none(words: Phrases, at: int) -> Iterator[Framed]:
    """Yield what "no article gets published without my approval" says."""
    for start in words.after(at, "no", "none of the", "none of my"):
        for middle in range(start + 1, words.size):
            for then in words.after(middle, *_PASSIVE):
                yield from _done(words, start, middle, then, _FORBIDDEN)


def _only_first(one: Framed) -> Framed:
    """Return "only SELECT queries are fine" as a limit."""
    limited = one.how == "permit" and one.said.startswith("only ")
    return replace(one, how="only", said=one.said.removeprefix("only ")) if limited else one


def _done(words: Phrases, at: int, middle: int, start: int, verdict: StancePhrase) -> Iterator[Framed]:
    """Yield "tables must not be dropped or altered" as "drop or alter tables"."""
    things = _text(words, at, middle)
    for then, _ in _after_fillers(words, start):
        for stop in range(then + 1, words.size + 1):
            for how, times in _endings(words, stop, _how(verdict)):
                verbs = [_base(words.word(one), "ed") for one in range(then, stop)]
                if all(verbs):
                    yield Framed(how=how, said=f"{' '.join(verbs)} {things}".replace(" ,", ","), times=times)


def _how(verdict: StancePhrase) -> How:
    if verdict.only and verdict.stance == "permit":
        return "only"
    return "forbid" if verdict.stance == "forbid" else "ask" if verdict.stance == "ask" else "permit"


def _endings(words: Phrases, at: int, how: How) -> Iterator[tuple[How, tuple[Qualifier, ...]]]:
    """Yield what is said of an action, and when, if the rest of the sentence says only this, or "unless I agree"."""
    if at == words.size:
        yield how, ()
        return
    timed = [(one, end) for one, end in words.qualifier(at) if one.when is not None]
    last = max((end for _, end in timed), default=0)
    for one, end in timed:
        if end == last:
            for more, times in _endings(words, end, how):
                yield more, (one, *times)
    if words.word(at) == ",":
        yield from _endings(words, at + 1, how)
    for end, stances in fillers(words, at):
        if how in stances:
            yield from _endings(words, end, how)
    for end in _consents(words, at, how):
        yield from _endings(words, end, "ask")


def _consents(words: Phrases, at: int, how: How) -> Iterator[int]:
    """Yield the ends of "unless I agree" after a prohibition, and of "only if I agree" after a permission as well."""
    if how == "forbid":
        yield from agreed(words, at)
    if how in {"forbid", "permit"} and words.word(at) == "only":
        yield from (end for one, end in verdicts(words, at) if one.stance == "ask" and one.takes == "none")


def _commands(words: Phrases, start: int, stop: int, form: str) -> Iterator[str]:
    """Yield the words of an action, with verbs in "-ing" as those of a command."""
    if form != "ing":
        yield f"{'touch ' if form == 'place' else ''}{_text(words, start, stop)}"
        return
    found = [words.word(one) or _text(words, one, one + 1) for one in range(start, stop)]
    for at, word in enumerate(found):
        opens = at == 0 or found[at - 1] in _ENDINGS
        found[at] = (opens and _base(word, "ing")) or word
    yield " ".join(found).replace(" ,", ",")


def _base(word: str, form: str) -> str:
    """Return the base form of a verb. A joint of a list is itself, and "" is returned for any other word."""
    if word in _ENDINGS:
        return word
    known = [one for one in bases_of(word, form=form) if one in VERBS or one in _MORE_VERBS]
    return known[0] if known and word not in _NO_VERBS else ""


def _text(words: Phrases, start: int, stop: int) -> str:
    """Return the words between two positions, those in quotes as they are written."""
    return " ".join(f'"{one.raw}"' if one.quoted else one.text for one in words.tokens[start:stop]).replace(" ,", ",")
