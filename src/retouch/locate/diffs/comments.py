"""Verilog code and its comments apart: comments carry source locators, and now and then the very answer."""

from __future__ import annotations

import re

# A string first, so that the slashes inside one open no comment.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//.*|/\*.*?(?:\*/|$)')
_OPEN = "/*"
_CLOSE = "*/"


def split_comments(text: str, *, inside: bool = False) -> tuple[str, str, bool]:
    """Return the code of one line, its comments, and whether a block comment is still open after it.

    `inside` says that one was open before it. Each comment leaves a space in the code, whose end is trimmed.
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
