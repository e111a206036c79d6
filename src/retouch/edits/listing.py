"""Removes line numbers that a model copied from a numbered listing to its FIND."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.edits.values import is_blank

if TYPE_CHECKING:
    from retouch.edits.values import Lines

_NUMBERED = re.compile(r"[ \t]*(\d{1,9})(?:[ \t]?[|:](?: |$)|[ \t]?→|\t)")


def without_numbers(find: Lines, replace: Lines) -> tuple[int, Lines, Lines] | None:
    """Return the first number and both strings without numbers. None unless every line of FIND has the next number.

    Either every non-blank line of REPLACE has a number, or none. Otherwise the result is None.
    """
    first = _NUMBERED.match(find[0]) if find else None
    if first is None:
        return None
    stripped = _strip(find)
    if stripped is None or [number for number, _ in stripped] != list(
        range(int(first[1]), int(first[1]) + len(stripped))
    ):
        return None
    numbered = sum(_NUMBERED.match(line) is not None for line in replace)
    if numbered == 0:
        new = replace
    elif numbered == sum(not is_blank(line) for line in replace):
        new = tuple(line[match.end() :] if (match := _NUMBERED.match(line)) else line for line in replace)
    else:
        return None
    return int(first[1]), tuple(text for _, text in stripped), new


def _strip(lines: Lines) -> list[tuple[int, str]] | None:
    found: list[tuple[int, str]] = []
    for line in lines:
        match = _NUMBERED.match(line)
        if match is None:
            return None
        found.append((int(match[1]), line[match.end() :]))
    return found
