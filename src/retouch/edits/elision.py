"""Placeholders for code that a model left out: "... rest of the code unchanged ..." instead of the code."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from retouch.edits.values import is_blank

if TYPE_CHECKING:
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
_MOST_WORDS = 9  # a placeholder is short; a sentence that happens to hold three dots is not
_STARTS_WITH_DOTS = re.compile(rf"{_DOTS}\s")  # without a blank it is a spread, as in ...rest
_DOTTED = re.compile(rf"^{_DOTS}|{_DOTS}\s*[)\]]?\s*(?:\*/|-->|\*/\}})?\s*$")
_WORD = re.compile(r"[a-z']+")
_BARE = re.compile(rf"{_DOTS}\s*(?:\*/|-->|\*/\}})?\s*$")
_OPENS_STUB = re.compile(r"(?::|\"{3}|'{3}|->.*|[(\[{{,])\s*(?:#.*)?$")


def left_out(find: Lines, replace: Lines) -> str | None:
    """The first line of REPLACE that stands for code left out and that FIND does not hold; None when there is none.

    Dots alone count only where lines of FIND are gone: `...` is also the body of a stub.
    """
    if not any("..." in line or "…" in line or "unchanged" in line.lower() or "rest of" in line for line in replace):
        return None
    there = Counter(line.strip() for line in find)
    drops_lines = bool(there - Counter(line.strip() for line in replace))
    above = ""
    for line in replace:
        said = line.strip()
        if _stands_for_code(line, above=above, drops_lines=drops_lines):
            if not there[said]:
                return line
            there[said] -= 1
        if not is_blank(line):
            above = line
    return None


def is_placeholder(line: str) -> bool:
    """Whether the line stands for code that was left out."""
    return _stands_for_code(line, above="", drops_lines=True)


def _stands_for_code(line: str, *, above: str, drops_lines: bool) -> bool:
    comment = _COMMENT.match(line)
    marker, said = (line[: comment.end()].strip(), line[comment.end() :].strip()) if comment else ("", line)
    if _BARE.match(said):
        return drops_lines and (bool(marker) or not _OPENS_STUB.search(above))
    dotted = _STARTS_WITH_DOTS.match(said) if not marker else _DOTTED.search(said)
    words = _WORD.findall(said.lower())
    if not (dotted or marker) or len(words) > _MOST_WORDS:
        return False
    return bool(_LEFT_OUT.search(" ".join(words[:6])) if dotted else _PLAIN_WORDS.match(said.lower()))
