"""Reads a command with a limit as a restriction: "create at most 3 issues a day" permits no issue.

It is "never create more than three issues a day". Other ways to say how often something is done become the same:
"limit yourself to three posts a day", "send each patient at most two reminders a day", "run at most four web searches".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.rewriting.replacing import replaced, rewriting, rewritten, text_of
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.rates import PERIOD

if TYPE_CHECKING:
    from collections.abc import Collection

    from retouch.recipes.policy.english.words.tokens import Token

MOST = r"(?:at (?:the )?(?:very )?most|no more than|not more than|a maximum of|at a maximum|maximum|max)"
NUMBER = (
    r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|"
    r"eighty|ninety|hundred|a hundred|one hundred|a dozen)"
)
MONEY = r"(?:[$\u20ac\u00a3]?\d[\d.,]*[$\u20ac\u00a3]?(?: [a-z]+)?)"
_AMOUNT = rf"(?:{NUMBER}|once|twice|[$\u20ac\u00a3]?\d[\d.,]*[$\u20ac\u00a3]?)"
_AGENT = r"(?:you|(?:the|this|my|our|your) (?:ai )?(?:agent|assistant|bot|ai|model))"
_DUTY = rf"(?:{_AGENT} (?:must|should|shall|has to|have to|needs to|need to|is to|are to|will) )"
_NOT = r"(?:must|should|shall|may|can|is to|are to|will) (?:not|never)(?: ever)?"
_NEVER = rf"(?:(?:{_AGENT} )?(?:{_NOT}|never|do not|does not)(?: ever)?)"
_WORD = r"(?:(?!(?:and|or|but|nor|not|never|no|if|when|unless|before|after|except|only) )[^\s,;]+ )"
_LIST = rf"(?:{_WORD}*?(?:[^\s,;]+ (?:and|or) )?{_WORD}*?)"
_ENDING = r"(?P<end>(?: (?:,|;)(?: and)? (?:never|do not|ask) .+| (?:unless|without) [^,;]+)?)"
_EACH = (
    r"(?:each|every|any one|any single|one and the same|the same|one single|any|one|an|a)(?: single| individual)? "
    r"(?P<each>(?!(?:time|call|day|hour|week|month|minute) )[a-z]+)"
)
# No verbs of a limited action: what is allowed is permitted, and what is asked or kept is something else.
_OTHERS = word_set("allow permit let ask limit restrict cap keep never do not you only sure ensure")
_START = rf"^(?:please )?(?:always )?{_DUTY}?(?!make sure )(?P<v>[a-z-]+) (?P<x>{_WORD}*?){MOST} (?P<n>{_AMOUNT}) "
_COMMAND = re.compile(rf"{_START}(?P<r>{_LIST}{PERIOD}(?: {_WORD}*(?!only )[^\s,;]+)??){_ENDING}$")
_ANY_COMMAND = re.compile(rf"{_START}(?:[^\s,;]+ )*?{PERIOD}(?!\S)")
_ONCE = r"(?:at once|at a time|at one time|in one go|each time|per call|in one call|in a single call)"
_COMMAND_AT_ONCE = re.compile(rf"{_START}(?P<r>{_LIST}{_ONCE}){_ENDING}$")
_CLOSED = re.compile(
    rf"^(?:please )?{_DUTY}?(?P<v>[a-z-]+) (?P<n>{_AMOUNT}) (?P<r>{_LIST}{PERIOD})(?: ,)? "
    r"(?:at (?:the )?(?:very )?most|max|maximum|tops)(?P<end>)$"
)
_ITSELF = (
    rewriting(
        r"^(?:please )?(?:(?:always )?(?:limit|restrict|confine|keep) (?:yourself|yourselves|itself|it) to|"
        rf"(?:always )?stick to|{_NEVER} (?:go (?:over|above|beyond)|exceed)|{_DUTY}?keep to) "
        rf"(?:{MOST} )?(?P<n>{NUMBER}) (?P<r>{_LIST}{PERIOD}(?: .+)?)$",
        "at most {n} {r}",
    ),
)
_FOR_EACH = (
    rewriting(
        rf"^(?:please )?(?P<v>send|give|show|offer|pay|grant) {_EACH} {MOST} (?P<n>{NUMBER}) (?P<t>{_WORD}+?)"
        rf"(?P<p>{PERIOD})$",
        "never {v} more than {n} {t} {p} per {each}",
    ),
    rewriting(
        rf"^(?P<no>{_NEVER}) (?P<v>send|give|show|offer|pay|grant) {_EACH} more than (?P<n>{NUMBER}) (?P<t>{_WORD}+?)"
        rf"(?P<p>{PERIOD})$",
        "{no} {v} more than {n} {t} {p} per {each}",
    ),
    rewriting(
        rf"^(?P<no>{_NEVER}) (?P<v>send|give|show|offer|pay|grant) (?P<t>{_WORD}+?)to {_EACH} more than "
        rf"(?P<n>once|twice|{NUMBER} times) (?P<p>{PERIOD})$",
        "{no} {v} {t} more than {n} {p} per {each}",
    ),
    rewriting(
        rf"^no (?P<each>[a-z]+) (?:may|must|should|can|shall) (?:get|receive|be sent) more than (?P<n>{NUMBER}) "
        rf"(?P<t>{_WORD}+?)(?P<p>{PERIOD})$",
        "never send more than {n} {t} {p} per {each}",
    ),
    rewriting(
        rf"^(?:each|every|any|an|a) (?P<each>[a-z]+) (?:gets|receives|(?:may|must|should|can|shall) (?:get|receive)) "
        rf"{MOST} (?P<n>{NUMBER}) (?P<t>{_WORD}+?)(?P<p>{PERIOD})$",
        "never send more than {n} {t} {p} per {each}",
    ),
)
_IN_BONUSES = rewriting(
    rf"(?P<v>pay|spend|give|grant)(?: out)? more than (?P<m>{MONEY}) (?:in|of|worth of|in total in) "
    rf"(?P<t>(?!total |all )[a-z]+s) (?P<p>{PERIOD})$",
    "{v} {t} of more than {m} {p}",
)
# "No more than 5 new issues per day": to change one that is there is not counted
_NEW = re.compile(
    rf"^(?:no more than|not more than|at most) (?P<n>{NUMBER}) (?P<new>new )?(?P<t>(?:[a-z-]+ )?[a-z-]+) "
    rf"(?P<p>{PERIOD})"
    r"(?P<end>(?: (?:unless|without) [^,;]+)?)$"
)
_SENT = word_set("message email mail post reply notification sms text comment")
# Whoever opens these makes them: a tool that shows an issue does not open one.
_OPENED = r"(?:issues?|tickets?|cases?|(?:pull|merge) requests?|bugs?|incidents?|accounts?|discussions?)"
_OPENING = re.compile(
    rf"(?<!\S)(?P<v>open|file|raise) (?P<x>(?:more than|{MOST}|up to) {NUMBER}) "
    rf"(?P<t>new (?:[a-z-]+ )?[a-z]+|{_OPENED})(?= )(?=.* ?{PERIOD})"
)
_DOING = re.compile(
    rf"(?<!\S)(?P<v>run|do|make|perform|carry out|execute|conduct|start|issue) more than (?P<n>{NUMBER}) "
    rf"(?P<o>(?:[a-z-]+ )?)(?P<noun>[a-z]+) (?P<p>{PERIOD})(?P<r>(?: .+)?)$"
)
_AT_MOST_DONE = re.compile(rf"^{MOST} (?P<n>{NUMBER}) (?P<o>(?:[a-z-]+ )?)(?P<noun>searches) (?P<p>{PERIOD})$")


_DONE = frozenset(lexicon.VERBS) | word_set("run do make perform execute conduct")


def as_restriction(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return the words of a sentence with its limit per period as "never more than". `verbs` are those of the tools."""
    for one in (*_ITSELF, *_FOR_EACH):
        tokens = rewritten(tokens, one)
    tokens = _opening(_made_new(tokens, verbs), verbs)
    for pattern in (_COMMAND, _COMMAND_AT_ONCE, _CLOSED):
        found = pattern.fullmatch(text_of(tokens))
        if found is not None and _is_done(found["v"], verbs):
            x = "{x}" if "x" in found.re.groupindex else ""
            tokens = replaced(tokens, found, f"never {{v}} {x} more than {{n}} {{r}} {{end}}")
    return _doing(rewritten(tokens, _IN_BONUSES), verbs)


def _made_new(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return "never create more than 5 issues a day" for "no more than 5 new issues a day"."""
    found = _NEW.fullmatch(text_of(tokens))
    if found is None or not (found["new"] or found["end"]):
        return tokens
    if singular(found["t"].split()[-1]) not in _SENT:
        named = found["new"] and "create" in verbs
        return replaced(tokens, found, "never create more than {n} {t} {p} {end}") if named else tokens
    verb = next((one for one in ("send", "post") if one in verbs), "post" if "add" in verbs else "")
    return replaced(tokens, found, f"never {verb} more than {{n}} {{t}} {{p}} {{end}}") if verb else tokens


def leaves_command(tokens: tuple[Token, ...], verbs: Collection[str]) -> bool:
    """Return whether a sentence begins with such a command, and more is said, so that it is still one."""
    found = _ANY_COMMAND.search(text_of(tokens))
    return found is not None and _is_done(found["v"], verbs)


def _is_done(verb: str, verbs: Collection[str]) -> bool:
    return verb not in _OTHERS and (verb in verbs or verb in _DONE)


def _opening(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return "create more than three issues a day" for "open more than three issues a day"."""
    found = _OPENING.search(text_of(tokens))
    if found is None or found["v"] in verbs:
        return tokens
    return replaced(tokens, found, "create {x} {t}")


def _doing(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...]:
    """Return "search the web more than four times an hour" for "run more than four web searches an hour"."""
    found = _DOING.search(text_of(tokens)) or _AT_MOST_DONE.fullmatch(text_of(tokens))
    noun = singular(found["noun"]) if found else ""
    noun = "search" if noun == "searche" else noun
    verb = lexicon.NOMINAL.get(noun) or lexicon.ACTIONS.get(noun) or noun
    if found is None or verb not in verbs:
        return tokens
    of = "the {o}" if found["o"] else ""
    again = f"{{verb}} {of} more than {{n}} times {{p}}"
    if "v" not in found.re.groupindex:
        return replaced(tokens, found, f"never {again}", {"verb": verb})
    return tokens if found["v"] in verbs else replaced(tokens, found, f"{again} {{r}}", {"verb": verb})
