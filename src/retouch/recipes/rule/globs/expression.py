"""Writes a segment of a glob as a regular expression."""

from __future__ import annotations

import re


def glob_pattern(part: str) -> str:
    """Return the regular expression of one segment of a glob without braces."""
    done = ""
    at = 0
    while at < len(part):
        char = part[at]
        if char == "*":
            done += "[^/]+" if part == "*" else "[^/]*"
        elif char == "?":
            done += "[^/]"
        elif char == "\\":
            at += 1
            done += re.escape(part[at])
        elif char == "[":
            end = part.index("]", at + 2)
            inner = part[at + 1 : end]
            done += f"[^/{inner[1:]}]" if inner[0] in "!^" else f"[{inner}]"
            at = end
        else:
            done += re.escape(char)
        at += 1
    return done
