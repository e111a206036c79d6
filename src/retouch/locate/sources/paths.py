"""Paths below a source folder, and what patterns say of them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from retouch.locate.errors import LocateError

if TYPE_CHECKING:
    from collections.abc import Iterable


def inside_root(ref: str) -> str:
    """Return `ref`, a path that stays below the folder it is relative to.

    Raises:
        LocateError: it is absolute or climbs.
    """
    path = PurePosixPath(ref)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise LocateError(f"{ref!r} is not below the source folder.", hint="Name a file by its path from that folder.")
    return ref


def fits(path: str, pattern: str) -> bool:
    """Return whether a pattern fits a path: its name when the pattern has no slash, else all of it."""
    return fnmatchcase(path if "/" in pattern else path.rpartition("/")[2], pattern)


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Return whether `path` lies in a folder whose path is, or ends with, one of `folders`."""
    anchored = f"/{path}"
    return any(f"/{folder.strip('/')}/" in anchored for folder in folders)
