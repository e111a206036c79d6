"""Replaces ways to say that an agent may look at everything and change nothing: "you only have read access".

"You may look but not touch", "only reading is allowed" and "you can read my files, but never write them" are "you can
look at everything, but don't change anything". Files are everything only where all that changes something takes paths.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

ALL_READ = "You can look at everything, but don't change anything"
_YOU = r"(?:(?:you|(?:the|this|my) (?:agent|assistant|bot)) (?:can|may|should|must|are allowed to) )"
_NOT = r"(?:never|not|do not|don['\u2019]t|nothing to|you (?:must|may|can|should) (?:not|never)|cannot|can['\u2019]t)"
_CHANGE = r"(?:write|change|modify|touch|alter)"
_DEED = r"(?:write|change|modify|touch|alter|edit|update|delete|remove|create|move|rename|overwrite|add)"
_DEEDS = rf"(?:{_DEED}(?:,| or|, or| and) )*(?:{_DEED})(?: to)?"
_ANY = r"(?: (?:anything|any|any of (?:it|them|those)|them|it|files|any files|stuff|things))?"
_BUT = rf"(?:,|;|,? but|,? and) (?:{_NOT} )(?=[a-z, ]*\b{_CHANGE}\b){_DEEDS}{_ANY}"
_ALL = r"(?:everything|anything|all of it|things|stuff|data|(?:all )?(?:my|the|our) (?:data|stuff|things))"
_SEVERAL_FILES = r"(?:(?:any |all |my |the |all my |all the )?files(?: and (?:folders|directories))?)"
_FREELY = r"(?: (?:as you (?:like|want|please|need)|freely|all you (?:like|want)|if you (?:like|want)))?"
_READ = r"(?:read|look(?: at)?|view|see)"
_ACCESS = r"(?:access|rights|permissions?)(?: only)?(?: (?:to|for) {what})?"
_ONLY_READ = (
    rf"{_YOU}?(?:only |just )?{_READ}{_FREELY}{_BUT}",
    rf"{_YOU}?only (?:ever )?{_READ}(?: {{what}})?(?:{_BUT})?",
    rf"{_YOU}?(?:only |just )?{_READ} {{what}}{_FREELY}{_BUT}",
    r"(?:only reading|reading only|looking only|only looking)(?: (?:is|are) (?:allowed|permitted|ok|okay|fine))?",
    rf"(?:you )?(?:only (?:have|get)|(?:have|get) only) (?:read|viewing|reading)(?:[- ]only)? {_ACCESS}",
    rf"(?:you (?:have|get) )?read(?:[- ]only| and view) {_ACCESS}",
    rf"(?:you (?:have|get) )?read {_ACCESS.replace('(?: only)?', ' only')}",
    r"(?:strictly )?read[- ]only",
    rf"{_NOT} {_CHANGE} {{what}}[,;:] (?:just|only|you may only) (?:read|look|look at it|read it)",
)
_READING = tuple(
    re.compile(rf"(?:please )?(?:{one.replace('{what}', _ALL)})(?:,? please)?(?P<end>[.!]*)", re.IGNORECASE)
    for one in _ONLY_READ
)
_READING_FILES = tuple(
    re.compile(rf"(?:please )?(?:{one.replace('{what}', _SEVERAL_FILES)})(?:,? please)?(?P<end>[.!]*)", re.IGNORECASE)
    for one in _ONLY_READ
)


def with_looking_only(text: str, toolbox: Toolbox) -> str:
    """Return "you can look at everything, but don't change anything" for a sentence that says just that."""
    patterns = (*_READING, *(_READING_FILES if has_only_files(toolbox) else ()))
    found = next((match for one in patterns if (match := one.fullmatch(text.strip()))), None)
    return text if found is None else f"{ALL_READ}{found['end'] or '.'}"


def has_only_files(toolbox: Toolbox) -> bool:
    """Return whether all tools that change something take paths, so that files are all that can be changed."""
    changing = [one for one in toolbox.tools if not (one.reads or one.computes)]
    return bool(changing) and all(one.paths and not one.code for one in changing)
