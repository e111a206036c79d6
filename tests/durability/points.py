"""Where a command can be struck."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"[0-9a-f]{8,12}|(?<=json\.)\w{8}$")


@dataclass(frozen=True, kw_only=True)
class Point:
    """One call: its name, the file it is for (random parts as stars), and its number: how many of its kind precede it.

    `is_creating` says that it may make the file.
    """

    call: str
    path: str
    number: int
    is_creating: bool = False

    def __str__(self) -> str:
        return f"{self.call} {self.path}"


def starred(path: str) -> str:
    """Return a path with stars for what is random in it."""
    return _TOKEN.sub("*", path)
