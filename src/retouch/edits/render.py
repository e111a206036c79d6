"""Writes edits as blocks that the parsers can read, and computes the edits between two strings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from retouch.edits.align import differences
from retouch.edits.filelines import BOM, FileLines
from retouch.edits.lineindex import every_place
from retouch.edits.values import EditBlock, is_blank

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.edits.align import Stretch

Style = Literal["change", "search_replace"]

_BACKTICKS = re.compile(r"`{3,}")
_MARKER = re.compile(r"\\?(?:<{7}|={7}$|>{7}|-{7}|\+{7}|:(?:start|end)_line:)")


def fence_for(*texts: str) -> str:
    """Return a fence of backticks that is longer than any run of backticks in the strings."""
    longest = max((len(run) for text in texts for run in _BACKTICKS.findall(text)), default=2)
    return "`" * (longest + 1)


def render_blocks(blocks: Iterable[EditBlock], *, style: Style = "change") -> str:
    """Return the blocks as a reply: CHANGE / FIND / REPLACE WITH, or SEARCH markers.

    Raises:
        ValueError: the style cannot express a block. A deleted file needs "change", a moved file cannot be written,
            and a text with marker lines cannot be written between markers.
    """
    return "\n".join(_change(block) if style == "change" else _markers(block) for block in blocks)


def changes_between(before: str, after: str, *, path: str | None = None, context: int = 1) -> list[EditBlock]:
    """Return the blocks that turn one text into the other. Each FIND has enough context to be unique.

    Line endings and the final newline are those of the file and are not part of a block. Strings that only differ
    in these produce no block. An empty text gives one block that creates the file.
    """
    old = FileLines(before)
    new = FileLines(after).bodies
    stretches = differences(old.bodies, new)
    if not stretches:
        return []
    if not before.removeprefix(BOM):
        return [EditBlock(number=1, find=(), replace=tuple(new), path=path)]
    windows = _UniqueWindows(old.bodies, new, context).windows(stretches)
    return [
        EditBlock(
            number=number,
            find=tuple(old.bodies[one.low : one.high]),
            replace=tuple(new[one.new_low : one.new_high]),
            path=path,
        )
        for number, one in enumerate(windows, start=1)
    ]


@dataclass(kw_only=True)
class _Window:
    """The half-open ranges of both strings that one block covers."""

    low: int
    high: int
    new_low: int
    new_high: int

    def grow(self, up: int, down: int) -> None:
        """Include more lines that both strings share."""
        self.low, self.new_low = self.low - up, self.new_low - up
        self.high, self.new_high = self.high + down, self.new_high + down


class _UniqueWindows:
    """Grows windows around different stretches until each FIND is unique. Windows that meet are merged."""

    def __init__(self, old: Sequence[str], new: Sequence[str], context: int) -> None:
        self._old, self._new, self._context = list(old), new, context
        self._places: dict[str, list[int]] = {}
        for number, line in enumerate(old):
            self._places.setdefault(line, []).append(number)

    def windows(self, stretches: Sequence[Stretch]) -> list[_Window]:
        """Return one window per stretch, or one for several that are too close to separate."""
        found: list[_Window] = []
        ahead = [_Window(low=a, high=b, new_low=c, new_high=d) for a, b, c, d in reversed(stretches)]
        while ahead:
            window = ahead.pop()
            step = self._context
            while True:
                up = window.low - (found[-1].high if found else 0)
                down = (ahead[-1].low if ahead else len(self._old)) - window.high
                window.grow(min(up, step), min(down, step))
                if self._is_unique(window):
                    break
                if not (up or down) and not self._merge(window, found, ahead):
                    break
                step = max(1, 2 * step)
            found.append(window)
        return found

    def _merge(self, window: _Window, found: list[_Window], ahead: list[_Window]) -> bool:
        """Merge the window with its neighbour. Return False if there is none."""
        if ahead:
            other = ahead.pop()
            window.high, window.new_high = other.high, other.new_high
        elif found:
            other = found.pop()
            window.low, window.new_low = other.low, other.new_low
        else:
            return False
        return True

    def _is_unique(self, window: _Window) -> bool:
        """Return whether FIND is unique and has a non-blank line, and REPLACE is not already there."""
        old = self._old[window.low : window.high]
        if all(is_blank(line) for line in old):
            return False
        new = self._new[window.new_low : window.new_high]
        if len(new) > len(old) and self._old[window.low : window.low + len(new)] == new:
            return False
        rarest = min(range(len(old)), key=lambda offset: len(self._places[old[offset]]))
        places = self._places[old[rarest]]
        if len(places) * len(old) > 4 * len(self._old) + 10_000:
            return len(every_place(self._old, old)) == 1
        starts = (place - rarest for place in places if place >= rarest)
        return sum(self._old[start : start + len(old)] == old for start in starts) == 1


def _change(block: EditBlock) -> str:
    if block.kind == "delete":
        return f"### CHANGE {block.number}: {block.description or 'delete the file'}\nDELETE FILE: {block.path}\n"
    if block.move_to is not None:
        raise ValueError(f"edit {block.number} moves a file, which blocks cannot express")
    find, replace = _text(block.find), _text(block.replace)
    fence = fence_for(find, replace)
    path = f"FILE: {block.path}\n" if block.path else ""
    return (
        f"### CHANGE {block.number}: {block.description or f'edit {block.number}'}\n{path}"
        f"FIND:\n{fence}\n{find}{fence}\n\nREPLACE WITH:\n{fence}\n{replace}{fence}\n"
    )


def _markers(block: EditBlock) -> str:
    if block.kind == "delete" or block.move_to is not None:
        raise ValueError(f"edit {block.number} deletes or moves a file, which SEARCH blocks cannot express")
    if any(_MARKER.match(line) for line in (*block.find, *block.replace)):
        raise ValueError(f"edit {block.number} contains marker lines; use the 'change' style")
    find, replace = _text(block.find), _text(block.replace)
    fence = fence_for(find, replace)
    path = f"{block.path}\n" if block.path else ""
    return f"{path}{fence}\n<<<<<<< SEARCH\n{find}=======\n{replace}>>>>>>> REPLACE\n{fence}\n"


def _text(lines: Sequence[str]) -> str:
    return "".join(line + "\n" for line in lines)
