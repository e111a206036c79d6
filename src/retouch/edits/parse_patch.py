"""Parses the apply-patch format: files added, deleted, updated and moved between Begin Patch and End Patch."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retouch.edits.reply_lines import hunk_lines
from retouch.edits.values import EditBlock, EditIssue, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

_BEGIN = re.compile(r"[ \t]*\*\*\* Begin Patch[ \t]*$")
_END = re.compile(r"[ \t]*\*\*\* End Patch[ \t]*$")
_FILE = re.compile(r"[ \t]*\*\*\* (Add|Delete|Update) File:[ \t]*(\S.*?)[ \t]*$")
_MOVE = re.compile(r"[ \t]*\*\*\* Move to:[ \t]*(\S.*?)[ \t]*$")
_AT_END = re.compile(r"[ \t]*\*\*\* End of File[ \t]*$")
_HUNK = re.compile(r"@@(?:[ \t]+(.*?))?[ \t]*$")
_NUMBERS = re.compile(r"-\d+(?:,\d+)? \+\d+(?:,\d+)? @@(.*)$")


def is_patch_start(line: str) -> bool:
    """Return whether the line starts a patch."""
    return _BEGIN.match(line) is not None


def is_patch_line(line: str) -> bool:
    """Return whether the line is a directive of this format."""
    return line.lstrip().startswith("*** ") and any(one.match(line) for one in (_BEGIN, _END, _FILE, _MOVE, _AT_END))


def read_patch(lines: Sequence[str], number: int) -> tuple[list[EditBlock], int]:
    """Return the hunks of the patch that begins at line `number` as blocks (not numbered), and the line after it.

    Raises:
        Refusal: (malformed) it violates the grammar.
    """
    reading = _Reading(lines, number=number)
    reading.patch()
    return reading.found, reading.number


def read_hunks(lines: Sequence[str], path: str) -> list[EditBlock]:
    """Return the hunks of one file, without the lines around them, as blocks.

    Raises:
        Refusal: (malformed) a line is not understood.
    """
    reading = _Reading(lines)
    reading.update(path)
    if any(line.strip() for line in lines[reading.number :]):
        raise reading.malformed("this is not a line of a hunk")
    return reading.found


@dataclass
class _Reading:
    """One pass over a reply's lines."""

    lines: Sequence[str]
    found: list[EditBlock] = field(default_factory=list[EditBlock])
    number: int = 0

    def patch(self) -> None:
        self.number += 1
        while self.number < len(self.lines):
            line = self.lines[self.number]
            if _END.match(line):
                if not self.found:
                    raise self.malformed("the patch contains no change")
                self.number += 1
                return
            match = _FILE.match(line)
            if match is None:
                if line.strip():
                    raise self.malformed(f"{line.strip()!r} is not a line of a patch")
                self.number += 1
                continue
            self.number += 1
            self._file(match[1], match[2])
        raise self.malformed("the patch is never closed by *** End Patch")

    def _file(self, verb: str, path: str) -> None:
        if verb == "Delete":
            self._add(EditBlock(number=0, find=(), replace=(), path=path, kind="delete"))
        elif verb == "Add":
            start = self.number
            while self._line().startswith("+"):
                self.number += 1
            added = tuple(line[1:] for line in self.lines[start : self.number])
            self._add(EditBlock(number=0, find=(), replace=added, path=path, kind="add"))
        else:
            self.update(path)

    def update(self, path: str) -> None:
        start = self.number
        move_to: str | None = None
        if self.number < len(self.lines) and (match := _MOVE.match(self.lines[self.number])):
            move_to = match[1]
            self.number += 1
        before = len(self.found)
        while self.number < len(self.lines):
            line = self.lines[self.number]
            is_header = _HUNK.match(line) is not None
            if not is_header and not (len(self.found) == before and line[:1] in {" ", "+", "-"}):
                break
            self._hunk(path, move_to, self._anchors())
        if len(self.found) > before:
            return
        if move_to is None:
            raise self.malformed(f"the update of {path!r} contains no change")
        self._add(EditBlock(number=0, find=(), replace=(), path=path, kind="move", move_to=move_to, reply_line=start))

    def _anchors(self) -> list[str]:
        """Return the texts of the @@ lines in a row, outer ones first, without line numbers."""
        anchors: list[str] = []
        while match := _HUNK.match(self._line()):
            self.number += 1
            text = match[1] or ""
            if numbers := _NUMBERS.match(text):
                text = numbers[1].strip()
            anchors.append(text.removesuffix("@@").rstrip())
        return [one for one in anchors if one]

    def _hunk(self, path: str, move_to: str | None, anchors: Sequence[str]) -> None:
        start = self.number
        lines = [] if _FILE.match(self._line()) or _END.match(self._line()) else self._hunk_lines()
        at_end = bool(_AT_END.match(self._line()))
        self.number += at_end
        if not lines:
            raise self.malformed("a hunk contains no line")
        self._add(
            EditBlock(
                number=0,
                find=tuple(line[1:] for line in lines if line[:1] != "+"),
                replace=tuple(line[1:] for line in lines if line[:1] != "-"),
                path=path,
                kind="hunk",
                move_to=move_to,
                anchor=anchors[-1] if anchors else None,
                outer_anchors=tuple(anchors[:-1]),
                at_end=at_end,
                reply_line=start + 1,
            )
        )

    def _hunk_lines(self) -> list[str]:
        start = self.number
        while self.number < len(self.lines):
            line = self.lines[self.number]
            if line[:1] not in {"", " ", "+", "-"} or _FILE.match(line) or _END.match(line) or _AT_END.match(line):
                break
            self.number += 1
        return hunk_lines(self.lines[start : self.number])

    def _line(self) -> str:
        return self.lines[self.number] if self.number < len(self.lines) else ""

    def _add(self, block: EditBlock) -> None:
        line = block.reply_line or self.number
        self.found.append(replace(block, format="apply_patch", reply_line=line))

    def malformed(self, what: str) -> Refusal:
        return Refusal(
            EditIssue(
                code="malformed",
                message=f"Line {min(self.number + 1, len(self.lines))} of the reply: {what}.",
                fix="Send the whole patch again, from *** Begin Patch to *** End Patch.",
                edits=(len(self.found) + 1,),
                reply_line=self.number + 1,
            )
        )
