"""String literals with one spelling for prompts (JSON) and code (C#)."""

from __future__ import annotations

import re
from functools import lru_cache
from json.encoder import encode_basestring

from retouch.recipes.csharp.language.prose import one_line

_ODD = re.compile(  # line breaks of C#, controls, bidirectional controls, lone surrogates
    "[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def quoted(text: str) -> str:
    """Return `text` as a literal that has the same meaning in JSON and in C#.

    JSON's escapes are a subset of C#'s. Characters that are line breaks in C#, controls, bidirectional controls and
    lone surrogates are escaped.
    """
    literal = encode_basestring(text)
    return literal if literal.isascii() and "\x7f" not in literal else _ODD.sub(_escape, literal)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


@lru_cache(maxsize=8192)  # endpoints of one document share most of their types
def description_literal(text: str) -> str:
    """Return a description as a literal on one line, without fences and marker text, or "" if it is empty."""
    plain = one_line(text)
    return quoted(plain) if plain else ""
