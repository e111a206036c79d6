"""Finds lines that two strings share: anchors of unique lines, then their neighbours. O(n log n), never quadratic."""

from __future__ import annotations

from bisect import bisect_left
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SMALL = 60  # up to this many lines on each side, difflib compares all pairs

Stretch = tuple[int, int, int, int]  # half-open ranges: old start, old end, new start, new end


def align(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Return for each new line the index of the equal old line, or None. The indices are increasing."""
    shared: list[int | None] = [None] * len(new)
    open_stretches: list[Stretch] = [(0, len(old), 0, len(new))]
    while open_stretches:
        stretch = _trim(old, new, open_stretches.pop(), shared)
        low, high, new_low, new_high = stretch
        if low == high or new_low == new_high:
            continue
        anchors = _unique_anchors(old, new, stretch)
        if anchors:
            open_stretches += _between(stretch, anchors, shared)
        elif high - low <= _SMALL and new_high - new_low <= _SMALL:
            matcher = SequenceMatcher(None, old[low:high], new[new_low:new_high], autojunk=False)
            for a, b, size in matcher.get_matching_blocks():
                for step in range(size):
                    shared[new_low + b + step] = low + a + step
    return shared


def differences(old: Sequence[str], new: Sequence[str]) -> list[Stretch]:
    """Return the stretches that differ, in order."""
    found: list[Stretch] = []
    done_old = done_new = 0
    for here, there in [*enumerate(align(old, new)), (len(new), len(old))]:
        if there is None:
            continue
        if there > done_old or here > done_new:
            found.append((done_old, there, done_new, here))
        done_old, done_new = there + 1, here + 1
    return found


def _trim(old: Sequence[str], new: Sequence[str], stretch: Stretch, shared: list[int | None]) -> Stretch:
    low, high, new_low, new_high = stretch
    while low < high and new_low < new_high and old[low] == new[new_low]:
        shared[new_low] = low
        low, new_low = low + 1, new_low + 1
    while low < high and new_low < new_high and old[high - 1] == new[new_high - 1]:
        high, new_high = high - 1, new_high - 1
        shared[new_high] = high
    return low, high, new_low, new_high


def _unique_anchors(old: Sequence[str], new: Sequence[str], stretch: Stretch) -> list[tuple[int, int]]:
    """Return the pairs of lines that are unique on both sides, as the longest increasing chain (patience diff)."""
    low, high, new_low, new_high = stretch
    old_at = _unique(old, low, high)
    new_at = _unique(new, new_low, new_high)
    pairs = [(there, new_at[line]) for line, there in old_at.items() if line in new_at]
    tails: list[int] = []
    chain: list[tuple[int, int]] = []
    back: list[int] = []
    ends: list[int] = []
    for there, here in pairs:
        place = bisect_left(tails, here)
        chain.append((there, here))
        back.append(ends[place - 1] if place else -1)
        if place == len(tails):
            tails.append(here)
            ends.append(len(chain) - 1)
        else:
            tails[place] = here
            ends[place] = len(chain) - 1
    best: list[tuple[int, int]] = []
    step = ends[-1] if ends else -1
    while step >= 0:
        best.append(chain[step])
        step = back[step]
    return best[::-1]


def _unique(lines: Sequence[str], low: int, high: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for place in range(low, high):
        found[lines[place]] = -1 if lines[place] in found else place
    return {line: place for line, place in found.items() if place >= 0}


def _between(stretch: Stretch, anchors: list[tuple[int, int]], shared: list[int | None]) -> list[Stretch]:
    low, high, new_low, new_high = stretch
    gaps: list[Stretch] = []
    for there, here in anchors:
        shared[here] = there
        gaps.append((low, there, new_low, here))
        low, new_low = there + 1, here + 1
    gaps.append((low, high, new_low, new_high))
    return gaps
