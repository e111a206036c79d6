"""Replaces limits of written English by plain ones: "no more than ten files may be deleted in a single day".

Such a sentence only forbids: it is "never delete more than ten files a day". "Up to ten" permits as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.rewriting.bounded_forms import with_plain_bounds
from retouch.recipes.policy.english.rewriting.commanded_limits import MONEY, NUMBER, as_restriction
from retouch.recipes.policy.english.rewriting.replacing import replaced, rewriting, rewritten, text_of
from retouch.recipes.policy.english.rewriting.timed_forms import with_plain_times
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, singular
from retouch.recipes.policy.english.words.rates import PERIOD

if TYPE_CHECKING:
    from collections.abc import Collection

    from retouch.recipes.policy.english.words.tokens import Token

_MOST = r"(?:at (?:the )?most|no more than|not more than|a maximum of|a total of (?:at most|no more than))"
_MODAL = r"(?:may|can|must|should|shall|could|is to|are to)"
_MUST_NOT = rf"{_MODAL} (?:not|never)(?: ever)?"
_AGENT = r"(?:you|(?:the|this|my|our|your) (?:ai )?(?:agent|assistant|bot|ai|model))"
_WORDS = r"(?:(?!(?:may|can|must|should|shall|could|is|are|not|never) )[^\s,;]+ )*?(?:[^\s,;]+)"
_TOTAL = r"(?:altogether|in total|in all|in sum|overall|taken together|together|all told)"
_EXCEED = (
    rf"(?:{_TOTAL} )?(?:exceed|total more than|(?:come|add up|amount|sum up) to more than|(?:come|go) (?:to )?over|"
    r"be more than|go beyond)"
)
_MADE = r"(?:made|granted|given|issued|paid|placed|sent|done)"
_OF = r"(?:the |all |all the |all of the )?"

_DONE_AT_MOST = re.compile(
    rf"^{_MOST} (?P<n>{NUMBER}) (?P<t>{_WORDS}) {_MODAL} (?:ever )?be (?P<v>[a-z-]+)(?P<r> .+)?$"
)
_THE_MOST = re.compile(
    rf"^(?P<n>{NUMBER}) (?P<t>{_WORDS} {PERIOD}) (?:is|are) (?:the )?(?:very )?(?:most|maximum|limit|"
    rf"upper limit|maximum number) "
    rf"(?:that )?{_AGENT} (?:may|can|should|is allowed to|are allowed to|is permitted to) (?P<v>[a-z-]+)(?P<r> .+)?$"
)
_DOES_AT_MOST = re.compile(
    rf"^{_AGENT} (?P<v>[a-z]+s) (?P<n>{NUMBER}) (?P<t>{_WORDS} {PERIOD}) (?:at (?:the )?(?:very "
    rf")?most|at the maximum)$"
)
_ALLOWED_UP_TO = re.compile(
    rf"^up to (?P<n>{NUMBER}) (?P<o>[a-z]+) (?P<t>[a-z]+)(?P<p>(?: {PERIOD})?) (?:is|are) (?:allowed|"
    rf"permitted|fine|ok|acceptable)"
    r"(?P<r>(?: .+)?)$"
)
_FINE = r"(?:allowed|permitted|fine|ok|acceptable|all right|alright|no problem)"
_NEW_UP_TO = re.compile(
    rf"^(?:up to|{_MOST}) (?P<n>{NUMBER}) (?P<t>(?P<new>new )?(?:[a-z-]+ )?(?P<noun>[a-z]+)) (?P<p>{PERIOD}) "
    rf"(?:is|are) {_FINE}$"
)
_MAKE_UP_TO = re.compile(
    rf"^{_AGENT} (?:may|can) (?:make|do|create) (?P<most>up to|{_MOST}) (?P<n>{NUMBER}) (?P<noun>[a-z]+) "
    rf"(?P<p>{PERIOD})$"
)
_SUM_OF = rf"{_OF}(?P<t>[a-z]+)(?: {_MADE})?"
_TOTAL_OF = rf"the (?:total|sum)(?: amount| value)? of {_SUM_OF}"
_EXCEEDS = rf"{_MUST_NOT} {_EXCEED} (?P<m>{MONEY})(?: {_TOTAL})?"
_TOTALS = tuple(
    re.compile(one)
    for one in (
        rf"^{_SUM_OF} (?P<p>{PERIOD}) {_EXCEEDS}$",
        rf"^{_SUM_OF} {_EXCEEDS} (?P<p>{PERIOD})(?: {_TOTAL})?$",
        rf"^(?P<p>{PERIOD}) ,? ?{_SUM_OF} {_EXCEEDS}$",
        rf"^{_TOTAL_OF} (?P<p>{PERIOD}) {_EXCEEDS}$",
        rf"^{_TOTAL_OF} {_EXCEEDS} (?P<p>{PERIOD})$",
    )
)
_NEVER_MORE = rewriting(
    rf"(?:, )?(?:but|though|although|and) (?:never|not|no) more (?:often )?than (?P<n>{NUMBER}|once|twice)"
    rf"(?: (?:of them|of these|times))? (?P<p>{PERIOD})$",
    "at most {n} {times} {p}",
)
_IN_TOTAL = (
    rewriting(rf"(?P<x>{_MOST} {NUMBER} .*?{PERIOD})(?: ,)? {_TOTAL}$", "{x}"),
    rewriting(rf"(?P<x>{_MOST} {NUMBER} .*?) {_TOTAL} (?P<p>{PERIOD})$", "{x} {p}"),
    rewriting(rf"(?P<x>more than {MONEY} .*?{PERIOD}) {_TOTAL}$", "{x}"),
    rewriting(rf"(?P<x>more than {MONEY}) {_TOTAL} (?P<p>{PERIOD})$", "{x} {p}"),
)


def in_counted_form(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return the words of a sentence with its limit in a plain form. `verbs` are those of the tools."""
    if not {"and", "or"} & {one.text for one in tokens}:  # each alone, or together?
        for one in _IN_TOTAL:
            tokens = rewritten(tokens, one)
    tokens = with_plain_times(with_plain_bounds(tokens, verbs), verbs)
    tokens = as_restriction(_never_more(tokens), verbs)
    text = text_of(tokens)
    for pattern, form in ((_DONE_AT_MOST, "ed"), (_THE_MOST, "base"), (_DOES_AT_MOST, "s")):
        found = pattern.fullmatch(text)
        base = _verb(found["v"], form, verbs) if found else ""
        if found is None or not base or not re.search(rf"(?<!\S){PERIOD}(?!\S)", text):
            continue
        rest = " {r}" if "r" in found.re.groupindex else ""
        return replaced(tokens, found, f"never {{v}} more than {{n}} {{t}}{rest}", {"v": base})
    return _total(_up_to(tokens, verbs))


def _never_more(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return "at most five times a day" for ", but never more than five a day" at the end of a permission."""
    found = _NEVER_MORE.pattern.search(text_of(tokens))
    if found is None:
        return tokens
    times = "" if found["n"] in {"once", "twice"} else "times"
    return replaced(tokens, found, _NEVER_MORE.words, {"times": times})


def _up_to(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return "you may search the web up to fifty times per day" for "up to fifty web searches are allowed per day"."""
    tokens = _new_up_to(_makes_up_to(tokens, verbs), verbs)
    found = _ALLOWED_UP_TO.fullmatch(text_of(tokens))
    verb = singular(found["t"]) if found else ""
    if found is None or verb not in verbs or not re.search(rf"(?<!\S){PERIOD}(?!\S)", text_of(tokens)):
        return tokens
    return replaced(tokens, found, "you may {verb} the {o} up to {n} times {p} {r}", {"verb": verb})


def _makes_up_to(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return "you may commit up to ten times a day" for "you may make up to ten commits a day"."""
    found = _MAKE_UP_TO.fullmatch(text_of(tokens))
    verb = _done_by(singular(found["noun"]), verbs) if found else ""
    return replaced(tokens, found, "you may {verb} {most} {n} times {p}", {"verb": verb}) if found and verb else tokens


def _new_up_to(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return "you may create up to twenty new tickets a day" for "up to twenty new tickets a day are fine"."""
    found = _NEW_UP_TO.fullmatch(text_of(tokens))
    if found is None:
        return tokens
    if found["new"]:
        return replaced(tokens, found, "you may create up to {n} {t} {p}")
    verb = _done_by(singular(found["noun"]), verbs) if found["t"] == found["noun"] else ""
    return replaced(tokens, found, "you may {verb} up to {n} times {p}", {"verb": verb}) if verb else tokens


def _done_by(noun: str, verbs: Collection[str]) -> str:
    """Return the verb of the tools that a noun names: `commit` for "commits". "" if there is none."""
    verb = lexicon.NOMINAL.get(noun) or lexicon.ACTIONS.get(noun) or noun
    return verb if verb in verbs else ""


def _total(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return "never refund more than 500 euros per day" for "the refunds of one day must not exceed 500 euros"."""
    text = text_of(tokens)
    for pattern in _TOTALS:
        found = pattern.fullmatch(text)
        noun = singular(found["t"]) if found else ""
        verb = lexicon.NOMINAL.get(noun) or lexicon.ACTIONS.get(noun)
        if found is not None and verb:
            return replaced(tokens, found, "never {v} more than {m} {p}", {"v": verb})
    return tokens


def _verb(word: str, form: str, verbs: Collection[str]) -> str:
    """Return the verb of a word in some form. "" if it is none, or may be two."""
    known = [one for one in dict.fromkeys(bases_of(word, form=form)) if one in lexicon.VERBS or one in verbs]
    return known[0] if len(known) == 1 else ""
