"""Writes sentences that call tools by their names as exact sentences: "never use WebFetch", "only use Read and Grep".

A name counts if it is written exactly like that of a tool, and cannot be another word: it has a capital letter or an
underscore, or "tool" is beside it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_NAMES = (
    r"(?:the )?(?P<tool>tools? )?(?P<names>[\w-]+(?:(?:, and |, or |, | and | or )(?:the )?[\w-]+)*)(?P<tools> tools?)?"
    r"(?: of (?P<server>[\w-]+))?"
)
_NEVER = (
    r"(?:never|do not|don['\u2019]t|you (?:must|may|can|should) (?:not|never)|you cannot|you (?:mustn|can)['\u2019]t)"
)
_BEFORE = r"(?:always )?(?:ask|check with) (?:me )?before (?:you use|you call|using|calling)"
_FORMS: Sequence[tuple[str, re.Pattern[str]]] = tuple(
    (form, re.compile(rf"(?:please )?{pattern}(?P<end>[.!]?)", re.IGNORECASE))
    for form, pattern in (
        ("Never use the {}", rf"{_NEVER} (?:use|call|run) {_NAMES}"),
        ("Never use the {}", rf"{_NAMES} (?:is|are) (?:strictly )?(?:off[- ]limits|forbidden|not allowed)"),
        ("Ask before using the {}", rf"{_BEFORE} {_NAMES}"),
        ("Ask before using the {}", rf"{_NAMES} needs? my (?:approval|okay|ok|permission|consent)"),
        ("Allow using the {}", rf"you (?:may|can) (?:use|call) {_NAMES}"),
    )
)
_ONLY = re.compile(rf"(?:you (?:may|can) )?only use {_NAMES}(?P<end>[.!]?)", re.IGNORECASE)
_JOINT = re.compile(r"(?:, and |, or |, | and | or )(?:the )?")


def with_named_tools(text: str, toolbox: Toolbox) -> str:
    """Return "Never use the tool WebFetch of code." for "Never use WebFetch.". Other sentences stay as they are."""
    if (only := _ONLY.fullmatch(text)) is not None and (names := _named(only, toolbox)):
        return f"Only use the {_listed(names)} tool{'s' if len(names) > 1 else ''}{only['end']}"
    for form, pattern in _FORMS:
        found = pattern.fullmatch(text)
        names = () if found is None else _named(found, toolbox)
        servers = {one.tool.server for one in toolbox.tools if one.tool.name in names}
        if found is not None and names and len(servers) == 1:
            what = f"tool{'s' if len(names) > 1 else ''} {_listed(names)} of {servers.pop()}"
            return f"{form.format(what)}{found['end'] or '.'}"
    return text


def may_name_tools(text: str) -> bool:
    """Return whether a sentence is about the use of what is written like tools, here or of another server."""
    patterns = (_ONLY, *(pattern for _, pattern in _FORMS))
    found = next((one for pattern in patterns if (one := pattern.fullmatch(text))), None)
    names = () if found is None else _JOINT.split(found["names"])
    return bool(names) and all(one.lower() != one or "_" in one for one in names)


def _named(found: re.Match[str], toolbox: Toolbox) -> tuple[str, ...]:
    """Return the tools that a sentence names, or () if one of the names may be another word."""
    names = tuple(_JOINT.split(found["names"]))
    known = {one.tool.name for one in toolbox.tools}
    said = (found["tool"] or found["tools"] or "").strip()
    if said and said.endswith("s") is not (len(names) > 1):
        return ()  # "search tools" are all that search
    if found["server"] and found["server"] not in {one.tool.server for one in toolbox.tools}:
        return ()
    sure = all(one in known and (said or one.lower() != one or "_" in one) for one in names)
    return names if sure else ()


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
