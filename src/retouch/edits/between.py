"""The edits that turn one text into another: what a model would have to write, and no more."""

from __future__ import annotations

from dataclasses import dataclass

from retouch.edits.align import differences
from retouch.edits.lineindex import every_place

MOST_CONTEXT = 15


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Lines `low` to `high` of the old text that become `new_low` to `new_high` of the new one (half open)."""

    low: int
    high: int
    new_low: int
    new_high: int

    def grown(self, by: int, old_size: int, new_size: int) -> _Hunk:
        above = min(by, self.low, self.new_low)
        below = min(by, old_size - self.high, new_size - self.new_high)
        return _Hunk(self.low - above, self.high + below, self.new_low - above, self.new_high + below)

    def joined(self, other: _Hunk) -> _Hunk:
        return _Hunk(self.low, max(self.high, other.high), self.new_low, max(self.new_high, other.new_high))


def edits_between(old: str, new: str, *, context: int = 1) -> tuple[tuple[str, str], ...] | None:
    """FIND and REPLACE of each edit, in order; every FIND stands once in `old`, with at least `context` lines around.

    Both end with a newline. None when a change cannot be told by a unique FIND within 15 lines, or when only the end
    of the last line changes. `()` when the texts are equal.
    """
    if old == new:
        return ()
    before, after = old.splitlines(), new.splitlines()
    hunks: list[_Hunk] = []
    for stretch in differences(before, after):
        hunk = _unique(_Hunk(*stretch), before, len(after), context)
        if hunk is None:
            return None
        while hunks and hunks[-1].high >= hunk.low:
            hunk = hunks.pop().joined(hunk)
        hunks.append(hunk)
    pairs = ((before[h.low : h.high], after[h.new_low : h.new_high]) for h in hunks)
    return tuple(("".join(f"{a}\n" for a in find), "".join(f"{b}\n" for b in put)) for find, put in pairs) or None


def _unique(hunk: _Hunk, before: list[str], new_size: int, context: int) -> _Hunk | None:
    for by in range(context, MOST_CONTEXT + 1):
        grown = hunk.grown(by, len(before), new_size)
        find = before[grown.low : grown.high]
        if any(line.strip() for line in find) and len(every_place(before, find)) == 1:
            return grown
    return None
