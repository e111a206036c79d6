"""Estimates the work of a backtracking engine for a regular expression, from its tree.

A repetition or choice is undecided if the next character does not determine the branch. Each undecided repetition
multiplies the work by the length of the text. One inside another repetition makes it exponential.
"""

from __future__ import annotations

from dataclasses import dataclass

from retouch.recipes.rule.regexes.tree import Assertion, Chars, Choice, Group, Node, Repeat, Sequence

_OTHER = 1 << 128  # represents every character that is not ASCII
_ALL = (_OTHER << 1) - 1
MAX_STEPS = 1_000_000
MAX_LENGTH = 1 << 20


def longest_safe(tree: Node) -> int:
    """Return the length of the longest text on which backtracking takes at most about a million steps."""
    work = _Work()
    work.enter(tree, 0, looped=False)
    if work.exponential:
        return 0
    power = work.power + 1 + (not _anchored(tree))
    return min(int((MAX_STEPS / work.factor) ** (1 / power)), MAX_LENGTH)


@dataclass(kw_only=True)
class _Work:
    """Collects undecided branches while the tree is walked from its end to its start."""

    power: int = 0
    factor: int = 1
    exponential: bool = False

    def enter(self, node: Node, follow: int, *, looped: bool) -> int:
        """Return the characters that `node` and its successors can start with, as a mask."""
        if isinstance(node, Chars):
            return _mask(node)
        if isinstance(node, Assertion):
            return follow
        if isinstance(node, Group):
            return self.enter(node.body, follow, looped=looped)
        if isinstance(node, Sequence):
            for part in reversed(node.parts):
                follow = self.enter(part, follow, looped=looped)
            return follow
        if isinstance(node, Choice):
            return self._choose(node, follow, looped=looped)
        return self._repeat(node, follow, looped=looped)

    def _choose(self, node: Choice, follow: int, *, looped: bool) -> int:
        seen = 0
        for part in node.parts:
            mask = self.enter(part, follow, looped=looped)
            if mask & seen or not mask:
                self._undecided(2, looped=looped)
            seen |= mask
        return seen

    def _repeat(self, node: Repeat, follow: int, *, looped: bool) -> int:
        starts, empty = _starts(node.body)
        again = node.most is None or node.most > 1
        self.enter(node.body, follow | (starts if again else 0), looped=looped or again)
        if (starts & follow or empty) and node.most != node.least:
            if node.most is None:
                self.power += 1
            self._undecided(1 if node.most is None else node.most - node.least + 1, looped=looped)
        return starts | (follow if empty or not node.least else 0)

    def _undecided(self, ways: int, *, looped: bool) -> None:
        self.factor = min(self.factor * ways, MAX_STEPS)
        self.exponential |= looped


def _starts(node: Node) -> tuple[int, bool]:
    """Return the characters that `node` can start with, and whether it can be empty."""
    if isinstance(node, Chars):
        return _mask(node), False
    if isinstance(node, Assertion):
        return 0, True
    if isinstance(node, Group):
        return _starts(node.body)
    if isinstance(node, Repeat):
        mask, empty = _starts(node.body)
        return mask, empty or not node.least
    found = [_starts(part) for part in node.parts]
    mask = 0
    if isinstance(node, Choice):
        for one, _ in found:
            mask |= one
        return mask, any(empty for _, empty in found)
    for one, empty in found:
        mask |= one
        if not empty:
            return mask, False
    return mask, True


def _mask(chars: Chars) -> int:
    mask = (
        _OTHER if chars.any_case else 0
    )  # an ASCII letter can match a letter of another alphabet without case, for example 'k'
    for low, high in chars.ranges:
        for code in range(low, min(high, 127) + 1):
            mask |= 1 << code
            if chars.any_case:
                mask |= 1 << (ord(chr(code).swapcase()) & 127)
        if high > 127:
            mask |= _OTHER
    if not chars.negated:
        return mask
    return (_ALL & ~mask) | _OTHER


def _anchored(node: Node) -> bool:
    if isinstance(node, Assertion):
        return node.kind == "start"
    if isinstance(node, Group):
        return _anchored(node.body)
    if isinstance(node, Choice):
        return all(_anchored(part) for part in node.parts)
    return isinstance(node, Sequence) and bool(node.parts) and _anchored(node.parts[0])
