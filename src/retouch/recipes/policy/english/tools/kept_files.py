"""Files that a server keeps: in a repository, on a drive, attached to something. No argument is a path of this machine.

"Never delete files" is about `delete_file(repo, path)`, and "never create files" about `create_document(title)` and
`upload_file(local_path)`, whatever the roles of their arguments are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import READ, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.policy.english.tools.known_tools import KnownTool

_KINDS = word_set("file document doc sheet spreadsheet slide slideshow presentation attachment pdf blob markdown")
_FOLDERS = word_set("directory folder")
_PLAIN = word_set("item object entry node data text content media")  # what a description calls a file
_TAKING = word_set("download export open print convert preview extract")
_LISTING = word_set("list search find glob tree query browse")
_DELETING = word_set("delete remove trash erase destroy purge unlink drop discard")
CREATING = word_set(
    "create make add insert new upload copy duplicate clone import save store write push put generate fork draft"
)
_NEVER_WRITE = READ | _TAKING | _DELETING
_NEVER_EDIT = _NEVER_WRITE | word_set("create make new upload copy duplicate clone import generate fork draft add")
_EDITING = word_set("edit update modify")
_OVERWRITING = word_set("overwrite replace")
_PUTTING = word_set("push write save put")
_WRITING = word_set("write save store put")
_LOOKING = word_set("read view see inspect open access get retrieve fetch")
_MAKING = word_set("create make add")
_CHANGING = word_set("change alter")
_VERBS: Mapping[str, frozenset[str]] = {
    "read": _LOOKING,
    "list": _LISTING,
    "create": _MAKING,
    "edit": _EDITING,
    "overwrite": _OVERWRITING,
    "write": _WRITING,
    "change": _CHANGING,
    "delete": word_set("delete remove trash erase destroy purge"),
}
_ROLES: Mapping[str, str] = {"read": "read-path", "list": "read-path", "delete": "delete-path"}
VERBS = frozenset(verb for verbs in _VERBS.values() for verb in verbs)


def keeps_files(one: KnownTool, *, folders: bool = False) -> bool:
    """Return whether a tool acts on files that its server keeps: by its name, its description, or the id it takes.

    `folders`: on folders.
    """
    kinds = _FOLDERS if folders else _KINDS
    if one.code:
        return False
    if one.head in kinds:
        return True
    ids = {singular(words[0]) for arg in one.required if (words := split_name(arg))[-1:] in (["id"], ["ids"])}
    told = {text[-1] for text in one.told} | {text[0] for text in one.told} | ids
    return (one.head is None or one.head in _PLAIN) and not told.isdisjoint(kinds)


def does_to_files(one: KnownTool, verb: str, *, folders: bool = False) -> bool:
    """Return whether a tool does to files what a verb says. False for a verb that is not known.

    `folders`: or to folders.
    """
    group = next((name for name, verbs in _VERBS.items() if verb in verbs), "")
    about = keeps_files(one) or ((folders or group == "list") and keeps_files(one, folders=True))
    by_role = _ROLES.get(group, "write-path") in one.paths  # what the readers find by the path itself
    return about and not by_role and _does(one, one.verbs | one.done, group)


def _does(one: KnownTool, own: frozenset[str], group: str) -> bool:
    found = {
        "read": one.reads or not own.isdisjoint(_TAKING),
        "list": not own.isdisjoint(_LISTING),
        "create": not own.isdisjoint(CREATING),
        "delete": not own.isdisjoint(_DELETING),
        "edit": not own <= _NEVER_EDIT,
        "overwrite": not own <= _NEVER_EDIT or not own.isdisjoint(_PUTTING),
        "write": not own <= _NEVER_WRITE,
        "change": not own <= READ | _TAKING,
    }
    return found.get(group, False)
