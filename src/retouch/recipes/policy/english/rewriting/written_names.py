"""Replaces ways to name owners, calendars and databases: "every repository of the acme organisation"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument
from retouch.recipes.policy.english.tools.project_paths import owner_limit

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_ORG = r"(?:organi[sz]ation|org|group|account|user|namespace)"
_OWNER = r"(?P<owner>(?!(?:same|other|whole|right|new|own)\b)[A-Za-z0-9][\w-]*)"
_OWNED = re.compile(
    r"\b(?P<in>(?:in|of|to|from|on|for) )?(?:any|every|each|all|the|all the|all of the) "
    r"(?:repositor(?:y|ies)|repos?|projects?) (?:of|in|under|owned by|belonging to|that belongs? to) (?:the )?"
    rf"{_OWNER} {_ORG}\b"
)
# "'primary' for the main calendar"
_CALLED = re.compile(
    r"['\"`](?P<code>[\w-]+)['\"`] (?:for|is|means|=) (?:the |a |your )?(?P<word>main|default|primary|own|personal)\b"
)
_RESTRICTS = re.compile(
    r"\b(?:never|not|no|nothing|forbidden|prohibited|ask|before|unless|except|approval)\b|n['\u2019]t"
)
_AGAINST = re.compile(
    r"\bagainst (?=(?:(?:the|any|every|all|our|my) )?(?:[\w-]+ )?(?:databases?|schemas?|tables?|db)\b)"
)


def with_plain_owners(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "repositories of acme" for "every repository of the acme organisation"."""
    if "`" in text or '"' in text:
        return text
    paths = any(owner_limit(one, ("x",), exact=True) for one in toolbox.tools)
    if paths or any("github-owner" in one.roles for one in toolbox.tools):
        text = _OWNED.sub(lambda found: f"{found['in'] or ''}repositories of {found['owner']}", text)
    return _AGAINST.sub("on ", _with_codes(text, toolbox))


def _with_codes(text: str, toolbox: Toolbox) -> str:
    """Return a permission with the calendar `primary` for "my main calendar", if a description calls it so.

    It may be called otherwise as well, so what restricts is not replaced.
    """
    if _RESTRICTS.search(text.lower()):
        return text
    for one in toolbox.tools:
        for arg in one.tool.args:
            found = _CALLED.search(one.described(arg))
            for noun in nouns_of_argument(one, arg) if found is not None else ():
                text = _named(text, found, noun)
    return text


def _named(text: str, found: re.Match[str] | None, noun: str) -> str:
    """Return a sentence with the "primary" calendar for "my main calendar"."""
    if found is None:
        return text
    return re.sub(rf"\b(?:[Mm]y|[Tt]he|[Oo]ur) {found['word']} {noun}\b", f'the "{found["code"]}" {noun}', text)
