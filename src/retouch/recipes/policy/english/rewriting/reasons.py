"""Leaves out the reason that a sentence gives at its end, after a comma, and "please".

"Never delete emails, because we must keep our records" means what it says before the comma, and so does "never cancel
orders, even if a customer asks for it". A reason that may be a part of the rule stays: one with a condition or an
exception, one that speaks of permission, and one that speaks to the agent.
"""

from __future__ import annotations

import re

from retouch.recipes.policy.english.rewriting.told_facts import without_told_fact
from retouch.recipes.policy.english.words.lexicon import word_set

_REASON = re.compile(r"(?P<rule>[^,].*), (?P<why>(?:because|since|as|so that) .+?)(?P<end>[.!]?)", re.DOTALL)
_FEWEST, _MOST = 3, 20  # words of a reason
# What may be a part of the rule.
_BOUND = word_set(
    "you your yours yourself unless except excepting but if until till when whenever while otherwise instead apart "
    "besides other others rest only just else never don't doesn't may can could should shall might allowed allow "
    "allows forbidden permitted permit permission approval approve approved ask asks asking confirm okay ok fine limit "
    "limits exception exceptions excluded included including whereas although though"
)
_FORBIDS = re.compile(
    r"(?:please,? )?(?:you must )?(?:never|no|not|don['\u2019]t|do not) |"
    r"[^,]+ (?:is|are) (?:strictly )?(?:off[- ]limits|forbidden|not allowed|taboo|none of your business)\b",
    re.IGNORECASE,
)
_SUBJECTS = word_set(
    "i we it they he she this that these those people nobody everybody everyone somebody someone the our my their his "
    "her its a an all most some many mistakes"
)
_RESTING = word_set("their his her my our some enough a need needs get gets")  # "because people need their rest"
_STATING = word_set(
    "is are was were has have had does do must need needs want wants like likes know knows use uses keep keeps take "
    "takes cost costs rely relies hate hates get gets make makes belong belongs work works decide decides hurts "
    "happen happens "
    "isn't aren't wasn't weren't cannot can't won't will"
)
_EVEN = re.compile(r"(?P<rule>[^,]+), (?:not )?even (?:if|when|though) [^,;:]+?(?P<end>[.!]?)")
_ENOUGH = re.compile(r"(?P<rule>[^,;:]+); [a-z]+ing [^,;:]+ (?:is|are) (?:enough|sufficient|better)(?P<end>[.!]?)")
_TIMES = re.compile(
    r"since (?:\d|last|yesterday|today|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january)"
)
_POLITE = re.compile(r"^please,? (?=\w)|,? please(?=[.!]?$|, |\. )", re.IGNORECASE)


def without_reason(text: str) -> str:
    """Return a sentence without the reason at its end, and without "please" at its beginning or end."""
    if "`" in text or '"' in text or "\u201c" in text:
        return text
    rule = text
    found = _REASON.fullmatch(rule)
    if found is not None and _is_reason(found["why"].lower().replace("\u2019", "'"), forbids=_forbids(rule)):
        rule = f"{found['rule']}{found['end'] or '.'}"
    even = _EVEN.fullmatch(rule) or _ENOUGH.fullmatch(rule)
    if even is not None and _forbids(rule):
        rule = f"{even['rule']}{even['end'] or '.'}"
    rule = without_told_fact(_POLITE.sub("", rule))
    return text if rule == text else f"{rule[:1].upper()}{rule[1:]}"


def _forbids(text: str) -> bool:
    return _FORBIDS.match(text) is not None


def _is_reason(why: str, *, forbids: bool) -> bool:
    words = re.findall(r"[a-z'/]+", why)
    said = words[2:] if why.startswith("so that") else words[1:]
    bound = _BOUND - ({"only", "just"} if forbids else set())
    said = [word for at, word in enumerate(said) if not (word == "rest" and at and said[at - 1] in _RESTING)]
    if not _FEWEST <= len(said) <= _MOST or not bound.isdisjoint(said) or re.search(r"[;:`]|\.\S|, ", why):
        return False
    if words[0] == "because" or why.startswith("so that"):
        return said[0] != "of" and not _STATING.isdisjoint(said[1:])
    return said[0] in _SUBJECTS and not _STATING.isdisjoint(said[1:]) and _TIMES.match(why) is None
