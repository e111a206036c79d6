"""Detects bidirectional control characters, which make a text look different from what a compiler parses."""

from __future__ import annotations

import re

BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def new_bidi_control(text: str, before: str | None) -> tuple[int, str] | None:
    """Return the line (from 1) and the name of the first such character that does not occur in the text `before`.

    None if there is none. If a file already uses such a character, for example a translation, more of it is allowed.

    For example:
        >>> new_bidi_control("a = 1\\nb = '\\u202e'", "a = 1")
        (2, 'U+202E')
    """
    had = set(BIDI_CONTROLS.findall(before or ""))
    for found in BIDI_CONTROLS.finditer(text):
        if found[0] not in had:
            return text.count("\n", 0, found.start()) + 1, f"U+{ord(found[0]):04X}"
    return None


def bidi_message(path: str, line: int, name: str) -> str:
    """Return the message for a text that adds such a character to the file `path`."""
    return (
        f"Line {line} of the new {path!r} contains the bidirectional control character {name}, which is "
        "new in this file. It makes code look different from what it does."
    )


BIDI_FIX = "Remove the character, or write it as an escape sequence."
