"""Whether two globs can fit the same path, shown by such a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.rule.globs.parsing import RUN, OneOf, Segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.globs.parsing import Alternative, Glob, Token

_ANY_SEGMENT = Segment(text="*", tokens=(RUN,))
_ANY_CHAR = OneOf(negated=True)
_PLEASANT = "xa1A0_"

_Known: TypeAlias = "dict[tuple[int, int], str | None]"


def common_path(one: Glob, other: Glob) -> str | None:
    """Return a path below the root `/` that both globs fit, None when there is none."""
    for first in one.alternatives:
        for second in other.alternatives:
            found = _common(_spelled(first), _spelled(second))
            if found is not None:
                return found
    return None


def _spelled(alternative: Alternative) -> tuple[Segment, ...]:
    """Return the segments, with the one that `**` at the end needs."""
    segments = alternative.segments
    return (*segments, _ANY_SEGMENT) if segments and segments[-1].tokens is None else segments


def _common(first: Sequence[Segment], second: Sequence[Segment]) -> str | None:
    known: _Known = {}  # what follows the first so many segments of both, each with a slash in front
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
    ways: list[str | None] = []
    if one is not None and one.tokens is None:
        ways.append(known[i + 1, j])
    if other is not None and other.tokens is None:
        ways.append(known[i, j + 1])
    if one is not None and other is not None:
        after = (
            known[i + (one.tokens is not None), j + (other.tokens is not None)] if one.tokens or other.tokens else None
        )
        part = None if after is None else _common_part(one.tokens or (RUN,), other.tokens or (RUN,))
        ways.append(None if after is None or part is None else f"/{part}{after}")
    return min((way for way in ways if way is not None), key=len, default=None)


def _common_part(first: Sequence[Token], second: Sequence[Token]) -> str | None:
    known: _Known = {}
    for i in range(len(first), -1, -1):
        for j in range(len(second), -1, -1):
            known[i, j] = _rest_of_part(first[i:], second[j:], i, j, known)
    return known[0, 0] if known[0, 0] != "" else _PLEASANT[0]


def _rest_of_part(first: Sequence[Token], second: Sequence[Token], i: int, j: int, known: _Known) -> str | None:
    if not first and not second:
        return ""
    ways: list[str | None] = []
    if first and first[0] == RUN:
        ways.append(known[i + 1, j])
    if second and second[0] == RUN:
        ways.append(known[i, j + 1])
    if first and second and not first[0] == second[0] == RUN:
        char = _common_char(first[0], second[0])
        after = known[i + (first[0] != RUN), j + (second[0] != RUN)]
        ways.append(None if char is None or after is None else char + after)
    return min((way for way in ways if way is not None), key=len, default=None)


def _common_char(first: Token, second: Token) -> str | None:
    one = first if isinstance(first, OneOf) else _ANY_CHAR
    other = second if isinstance(second, OneOf) else _ANY_CHAR
    edges = [ord(edge) for low, high in (*one.ranges, *other.ranges, ("/", "/")) for edge in (low, high)]
    near = (chr(code + by) for code in edges for by in (0, -1, 1) if 0 <= code + by <= 0x10FFFF)
    return next((char for char in (*_PLEASANT, *near) if one.takes(char) and other.takes(char)), None)
