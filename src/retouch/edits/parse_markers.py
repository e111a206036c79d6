"""Parses SEARCH/REPLACE blocks between marker lines: with seven characters, or with dashes and pluses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retouch.edits.values import EditBlock, EditIssue, Refusal, is_blank

if TYPE_CHECKING:
    from collections.abc import Sequence

START = re.compile(r"(?:<{7}|(-{3,})) SEARCH>?[ \t]*$")
_END = {"<": re.compile(r">{7} REPLACE[ \t]*$"), "-": re.compile(r"\+{3,} REPLACE[ \t]*$")}
_DIVIDER = {"<": re.compile(r"={7}$"), "-": re.compile(r"={3,}$")}
_ALMOST = re.compile(r"[ \t]*(?:[<>]{3,}|[-+]{2,})[ \t]*(?:SEARCH|REPLACE)>?[ \t]*$")
_ESCAPED = re.compile(r"\\(?=<{7}|={7}$|>{7}|-{7}|\+{7})")
_LINE_HINT = re.compile(r":(?:start|end)_line:[ \t]*\d+[ \t]*$")
_FENCE = re.compile(r"(?:`{3,}|~{3,})")
_LINES_ABOVE = 4  # how far above a block its path may be


def looks_like_marker(line: str) -> bool:
    """Return whether the line is a marker of this format, or similar to one."""
    return bool(_ALMOST.match(line))


def read_markers(lines: Sequence[str]) -> list[EditBlock]:
    """Return the blocks of a reply in this format.

    Raises:
        Refusal: (malformed) a marker is missing or duplicated.
    """
    return _Reading(lines).blocks()


@dataclass
class _Reading:
    """One pass over a reply's lines."""

    lines: Sequence[str]
    found: list[EditBlock] = field(default_factory=list[EditBlock])
    last_end: int = -1

    def blocks(self) -> list[EditBlock]:
        number = 0
        while number < len(self.lines):
            line = self.lines[number]
            if START.match(line):
                number = self._block(number)
                continue
            if _ALMOST.match(line):
                raise self._malformed(
                    number, f"{line.strip()!r} is not part of a block, or does not have seven characters"
                )
            if line.startswith("FIND:") and is_blank(line[5:]):
                raise self._malformed(number, "a FIND block is mixed with SEARCH blocks")
            number += 1
        return self.found

    def _block(self, start: int) -> int:
        dialect = self.lines[start][0]
        end = self._end(start, dialect)
        find_from = self._skip_line_hint(start + 1)
        dividers = [n for n in range(find_from, end) if _DIVIDER[dialect].match(self.lines[n])]
        if len(dividers) == 2 and dividers[1] == end - 1:
            dividers.pop()  # duplicated, with nothing after it
            stop = end - 1
        else:
            stop = end
        if len(dividers) != 1:
            what = "no ======= line" if not dividers else f"{len(dividers)} ======= lines, so it cannot be split"
            raise self._malformed(start, f"the block has {what}")
        path = self._path_above(start)
        self.found.append(
            EditBlock(
                number=len(self.found) + 1,
                find=self._unescaped(find_from, dividers[0]),
                replace=self._unescaped(dividers[0] + 1, stop),
                path=path,
                path_is_sure=False,
                reply_line=start + 1,
            )
        )
        self.last_end = end
        return end + 1

    def _end(self, start: int, dialect: str) -> int:
        for number in range(start + 1, len(self.lines)):
            line = self.lines[number]
            if _END[dialect].match(line):
                return number
            if START.match(line) and line[0] == dialect:
                raise self._malformed(start, f"the block is not closed before the next one on line {number + 1}")
        raise self._malformed(start, "the block is never closed by a REPLACE marker")

    def _skip_line_hint(self, number: int) -> int:
        first = number
        while number < len(self.lines) and _LINE_HINT.match(self.lines[number]):
            number += 1
        if number > first and number < len(self.lines) and self.lines[number].rstrip() == "-------":
            number += 1
        return number

    def _unescaped(self, first: int, stop: int) -> tuple[str, ...]:
        return tuple(
            line[1:] if line.startswith("\\") and _ESCAPED.match(line) else line for line in self.lines[first:stop]
        )

    def _path_above(self, start: int) -> str | None:
        """Return the nearest line above that has text, or the text after the fence's language."""
        on_fence: str | None = None
        for number in range(start - 1, max(self.last_end, start - 1 - _LINES_ABOVE), -1):
            line = self.lines[number].strip()
            if match := _FENCE.match(line):
                on_fence = on_fence or line[match.end() :].strip() or None
            elif line and any(character.isalnum() for character in line):
                return line
        return on_fence.split(":")[-1].split()[-1] if on_fence and (":" in on_fence or "." in on_fence) else None

    def _malformed(self, number: int, what: str) -> Refusal:
        return Refusal(
            EditIssue(
                code="malformed",
                message=f"Block {len(self.found) + 1}, line {number + 1} of the reply: {what}.",
                fix="Send all blocks again; each is <<<<<<< SEARCH, the old lines, =======, the new lines, "
                ">>>>>>> REPLACE, with the markers at the start of a line. If a text contains such lines, "
                "use the FIND and REPLACE WITH format.",
                edits=(len(self.found) + 1,),
                reply_line=number + 1,
            )
        )
