"""Writes sentences about e-mails in the words that the readers know: how many people get one, what is sent with it.

"No email may go to more than ten recipients" is never to send an email to more than 10 people, "emails with attachments
always need my okay" asks before these are sent, and "just leave it in my drafts" after "never send an email" adds
nothing to it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import in_case_of

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_WORDS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen",
)  # fmt: skip
_NUMBERS = {word: str(number) for number, word in enumerate(_WORDS, start=1)} | {"twenty": "20", "a dozen": "12"}
_NUMBER = rf"(?P<number>\d{{1,4}}|{'|'.join(_NUMBERS)})"
_PEOPLE = r"(?:people|persons|recipients|addresses|addressees|contacts|receivers)"
_MAIL = r"(?:e-?mails?|messages?|mails?)"
_NEVER = r"(?:never|do not|don['\u2019]t)"
_A_MAIL = rf"(?:(?:an?|one|any|the same|a single|the|single|any single|each|every|your) )*{_MAIL}"
_OVER = rf"(?:more than|over|above) {_NUMBER}(?: different)?"
_MOST = rf"(?:at most|no more than|not more than|up to|a maximum of|maximum|max\.?) {_NUMBER}(?: different)?"
_NOT = r"(?:must|may|can|should|shall|will|could|do|does|are|is)(?: ?(?:not|never)|n['\u2019]t)(?: ever)?|cannot"
_HAVE = (
    r"(?:be |get |ever )?(?:sent (?:out )?to|addressed to|go (?:out )?to|have|having|reach|include|contain|be for|with)"
)
_AT_ONCE = r"(?: (?:at once|at a time|at the same time|in one go|per e-?mail|each|in one e-?mail))?"
_REST = r"(?P<rest>(?: (?:unless|without|before|until)\b[^,;]*|, (?:unless|without)\b[^,;]*)?)(?P<end>[.!]?)"
_TOO_MANY = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "No email may go to more than ten recipients", "no emails to more than 10 people"
        (
            rf"no (?:single )?{_MAIL}(?: (?:may|can|must|should|shall|is to|are to))? ?{_HAVE} {_OVER} {_PEOPLE}"
            rf"{_AT_ONCE}{_REST}"
        ),
        rf"no (?:single )?{_MAIL} to {_OVER} {_PEOPLE}{_AT_ONCE}{_REST}",
        # "Emails must not have more than 10 recipients"
        rf"{_A_MAIL} (?:{_NOT}) {_HAVE} {_OVER} {_PEOPLE}{_AT_ONCE}{_REST}",
        # "An email may have at most 10 recipients"
        rf"{_A_MAIL} (?:may|can|must|should)(?: only)? {_HAVE} {_MOST} {_PEOPLE}{_AT_ONCE}{_REST}",
        # "Never email more than 5 people at once", "don't put more than 10 people in an email"
        rf"{_NEVER} (?:e-?mail|mail|write to) {_OVER} {_PEOPLE}{_AT_ONCE}{_REST}",
        rf"{_NEVER} (?:put|add|include|have) {_OVER} {_PEOPLE} (?:in|on|to) {_A_MAIL}{_REST}",
        rf"{_NEVER} (?:send|write)(?: out)? {_A_MAIL} (?:to|with) {_OVER} {_PEOPLE}{_AT_ONCE}{_REST}",
        # "No more than 5 recipients per email", "max 10 recipients"
        rf"{_MOST} {_PEOPLE} (?:per|in an?|for each|for an?|in any|on an?|in one|to an?) (?:single )?{_MAIL}{_REST}",
    )
)
_ASKS = re.compile(
    rf"(?P<ask>(?:always )?(?:ask|check with)(?: me)?(?: first)? before (?:you )?)(?P<send>send(?:ing)?) {_A_MAIL} to "
    rf"{_OVER} {_PEOPLE}{_AT_ONCE}(?P<end>[.!]?)",
    re.IGNORECASE,
)
_NEEDED = re.compile(
    rf"(?P<sent>(?:sending )?)(?P<mail>{_A_MAIL}) (?:to|with) {_OVER} {_PEOPLE} (?:always )?(?:needs?|requires?) "
    r"(?:my|our) [a-z-]+(?P<end>[.!]?)",
    re.IGNORECASE,
)
# "Just leave it in my drafts", "save a draft instead", "drafts only"
_THEM = r"(?:it|them|that|those|the (?:e-?mail|message|text)s?|an? (?:e-?mail|message)s?|everything|all of it)"
_DRAFTED = re.compile(
    r"(?P<rule>[^;]*?\b(?:never|do not|don['\u2019]t|not)\b[^;]*?\bsend\b[^;]*?)"
    r"(?:[,;]|,? (?:but|and))? ?(?:(?:please|just|only|instead|always|rather|simply|but) )*"
    rf"(?:(?:leave|save|keep|put|store|write|place) {_THEM} (?:in|into|to|as) (?:(?:the|my|our|an?) )?drafts?"
    r"(?: (?:folder|for me|mailbox))?|(?:leave|save|keep|write|make|create|prepare) (?:an? |the |only )?drafts?"
    r"(?: (?:for me|only))?|draft (?:it|them)|drafts? (?:it|them|only|is fine|are fine|is enough|are enough))"
    r"(?: instead| for me| please| to (?:check|review|look at|send))*(?P<end>[.!]?)",
    re.IGNORECASE,
)
_DRAFTS_FIRST = re.compile(
    r"drafts? only(?: please|, please)?(?::|,|;| -) (?P<rule>(?:never|do not|don['\u2019]t) send\b[^,;:]*)",
    re.IGNORECASE,
)
_WITH_FILES = re.compile(
    rf"(?:(?:any|all|every|each) )?{_MAIL} (?:with|that (?:has|have|contains?)) (?:an? |any )?(?:attachments?|attached "
    r"files?|files? attached) (?:always |first |all )?(?:needs?|requires?|must have|(?:has|have) to have) (?:my|our) "
    r"(?:[a-z]+ )?[a-z-]+(?: first)?(?: before (?:it|they|you)\b[^,;]*)?(?P<end>[.!]?)",
    re.IGNORECASE,
)
_OUT = r"(?:sent|mailed|going|go|gone)(?: out)?"
_EMAIL = r"(?P<who>[\w.+-]+@(?:[\w-]+\.)+[a-z]{2,})"
_GETS = re.compile(
    r"(?:(?:[Mm]y|[Oo]ur|[Tt]he) (?:[a-z-]+,? ){1,3}(?:at )?|[A-Z][a-z]+ (?:at |on )?)?\(?"
    rf"{_EMAIL}\)?,? (?:must|should|may|can|is|are)(?: to)? ?(?:never|not)(?: ever)?(?: to)? "
    rf"(?:get|receive|be sent|be sent to) (?:an? |any |any more )?{_MAIL}(?: from you)?(?P<rest>[^,;]*?)(?P<end>[.!]?)"
)
_SEND_THEM = re.compile(
    rf"(?P<rule>(?:[Nn]ever|[Dd]o not|[Dd]on['\u2019]t|[Aa]lways ask before you|[Aa]sk(?: me)? before you) send) "
    rf"{_EMAIL} "
    rf"(?:an? |any )?{_MAIL}\b"
)
_BLIND = re.compile(
    r"(?P<rule>^[Nn]ever|^[Dd]o not|^[Dd]on['\u2019]t) use (?:the )?(?P<how>bcc|cc)(?: field)?\b", re.IGNORECASE
)


def with_plain_mails(text: str, toolbox: Toolbox) -> str:
    """Return a sentence about who gets e-mails, and with what, in plain words. Quoted text stays."""
    if "`" in text or '"' in text or not _sends_mails(toolbox):
        return text
    for pattern in _TOO_MANY:
        if found := pattern.fullmatch(text):
            return f"Never send an email to more than {_number(found)} people{_said(found['rest'])}{found['end']}"
    if found := _ASKS.fullmatch(text) or _NEEDED.fullmatch(text):
        return f"Ask me before you send an email to more than {_number(found)} people{found['end']}"
    if found := _WITH_FILES.fullmatch(text):
        return f"Ask me before you send an email with an attachment{found['end']}"
    if found := _GETS.fullmatch(text):
        return f"Never send an email to {found['who']}{found['rest']}{found['end']}"
    if (found := _DRAFTED.fullmatch(text)) and not re.search(r"\b(?:unless|if|when|until|except)\b", text):
        return f"{found['rule'].rstrip(' ,')}{found['end']}"
    text = _DRAFTS_FIRST.sub(lambda found: in_case_of(found[0], found["rule"][:1]) + found["rule"][1:], text)
    text = _BLIND.sub(lambda found: f"{found['rule']} {found['how']} anyone", text)
    return _SEND_THEM.sub(lambda found: f"{found['rule']} an email to {found['who']}", text)


def _sends_mails(toolbox: Toolbox) -> bool:
    """Return whether a tool sends e-mails to the addresses of a call."""
    return any(
        "email-address" in one.roles and "send" in one.verbs and (one.head == "email" or toolbox.is_mail(one))
        for one in toolbox.tools
    )


def _number(found: re.Match[str]) -> str:
    said = found["number"].lower()
    return _NUMBERS.get(said, said)


def _said(rest: str) -> str:
    """Return " unless I agree" for ", unless I agree"."""
    return f" {rest.strip(' ,')}" if rest else ""
