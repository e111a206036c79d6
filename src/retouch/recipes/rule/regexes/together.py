"""Joins patterns that differ only in which piece is their group to one pattern with all of their groups."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPENING = re.compile(r"(?<!\\)\((?!\?)")


def only_group(pattern: str) -> tuple[int, int] | None:
    """Return where the one group of a pattern opens and closes, or None."""
    found = [one.start() for one in _OPENING.finditer(pattern)]
    if len(found) != 1:
        return None
    depth, at = 1, found[0] + 1
    while at < len(pattern):
        char = pattern[at]
        at += char == "\\"
        depth += {"(": 1, ")": -1}.get(char, 0) if char != "\\" else 0
        if not depth:
            return found[0], at
        at += 1
    return None


def joined_patterns(patterns: Sequence[str]) -> tuple[str, list[int]] | None:
    """Return one pattern, and the number of the group that each of `patterns` has in it.

    Return None if they differ in more than their group, or if two groups are not next to each other: then one of them
    could find another match than the other.
    """
    spans: list[tuple[int, int]] = []
    plain: set[str] = set()
    for pattern in patterns:
        opened = only_group(pattern)
        if opened is None or _has_brackets_around(pattern, opened):
            return None
        start, end = opened
        plain.add(pattern[:start] + pattern[start + 1 : end] + pattern[end + 1 :])
        spans.append((start, end - 1))
    in_order = sorted(spans)
    if len(plain) != 1 or any(end > start for (_, end), (start, _) in pairwise(in_order)):
        return None
    joined = plain.pop()
    for start, end in reversed(in_order):
        joined = f"{joined[:start]}({joined[start:end]}){joined[end:]}"
    return joined, [in_order.index(span) + 1 for span in spans]


def _has_brackets_around(pattern: str, opened: tuple[int, int]) -> bool:
    """Return whether a parenthesis is a character of a class, so that it is no group."""
    before = re.sub(r"\\.", "", pattern[: opened[0]])
    return before.rfind("[") > before.rfind("]")
