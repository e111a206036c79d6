"""Finds the parts of Scala that are not code: (nested) comments, strings, interpolated strings, and characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_IN_CODE = re.compile(
    rb"""//[^\n]*|/\*|\"{3}|"|[{}]|'(?:\\u+[0-9a-fA-F]{4}|\\.|[^\\'\n\x80-\xff]|[\xc2-\xf4][\x80-\xbf]+)'"""
)
_IN_COMMENT = re.compile(rb"/\*|\*/")
_IN_STRING = re.compile(rb'\\.|"|\n')
_IN_STRING_WITH_CODE = re.compile(rb'\\.|"|\n|\$\$|\$\{')
_IN_TRIPLE = re.compile(rb'"{3,}')
_IN_TRIPLE_WITH_CODE = re.compile(rb'"{3,}|\$\$|\$\{')
_WORD_BEFORE = re.compile(rb"[\w$]")


@dataclass(frozen=True, kw_only=True)
class Quiet:
    """The byte ranges of a source that are not code. The range of a string includes code inside it."""

    comments: Sequence[tuple[int, int]]
    texts: Sequence[tuple[int, int]]


@dataclass(kw_only=True)
class _Open:
    """An open string, whose end and embedded code `pattern` finds, or code inside a string."""

    pattern: re.Pattern[bytes]
    start: int
    braces: int = 0


def quiet_places(data: bytes) -> Quiet:
    """Return the comments and strings of Scala source. If one is not closed, it ends with its line or with the file."""
    comments: list[tuple[int, int]] = []
    texts: list[tuple[int, int]] = []
    stack = [_Open(pattern=_IN_CODE, start=0)]
    at = 0
    while found := stack[-1].pattern.search(data, at):
        at = found.end()
        if stack[-1].pattern is not _IN_CODE:
            _in_text(found, stack, texts)
        elif found[0].startswith(b"/"):
            at = at if found[0].startswith(b"//") else _comment_end(data, at)
            comments.append((found.start(), at))
        elif found[0].startswith(b"'"):
            texts.append(found.span())
        else:
            _in_code(found, stack)
    if len(stack) > 1:
        texts.append((stack[1].start, len(data)))
    return Quiet(comments=comments, texts=texts)


def _in_code(found: re.Match[bytes], stack: list[_Open]) -> None:
    """Open a string, or count the braces of code inside a string."""
    token = found[0]
    if token.startswith(b'"'):
        with_code = found.start() > 0 and bool(_WORD_BEFORE.match(found.string, found.start() - 1))
        triple, single = (_IN_TRIPLE_WITH_CODE, _IN_STRING_WITH_CODE) if with_code else (_IN_TRIPLE, _IN_STRING)
        stack.append(_Open(pattern=triple if len(token) == 3 else single, start=found.start()))
    elif token == b"{":
        stack[-1].braces += 1
    elif len(stack) > 1 and stack[-1].braces == 0:
        stack.pop()
    else:
        stack[-1].braces -= 1


def _in_text(found: re.Match[bytes], stack: list[_Open], texts: list[tuple[int, int]]) -> None:
    """Close a string, or open code inside it."""
    if found[0] == b"${":
        stack.append(_Open(pattern=_IN_CODE, start=found.start()))
    elif found[0].startswith((b'"', b"\n")):
        text = stack.pop()
        if len(stack) == 1:
            texts.append((text.start, found.end()))


def _comment_end(data: bytes, at: int) -> int:
    depth = 1
    for found in _IN_COMMENT.finditer(data, at):
        depth += 1 if found[0] == b"/*" else -1
        if not depth:
            return found.end()
    return len(data)
