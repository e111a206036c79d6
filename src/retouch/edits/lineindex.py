"""Indexes the lines of a file. Only lines that some edit needs are indexed, so one pass serves a whole reply."""

from __future__ import annotations

from functools import cached_property
from itertools import compress, count
from typing import TYPE_CHECKING

from retouch.edits.indent import unit_of
from retouch.edits.values import is_blank

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.edits.filelines import FileLines

_PLAIN = {
    **dict.fromkeys((*range(0x2018, 0x201C), 0x2032), "'"),
    **dict.fromkeys((*range(0x201C, 0x2020), 0x2033), '"'),
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
    **dict.fromkeys((0xA0, *range(0x2002, 0x200B), 0x202F, 0x205F, 0x3000), " "),
}


def plain(text: str) -> str:
    """Return the text with typographic quotes, dashes and spaces replaced by plain ones. Its length does not change."""
    return text if text.isascii() else text.translate(_PLAIN)


def squash(line: str) -> str:
    """Return a key that is equal for lines that differ only in outer whitespace and typography."""
    return plain(line).strip()


class LineIndex:
    """The places of wanted lines in one file, exact and loose."""

    def __init__(self, lines: FileLines, wanted: Iterable[str]) -> None:
        self.lines = lines
        self._wanted = {line for line in wanted if line}
        self.positions: dict[str, list[int]] = _positions(lines.bodies, self._wanted)

    @cached_property
    def keys(self) -> list[str]:
        """The key of each line of the file."""
        if self.lines.text.isascii():
            return [body.strip() for body in self.lines.bodies]
        return [squash(body) for body in self.lines.bodies]

    @cached_property
    def loose_positions(self) -> dict[str, list[int]]:
        """The places of each key."""
        wanted = {squash(line) for line in self._wanted}
        wanted.discard("")
        return _positions(self.keys, wanted)

    @cached_property
    def unit(self) -> str:
        """One level of indentation of the file."""
        return unit_of(self.lines.bodies)

    def exact_places(self, find: Sequence[str]) -> list[int]:
        """Return every line at which the block starts, including overlapping ones."""
        return places(self.lines.bodies, self.positions, list(find))

    def loose_places(self, find: Sequence[str]) -> list[int]:
        """Return every line at which the block starts, ignoring outer whitespace and typography."""
        return places(self.keys, self.loose_positions, [squash(line) for line in find])


def places(lines: Sequence[str], positions: dict[str, list[int]], find: list[str]) -> list[int]:
    """Return the places of `find` as a block in `lines`. Linear, even for repetitive input.

    `positions` maps each non-empty line of `find` to its places.
    """
    rarest, at = None, 0
    for offset, line in enumerate(find):
        if not line:
            continue
        where = positions.get(line)
        if where is None:
            return []
        if rarest is None or len(where) < len(rarest):
            rarest, at = where, offset
    if rarest is None:
        return every_place(lines, find)
    size = len(find)
    if size == 1:
        return rarest
    if len(rarest) * size > 4 * len(lines) + 10_000:
        return every_place(lines, find)
    last = len(lines) - size
    starts = [place - at for place in rarest if 0 <= place - at <= last]
    return [start for start in starts if lines[start : start + size] == find]


def _positions(lines: Sequence[str], wanted: set[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    if not wanted:
        return found
    for number in compress(count(), map(wanted.__contains__, lines)):
        line = lines[number]
        if line in found:
            found[line].append(number)
        else:
            found[line] = [number]
    return found


def every_place(lines: Sequence[str], find: list[str]) -> list[int]:
    """Return all places of `find`, by the algorithm of Knuth, Morris and Pratt, which never moves back in `lines`."""
    if not find:
        return []
    back = [0] * len(find)
    done = 0
    for number in range(1, len(find)):
        while done and find[number] != find[done]:
            done = back[done - 1]
        done += find[number] == find[done]
        back[number] = done
    found: list[int] = []
    done = 0
    for number, line in enumerate(lines):
        while done and line != find[done]:
            done = back[done - 1]
        done += line == find[done]
        if done == len(find):
            found.append(number - done + 1)
            done = back[done - 1]
    return found


def filled(lines: Sequence[str]) -> list[str]:
    """Return the lines that are not blank."""
    return [line for line in lines if not is_blank(line)]
