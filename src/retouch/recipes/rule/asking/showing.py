"""Selects the most different sample paths for the prompt, and writes them as fenced data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.edits import fence_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_PATHS = 30
MAX_PATH_CHARS = 300
_HEAD = 100
_RUNS = (
    (re.compile(r"[0-9]+"), "9"),
    (re.compile(r"[^\W\d_]+"), "a"),
)


def shape_of(path: str) -> str:
    """Return the shape of a path: its separators, with one mark for each run of letters or digits."""
    for run, mark in _RUNS:
        path = run.sub(mark, path)
    return path


def most_different(paths: Sequence[str], count: int = MAX_PATHS) -> list[str]:
    """Return at most `count` of `paths`, in their order. Shapes take turns, the most frequent one first."""
    groups: dict[str, list[int]] = {}
    for number, path in enumerate(paths):
        groups.setdefault(shape_of(path), []).append(number)
    ordered = sorted(groups.values(), key=len, reverse=True)
    ordered = [_spread(group, count) for group in ordered[:count]]
    chosen: list[int] = []
    for turn in range(count):
        chosen += [group[turn] for group in ordered if turn < len(group)]
    return [paths[number] for number in sorted(chosen[:count])]


def _spread(numbers: list[int], count: int) -> list[int]:
    """Return at most `count` of `numbers`, evenly spread over the list."""
    step = max(len(numbers) / count, 1.0)
    return [numbers[int(at * step)] for at in range(min(count, len(numbers)))]


def as_data(text: str) -> str:
    """Return one line of at most 300 characters, in which characters that a terminal could interpret are replaced by
    `?`.
    """
    line = "".join(char if char.isprintable() else "?" for char in text)
    if len(line) > MAX_PATH_CHARS:
        line = f"{line[:_HEAD]}…{line[_HEAD - MAX_PATH_CHARS + 1 :]}"
    return line


def fenced(lines: Iterable[str]) -> str:
    """Return `lines` inside a fence that none of them can close."""
    text = "\n".join(lines)
    fence = fence_for(text)
    return f"{fence}\n{text}\n{fence}"
