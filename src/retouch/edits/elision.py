"""Detects placeholders that replace code, for example "... rest of the code unchanged ..."."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from retouch.edits.values import is_blank

if TYPE_CHECKING:
    from collections.abc import Container

    from retouch.edits.values import Lines

_COMMENT = re.compile(r"\s*(?:#+|//+|/\*+|<!--|--+|;+|%+|\*+|'{3}|\"{3}|\{/\*)?\s*")
_DOTS = r"(?:\.{3,}|…)"
_LEFT_OUT = re.compile(
    r"\b(?:rest|remain(?:ing|der)|existing|unchanged|same|previous|omitted|others?|original|before|code|implementation|"
    r"keep|stays?|skipped|truncated|snip(?:ped)?)\b"
)
_PLAIN_WORDS = re.compile(
    r"(?:the )?(?:rest of|remaining|existing)\b.*\b(?:unchanged|same|goes here|as before|as is)\b"
)
_MOST_WORDS = 9  # a placeholder is short; a longer sentence may contain three dots
_STARTS_WITH_DOTS = re.compile(rf"{_DOTS}\s")  # without a space it is a spread operator, as in ...rest
_DOTTED = re.compile(rf"^{_DOTS}|{_DOTS}\s*[)\]]?\s*(?:\*/|-->|\*/\}})?\s*$")
_WORD = re.compile(r"[a-z']+")
_BARE = re.compile(rf"{_DOTS}\s*(?:\*/|-->|\*/\}})?\s*$")
_OPENS_STUB = re.compile(r"(?::|\"{3}|'{3}|->.*|[(\[{{,])\s*(?:#.*)?$")


def left_out(find: Lines, replace: Lines) -> str | None:
    """Return the first line of REPLACE that is a placeholder and is not in FIND. None if there is none.

    Dots alone only count if lines of FIND are removed, because `...` can also be the body of a stub.
    """
    if not any("..." in line or "…" in line or "unchanged" in line.lower() or "rest of" in line for line in replace):
        return None
    there = Counter(line.strip() for line in find)
    drops_lines = bool(there - Counter(line.strip() for line in replace))
    above = ""
    for line in replace:
        content = line.strip()
        if _is_placeholder(line, above=above, drops_lines=drops_lines):
            if not there[content]:
                return line
            there[content] -= 1
        if not is_blank(line):
            above = line
    return None


def elided_pieces(find: Lines, replace: Lines, known: Container[str]) -> list[tuple[Lines, Lines]] | None:
    """Return the pieces of both strings between placeholders such as `...`, in pairs. None if there is no such reading.

    Both strings must have the same number of placeholders. Lines in `known` are lines of the file. Every piece of FIND
    has visible text, except that both strings may start or end with a placeholder.
    """
    if not any("..." in line or "…" in line or "unchanged" in line.lower() or "rest of" in line for line in find):
        return None
    marks = [number for number, line in enumerate(find) if line not in known and is_placeholder(line)]
    new_marks = [number for number, line in enumerate(replace) if is_placeholder(line)]
    if not marks or len(marks) != len(new_marks):
        return None
    pairs = list(zip(_between(find, marks), _between(replace, new_marks), strict=True))
    for edge in (-1, 0):
        if not any(map(str.strip, (*pairs[edge][0], *pairs[edge][1]))):
            pairs.pop(edge)
    return pairs if pairs and all(any(map(str.strip, piece)) for piece, _ in pairs) else None


def _between(lines: Lines, marks: list[int]) -> list[Lines]:
    starts, stops = [0, *(mark + 1 for mark in marks)], [*marks, len(lines)]
    return [lines[start:stop] for start, stop in zip(starts, stops, strict=True)]


def is_placeholder(line: str) -> bool:
    """Return whether the line is a placeholder for omitted code."""
    return _is_placeholder(line, above="", drops_lines=True)


def _is_placeholder(line: str, *, above: str, drops_lines: bool) -> bool:
    comment = _COMMENT.match(line)
    marker, content = (line[: comment.end()].strip(), line[comment.end() :].strip()) if comment else ("", line)
    if _BARE.match(content):
        return drops_lines and (bool(marker) or not _OPENS_STUB.search(above))
    dotted = _STARTS_WITH_DOTS.match(content) if not marker else _DOTTED.search(content)
    words = _WORD.findall(content.lower())
    if not (dotted or marker) or len(words) > _MOST_WORDS:
        return False
    return bool(_LEFT_OUT.search(" ".join(words[:6])) if dotted else _PLAIN_WORDS.match(content.lower()))
