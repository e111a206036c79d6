"""Strings as they are written between quotes: one spelling for prompts (JSON) and code (C#)."""

from __future__ import annotations

import re
from functools import lru_cache
from json.encoder import encode_basestring

from retouch.recipes.csharp.language.prose import one_line

_ODD = re.compile(  # line breaks of C#, controls, characters that turn the direction of writing, halves of a pair
    "[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def quoted(text: str) -> str:
    """Return `text` as a literal that reads the same in JSON and in C#.

    JSON's escapes are a subset of C#'s. What C# would take for a line break, controls, bidirectional controls and lone
    surrogates are escaped.
    """
    literal = encode_basestring(text)
    return literal if literal.isascii() and "\x7f" not in literal else _ODD.sub(_escape, literal)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


@lru_cache(maxsize=8192)  # closures of one document share most of their types
def description_literal(text: str) -> str:
    """Return a description as a literal on one line, free of fences and marker text; "" for an empty one."""
    plain = one_line(text)
    return quoted(plain) if plain else ""
