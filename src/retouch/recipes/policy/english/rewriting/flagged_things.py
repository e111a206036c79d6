"""Replaces what new things must be by what is made: "new repositories must never be public" makes no public one.

"You may open pull requests as long as they are drafts" is leave to open them as drafts, and "all new repositories must
be private" forbids public ones. Only words of an argument that is true or false are known, of a tool that makes things.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.flag_words import opposites
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import singular

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_THING = r"(?P<thing>[a-z]+(?: [a-z]+)?)"
_NEW = rf"(?:any |all |every |each |the |an? )?new {_THING}"
_WORD = r"(?P<article>an? )?(?P<word>[a-z-]+)"
_ASK = (
    r"(?:please )?(?:always )?(?:ask|check with|consult) (?:me )?(?:first )?|"
    r"(?:please )?(?:get|ask for) my (?:okay|ok|approval|permission) (?:first )?"
)
_NEVER_SO = re.compile(
    rf"{_NEW} (?:must|should|may|can|shall) (?:never|not)(?: ever)? be {_WORD}(?P<end>[.!]?)", re.IGNORECASE
)
_ALWAYS_SO = re.compile(rf"{_NEW} (?:must|should|have to|has to) (?:always )?be {_WORD}(?P<end>[.!]?)", re.IGNORECASE)
_ASKED_IF = re.compile(
    rf"(?P<ask>{_ASK})(?:if|when|whenever) {_NEW} (?:is|are) (?:going to be|to be) {_WORD}(?P<end>[.!]?)",
    re.IGNORECASE,
)
_AS_LONG_AS = re.compile(
    r"(?P<first>(?:you|the agent|the assistant) (?:may|can) (?:create|open|make) (?:any |new )?"
    rf"{_THING}(?: in [^,;]+?)?),? (?:as long as|so long as|provided(?: that)?|but only if|only if|if) "
    rf"(?:they are|it is) {_WORD}(?P<end>[.!]?)",
    re.IGNORECASE,
)


def with_flagged_things(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "never create public repositories" for "new repositories must never be public"."""
    plain = text.strip()
    if found := _NEVER_SO.fullmatch(plain):
        return _made(found, "Never create", found["word"], toolbox) or text
    if found := _ALWAYS_SO.fullmatch(plain):
        other = _opposite(found, toolbox)
        return (other and _made(found, "Never create", other, toolbox)) or text
    if found := _ASKED_IF.fullmatch(plain):
        return _made(found, "Ask me before you create", found["word"], toolbox) or text
    found = _AS_LONG_AS.fullmatch(plain)
    if found is None or not any(_is_flag(one, found) for one in _makers(found, toolbox)):
        return text
    if found["article"] or found["word"].lower().endswith("s"):
        return f"{found['first']} as {found['article'] or ''}{found['word']}{found['end']}"
    first = re.sub(rf"\b{found['thing']}\b", f"{found['word']} {found['thing']}", found["first"], count=1)
    return f"{first}{found['end']}"


def _made(found: re.Match[str], opening: str, word: str, toolbox: Toolbox) -> str:
    """Return the sentence about making such things. "" if no tool that makes them has such a flag."""
    makers = _makers(found, toolbox)
    if not makers or not all(_says(one, word) for one in makers):
        return ""
    thing = found["thing"].lower()
    many = thing if thing.endswith("s") else f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
    return f"{opening} {word.lower()} {many}{found['end']}"


def _opposite(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return the only word for things that are not what a sentence says. "" if there is none, or several."""
    word = found["word"].lower()
    others = {
        other
        for one in _makers(found, toolbox)
        if _says(one, word)
        for other, arg in (*opposites(one).items(), *one.flags.items())
        if other != word and arg in {one.flags.get(word), opposites(one).get(word)}
    }
    return others.pop() if len(others) == 1 else ""


def _makers(found: re.Match[str], toolbox: Toolbox) -> list[KnownTool]:
    """Return the tools that make the things of a sentence."""
    nouns = [singular(word) for word in found["thing"].lower().split()]
    return [one for one in toolbox.tools if one.head == nouns[-1] and one.verbs <= lexicon.CREATING]


def _says(one: KnownTool, word: str) -> bool:
    return word.lower() in {*one.flags, *opposites(one)}


def _is_flag(one: KnownTool, found: re.Match[str]) -> bool:
    word = found["word"].lower()
    return _says(one, word) or singular(word) in one.flags
