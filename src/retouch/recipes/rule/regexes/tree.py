"""The nodes of a parsed regular expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

MAX_CODE = 0x10FFFF

AssertionKind: TypeAlias = Literal["start", "end", "line_start", "line_end", "word", "not_word"]


@dataclass(frozen=True, kw_only=True)
class Chars:
    """One character inside (or, negated, outside) some ranges of code points. `any_case` ignores its case."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool = False
    any_case: bool = False


@dataclass(frozen=True, kw_only=True)
class Assertion:
    """A position between characters."""

    kind: AssertionKind


@dataclass(frozen=True, kw_only=True)
class Group:
    """A capturing group. `number` counts from 1."""

    body: Node
    number: int


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """Parts that follow each other. Without parts it is the empty text."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Alternatives, of which the first that matches is used."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, kw_only=True)
class Repeat:
    """A repeated part. `most` is None without a limit."""

    body: Node
    least: int
    most: int | None
    greedy: bool = True


Node: TypeAlias = Chars | Assertion | Group | Sequence | Choice | Repeat


def merged(ranges: list[tuple[int, int]], *, negated: bool = False) -> tuple[tuple[int, int], ...]:
    """Return the ranges in order and without overlaps, or, negated, their complement."""
    done: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if done and low <= done[-1][1] + 1:
            done[-1] = (done[-1][0], max(high, done[-1][1]))
        else:
            done.append((low, high))
    if not negated:
        return tuple(done)
    edges = [-1, *(edge for pair in done for edge in pair), MAX_CODE + 1]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    return tuple((low + 1, high - 1) for low, high in gaps if low + 1 <= high - 1)
