"""Writes sentences about mail, calendars and chats as the readers know them, before anything else is done to them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.rewriting.named_tools import with_named_tools
from retouch.recipes.policy.english.rewriting.said_terms import with_said_terms
from retouch.recipes.policy.english.rewriting.written_calendars import with_plain_calendars
from retouch.recipes.policy.english.rewriting.written_mails import with_plain_mails
from retouch.recipes.policy.english.rewriting.written_threads import with_plain_threads

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

# What is said before the rule itself, and adds nothing to it: "Keep it short: never send more than 300 characters"
_LEAD = re.compile(
    r"(?:keep it (?:short|brief|simple|clean|tidy|quiet|professional|private|safe)|"
    r"be (?:brief|careful|quiet|discreet|polite)|(?:privacy|safety|security) first|(?:very |one |most "
    r")?important(?: rule| note)?|(?:one |my |house |golden |hard |"
    r"simple )?rule|(?:just )?to be (?:safe|clear|sure)|for (?:safety|privacy|my peace of mind)|no surprises|no spam)"
    r"(?::|,|;| -| \u2013| \u2014) +(?=[a-z])",
    re.IGNORECASE,
)


# "Only look at my calendar, never edit it" says no more than that nothing else may be done
_ONLY_LOOK = re.compile(
    r"(?P<only>(?:you (?:may|can) )?only (?:look at|read|view|see|check|browse) [^,;:]+?)"
    r"(?:,|;|,? and|,? but| -) (?:please )?(?:never|don['\u2019]t|do not|not) (?:ever )?(?:edit|change|modify|"
    r"touch|alter|"
    r"update|write|delete)(?: (?:or|and) (?:edit|change|modify|touch|alter|send|post|update|write|delete))*"
    r"(?: (?:it|them|any|anything|any of (?:it|them)))?(?: (?:in|on) (?:it|them|there))?(?P<end>[.!]?)",
    re.IGNORECASE,
)
# "Read-only: you can look at messages but never change anything", where the second part says the first
_READ_ONLY = re.compile(
    r"(?:strictly |everything is |all is )?read[- ]only(?: please|, please| access| mode)?(?::|;|,| -| \u2013| "
    r"\u2014) +"
    r"(?=(?:you (?:may|can) [^:;]*\b(?:never|not|nothing)\b|never|do not|don['\u2019]t)\b)",
    re.IGNORECASE,
)


# "Never post in #a; anywhere else is fine": a restriction is about nothing else anyway
_OTHERS_FINE = re.compile(
    r"(?P<rule>(?:please )?(?:never|do not|don['\u2019]t|(?:always )?ask|check with|no)\b[^;:]*?)"
    r"(?:;|,|,? but| -| \u2013| \u2014) (?:(?:any(?:where|one|body|thing)|every(?:where|one|body|thing)) else|"
    r"(?:(?:all|any|the) )?(?:other|others|rest)(?: [a-z]+){0,2}) (?:is|are) (?:fine|ok|okay|allowed|no problem|"
    r"alright)"
    r"(?: (?:with|by) me)?(?P<end>[.!]?)",
    re.IGNORECASE,
)
_CHECKING = re.compile(
    r"\bwithout (?P<how>checking|confirming)(?= (?:first|beforehand|before)\b|[.!]?$)", re.IGNORECASE
)
_SHOWING = re.compile(
    r"\bwithout (?:showing (?:it|them|that|the [a-z]+) to me|showing me(?: (?:it|them|the [a-z]+))?)(?: first| before)?"
    r"(?=[.,!]?$)",
    re.IGNORECASE,
)
_YOU_ARE = re.compile(r"^[Yy]ou['\u2019]re (?=(?:allowed|permitted|free|welcome|not) )")


def with_plain_services(text: str, toolbox: Toolbox | None) -> str:
    """Return a sentence in plain words for the services at hand. Without tools it stays as it is."""
    text = _without_lead(text)
    text = _SHOWING.sub("without asking me first", text)
    text = _YOU_ARE.sub("You are ", _CHECKING.sub(lambda found: f"without {found['how']} with me", text))
    text = text if (found := _OTHERS_FINE.fullmatch(text)) is None else f"{found['rule']}{found['end']}"
    text = text if (found := _ONLY_LOOK.fullmatch(text)) is None else f"{found['only']}{found['end']}"
    if toolbox is not None:
        for known in (with_named_tools, with_said_terms, with_plain_mails, with_plain_calendars, with_plain_threads):
            text = known(text, toolbox)
    return text


def _without_lead(text: str) -> str:
    """Return "Never send ..." for "Keep it short: never send ..."."""
    found = _LEAD.match(text) or _READ_ONLY.match(text)
    return text if found is None else f"{text[found.end()].upper()}{text[found.end() + 1 :]}"
