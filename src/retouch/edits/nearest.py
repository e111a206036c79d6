"""Finds the places that are most similar to a FIND that was not found: lines vote for the start of the block."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.edits.lineindex import squash
from retouch.edits.values import is_blank

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.edits.filelines import FileLines
    from retouch.edits.lineindex import LineIndex
    from retouch.edits.values import Lines

_MOST_WINDOWS = 3
_COMMON = 64  # lines and words that occur in more places do not vote
_FINDS_BY_WORDS = 10  # limit of finds without any equal line that are searched by words
_LINES_ASKED = 40
_WORDS_ASKED = 5
_LONGEST_LOOK = 2000  # characters of a line that are searched for words
_WORD = re.compile(r"\w{4,}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """A place that is similar to a FIND. Lines are counted from 0."""

    start: int
    stop: int
    equal: int  # number of non-blank lines that agree, ignoring outer whitespace
    first_difference: int | None  # offset in FIND of the first line that differs


def nearest_windows(index: LineIndex, finds: Mapping[int, Lines]) -> dict[int, list[Window]]:
    """Return up to three similar places for each numbered FIND, the best first."""
    votes = {number: _votes_of_lines(index, find) for number, find in finds.items()}
    without_votes = [number for number, found in votes.items() if not found]
    for number in without_votes[:_FINDS_BY_WORDS]:
        votes[number] = _votes_of_words(index.lines, finds[number])
    return {number: _best(index, finds[number], found) for number, found in votes.items()}


def _votes_of_lines(index: LineIndex, find: Lines) -> Counter[int]:
    votes: Counter[int] = Counter()
    for offset, line in enumerate(find):
        where = index.loose_positions.get(squash(line), ())
        if not is_blank(line) and len(where) <= _COMMON:
            weight = 8 if len(where) == 1 else 4
            for place in where:
                votes[place - offset] += weight
    return votes


def _votes_of_words(lines: FileLines, find: Lines) -> Counter[int]:
    """Return votes by the longest words of a FIND, if no whole line occurs."""
    asked: dict[str, int] = {}
    for offset, line in enumerate(find[:_LINES_ASKED]):
        for word in _WORD.findall(line[:_LONGEST_LOOK]):
            asked.setdefault(word, offset)
    votes: Counter[int] = Counter()
    for word in sorted(asked, key=len, reverse=True)[:_WORDS_ASKED]:
        places = {bisect_right(lines.starts, offset) - 1 for offset in _offsets(lines.text, word)}
        votes.update(place - asked[word] for place in places)
    return votes


def _offsets(text: str, word: str) -> list[int]:
    """Return the offsets of the word. Empty if it occurs in too many places to be conclusive."""
    found: list[int] = []
    offset = text.find(word)
    while offset >= 0:
        found.append(offset)
        if len(found) > _COMMON:
            return []
        offset = text.find(word, offset + 1)
    return found


def _best(index: LineIndex, find: Lines, votes: Counter[int]) -> list[Window]:
    last = len(index.lines.bodies)
    starts = sorted(votes, key=lambda start: (-votes[start], start))
    windows: list[Window] = []
    for start in starts[: 4 * _MOST_WINDOWS]:
        if any(abs(start - window.start) <= 1 for window in windows):
            continue
        windows.append(_window(index, find, start, last))
        if len(windows) == _MOST_WINDOWS:
            break
    return windows


def _window(index: LineIndex, find: Lines, start: int, last: int) -> Window:
    equal, difference = 0, None
    for offset, line in enumerate(find):
        place = start + offset
        there = index.lines.bodies[place] if 0 <= place < last else None
        if there is not None and not is_blank(line) and squash(there) == squash(line):
            equal += 1
        if difference is None and there != line:
            difference = offset
    return Window(start=max(start, 0), stop=min(start + len(find), last), equal=equal, first_difference=difference)
