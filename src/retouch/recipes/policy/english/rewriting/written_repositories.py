"""Replaces what is done to whole repositories by what is done to anything in them: "read acme/api", "stay out of acme".

Who reads a repository reads its files, issues and pull requests, and who stays out of the repositories of acme does
nothing there. Only where the tools name repositories.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.project_paths import takes_projects

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_ORG = re.compile(
    r"^(?:everything in |anything in )?the (?P<owner>[A-Za-z0-9][\w-]*) (?:organi[sz]ation|org|group|namespace)"
    r"(?= (?:is|are|stays?|remains?)\b)",
    re.IGNORECASE,
)
_NAME = r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9](?:[\w.-]*\w)?"
_ALL = (
    r"(?:(?:any|all|every|the|all the|any of the|everything in) )?(?P<many>repositor(?:y|ies)|repos?|projects?) "
    r"(?:of|in|under|from|owned by) (?P<owner>[A-Za-z0-9][\w-]*)"
)
_ONE = rf"(?:the )?(?:repo |repository |project )?(?P<one>{_NAME})(?P<noun> (?:repo(?:sitory)?|project))?"
_WHICH = rf"(?:{_ALL}|{_ONE})"
_END = r"(?=[.!]?$|[,;]| (?:but|and|unless|without|only|as)\b)"
_READING = re.compile(rf"\b(?P<verb>read|look at|view|browse|see|inspect) {_WHICH}{_END}", re.IGNORECASE)
_CHANGING = re.compile(rf"\b(?P<verb>change|modify|edit|alter|touch) {_WHICH}{_END}", re.IGNORECASE)
_LEAVING = re.compile(
    r"^(?:please )?(?:(?:stay|keep) (?:out of|away from)|hands off(?: of)?|steer clear of|"
    rf"(?:do not|don['\u2019]t|never) (?:ever )?(?:touch|use|go near)) (?:anything in |everything in )?{_ALL}"
    r"(?P<end>[.!]?)$",
    re.IGNORECASE,
)
_ALONE = re.compile(rf"^(?:please )?leave {_ALL} alone(?P<end>[.!]?)$", re.IGNORECASE)
_OFF_LIMITS = re.compile(
    rf"^(?:everything in |anything in )?{_ALL} (?:is|are) (?:strictly |completely )?"
    r"(?:off[- ]limits|taboo|out of bounds)(?P<end>[.!]?)$",
    re.IGNORECASE,
)
_READ_ONLY = re.compile(
    rf"^(?:everything in |anything in )?{_ALL} (?:is|are) (?:strictly )?read[- ]only(?P<end>[.!]?)$", re.IGNORECASE
)

_REPOSITORIES = re.compile(
    rf"\b(?P<many>repositories|repos) (?=of )|(?P<one>{_NAME}) (?:repository|repo)\b", re.IGNORECASE
)


def with_held_things(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "read anything in acme/api" for "read acme/api". One with quoted text stays as it is."""
    owners = any({"github-owner", "github-repo"} <= one.roles for one in toolbox.tools)
    if "`" in text or '"' in text or not (owners or any(map(takes_projects, toolbox.tools))):
        return text
    text = text if owners else _REPOSITORIES.sub(_as_projects, text)
    many = "repositories" if owners else "projects"
    text = _ORG.sub(lambda found: f"All {many} of {found['owner']}", text)
    for pattern in (_LEAVING, _ALONE, _OFF_LIMITS):
        text = pattern.sub(
            lambda found: f"Never use anything in {_many(found)} of {found['owner']}{found['end']}", text
        )
    text = _READ_ONLY.sub(
        lambda found: f"Never change anything in {_many(found)} of {found['owner']}{found['end']}", text
    )
    return _CHANGING.sub(_in_them, _READING.sub(_in_them, text))


def _in_them(found: re.Match[str]) -> str:
    if found["owner"]:
        return f"{found['verb']} anything in {_many(found)} of {found['owner']}"
    noun = found["noun"] or ""
    return f"{found['verb']} anything in {'the ' if noun else ''}{found['one']}{noun}"


def _many(found: re.Match[str]) -> str:
    return "projects" if found["many"].lower().startswith("project") else "repositories"


def _as_projects(found: re.Match[str]) -> str:
    """Return "project" for a repository, where the tools name projects."""
    return f"{found['one']} project" if found["one"] else "projects "
