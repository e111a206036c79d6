"""Separates Verilog code from its comments, which contain source locators and sometimes the solution itself."""

from __future__ import annotations

import re

# Strings come first, so that slashes inside a string do not start a comment.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//.*|/\*.*?(?:\*/|$)')
_OPEN = "/*"
_CLOSE = "*/"


def split_comments(text: str, *, inside: bool = False) -> tuple[str, str, bool]:
    """Return the code of one line, its comments, and whether a block comment is still open after it.

    `inside`: a block comment was open before it. Each comment becomes a space in the code. The end of the code is
    trimmed.
    """
    found: list[str] = []
    if inside:
        head, closed, text = text.partition(_CLOSE)
        if not closed:
            return "", head, True
        found.append(head)

    def taken(token: re.Match[str]) -> str:
        if token[0].startswith('"'):
            return token[0]
        found.append(token[0])
        return " "

    code = _TOKEN.sub(taken, text).rstrip()
    return code, " ".join(found), bool(found) and found[-1].startswith(_OPEN) and not found[-1].endswith(_CLOSE)
