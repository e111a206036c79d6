"""Replaces folders that people name without a path: "my Downloads folder" is ~/Downloads.

Only the folders that every home directory has, and those inside them, are known: "the Taxes folder inside Documents" is
~/Documents/Taxes, but nobody knows where "the Taxes folder" is. Where the tools take paths of another place, such as a
drive, a folder is known if a description shows it: "the Clients folder" for "e.g. /Clients/Acme/offer.docx".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.rewriting.written_folders import (
    WITH_PATH,
    with_described_folders,
    with_held_things,
    with_parts_of_folders,
    without_parts,
)
from retouch.recipes.policy.english.tools.known_tools import split_name, takes_paths
from retouch.recipes.policy.english.words.lexicon import word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_STANDARD = "Desktop|Documents|Downloads|Music|Pictures|Videos"
_FOLDER = r"(?:folder|directory)"
_IN = r"(?:in|inside|within|under|below|of)"
_NAME = r"(?:[A-Z][\w-]*|[a-z][\w-]+)"
_OWN = r"(?:[Mm]y |[Tt]he |[Yy]our )"
_JOINT = r"(?:, and |, or |, | and | or )"
# "The Taxes folder inside Documents"
_INSIDE = re.compile(
    rf"\b{_OWN}?(?P<name>{_NAME}) {_FOLDER} {_IN} {_OWN}?(?P<home>{_STANDARD})(?: {_FOLDER})?(?![\w/-]| [A-Z])"
)
# "My Downloads and Desktop folders", "the downloads folder"
_OWN_FOLDERS = re.compile(
    rf"\b{_OWN}(?P<names>(?:{_STANDARD})(?:{_JOINT}(?:{_STANDARD}))*) (?:folders?|director(?:y|ies))\b"
)
_SMALL = re.compile(rf"\b{_OWN}(?P<name>{_STANDARD.lower()}) {_FOLDER}\b")
# "From Downloads into Documents or Pictures"
_BARE = re.compile(
    rf"\b(?P<open>(?:in|inside|within|under|below|from|into|onto|out of) )(?:my )?"
    rf"(?P<names>(?:{_STANDARD})(?:{_JOINT}(?:my )?(?:{_STANDARD}))*)"
    r"(?=[.,;:!?]|$| (?:and|or|but|to|into|onto|from|with|without|unless|if|when|as|is|are|may|can|must|should|up|at|"
    r"by|on|except|only|than|never|you)\b)"
)
# "The log at ~/Documents/organiser.log"
_FILE_AT = re.compile(
    rf"\b{_OWN}(?:[a-z]+ )?(?:file|log|list|notes?|report|document|spreadsheet|journal|diary)(?: file)? at "
    r"(?P<path>[~/][\w./-]*\.[a-z0-9]{1,5})(?![\w/])"
)
_HOME = re.compile(
    r"\b(?:(?:[Mm]y|[Tt]he) (?:own |entire |whole )?home (?:folder|directory)|"
    r"(?<=\bin )my home(?=[.,;]?$| (?:is|are|and|or|"
    r"but)\b))\b"
)
_SHOWN = re.compile(r"\b(?:e\.g\.|for example|such as|like)[ ,:]+['\"`]?/([A-Z][\w-]*)/")
_OTHER_PLACES = re.compile(r"\b(?:drive|bucket|repository|remote|server|device|archive|relative|vault|cloud|share)\b")
_WHOLE = re.compile(
    r"\b(?:delet|remov|trash|mov|renam|shar|empty|creat|mak|copy|backup)(?:e|ing|es|s)? (?:any of )?$", re.IGNORECASE
)
_SAVED = re.compile(r"\b(?:sav|download|export|stor)(?:e|ing|ed)?s? (?:[a-z]+ ){0,3}", re.IGNORECASE)
_LOCAL = re.compile(r"\b(?:absolute|local)\b")
_COLLECTIONS = word_set("folder folders label mailbox album collection playlist library space")


def with_home_folders(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "~/Downloads" for "my Downloads folder". Quoted text stays."""
    if "`" in text or '"' in text:
        return text
    text = _FILE_AT.sub(lambda found: found["path"], text)
    text = _replaced(WITH_PATH, lambda found: found["after"] or found["before"], text)
    paths = tuple(_paths(toolbox))
    shown = {name for told in paths for name in _SHOWN.findall(told)}
    for name in sorted(shown):
        text = _replaced(re.compile(rf"\b{_OWN}{name} {_FOLDER}\b(?! {_IN} )"), lambda _, name=name: f"/{name}", text)
    elsewhere = any(_OTHER_PLACES.search(told.lower()) and not _LOCAL.search(told.lower()) for told in paths)
    other = any(not _COLLECTIONS.isdisjoint(split_name(arg)) for arg in _other_arguments(toolbox))
    if not paths or shown or elsewhere or other:
        saved = bool(paths) and not (shown or elsewhere) and _SAVED.search(text) is not None
        text = _replaced(_OWN_FOLDERS, lambda found: _in_home(found["names"]), text) if saved else text
        return without_parts(text) if paths else text
    text = with_described_folders(text)
    text = _replaced(_INSIDE, lambda found: f"~/{found['home']}/{found['name']}", text)
    text = _replaced(_OWN_FOLDERS, lambda found: _in_home(found["names"]), text)
    text = _replaced(_SMALL, lambda found: f"~/{found['name'].capitalize()}", text)
    text = _BARE.sub(lambda found: f"{found['open']}{_in_home(found['names'])}", text)
    return without_parts(with_held_things(with_parts_of_folders(_HOME.sub("~", text))))


def _replaced(pattern: re.Pattern[str], path: Callable[[re.Match[str]], str], text: str) -> str:
    """Return a sentence with a path for each folder. Who must not delete a folder may delete what is in it."""
    return pattern.sub(lambda found: found[0] if _WHOLE.search(found.string[: found.start()]) else path(found), text)


def _in_home(names: str) -> str:
    return re.sub(rf"(?:my )?\b({_STANDARD})\b", r"~/\1", names)


def _paths(toolbox: Toolbox) -> Iterator[str]:
    """Yield the descriptions of the arguments that are paths."""
    for one in toolbox.tools:
        yield from (one.described(arg) for arg in one.tool.args if takes_paths(one, arg))


def _other_arguments(toolbox: Toolbox) -> Iterator[str]:
    for one in toolbox.tools:
        yield from (arg for arg in one.tool.args if not takes_paths(one, arg))
