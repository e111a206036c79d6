"""Decides which paths a reply may use: inside a directory, not through a symbolic link, not in version control."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from retouch.errors import BadInput

JOURNAL = ".retouch-apply.json"
_GIT = frozenset({".git"})
_OTHERS = frozenset({".hg", ".svn", ".jj", ".bzr", ".sl", "_darcs", ".pijul"})
_SHORT_GIT = re.compile(r"git~\d+")
_SEPARATORS = re.compile(r"[/\\]")


class DirectoryError(BadInput):
    """A result cannot be written to a directory. Nothing was written unless the message reports it. `hint` is the next
    step.
    """


class DirectoryFailure(DirectoryError):
    """The operating system failed, not the result: for example a full disk, or a read-only directory."""


def safe_place(root: Path, name: str) -> Path:
    """Return the path in the directory. No part below the directory is a symbolic link.

    Raises:
        DirectoryError: it is outside, goes through a link, or belongs to version control or to Retouch itself.
    """
    path = Path(name)
    parts = path.parts
    if not parts or path.is_absolute() or path.drive or ".." in parts or "\0" in name:
        raise DirectoryError(f"{name!r} is not inside {str(root)!r}", hint="Use paths relative to the directory.")
    if reason := forbidden_part(name):
        raise DirectoryError(f"{name!r} cannot be written: {reason}", hint="Make this change yourself.")
    place = root
    for part in parts:
        place = place / part
        if place.is_symlink():
            raise DirectoryError(
                f"{name!r} goes through the symbolic link {str(place.relative_to(root))!r}",
                hint="Use the path of the file itself.",
            )
    return place


def forbidden_part(name: str) -> str:
    """Return why a reply must not write to the relative path `name`, "" if it may.

    Each part is compared as any file system could interpret it: in any case, with the characters that HFS+ ignores, and
    with the dots, spaces, stream names and short names that Windows drops or resolves. For example, `sub/.GIT /config`,
    `git~1/hooks/x` and `.git::$INDEX_ALLOCATION/config` all mean the repository's own directory.
    """
    for part in _SEPARATORS.split(name):
        plain = plain_name(part)
        if plain in _GIT or _SHORT_GIT.fullmatch(plain):
            return "Git runs commands from files in '.git'"
        if plain in _OTHERS:
            return f"{plain!r} belongs to version control, which runs commands from files in it"
        if plain == JOURNAL:
            return "Retouch stores the data there that an interrupted command must restore"
        if not plain and part not in {"", ".", ".."}:
            return f"Windows interprets {part!r} as another directory"
    return ""


def plain_name(part: str) -> str:
    """Return one part of a path in a form that is equal for all names that some file system treats as equal."""
    visible = "".join(char for char in part if unicodedata.category(char) != "Cf")
    return visible.casefold().partition(":")[0].rstrip(" .")
