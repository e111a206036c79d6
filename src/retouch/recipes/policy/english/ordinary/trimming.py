"""Endings of sentences that change nothing: emphasis ("no exceptions") and reasons ("it wakes the neighbours").

An ending is only left out if nothing in it could be a part of the rule. It must be a known emphasis, or a statement
without numbers, names, negations, conditions, verbs of the tools, and words of the user about themselves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.background import may_rule
from retouch.recipes.policy.english.rewriting.spoken import EMPHASIS
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from retouch.recipes.policy.english.words.tokens import Token

MOST_WORDS = 16  # of a reason
_STOPS = frozenset({",", ";", ":"})
_BELOW = r"(?:(?:its|all|all of its|the|any) )?(?:sub-?folders|sub-?directories)"
_EMPHASIS = re.compile(EMPHASIS)
_BELOW_TOO = re.compile(
    rf"{_BELOW} included|(?:including|with|and) {_BELOW}|(?:and|including) (?:everything|anything|all) "
    r"(?:below|under|in|inside|beneath) (?:it|them|that)"
)
_NOT_EVEN = re.compile(r"not even(?: (?:the|a|an|my|our|old|single|one))* [a-z-]+(?: [a-z-]+)?")
_NEITHER = re.compile(
    r"neither (?:with |in |for |by )?[a-z ]+ nor (?:with |in |for |by )?[a-z ]+"
    r"|(?:no [a-z]+ing,? )*(?:(?:and )?no [a-z]+ing|(?:and )?nothing)(?: at all| whatsoever)?"
    r"|look , (?:but )?(?:do not|never) touch"
)
# Why something is forbidden: "leave ticket 12 alone, I am handling it myself", "stay out of it, it is private"
_FORBIDDEN_AS = re.compile(
    r"(?:(?:because|since|as) )?(?:(?:i|we) (?:am|are|will be) (?:already |still )?(?:handling|managing|fixing|sorting|"
    r"taking care of|dealing with|looking after|working on) (?:it|them|this|that|those|these)(?: myself| ourselves)?"
    r"|(?:it|they|that|this|those|these) (?:is|are) (?:very |strictly )?(?:private|personal|confidential|sensitive|"
    r"secret|important|precious|fragile|mine|ours))"
)
_KEEPING_AWAY = frozenset({"leave", "stay", "keep", "hands", "steer"})
_BECAUSE = frozenset({"because", "since"})
_RELATIVE = word_set("that which who whom whose where what those these this such as so")
_IT = word_set("it they people everyone everybody he she")
_BEING = word_set("is are was were has have had does do gets get got")
_OWN = word_set("i me my mine myself we us our ours ourselves you your yours")
# Words of users about themselves, and of verdicts: "15 is fine" is a rule.
_TELLING = _OWN | word_set(
    "acceptable alright barred closed different enough excepted excluded exempt fine free good idea included instead "
    "ok okay one open option other others rest same stay stays suffice suffices time times two welcome well yes"
)
_FORBIDDING = frozenset({"never", "not", "no", "nobody", "nothing"})


def shortened(tokens: tuple[Token, ...], verbs: Collection[str], nouns: Collection[str]) -> Iterator[tuple[Token, ...]]:
    """Yield a sentence without endings that change nothing, the longest sentence first.

    `verbs` and `nouns` are the words of the tools at hand.
    """
    for at in range(len(tokens) - 1, 0, -1):
        stop = tokens[at].text in _STOPS
        if not stop and tokens[at].text not in _BECAUSE:
            continue
        head, tail = tokens[:at], tokens[at + stop :]
        if tail and head[-1].text not in _STOPS and _changes_nothing(head, tail, verbs, nouns):
            yield head
            yield from shortened(head, verbs, nouns)


def _changes_nothing(
    head: tuple[Token, ...], tail: tuple[Token, ...], verbs: Collection[str], nouns: Collection[str]
) -> bool:
    text = " ".join("\x00" if one.quoted else one.text for one in tail)
    if _EMPHASIS.fullmatch(text):
        return True
    if _FORBIDDEN_AS.fullmatch(text):
        first = next((one.text for one in head if one.text != "please"), "")
        return first in _KEEPING_AWAY | _FORBIDDING or [one.text for one in head[:2]] == ["do", "not"]
    if _BELOW_TOO.fullmatch(text):
        return any(one.raw.startswith(("/", "~")) for one in head)
    if _NOT_EVEN.fullmatch(text) or _NEITHER.fullmatch(text.replace(" ,", ",")) or _NEITHER.fullmatch(text):
        return not _FORBIDDING.isdisjoint(one.text for one in head)
    return _is_reason(tail, verbs, nouns)


def _is_reason(tail: tuple[Token, ...], verbs: Collection[str], nouns: Collection[str]) -> bool:
    said = [one.text for one in tail]
    told = said[0] in _BECAUSE
    if said[0] in _RELATIVE:
        return False
    if len(said) > MOST_WORDS or any(one.quoted for one in tail) or may_rule(" ".join(said)):
        return False
    if any(_acts(word, verbs) or re.search(r"\d", word) for word in said) or not _TELLING.isdisjoint(said):
        return False
    states = said[0] in _IT or not _BEING.isdisjoint(said[1:5])
    other = said[0] in _IT or not any(singular(word) in nouns for word in said)
    return told or (states and other)


def _acts(word: str, verbs: Collection[str]) -> bool:
    """Return whether a word is a form of something that tools do."""
    bases = {word, word.removesuffix("s"), *bases_of(word, form="ing"), *bases_of(word, form="ed")}
    return any(base in lexicon.VERBS or base in verbs for base in bases) or singular(word) in lexicon.NOMINAL
