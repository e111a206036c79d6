"""Replaces ways to say what is read-only, off limits, or the only thing: "treat X as read-only" is "X is read-only".

A repository may be named without its noun, as in "acme/api is read-only" and "stay out of acme/api".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.on_files import FILES
from retouch.recipes.policy.english.tools.project_paths import takes_projects
from retouch.recipes.policy.english.words.lexicon import singular

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_AGENT = r"(?:you|(?:the|this|my) (?:agent|assistant|bot))"
_READ_ONLY = r"read[- ]?only"
# "Read-only for you", "read-only access only"
_FOR_YOU = re.compile(rf"\b(?P<be>is|are) (?P<what>{_READ_ONLY}) (?:for|to) {_AGENT}(?=[.,;!]|$)", re.IGNORECASE)
_TREATED = re.compile(
    rf"^(?:please )?(?:always )?(?:treat|consider|keep|leave|regard) (?P<what>[^,;]+?) (?:as )?{_READ_ONLY}"
    r"(?P<end>[.!]?)$",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\b(?:(?:must|should|shall|has to|have to|needs to|need to|is to|are to) (?:always )?)?"
    rf"(?:stays?|remains?|be (?:treated as|kept|considered|seen as)|be|counts? as) {_READ_ONLY}(?=[.,;!]|$)",
    re.IGNORECASE,
)
_FOLDERS = (  # of a repository: "docs/internal" is a folder
    r"(?!(?:docs?|src|lib|libs|tests?|apps?|config|conf|scripts?|build|dist|public|static|assets|packages|infra|examples?|"
    r"data|internal|vendor|bin|tools|migrations|content|images|templates|deploy|terraform|k8s|charts|node_modules)/)"
)
_NAME = _FOLDERS + r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9](?:[\w.-]*\w)?"
_REPO = rf"(?P<repo>{_NAME})"
_NOUN = r"(?: (?:repo|repository|project))?"
_IS = r"(?= (?:is|are|must|may|can|should|stays?|remains?|needs?|has)\b)"
_SUBJECT = re.compile(rf"^(?:(?:the )?(?:repo|repository|project) )?{_REPO}{_NOUN}{_IS}", re.IGNORECASE)
_LEAVING = re.compile(
    rf"^(?P<please>please )?(?:stay (?:out|away) (?:of|from)|keep (?:out of|away from|your hands off)|"
    rf"hands off(?: of)?|steer clear of) (?:the )?(?:repo |repository |project )?{_REPO}{_NOUN}(?P<end>[.!]?)$",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf"^(?:please )?(?:leave (?:the )?(?:repo |repository |project )?{_REPO}{_NOUN} alone|"
    rf"(?:do not|don['\u2019]t|never) touch (?:the )?(?:repo |repository |project )?(?P<other>{_NAME}){_NOUN})"
    r"(?P<end>[.!]?)$",
    re.IGNORECASE,
)
_ONLY = re.compile(
    rf"^(?:please )?(?:only (?:use|touch|work (?:in|on|with|inside))|use only|(?:you may|you can) only "
    rf"(?:use|touch|work (?:in|on|with))) (?:the )?(?:repo |repository |project )?{_REPO}{_NOUN}(?P<end>[.!]?)$",
    re.IGNORECASE,
)


_TOUCHED = re.compile(
    r"^(?:please )?(?:do not|don['\u2019]t|never|you (?:must|may|should) (?:not|never)) (?:ever )?touch "
    r"(?:(?:any|my|the|our|any of my) )?(?P<what>[a-z]+(?: [a-z]+)?)(?P<end>[.!]?)$",
    re.IGNORECASE,
)
_ACCESS = re.compile(
    rf"^(?:(?:you have|you get|you only have|give yourself|only) )?{_READ_ONLY} access (?:only )?(?:to|for) "
    r"(?P<what>[^,;.]+?)(?: only)?(?P<end>[.!]?)$",
    re.IGNORECASE,
)


_CHANGE_NOTHING = re.compile(
    r"\b(?P<all>everything|anything),? (?:but|and) (?:change|modify|edit|write) nothing(?P<end>[.!]?)$", re.IGNORECASE
)


def with_plain_access(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "X is read-only" for "treat X as read-only". One with quoted text stays as it is."""
    if "`" in text or '"' in text:
        return text
    text = _FOR_YOU.sub(lambda found: f"{found['be']} read-only", text.strip())
    text = _TREATED.sub(_is_read_only, text)
    text = _STAYS.sub("is read-only", text)
    text = _CHANGE_NOTHING.sub(lambda found: f"{found['all']}, but don't change anything{found['end']}", text)
    text = _ACCESS.sub(_with_access, text)
    text = _TOUCHED.sub(lambda found: _off_limits(found, toolbox), text)
    if any("github-owner" in one.roles for one in toolbox.tools):
        return _with_repositories(text, "repository")
    projects = any(takes_projects(one) for one in toolbox.tools)
    return _with_repositories(text, "project") if projects else text


def _with_access(found: re.Match[str]) -> str:
    """Return "acme/api is read-only", or "you may only read X" for what has no name of a repository."""
    whole = re.fullmatch(rf"(?:the )?{_NAME}(?: (?:repo|repository|project))?", found["what"], re.IGNORECASE)
    if whole is None or "only" in found[0].lower().replace("read-only", "").replace("read only", ""):
        return f"You may only read {found['what']}{found['end']}"
    return f"{found['what']} is read-only{found['end']}"


def _is_read_only(found: re.Match[str]) -> str:
    what = re.sub(r"^(?:the|my|our|all|any|everything|anything)\b", lambda word: word[0].capitalize(), found["what"])
    return f"{what} is read-only{found['end']}"


def _off_limits(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "filters are off limits" for "never touch filters", if the tools act on such things."""
    what = found["what"]
    noun = singular(what.split()[-1])
    things = {one.head for one in toolbox.tools} - FILES
    many = noun in things - {"label"} and what.endswith("s")
    return f"{what[0].upper()}{what[1:]} are off limits{found['end']}" if many else found[0]


def _with_repositories(text: str, noun: str) -> str:
    """Return a sentence with "the acme/api repository" for a repository that is named alone."""
    text = _SUBJECT.sub(lambda found: f"The {found['repo']} {noun}", text)
    for pattern in (_LEAVING, _ALONE):
        text = pattern.sub(
            lambda found: f"Stay out of the {found['repo'] or found.groupdict().get('other')} {noun}{found['end']}",
            text,
        )
    return _ONLY.sub(lambda found: f"Only work in the {found['repo']} {noun}{found['end']}", text)
