"""Collects replacements in one text, by offsets of the original. A later one may rewrite the text of an earlier one."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Replacement:
    """The text that replaces the range from `start` to `stop`, and the edit that wrote it."""

    start: int
    stop: int
    text: str
    edit: int


class Splice:
    """Non-overlapping replacements in the order of the text. None is an insertion, unless the text is empty."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: list[int] = []
        self._replacements: list[Replacement] = []

    def __len__(self) -> int:
        return len(self._replacements)

    def overlapping(self, start: int, stop: int) -> Replacement | None:
        """Return a replacement that overlaps the range or is strictly inside it."""
        place = bisect_left(self._starts, stop)
        if place and self._replacements[place - 1].stop > start:
            return self._replacements[place - 1]
        return None

    def add(self, replacement: Replacement) -> None:
        """Add a replacement that overlaps no other."""
        place = bisect_left(self._starts, replacement.start)
        while place < len(self._starts) and self._replacements[place].stop == replacement.start:
            place += 1  # an insertion at the start of this replacement
        self._starts.insert(place, replacement.start)
        self._replacements.insert(place, replacement)

    def add_next_to(self, replacement: Replacement) -> Replacement | None:
        """Add a replacement that may share unchanged lines with other replacements. Return one that it conflicts with,
        or None.

        Two replacements can share lines if neither changes any of them, nor inserts text between them.
        """
        while (other := self.overlapping(replacement.start, replacement.stop)) is not None:
            core, other_core = self._changed_part(replacement), self._changed_part(other)
            if not (_outside(core, other) and _outside(other_core, replacement)):
                return other
            if core.start == core.stop == other_core.start == other_core.stop:
                return other
            replacement = core
            place = self._replacements.index(other)
            self._replacements[place : place + 1] = [other_core]
            self._starts[place : place + 1] = [other_core.start]
        self.add(replacement)
        return None

    def _changed_part(self, one: Replacement) -> Replacement:
        """Return the replacement without the lines at its start and end that it does not change."""
        old, new = _with_ends(self.text[one.start : one.stop]), _with_ends(one.text)
        most = min(len(old), len(new))
        head = next((number for number in range(most) if old[number] != new[number]), most)
        most -= head
        tail = next((number for number in range(most) if old[-1 - number] != new[-1 - number]), most)
        return Replacement(
            start=one.start + sum(map(len, old[:head])),
            stop=one.stop - sum(map(len, old[len(old) - tail :])),
            text="".join(new[head : len(new) - tail]),
            edit=one.edit,
        )

    def result(self) -> str:
        """Return the text with all replacements applied."""
        pieces: list[str] = []
        done = 0
        for one in self._replacements:
            pieces.append(self.text[done : one.start])
            pieces.append(one.text)
            done = one.stop
        pieces.append(self.text[done:])
        return "".join(pieces)

    def rewrite(self, start: int, stop: int, text: str, edit: int) -> None:
        """Replace a range of the *result*. Replacements that overlap it are merged into one."""
        shift = 0  # length difference between result and text up to this point
        first, low, high = None, start, stop
        count = 0
        head, tail = "", ""
        for number, one in enumerate(self._replacements):
            there = one.start + shift
            after = there + len(one.text)
            if (after > start and there < stop) or (start < there < stop):
                if first is None:
                    first = number
                    low = min(start, there) - shift
                    head = one.text[: max(0, start - there)]
                count += 1
                tail = one.text[max(0, stop - there) :] if after > stop else ""
                shift += len(one.text) - (one.stop - one.start)
                high = max(stop, after) - shift
            elif there >= stop:
                break
            else:
                shift += len(one.text) - (one.stop - one.start)
        if first is None:
            first = bisect_left(self._starts, start - shift)
            low, high = start - shift, stop - shift
        merged = Replacement(start=low, stop=high, text=head + text + tail, edit=edit)
        self._replacements[first : first + count] = [merged]
        self._starts[first : first + count] = [merged.start]


def _outside(core: Replacement, other: Replacement) -> bool:
    return core.stop <= other.start or core.start >= other.stop


def _with_ends(text: str) -> list[str]:
    """Return the lines with their line ends."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
