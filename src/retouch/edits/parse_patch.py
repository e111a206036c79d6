"""Parses the apply-patch format: files added, deleted, updated and moved between Begin Patch and End Patch."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retouch.edits.values import EditBlock, EditIssue, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

BEGIN = re.compile(r"[ \t]*\*\*\* Begin Patch[ \t]*$")
_END = re.compile(r"[ \t]*\*\*\* End Patch[ \t]*$")
_FILE = re.compile(r"[ \t]*\*\*\* (Add|Delete|Update) File:[ \t]*(\S.*?)[ \t]*$")
_MOVE = re.compile(r"[ \t]*\*\*\* Move to:[ \t]*(\S.*?)[ \t]*$")
_AT_END = re.compile(r"[ \t]*\*\*\* End of File[ \t]*$")
_HUNK = re.compile(r"@@(?:[ \t]+(.*?))?[ \t]*$")
_NUMBERS = re.compile(r"-\d+(?:,\d+)? \+\d+(?:,\d+)? @@(.*)$")


def read_patch(lines: Sequence[str]) -> list[EditBlock]:
    """Return the hunks of a reply in this format as blocks.

    Raises:
        Refusal: (malformed) it violates the grammar.
    """
    reading = _Reading(lines)
    while reading.number < len(lines):
        if BEGIN.match(lines[reading.number]):
            reading.patch()
        reading.number += 1
    return reading.found


@dataclass
class _Reading:
    """One pass over a reply's lines."""

    lines: Sequence[str]
    found: list[EditBlock] = field(default_factory=list[EditBlock])
    number: int = 0

    def patch(self) -> None:
        before = len(self.found)
        self.number += 1
        while self.number < len(self.lines):
            line = self.lines[self.number]
            if _END.match(line):
                if len(self.found) == before:
                    raise self._malformed("the patch contains no change")
                return
            match = _FILE.match(line)
            if match is None:
                if line.strip():
                    raise self._malformed(f"{line.strip()!r} is not a line of a patch")
                self.number += 1
                continue
            self.number += 1
            self._file(match[1], match[2])
        raise self._malformed("the patch is never closed by *** End Patch")

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
            self._update(path)

    def _update(self, path: str) -> None:
        move_to: str | None = None
        if self.number < len(self.lines) and (match := _MOVE.match(self.lines[self.number])):
            move_to = match[1]
            self.number += 1
        before = len(self.found)
        while self.number < len(self.lines):
            line = self.lines[self.number]
            match = _HUNK.match(line)
            if match:
                self.number += 1
            elif not (len(self.found) == before and line[:1] in {" ", "+", "-"} and not _FILE.match(line)):
                break
            self._hunk(path, move_to, (match[1] if match else None) or None)
        if len(self.found) == before:
            raise self._malformed(f"the update of {path!r} contains no change")

    def _hunk(self, path: str, move_to: str | None, anchor: str | None) -> None:
        start = self.number
        lines = [] if _FILE.match(self._line()) or _END.match(self._line()) else self._hunk_lines()
        if anchor and (numbers := _NUMBERS.match(anchor)):
            anchor = numbers[1].strip() or None
        at_end = bool(_AT_END.match(self._line()))
        self.number += at_end
        if not lines:
            raise self._malformed("a hunk contains no line")
        self._add(
            EditBlock(
                number=0,
                find=tuple(line[1:] for line in lines if line[:1] != "+"),
                replace=tuple(line[1:] for line in lines if line[:1] != "-"),
                path=path,
                kind="hunk",
                move_to=move_to,
                anchor=anchor,
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
        taken = list(self.lines[start : self.number])  # an empty line is a context line without its leading space
        while taken and not taken[-1]:
            taken.pop()
        return taken

    def _line(self) -> str:
        return self.lines[self.number] if self.number < len(self.lines) else ""

    def _add(self, block: EditBlock) -> None:
        line = block.reply_line or self.number
        self.found.append(replace(block, number=len(self.found) + 1, reply_line=line))

    def _malformed(self, what: str) -> Refusal:
        return Refusal(
            EditIssue(
                code="malformed",
                message=f"Line {min(self.number + 1, len(self.lines))} of the reply: {what}.",
                fix="Send the whole patch again, from *** Begin Patch to *** End Patch.",
                edits=(len(self.found) + 1,),
                reply_line=self.number + 1,
            )
        )
