"""Which tools do to files and directories what a sentence says, by the roles of their arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.tools.known_tools import HISTORY
from retouch.recipes.policy.english.words.lexicon import VERBS, word_set
from retouch.recipes.policy.resources.roles import PATH_ROLES, RESOURCE_ROLES

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.lexicon import VerbMeaning

Level: TypeAlias = Literal["surely", "perhaps"]
FILES = frozenset({"file", "directory", "document", "path"})
MOVING = frozenset({"move", "copy", "upload", "download", "rename", "mv", "cp"})
_ROLE_OF_DEED = {"read": "read-path", "write": "write-path", "delete": "delete-path"}
_REPLACING = word_set("overwrite replace")
_MAKING = word_set("create make mkdir")
_EDITING = word_set("edit update modify change patch append")
_REFERENCES = word_set("link shortcut permission comment label tag share subscription invitation")  # to a file


def handles_files(one: KnownTool, verb: str, known: VerbMeaning, nouns: tuple[str, ...], level: Level) -> bool:
    """Return whether a tool does to files what a verb means, by the roles of its arguments."""
    if verb in MOVING:
        return bool(one.verbs & (known.surely if level == "surely" else known.perhaps)) and bool(one.paths)
    wanted = {_ROLE_OF_DEED[deed] for deed in known.deeds}
    if verb in {"create", "make"} and nouns == ("directory",) and not one.code:
        return "write-path" in one.paths and bool(one.verbs & known.perhaps) and _takes_folders(one)
    if verb in _REPLACING and one.verbs <= _MAKING and "directory" in one.nouns and "file" not in one.nouns:
        return False  # who makes a directory replaces nothing
    if level == "perhaps":
        if verb in {"create", "make"} and one.verbs <= _EDITING and "create" not in one.told_words:
            return False
        named = bool(one.verbs & known.perhaps) and not {"file", "directory", "document"}.isdisjoint(one.nouns)
        return bool(one.paths & wanted) or named
    if one.code or one.paths & HISTORY or not one.paths or one.roles & RESOURCE_ROLES - PATH_ROLES:
        return one.paths >= {"write-history"} and verb == "commit" and verb in one.verbs
    if not one.verbs <= known.surely | (VERBS["write"].surely if "write" in known.deeds and verb != "add" else set()):
        return False
    if known.deeds == frozenset({"read"}):
        return one.paths == frozenset({"read-path"})
    return _writes_such(one, verb, nouns) and bool(one.paths & wanted) and one.paths <= wanted | {"read-path"}


def _writes_such(one: KnownTool, verb: str, nouns: tuple[str, ...]) -> bool:
    """Return whether a tool certainly writes or deletes the files or directories that a sentence names."""
    if verb in {"create", "make"} and one.verbs <= _EDITING:
        return False  # what is edited is there already
    if one.words[-1] in _REFERENCES:
        return False  # "Create a link to a file" writes no file
    if "directory" in one.nouns and "file" in nouns and "directory" not in nouns:
        return False
    return nouns != ("directory",) or _takes_folders(one)  # who may create folders may write no files in them


def _takes_folders(one: KnownTool) -> bool:
    """Return whether a tool that changes something does it to directories: its name or its description says so."""
    said = re.sub(r"\ballowed (?:directories|folders)\b", "", one.tool.comment.lower())
    return "directory" in one.nouns or re.search(r"\b(?:director(?:y|ies)|folders?)\b", said) is not None
