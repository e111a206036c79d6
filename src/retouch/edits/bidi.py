"""Bidirectional control characters, which make a text look different from how a compiler reads it."""

from __future__ import annotations

import re

BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def new_bidi_control(text: str, before: str | None) -> tuple[int, str] | None:
    """Return the line (from 1) and the name of the first such character that the text `before` had nowhere.

    None if there is none. A file that uses a character already, such as a translation, may get more of it.

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
    """Return what is wrong with a text that brings such a character into the file `path`."""
    return (
        f"Line {line} of the new {path!r} holds the bidirectional control character {name}, which the file did not "
        "have: it makes code look different from what it does."
    )


BIDI_FIX = "Leave the character out, or write it as an escape of the language."
