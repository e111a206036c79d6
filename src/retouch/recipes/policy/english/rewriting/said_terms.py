"""Writes what people call things as the tools call them: tickets of a tracker, a channel by its id, "on my laptop".

Each replacement is made only where the tools leave no other meaning: "tickets" are issues if no tool has tickets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_TICKET = re.compile(r"\b(?P<first>[Tt])icket(?P<many>s?)\b(?!-)")
_CHANNEL_ID = re.compile(r"\b(?P<in>in|to|into|from|out of) (?P<id>[CG][0-9A-Z]{8,12})(?![\w-])")
_YES = re.compile(r"\ba (?:yes|go|nod|thumbs[- ]up) from me(?: first| beforehand)?")
_TOUCH = re.compile(
    r"(?P<never>[Nn]ever|[Dd]o not|[Dd]on['\u2019]t) (?:ever )?touch (?=(?:(?:any|the|my) )?\.[a-z][\w.]* files?\b)"
)
_OFF_LIMITS = re.compile(
    r"(?:(?:(?:my|the|all|any) )*(?P<first>\.[a-z][\w.]* files) are (?:strictly )?off[- ]limits|"
    r"(?:stay|keep) (?:out of|away from) (?:(?:my|the|all|any) )*(?P<second>\.[a-z][\w.]* files))"
    r"(?:,? (?:both )?(?:for )?reading (?:and|or) (?:for )?writing)?(?P<end>[.!]?)",
    re.IGNORECASE,
)
_POST_IN = re.compile(r"\b(?P<post>[Pp]ost|[Ww]rite|[Pp]osting|[Ww]riting)(?= (?:in|to|into) the channel\b)")
_ON_MACHINE = re.compile(
    r" on (?:my|this|the|our) (?:laptop|computer|machine|pc|mac|macbook|box|workstation)(?=[.,;!]|$)", re.IGNORECASE
)
_SHELLS = word_set("bash shell terminal zsh powershell")
_STRICT = re.compile(r"(?:please )?(?:never|no|don['\u2019]t|do not|(?:always )?ask)\b", re.IGNORECASE)
_MY_NAMED = re.compile(r"\b(?:my|our) (?=\.[a-z][\w.]* files?\b)")
_NEW_PACKAGES = re.compile(
    r"^new (?P<what>(?:[a-z]+ )?(?:packages|dependencies|libraries)) (?P<need>need|require)\b", re.IGNORECASE
)


def with_said_terms(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with the words of the tools for what they know by another word."""
    if "`" in text or '"' in text:
        return text
    for replaced in (_tickets, _channels, _on_machine, _packages, _touched):
        text = replaced(text, toolbox)
    return text


def _tickets(text: str, toolbox: Toolbox) -> str:
    known = {noun for one in toolbox.tools for noun in one.subjects}
    if "issue" not in known or "ticket" in known:
        return text
    return _TICKET.sub(lambda found: f"{'I' if found['first'] == 'T' else 'i'}ssue{found['many']}", text)


def _channels(text: str, toolbox: Toolbox) -> str:
    args = {arg for one in toolbox.tools for arg in one.tool.args if singular(split_name(arg)[0]) == "channel"}
    if not args or _CHANNEL_ID.search(text) is None:
        return text
    text = _CHANNEL_ID.sub(lambda found: f"{found['in']} the channel {found['id']}", text)
    return _POST_IN.sub(lambda found: f"{found['post']} messages", text)


def _on_machine(text: str, toolbox: Toolbox) -> str:
    """Return a sentence about files or, if it restricts, commands of a shell without the machine that they are on."""
    shell = any(one.code and not _SHELLS.isdisjoint(one.words) for one in toolbox.tools)
    if shell and _STRICT.match(text):
        text = _ON_MACHINE.sub("", text)
    return _MY_NAMED.sub("", text) if any(one.code or one.paths for one in toolbox.tools) else text


def _packages(text: str, toolbox: Toolbox) -> str:
    found = _NEW_PACKAGES.match(text) if any(one.code for one in toolbox.tools) else None
    if found is None:
        return text
    rest = _YES.sub("my approval", text[found.end() :])
    return f"Installing {found['what']} {found['need']}s{rest}"


def _touched(text: str, toolbox: Toolbox) -> str:
    """Return "never read or change .env files" for "never touch" them, if no tool deletes or moves files."""
    if any("delete-path" in one.roles for one in toolbox.tools):
        return text
    if found := _OFF_LIMITS.fullmatch(text):
        return f"Never read or change {found['first'] or found['second']}{found['end']}"
    return _TOUCH.sub(lambda found: f"{found['never']} read or change ", text)
