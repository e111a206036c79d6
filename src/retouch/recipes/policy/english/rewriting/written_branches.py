"""Replaces ways to say that something is written to a branch: "commit or push anything to main" is "push to main".

A host of repositories commits and pushes in one call. "Direct commits to main are forbidden" is "pushing to main is
forbidden". Only where a branch follows, and where tools change files on a branch that they name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.branch_tools import pushing_tools
from retouch.recipes.policy.english.words.lexicon import in_case_of

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_KIND = r"(?:releases?|features?|feat|hotfix|bugfix|fix)"  # "acme/api" is a repository
_BRANCH = rf"(?:main|master|trunk|develop|dev|production|prod|staging|release|gh-pages|{_KIND}/[\w./-]*\w)"
_ON = rf" (?:to|on|onto|into)(?= (?:the |our |my |your )?(?:branch )?{_BRANCH}(?![\w/-]))"
_NAMED = re.compile(
    rf"\b(?P<push>push(?:ing)? to (?:the )?)(?P<name>{_KIND}/[\w./-]*\w)(?! branch)",
    re.IGNORECASE,
)
_DIRECTLY = r"(?: (?:directly|straight|right))?"
_THINGS = (
    r"(?: (?:(?:any|your|the|new|some) )*(?:anything|something|code(?: changes)?|changes?|commits?|work|stuff))?"
    r"(?: at all)?"
)
# Who merges changes a branch, too, so that only direct changes are pushes.
_MADE = (
    r"(?:(?:any|new|your) )*(?:(?:direct )?(?:commits|pushes)|direct (?:changes|edits)|(?:changes|edits) "
    r"(?=directly|straight))"
)
_DONE = (
    rf"\b(?:(?:(?:commit|push|write)(?: directly)?(?: (?:and|or|nor) )){{0,2}}(?:commit|push|write){_THINGS}|"
    rf"make {_MADE}|(?:put|save|land|ship) (?:anything|code) (?=directly|straight)){_DIRECTLY}{_ON}"
)
_DOING = (
    r"\b(?:(?:(?:committing|pushing|writing)(?: directly)?(?: (?:and|or|nor) )){0,2}(?:committing|pushing|writing)"
    rf"{_THINGS}|making {_MADE}|(?:direct )?(?:committing|pushing|writing)){_DIRECTLY}{_ON}"
)
_BASE = re.compile(_DONE, re.IGNORECASE)
_ING = re.compile(_DOING, re.IGNORECASE)
_NOUN = re.compile(
    r"\b(?:(?:direct |any |any direct )?(?:(?:pushes|commits)(?: (?:and|or) )?){1,2}|(?:any )?direct changes)"
    rf"{_DIRECTLY}{_ON}(?P<on> [^,;.]*?)"
    r"(?:(?P<be> are)(?= (?:not |never |strictly |always )?(?:allowed|permitted|forbidden|prohibited|off[- ]limits|"
    r"okay|ok|fine|banned))|(?P<verb> (?:need|require))(?= )|(?=[,;.!]|$| without\b| unless\b))",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"^(?:nothing|no (?:code|changes?|commits?)) (?:may|must|should|can|shall|gets|is)(?: ever)?(?: to)?(?: be)? "
    rf"(?:(?:committed|pushed|written)(?: (?:and|or) )?){{1,2}}{_DIRECTLY}{_ON}",
    re.IGNORECASE,
)


def with_pushes(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "push" for all that changes files on a branch. One with quoted text stays as it is."""
    if "`" in text or '"' in text or not pushing_tools(toolbox.tools):
        return text
    text = _PASSIVE.sub(lambda found: in_case_of(found[0], "never push to"), text)
    text = _ING.sub(lambda found: in_case_of(found[0], "pushing to"), text)
    text = _BASE.sub(lambda found: in_case_of(found[0], "push to"), text)
    text = _NOUN.sub(_pushing, text)
    return _NAMED.sub(lambda found: f"{found['push']}branch {found['name']}", text)


def _pushing(found: re.Match[str]) -> str:
    be, verb = found["be"], found["verb"]
    return f"{in_case_of(found[0], 'pushing to')}{found['on']}{' is' if be else f'{verb}s' if verb else ''}"
