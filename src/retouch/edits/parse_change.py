"""Parses the CHANGE / FIND / REPLACE WITH format: each text is in a fence that is closed by a fence of equal length."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.edits.parse_markers import is_marker_start
from retouch.edits.parse_patch import is_patch_start
from retouch.edits.parse_xml import is_tool_tag
from retouch.edits.reply_lines import closing_choices, fence_of, next_filled, opens_in_open_fence, path_named
from retouch.edits.values import EditBlock, EditIssue, Refusal, is_blank

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_HEADER = re.compile(r"#{1,6}[ \t]*\**CHANGE\b[ \t]*\d*\**[ \t]*[:.)-]?[ \t]*(.*)")
_FIND = re.compile(r"(?:#{1,6}[ \t]+)?\**FIND\**:?\**[ \t]*$")
_REPLACE = re.compile(r"(?:#{1,6}[ \t]+)?\**REPLACE(?: WITH)?\**:?\**[ \t]*$")
_FILE = re.compile(r"(?:#{1,6}[ \t]+)?\**(?:FILE|File)\**:\**[ \t]*(\S.*)")
_DELETE = re.compile(r"\**DELETE FILE\**:\**[ \t]*(\S.*)")
_LINES_ABOVE = 4  # how far above a FIND its path may be


def is_pair_start(lines: Sequence[str], number: int) -> bool:
    """Return whether this line is FIND followed by a fence, or the deletion of a file."""
    line = lines[number]
    if not _FIND.match(line):
        return bool(_DELETE.match(line))
    below = next_filled(lines, number + 1)
    return below < len(lines) and fence_of(lines[below]) is not None


@dataclass
class ChangeReader:
    """Reads the blocks of this format from a reply's lines, and adds them to `found`."""

    lines: Sequence[str]
    found: list[EditBlock]
    known: Collection[str] = ()  # the paths of files that exist
    description: str = ""
    header_line: int | None = None  # a header that has no pair yet
    under_header: bool = False
    section_path: str | None = None
    own_path: str | None = None
    outer_fence: str | None = None  # the marker of the fence around the changes

    def step(self, number: int) -> int | None:
        """Read what starts at this line. Return the line after it, or None if it is not of this format.

        Raises:
            Refusal: (malformed) a part is missing, or a fence is not closed.
        """
        line = self.lines[number]
        if match := _HEADER.match(line):
            self.finish()
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
        else:
            return None
        return number + 1

    def finish(self) -> None:
        """Check that the last header has its pair.

        Raises:
            Refusal: (malformed) it has none.
        """
        if self.header_line is not None:
            raise self._malformed(self.header_line, "this CHANGE has no FIND")

    def _pair(self, number: int) -> int:
        opening = self._opening(number, "FIND")
        find_end, replace_line = self._end_of_find(opening)
        second = self._opening(replace_line, "REPLACE WITH")
        end = self._end_of_replace(second)
        find, new = self.lines[opening + 1 : find_end], self.lines[second + 1 : end]
        if find and find[0].rstrip() == _marker(self.lines[opening]):
            raise self._malformed(opening, f"it is unclear whether the second {find[0].rstrip()} line belongs to FIND")
        self.section_path = self._path_above(number) or self.section_path
        self._add(number, find, new)
        return end + 1

    def _path_above(self, number: int) -> str | None:
        """Return the path that the nearest line above names, apart from headers, and None after a fence."""
        for above in range(number - 1, max(-1, number - 1 - _LINES_ABOVE), -1):
            line = self.lines[above]
            if is_blank(line) or _HEADER.match(line):
                continue
            return None if fence_of(line) is not None or _FILE.match(line) else path_named(line, self.known)
        return None

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
        below = next_filled(self.lines, number + 1)
        return below < len(self.lines) and fence_of(self.lines[below]) is not None

    def _opening(self, keyword_line: int, keyword: str) -> int:
        below = next_filled(self.lines, keyword_line + 1)
        if below >= len(self.lines):
            raise self._malformed(keyword_line, f"the reply ends after {keyword}")
        if fence_of(self.lines[below]) is None:
            raise self._malformed(below, f"{keyword} is not followed by a fenced block")
        return below

    def _end_of_find(self, opening: int) -> tuple[int, int]:
        """Return the closing fence, and the line of the REPLACE WITH that must follow it."""
        marker = _marker(self.lines[opening])
        closed = False
        for number in range(opening + 1, len(self.lines)):
            if self.lines[number].rstrip() != marker:
                continue
            below = next_filled(self.lines, number + 1)
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
            fence = fence_of(line) if line[0] in "`~" else None
            if fence and fence[0] == marker:
                fences.append((number, not fence[1]))
                can_end = can_end or not fence[1]
            elif can_end and self._is_boundary(number, line):
                at_end = False
                break
        if not can_end:
            raise self._malformed(opening, "the fence after REPLACE WITH is never closed")
        inside = self.outer_fence == marker
        fits = closing_choices(fences, start=inside, want=inside and not at_end)
        if len(fits) != 1:
            raise self._malformed(opening, f"it is ambiguous which {marker} line closes the fence after REPLACE WITH")
        end = fences[fits[0]][0]
        first = next(number for number, bare in fences if bare)
        if any(starts_other_format(line) for line in self.lines[first + 1 : end]):
            raise self._malformed(opening, f"REPLACE WITH has a {marker} line and edits of another format after it")
        if not inside and opens_in_open_fence(fences[fits[0] + 1 :]):
            raise self._malformed(opening, f"it is unclear which {marker} line closes the fence after REPLACE WITH")
        return end

    def _is_boundary(self, number: int, line: str) -> bool:
        if _REPLACE.match(line) and self._fence_follows(number):
            above = self.lines[number - 1] or self.lines[number - 2]
            if fence_of(above):
                raise self._malformed(number, "REPLACE WITH occurs twice for one FIND")
        return bool(_HEADER.match(line)) or is_pair_start(self.lines, number)

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


def _marker(line: str) -> str:
    fence = fence_of(line)
    return "" if fence is None else fence[0]


def starts_other_format(line: str) -> bool:
    """Return whether the line starts an edit of a format that has clear markers."""
    return bool(line) and line[0] in "<*- \t" and (is_marker_start(line) or is_patch_start(line) or is_tool_tag(line))
