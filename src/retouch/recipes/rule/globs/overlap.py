"""Finds a path that two globs both match."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.rule.globs.parsing import RUN, OneOf, Segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.globs.parsing import Alternative, Glob, Token

_ANY_SEGMENT = Segment(text="*", tokens=(RUN,))
_ANY_CHAR = OneOf(negated=True)
_PREFERRED_CHARS = "xa1A0_"

_Known: TypeAlias = "dict[tuple[int, int], str | None]"


def common_path(one: Glob, other: Glob) -> str | None:
    """Return a path below the root `/` that both globs match, or None if there is none."""
    for first in one.alternatives:
        for second in other.alternatives:
            found = _common(_with_file_name(first), _with_file_name(second))
            if found is not None:
                return found
    return None


def _with_file_name(alternative: Alternative) -> tuple[Segment, ...]:
    """Return the segments, with an added one if the glob ends with `**`, which needs a file name."""
    segments = alternative.segments
    return (*segments, _ANY_SEGMENT) if segments and segments[-1].tokens is None else segments


def _common(first: Sequence[Segment], second: Sequence[Segment]) -> str | None:
    known: _Known = {}  # (i, j): the rest of a common path after i and j segments, each with a leading slash
    for i in range(len(first), -1, -1):
        for j in range(len(second), -1, -1):
            known[i, j] = _rest(
                first[i] if i < len(first) else None, second[j] if j < len(second) else None, i, j, known
            )
    found = known[0, 0]
    return None if found is None else found[1:]


def _rest(one: Segment | None, other: Segment | None, i: int, j: int, known: _Known) -> str | None:
    if one is None and other is None:
        return ""
    candidates: list[str | None] = []
    if one is not None and one.tokens is None:
        candidates.append(known[i + 1, j])
    if other is not None and other.tokens is None:
        candidates.append(known[i, j + 1])
    if one is not None and other is not None:
        after = (
            known[i + (one.tokens is not None), j + (other.tokens is not None)] if one.tokens or other.tokens else None
        )
        part = None if after is None else _common_part(one.tokens or (RUN,), other.tokens or (RUN,))
        candidates.append(None if after is None or part is None else f"/{part}{after}")
    return min((candidate for candidate in candidates if candidate is not None), key=len, default=None)


def _common_part(first: Sequence[Token], second: Sequence[Token]) -> str | None:
    known: _Known = {}
    for i in range(len(first), -1, -1):
        for j in range(len(second), -1, -1):
            known[i, j] = _rest_of_part(first[i:], second[j:], i, j, known)
    return known[0, 0] if known[0, 0] != "" else _PREFERRED_CHARS[0]


def _rest_of_part(first: Sequence[Token], second: Sequence[Token], i: int, j: int, known: _Known) -> str | None:
    if not first and not second:
        return ""
    candidates: list[str | None] = []
    if first and first[0] == RUN:
        candidates.append(known[i + 1, j])
    if second and second[0] == RUN:
        candidates.append(known[i, j + 1])
    if first and second and not first[0] == second[0] == RUN:
        char = _common_char(first[0], second[0])
        after = known[i + (first[0] != RUN), j + (second[0] != RUN)]
        candidates.append(None if char is None or after is None else char + after)
    return min((candidate for candidate in candidates if candidate is not None), key=len, default=None)


def _common_char(first: Token, second: Token) -> str | None:
    one = first if isinstance(first, OneOf) else _ANY_CHAR
    other = second if isinstance(second, OneOf) else _ANY_CHAR
    edges = [ord(edge) for low, high in (*one.ranges, *other.ranges, ("/", "/")) for edge in (low, high)]
    near = (chr(code + by) for code in edges for by in (0, -1, 1) if 0 <= code + by <= 0x10FFFF)
    return next((char for char in (*_PREFERRED_CHARS, *near) if one.matches(char) and other.matches(char)), None)
