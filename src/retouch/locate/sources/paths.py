"""Checks and matches paths below a source directory."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from retouch.locate.errors import LocateError

if TYPE_CHECKING:
    from collections.abc import Iterable


def inside_root(ref: str) -> str:
    """Return `ref`, a path that stays below the directory it is relative to.

    Raises:
        LocateError: it is absolute, or leaves the directory.
    """
    path = PurePosixPath(ref)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise LocateError(f"{ref!r} is not below the source directory.", hint="Pass a path relative to that directory.")
    return ref


def fits(path: str, pattern: str) -> bool:
    """Return whether a path matches. A pattern without a slash is compared with the file name only."""
    return fnmatchcase(path if "/" in pattern else path.rpartition("/")[2], pattern)


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Return whether `path` is in a directory whose path equals, or ends with, one of `folders`."""
    anchored = f"/{path}"
    return any(f"/{folder.strip('/')}/" in anchored for folder in folders)
