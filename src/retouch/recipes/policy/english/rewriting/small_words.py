"""Replaces small forms of written English that rule nothing by themselves, before a sentence is cut into words.

The advice after a prohibition ("Never delete pages, archive them instead"), "are both forbidden", "read-only for you",
"belongs in ~/in and nowhere else", "is not for you to create" and "pay out".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import VERBS

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_FORBIDS = re.compile(
    r"(?:please )?(?:never|no|do not|don['\u2019]t|you (?:must|may|should) (?:not|never))\b|"
    r"[^,;]+ (?:is|are) (?:strictly )?(?:forbidden|prohibited|not allowed|off limits|not ok)(?=[,;])",
    re.IGNORECASE,
)
_ADVISED = "archive|move|use|mark|close|hide|unpublish|disable|deactivate|rename|label|tag|draft|snooze|set|put|choose"
_THEM = "it|them|the one|those|these"
# What is said to be done instead. A number, a place with its own limit, or somebody who is asked may be a rule.
_ADVICE = re.compile(
    rf"(?:,|;| -| \u2013| \u2014) (?:and |but |just |rather |simply |please |only )*(?:{_ADVISED}) "
    rf"(?:(?:{_THEM})\b[^,;:.\d]*|(?:the )?[a-z]+(?: [a-z]+)?)(?P<instead> instead)?(?P<end>[.!]?)$",
    re.IGNORECASE,
)
_JUST = re.compile(r"(?:,|;| -| \u2013| \u2014) (?:and |but )?(?:just|rather|simply) ", re.IGNORECASE)
_VERDICT = (
    r"(?:strictly |completely |always )?(?:forbidden|prohibited|banned|off[- ]limits|not allowed|allowed|fine|ok)"
)
_BOTH = re.compile(rf"\b(?P<be>is|are) both (?={_VERDICT}\b)", re.IGNORECASE)
_FOR_YOU = re.compile(
    r"\b(?P<verdict>off[- ]limits|forbidden|not allowed|taboo|out of bounds|read-only) for "
    r"(?:you|(?:the|this) (?:agent|assistant))(?=[.!]?$)",
    re.IGNORECASE,
)
_SENT_OUT = re.compile(
    r"\b(?P<verb>send|sending|sent|mail|mailing|give|giving|hand|handing) out\b(?! of\b)", re.IGNORECASE
)
_BELONGS = re.compile(
    r"^(?P<things>[A-Za-z]+(?: [a-z]+)?) (?:belongs?|goes|go) (?:only )?(?:in|into|to|under) "
    r"(?P<place>[~/][^\s,;]*[\w/])(?:,? and (?:nowhere else|not anywhere else)|,? nowhere else| only)(?P<end>[.!]?)$"
)
_NOT_FOR_YOU = re.compile(
    r"^(?P<things>[A-Za-z][\w'-]*(?: (?!is\b|are\b)[\w'-]+){0,4}) (?:is|are) not for (?:you|(?:the|this) "
    r"(?:agent|assistant)) to (?P<verb>[a-z]+)(?P<end>[.!]?)$"
)
_PAYING_OUT = re.compile(
    r"\b(?P<first>[Pp])ay(?P<ing>ing)? out (?:any |the )?(?:money )?(?P<of>(?:at most|no more than|"
    r"more than|up to|over|above|under|less than)\b)?"
)
# "Invite only people from acme.example" is "only invite people from acme.example"
_ONLY_SOME = re.compile(
    r"^(?P<please>please )?(?P<verb>[a-z]+) only (?!(?:in|on|to|into|onto|from|with|within|without|inside|between|"
    r"after|before|if|when|while|at|for|by|during|as|under|over|once|one|two|three|\d)\b)(?P<rest>\S)",
    re.IGNORECASE,
)
# "You may deploy functions, but only ones whose name starts with test-"
_WHICH = r"(?:whose|that|which|in|from|with|under|at|starting|ending|named|called)"
_ONLY_ONES = re.compile(
    r"^(?P<may>(?:you|the agent|the assistant) (?:can|may) )(?P<act>[a-z]+ [^,;:.]+?),? but only "
    rf"(?:the )?(?:ones|those) (?P<which>{_WHICH} [^,;:]+)$",
    re.IGNORECASE,
)
# "No new projects or branches without my approval"
_APPROVAL = r"(?:my|our) (?:approval|ok|okay|permission|consent|go-ahead|say-so)"
_NO_NEW = re.compile(
    r"^no new (?P<what>[a-z]+(?: [a-z]+)?(?:(?:, | or |, or )[a-z]+(?: [a-z]+)?)*),? "
    rf"(?:without (?:asking me|{_APPROVAL})|unless I (?:approve|agree|say so))(?: first)?(?P<end>[.!]?)$",
    re.IGNORECASE,
)
# "Never accept invitations, although declining them is fine"
_ALTHOUGH = re.compile(
    r", (?:although|though|even though) (?=[a-z]+ing\b[^,;]* (?:is|are) (?:always )?"
    r"(?:fine|ok|okay|allowed|all right)\.?$)"
)


def with_small_words(text: str, toolbox: Toolbox) -> str:
    """Return a sentence in a plainer form with the same meaning. A sentence with quoted text stays as it is."""
    if "`" in text or '"' in text:
        return text
    text = _ALTHOUGH.sub(", but ", text)
    text = _BOTH.sub(lambda found: f"{found['be']} ", text.strip())
    text = _SENT_OUT.sub(lambda found: found["verb"], text)
    text = _FOR_YOU.sub(lambda found: found["verdict"], text)
    text = _ONLY_ONES.sub(lambda found: f"{found['may']}only {found['act']} {found['which']}", text)
    text = _NO_NEW.sub(lambda found: f"Ask me before you create {found['what']}{found['end']}", text)
    text = _ONLY_SOME.sub(lambda found: _only_first(found, toolbox), _without_advice(text))
    text = _BELONGS.sub(lambda found: f"{found['things']} must go to {found['place']}{found['end']}", text)
    text = _NOT_FOR_YOU.sub(lambda found: f"Never {found['verb']} {_low(found['things'])}{found['end']}", text)
    payouts = [one for one in toolbox.tools if one.head == "payout" and "create" in one.verbs]
    paying = any("pay" in one.verbs for one in toolbox.tools)
    return _PAYING_OUT.sub(_create_payouts, text) if payouts and not paying else text


def _only_first(found: re.Match[str], toolbox: Toolbox) -> str:
    verb = found["verb"].lower()
    known = verb in toolbox.verbs | VERBS.keys()
    return f"{found['please'] or ''}Only {verb} {found['rest']}" if known else found[0]


def _without_advice(text: str) -> str:
    """Return a prohibition without what is to be done instead."""
    found = _ADVICE.search(text) if _FORBIDS.match(text) else None
    if found is None or not (found["instead"] or _JUST.match(found[0]) or " instead" in found[0]):
        return text
    return f"{text[: found.start()]}{found['end']}"


def _create_payouts(found: re.Match[str]) -> str:
    verb = ("C" if found["first"] == "P" else "c") + ("reating" if found["ing"] else "reate")
    limit = f"of {found['of']}" if found["of"] else ""
    return f"{verb} payouts {limit}"


def _low(text: str) -> str:
    """Return a text with a small first letter, if its first word is no name or abbreviation."""
    first = text.split(maxsplit=1)[0]
    return text[0].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text
