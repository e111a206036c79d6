"""Normalises paths: backslashes count as slashes, and empty parts, `.` and the scheme of a URL are dropped.

The path of a URL is absolute, and starts with the bucket or host.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from retouch.recipes.rule.globs.parsing import SCHEME

_SCHEME = re.compile(SCHEME)
_DRIVE = re.compile(r"[A-Za-z]:(?=/|\Z)")


@dataclass(frozen=True, slots=True)
class NormalizedPath:
    """A normalised path: absolute with a leading `/`, and below the root without one (None if it is outside of the
    root).
    """

    absolute: str
    below_root: str | None


def locate(path: str, *, root: str = "/") -> NormalizedPath:
    """Return the normalised form of `path`. A relative path is below `root`."""
    top, prefix = _root(root)
    if _is_tidy(path) and path.startswith(prefix):
        return NormalizedPath(path, path[len(prefix) :])
    text = _SCHEME.sub("/", path, 1) if _SCHEME.match(path) else path
    text = text.replace("\\", "/")
    parts = _parts(text)
    if not text.startswith("/") and not _DRIVE.match(text):
        below = "/".join(parts)
        return NormalizedPath(f"{prefix}{below}", below)
    inside = parts[: len(top)] == top and len(parts) > len(top)
    return NormalizedPath("/" + "/".join(parts), "/".join(parts[len(top) :]) if inside else None)


def _is_tidy(path: str) -> bool:
    return not ("\\" in path or "//" in path or "/." in path or path.endswith("/"))


def _parts(text: str) -> list[str]:
    return [part for part in text.split("/") if part not in {"", "."}]


@lru_cache(maxsize=64)
def _root(root: str) -> tuple[list[str], str]:
    parts = _parts(root.replace("\\", "/"))
    return parts, "/".join(("", *parts, ""))
