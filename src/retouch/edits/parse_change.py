"""Parses the CHANGE / FIND / REPLACE WITH format: each text is in a fence that is closed by a fence of equal length."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retouch.edits.parse_markers import START
from retouch.edits.values import EditBlock, EditIssue, Refusal, is_blank

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEADER = re.compile(r"#{1,6}[ \t]*\**CHANGE\b[ \t]*\d*\**[ \t]*[:.)-]?[ \t]*(.*)")
_FIND = re.compile(r"(?:#{1,6}[ \t]+)?\**FIND\**:?\**[ \t]*$")
_REPLACE = re.compile(r"(?:#{1,6}[ \t]+)?\**REPLACE(?: WITH)?\**:?\**[ \t]*$")
_FILE = re.compile(r"(?:#{1,6}[ \t]+)?\**(?:FILE|File)\**:\**[ \t]*(\S.*)")
_DELETE = re.compile(r"\**DELETE FILE\**:\**[ \t]*(\S.*)")
_FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$")

Fence = tuple[str, bool]  # the marker, and whether it is the only text on the line


def is_pair_start(lines: Sequence[str], number: int) -> bool:
    """Return whether this line is FIND followed by a fence, or the deletion of a file."""
    line = lines[number]
    if not _FIND.match(line):
        return bool(_DELETE.match(line))
    below = _next_filled(lines, number + 1)
    return below < len(lines) and _fence(lines[below]) is not None


def looks_like_change(line: str) -> bool:
    """Return whether the line is a header or a keyword of this format."""
    return bool(_HEADER.match(line) or _FIND.match(line) or _REPLACE.match(line))


def read_changes(lines: Sequence[str]) -> list[EditBlock]:
    """Return the blocks of a reply in this format.

    Raises:
        Refusal: (malformed) a part is missing, or a fence is not closed.
    """
    return _Reading(lines).blocks()


@dataclass
class _Reading:
    """One pass over a reply's lines."""

    lines: Sequence[str]
    found: list[EditBlock] = field(default_factory=list[EditBlock])
    description: str = ""
    header_line: int | None = None  # a header that has no pair yet
    under_header: bool = False
    section_path: str | None = None
    own_path: str | None = None
    inside_fence: bool = False  # the whole reply is wrapped in another fence

    def blocks(self) -> list[EditBlock]:
        number = 0
        while number < len(self.lines):
            line = self.lines[number]
            number = self._step(number, line) if line else number + 1
        self._header_is_used()
        return self.found

    def _step(self, number: int, line: str) -> int:
        if match := _HEADER.match(line):
            self._header_is_used()
            self.description, self.header_line, self.under_header = match[1].strip(" *\t"), number, True
            self.own_path = None
        elif _FIND.match(line):
            return self._pair(number)
        elif match := _DELETE.match(line):
            self._add(number, (), (), delete=match[1])
        elif match := _FILE.match(line):
            if self.under_header and self.header_line is not None:
                self.own_path = match[1]
            else:
                self.section_path, self.under_header, self.own_path = match[1], False, None
        elif _REPLACE.match(line) and self._fence_follows(number):
            raise self._malformed(number, "REPLACE WITH has no FIND above it")
        elif START.match(line):
            raise self._malformed(number, "a SEARCH block is mixed with CHANGE blocks")
        elif not self.found and self.header_line is None and _fence(line):
            self.inside_fence = not self.inside_fence
        return number + 1

    def _pair(self, number: int) -> int:
        opening = self._opening(number, "FIND")
        find_end, replace_line = self._end_of_find(opening)
        second = self._opening(replace_line, "REPLACE WITH")
        end = self._end_of_replace(second)
        self._add(number, self.lines[opening + 1 : find_end], self.lines[second + 1 : end])
        return end + 1

    def _add(self, number: int, find: Sequence[str], replace: Sequence[str], delete: str | None = None) -> None:
        self.found.append(
            EditBlock(
                number=len(self.found) + 1,
                find=tuple(find),
                replace=tuple(replace),
                description=self.description,
                path=delete or self.own_path or self.section_path,
                kind="delete" if delete else "edit",
                reply_line=number + 1,
            )
        )
        self.header_line = None

    def _fence_follows(self, number: int) -> bool:
        below = _next_filled(self.lines, number + 1)
        return below < len(self.lines) and _fence(self.lines[below]) is not None

    def _opening(self, keyword_line: int, keyword: str) -> int:
        below = _next_filled(self.lines, keyword_line + 1)
        if below >= len(self.lines):
            raise self._malformed(keyword_line, f"the reply ends after {keyword}")
        if _fence(self.lines[below]) is None:
            raise self._malformed(below, f"{keyword} is not followed by a fenced block")
        return below

    def _end_of_find(self, opening: int) -> tuple[int, int]:
        """Return the closing fence, and the line of the REPLACE WITH that must follow it."""
        marker = _marker(self.lines[opening])
        closed = False
        for number in range(opening + 1, len(self.lines)):
            if self.lines[number].rstrip() != marker:
                continue
            below = _next_filled(self.lines, number + 1)
            follower = self.lines[below] if below < len(self.lines) else ""
            if _REPLACE.match(follower):
                return number, below
            closed = True
            if not follower or _HEADER.match(follower) or _FIND.match(follower):
                break
        raise self._malformed(opening, "FIND has no REPLACE WITH" if closed else "the fence after FIND is never closed")

    def _end_of_replace(self, opening: int) -> int:
        """Return the closing fence. The reply is malformed if inner fences make it ambiguous."""
        marker = _marker(self.lines[opening])
        fences: list[tuple[int, bool]] = []
        can_end, at_end = False, True
        for number in range(opening + 1, len(self.lines)):
            line = self.lines[number]
            if not line:
                continue
            fence = _fence(line) if line[0] in "`~" else None
            if fence and fence[0] == marker:
                fences.append((number, fence[1]))
                can_end = can_end or fence[1]
            elif can_end and self._is_boundary(number, line):
                at_end = False
                break
        if not can_end:
            raise self._malformed(opening, "the fence after REPLACE WITH is never closed")
        fits = _readings(fences, start=self.inside_fence, want=self.inside_fence and not at_end)
        if len(fits) != 1:
            raise self._malformed(opening, f"it is ambiguous which {marker} line closes the fence after REPLACE WITH")
        return fences[fits[0]][0]

    def _is_boundary(self, number: int, line: str) -> bool:
        if _REPLACE.match(line) and self._fence_follows(number):
            above = self.lines[number - 1] or self.lines[number - 2]
            if _fence(above):
                raise self._malformed(number, "REPLACE WITH occurs twice for one FIND")
        return bool(_HEADER.match(line)) or is_pair_start(self.lines, number)

    def _header_is_used(self) -> None:
        if self.header_line is not None:
            raise self._malformed(self.header_line, "this CHANGE has no FIND")

    def _malformed(self, number: int, what: str) -> Refusal:
        return Refusal(
            EditIssue(
                code="malformed",
                message=f"Change {len(self.found) + 1}, line {number + 1} of the reply: {what}.",
                fix="Send all changes again; each has FIND: and REPLACE WITH:, each followed by a block in fences that "
                "are longer than any run of backticks inside.",
                edits=(len(self.found) + 1,),
                reply_line=number + 1,
            )
        )


def _readings(fences: list[tuple[int, bool]], *, start: bool, want: bool) -> list[int]:
    """Return the fence lines that can be the closing one: all before it are in pairs, and so are all after it."""
    count = len(fences)
    # after[i][open]: whether a fence is open at the end, if read from fence i on
    after = [[False, False] for _ in range(count + 1)]
    after[count] = [False, True]
    for place in range(count - 1, -1, -1):
        after[place] = [after[place + 1][1], after[place + 1][0 if fences[place][1] else 1]]
    fits: list[int] = []
    is_open = False
    for place, (_, bare) in enumerate(fences):
        if bare and not is_open and after[place + 1][start] == want:
            fits.append(place)
        is_open = not (is_open and bare)
    return fits


def _fence(line: str) -> Fence | None:
    match = _FENCE.match(line)
    if match is None:
        return None
    return match[1] or match[3], is_blank(match[2] or match[4] or "")


def _marker(line: str) -> str:
    match = _FENCE.match(line)
    return "" if match is None else match[1] or match[3]


def _next_filled(lines: Sequence[str], number: int) -> int:
    while number < len(lines) and is_blank(lines[number]):
        number += 1
    return number
