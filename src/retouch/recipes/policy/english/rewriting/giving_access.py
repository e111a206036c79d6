"""Replaces giving somebody access by what the tools do: they share files or pages with a person, at a level.

"Giving access to people outside acme.example" is sharing files with them, "nobody gets edit access" is never to share
with the level `edit`, and who hands over the ownership of a file shares it with the role `owner`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import in_case_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_ANYONE = r"(?:anyone|anybody|someone|somebody)"
_PERSON = (
    r"(?=(?:(?:an?|any|the|our|my|all|other) )*(?:someone|somebody|anyone|anybody|people|persons?|outsiders|customers?|"
    r"clients?|guests?|users?|colleagues?|[\w.+-]+@[\w-]+\.)\b)"
)
_ACCESS = r"(?:access|permissions?|rights)"
_ACCESS_TO = re.compile(rf"\b(?P<give>[Gg]ive|[Gg]iving|[Gg]rant|[Gg]ranting) access to {_PERSON}")
_NOBODY_GETS = re.compile(
    rf"^(?:nobody|no one|no-one) (?:gets|(?:may|can|must|should) (?:get|have|be given|be granted)|is given|is granted) "
    rf"(?P<level>[a-z-]+) {_ACCESS}(?: (?:through|via|from) (?:you|(?:the|this|my|our) (?:agent|assistant|bot)))?"
    r"(?=[.!]?$)",
    re.IGNORECASE,
)
_GIVE_LEVEL = re.compile(
    r"\b(?P<give>[Gg]ive|[Gg]iving|[Gg]rant|[Gg]ranting) (?:anyone|anybody|someone|somebody|people) "
    rf"(?P<level>[a-z-]+) {_ACCESS}(?=[.!]?$|[,;]| (?:without|unless|needs|is|requires)\b)"
)
_OWNERSHIP = re.compile(
    r"\b(?P<give>[Hh]and|[Hh]anding|[Gg]ive|[Gg]iving|[Pp]ass|[Pp]assing|[Tt]ransfer|[Tt]ransferring|[Ss]ign|[Ss]igning)"
    r"(?: over| away| on)? (?:the )?ownership(?: of (?:an?|any|the|my|our)? ?(?P<noun>[a-z]+))?"
    rf"(?: to {_ANYONE}(?: else)?)?(?=[.!]?$|[,;]| (?:without|unless|needs|is|requires)\b)"
)
_SHARING = frozenset({"share"})
_OPENING = frozenset({"link", "public", "publish", "access", "permission", "permissions", "sharing", "visibility"})
_CLOSING = frozenset({"remove", "revoke", "delete"})


def with_shared_things(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "sharing files with" for "giving access to", if one kind of tool shares here.

    It stays as it is if a tool says itself that it gives access, or what an owner is.
    """
    verbs = {verb for one in toolbox.tools for verb in one.verbs}
    if "`" in text or '"' in text or not verbs.isdisjoint({"give", "grant", "transfer"}):
        return text
    sharing = [one for one in toolbox.tools if one.verbs == _SHARING and one.head and "email-address" in one.roles]
    if len(sharing) != 1 or "ownership" in {word for one in toolbox.tools for word in one.words}:
        return text
    (one,) = sharing
    if not any(_opens(other) for other in toolbox.tools if other.key != one.key):
        text = _ACCESS_TO.sub(lambda found: f"{_share(found)} {one.head}s with ", text)
    text = _NOBODY_GETS.sub(_levelled(one, lambda _: "Never share"), text)
    text = _GIVE_LEVEL.sub(_levelled(one, _share), text)
    return _OWNERSHIP.sub(lambda found: _owned(found, one), text)


def _opens(one: KnownTool) -> bool:
    """Return whether a tool gives access to people whom it does not name, as with a link."""
    return not one.reads and one.verbs.isdisjoint(_CLOSING) and not _OPENING.isdisjoint(one.words)


def _share(found: re.Match[str]) -> str:
    share = "sharing" if found["give"].lower().endswith("ing") else "share"
    return in_case_of(found["give"], share)


def _levelled(one: KnownTool, share: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
    """Return what replaces a level: "share pages with edit access", if the tool lists this level."""

    def replaced(found: re.Match[str]) -> str:
        listed = {value.lower() for values in one.listed.values() for value in values}
        return f"{share(found)} {one.head}s with {found['level']} access" if found["level"] in listed else found[0]

    return replaced


def _owned(found: re.Match[str], one: KnownTool) -> str:
    """Return "share a file with the role owner", if the tool lists an owner, and nothing else is meant."""
    args = [arg for arg, values in one.listed.items() if "owner" in {value.lower() for value in values}]
    if len(args) != 1 or (found["noun"] and found["noun"].removesuffix("s") != one.head):
        return found[0]
    return f"{_share(found)} {one.head}s with the {' '.join(split_name(args[0]))} owner"
