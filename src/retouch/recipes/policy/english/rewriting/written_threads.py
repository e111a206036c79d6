"""Writes sentences about the threads and channels of a chat in plain words: a reply is a message in a thread.

"Unless it's a reply in a thread" are messages outside a thread, "reply in its threads" is to post in threads of the
channel before, and "never post there" is about the channels that the sentence names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import in_case_of, word_set

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_CHANNEL = r"#[\w-]+"
_CHANNELS = rf"(?:the )?{_CHANNEL}(?:(?:, | and | or |, and |, or )(?:the )?{_CHANNEL})*(?: channels?)?"
_POST = r"(?:post|send|write|repl(?:y|ies)|answer|respond)(?:ing)?"
_TO_POST = rf"(?P<verb>{_POST})(?: (?:(?:an?|any|new) )?(?:messages?|anything|something|repl(?:y|ies)))?"
_REPLY = (
    r"(?:it['\u2019]?s|it is|you(?: are|['\u2019]re)|that is|this is) (?:only |just )?(?:an? )?(?:reply|replying|"
    r"answer|answering|posting|response)(?: (?:(?:in|to|inside) (?:an? |the |an existing |existing )?(?:threads?|"
    r"messages?|posts?)|there))?"
)
_UNLESS_REPLY = re.compile(
    rf"\b(?P<act>{_TO_POST} (?:in|to) {_CHANNELS}),? (?:unless {_REPLY}|except (?:for )?(?:in threads?|(?:as |for )?"
    r"replies(?: (?:in|to) (?:existing )?threads?)?|when replying(?: (?:in|to) (?:an? )?threads?)?|in existing "
    r"threads))(?P<end>[.!]?)$",
    re.IGNORECASE,
)
_IN_ORDER = re.compile(
    rf"\b{_TO_POST} (?P<how>outside(?: of)?|not in|in|inside|to) (?:(?:an?|any|the|existing) )*threads? (?:in|of|on) "
    rf"(?P<where>{_CHANNELS})(?=[.,;!]?$| (?:without|unless|only|but|and|is|are|needs?)\b)",
    re.IGNORECASE,
)
_READ = re.compile(rf"\b(?P<look>read|view|see|look at) (?P<where>{_CHANNELS})", re.IGNORECASE)
_ITS = re.compile(
    rf"(?P<first>[^;#]*(?P<where>{_CHANNELS})),? (?P<joint>and|but) (?P<only>(?:only )?)"
    r"(?:repl(?:y|ying)|respond(?:ing)?|answer(?:ing)?|post(?:ing)?|write|writing) (?:in|to|inside) "
    r"(?:its|their|the|existing|any|those) threads?(?P<end>[.!]?)",
    re.IGNORECASE,
)
_ONLY_REPLY = re.compile(
    rf"(?P<who>(?:you (?:may|can|must|should) )?)(?:only (?:repl(?:y|ies)|respond|answer)|(?:reply|answer|"
    r"respond) only)(?: (?:in|to|inside) "
    rf"(?:existing )?threads?)?(?P<where>(?: (?:in|of|on) {_CHANNELS})?)(?:, (?:never|do not|don['\u2019]t) "
    r"(?:start|open|create|begin|post) (?:an? |any )?(?:new )?(?:threads?|ones?|messages?|conversations?))?"
    r"(?P<end>[.!]?)",
    re.IGNORECASE,
)
_NEW = re.compile(
    r"(?P<not>(?:never|do not|don['\u2019]t) )(?:start|open|create|begin|post)(?: an?| any)?(?: new)? "
    rf"(?:threads?|conversations?|discussions?|topics?|(?<=new )(?:messages?|posts?))(?P<where>(?: (?:in|on) "
    rf"{_CHANNELS})?)"
    r"(?:[,;] (?:only|just) (?:reply|answer|respond)(?: (?:in|to) (?:existing )?(?:threads?|ones?|them))?|"
    r"[,;] (?:only )?repl(?:y|ies) (?:is|are|in threads is) (?:fine|ok|okay))?(?P<end>[.!]?)",
    re.IGNORECASE,
)
_PINGED = re.compile(
    r"\b(?P<verb>ping|notify|alert|disturb|bother|tag|mention)(?P<ing>(?:ing)?) (?:everyone|everybody|people|all|"
    r"the whole "
    r"(?:team|channel|workspace))(?: at once)? (?:with|using|by) (?P<who>@)",
    re.IGNORECASE,
)
_THERE = re.compile(
    rf"(?P<first>[^;]*?(?P<where>{_CHANNELS})[^;#]*?,? (?:but|and) (?:you )?(?:(?:may|must|can|should) )?"
    rf"(?:never|do not|don['\u2019]t|not|cannot|can['\u2019]t) (?:ever )?)(?P<verb>{_POST}|write|read)"
    r"(?P<what>(?: (?:any )?(?:messages?|anything|in|to))*) (?:there|in (?:it|them|either)|to (?:it|them))"
    r"(?P<end>[.!]?)",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"\b(?:if|when|unless|on|at|after|before|between|only|from|with|about|until|while|not|never)\b", re.IGNORECASE
)
_POSTING = word_set("add post send write")


def with_plain_threads(text: str, toolbox: Toolbox) -> str:
    """Return a sentence about threads and channels with the words of each clause in full. Quoted text stays."""
    posting = [one for one in toolbox.tools if one.head == "message" and one.verbs & _POSTING]
    if "`" in text or '"' in text or not posting or not all(map(_is_in_threads, posting)):
        return text
    if (found := _ITS.fullmatch(text)) and not _LIMITED.search(found["first"]):
        only = " only" if found["only"] else ""
        first = _READ.sub(lambda one: f"read messages in {one['where']}", found["first"])
        return f"{first} {found['joint']}{only} post messages in {found['where']} in a thread{found['end']}"
    if found := _ONLY_REPLY.fullmatch(text):
        start = f"{found['who']}only" if found["who"] else "Only"
        return f"{start} post messages{found['where']} in a thread{found['end']}"
    if found := _NEW.fullmatch(text):
        return f"{found['not']}post messages{found['where']} outside a thread{found['end']}"
    if found := _THERE.fullmatch(text):
        what = " messages" if found["verb"].lower() != "read" else " anything"
        return f"{found['first']}{_plain_verb(found['verb'])}{what} in {found['where']}{found['end']}"
    text = _PINGED.sub(lambda found: f"{in_case_of(found['verb'], 'us')}{found['ing'] or 'e'} {found['who']}", text)
    text = _UNLESS_REPLY.sub(_outside, text)
    return _IN_ORDER.sub(_ordered, text)


def _is_in_threads(one: KnownTool) -> bool:
    """Return whether a message that a tool posts may be a reply: an argument names the thread."""
    return "thread" in one.argument_words


def _outside(found: re.Match[str]) -> str:
    where = re.search(rf" (?:in|to) {_CHANNELS}$", found["act"], re.IGNORECASE)
    place = f" in {where[0].strip().split(' ', 1)[1]}" if where else ""
    return f"{_plain_verb(found['verb'])} messages{place} outside a thread{found['end']}"


def _ordered(found: re.Match[str]) -> str:
    out = "outside" if found["how"].lower() in {"outside", "outside of", "not in"} else "in"
    return f"{_plain_verb(found['verb'])} messages in {found['where']} {out} a thread"


def _plain_verb(verb: str) -> str:
    """Return "post" for "reply", and "posting" for "replying"."""
    return in_case_of(verb, "posting" if verb.lower().endswith("ing") else "read" if verb.lower() == "read" else "post")
