"""Which places a path may name: those inside a directory, reached without a symbolic link, outside version control."""

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
    """A directory cannot take a result. Nothing was written unless the message reports it; `hint` is the next step."""


class DirectoryFailure(DirectoryError):
    """The system failed, not the result: a full disk, a folder that may not be written."""


def safe_place(root: Path, name: str) -> Path:
    """Return the path under the folder, no part of which is a symbolic link; the folder itself may have been one.

    Raises:
        DirectoryError: it lies outside, goes through a link, or belongs to version control or to Retouch itself.
    """
    path = Path(name)
    parts = path.parts
    if not parts or path.is_absolute() or path.drive or ".." in parts or "\0" in name:
        raise DirectoryError(f"{name!r} does not lie inside {str(root)!r}", hint="Name files relative to the folder.")
    if reason := forbidden_part(name):
        raise DirectoryError(f"{name!r} cannot be written: {reason}", hint="Make this change yourself.")
    place = root
    for part in parts:
        place = place / part
        if place.is_symlink():
            raise DirectoryError(
                f"{name!r} goes through the symbolic link {str(place.relative_to(root))!r}",
                hint="Name the file itself.",
            )
    return place


def forbidden_part(name: str) -> str:
    """Return why no reply may write to the relative path `name`, "" if it may.

    A part counts as every file system would read it: in any case, with the characters that HFS+ ignores, with the dots,
    blanks, stream names and short names that Windows drops or resolves. For example, `sub/.GIT /config`,
    `git~1/hooks/x` and `.git::$INDEX_ALLOCATION/config` all mean the repository's own directory.
    """
    for part in _SEPARATORS.split(name):
        plain = plain_name(part)
        if plain in _GIT or _SHORT_GIT.fullmatch(plain):
            return "Git runs commands that files in '.git' name"
        if plain in _OTHERS:
            return f"{plain!r} belongs to version control, which runs commands that files in it name"
        if plain == JOURNAL:
            return "it is where Retouch notes what an interrupted command has to put back"
        if not plain and part not in {"", ".", ".."}:
            return f"Windows reads the part {part!r} as another directory"
    return ""


def plain_name(part: str) -> str:
    """Return one part of a path as the file systems that read the most names as one would see it."""
    visible = "".join(char for char in part if unicodedata.category(char) != "Cf")
    return visible.casefold().partition(":")[0].rstrip(" .")
