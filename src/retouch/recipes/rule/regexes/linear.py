"""Searches in time proportional to the text, for expressions on which backtracking could take exponential time.

All paths through the expression are followed at once, the preferred one first, so the result is the one that
backtracking would find. It is slower than `re` on simple expressions. Source: Thompson 1968; Pike's machine with
captures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.regexes.tree import Assertion, Chars, Choice, Group, Node, Repeat, Sequence
from retouch.recipes.rule.regexes.writing import regex_text

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_STEPS_PER_CHAR: Final = 5_000

Span: TypeAlias = "tuple[int, int]"
_Marks: TypeAlias = "tuple[int, int, int]"  # start of the match, start and end of group 1 (-1 if unset)


@dataclass(frozen=True, kw_only=True)
class _Take:
    test: Callable[[str], object]


@dataclass(kw_only=True)
class _Split:
    threads: list[int]


@dataclass(frozen=True, kw_only=True)
class _Mark:
    slot: int


@dataclass(frozen=True, kw_only=True)
class _Place:
    test: Callable[[str, int], object]


_Step: TypeAlias = "_Take | _Split | _Mark | _Place | None"  # None: the whole expression matched


@dataclass(kw_only=True)
class _Program:
    steps: list[_Step] = field(default_factory=list["_Step"])

    def add(self, step: _Step) -> int:
        if len(self.steps) >= MAX_STEPS_PER_CHAR:
            raise PartError("INVALID_REGEX", "the pattern is too large once its counts are written out")
        self.steps.append(step)
        return len(self.steps) - 1

    def enter(self, node: Node) -> None:
        if isinstance(node, Chars):
            self.add(_Take(test=re.compile(regex_text(node)).fullmatch))
        elif isinstance(node, Assertion):
            self.add(_Place(test=re.compile(regex_text(node)).match))
        elif isinstance(node, Group):
            self._group(node)
        elif isinstance(node, Sequence):
            for part in node.parts:
                self.enter(part)
        elif isinstance(node, Choice):
            self._choice(node)
        else:
            self._repeat(node)

    def _group(self, node: Group) -> None:
        if node.number == 1:
            self.add(_Mark(slot=1))
        self.enter(node.body)
        if node.number == 1:
            self.add(_Mark(slot=2))

    def _choice(self, node: Choice) -> None:
        split = _Split(threads=[])
        self.add(split)
        jumps: list[_Split] = []
        for part in node.parts:
            split.threads.append(len(self.steps))
            self.enter(part)
            jumps.append(_Split(threads=[]))
            self.add(jumps[-1])
        for jump in jumps:
            jump.threads = [len(self.steps)]

    def _repeat(self, node: Repeat) -> None:
        for _ in range(node.least):
            self.enter(node.body)
        optional = 1 if node.most is None else node.most - node.least
        splits: list[_Split] = []
        for _ in range(optional):
            splits.append(_Split(threads=[]))
            at = self.add(splits[-1])
            splits[-1].threads = [at + 1]
            self.enter(node.body)
        if node.most is None:
            self.add(_Split(threads=[len(self.steps) - 1 - self._since(splits[-1])]))
        for split in splits:
            split.threads.append(len(self.steps))
            if not node.greedy:
                split.threads.reverse()

    def _since(self, split: _Split) -> int:
        return len(self.steps) - split.threads[0]


def linear_search(tree: Node) -> Callable[[str], tuple[Span, Span | None] | None]:
    """Return a function from a text to the spans of the leftmost match and of its group 1, or None.

    Raises:
        PartError: the expression is too large.
    """
    program = _Program()
    program.enter(tree)
    program.add(None)
    return _Machine(steps=program.steps).search


@dataclass(frozen=True, kw_only=True)
class _Machine:
    steps: list[_Step]

    def search(self, text: str) -> tuple[Span, Span | None] | None:
        best: tuple[_Marks, int] | None = None
        threads: list[tuple[int, _Marks]] = []
        for position in range(len(text) + 1):
            if best is None:
                threads.append((0, (position, -1, -1)))
            elif not threads:
                break
            ready, ended = self._settle(threads, text, position)
            if ended is not None:
                best = ended, position
            if position < len(text):
                char = text[position]
                threads = [(at + 1, marks) for at, take, marks in ready if take.test(char)]
        if best is None:
            return None
        (start, inner, after), end = best
        return (start, end), (inner, after) if after >= 0 else None

    def _settle(
        self, threads: list[tuple[int, _Marks]], text: str, position: int
    ) -> tuple[list[tuple[int, _Take, _Marks]], _Marks | None]:
        """Follow every path up to the next character it needs, in order. Stop at the first path that has matched."""
        seen: set[int] = set()
        ready: list[tuple[int, _Take, _Marks]] = []
        waiting = threads[::-1]
        while waiting:
            at, marks = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            step = self.steps[at]
            if step is None:
                return ready, marks
            if isinstance(step, _Take):
                ready.append((at, step, marks))
            elif isinstance(step, _Split):
                waiting += [(branch, marks) for branch in reversed(step.threads)]
            elif isinstance(step, _Mark):
                start, inner, _ = marks
                waiting.append((at + 1, (start, position, -1) if step.slot == 1 else (start, inner, position)))
            elif step.test(text, position):
                waiting.append((at + 1, marks))
        return ready, None
