"""Parses SEARCH/REPLACE blocks between marker lines: five to nine angle brackets, or dashes and pluses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.edits.reply_lines import fence_of, path_in_info
from retouch.edits.values import EditBlock, EditIssue, Refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_START = re.compile(r"([ \t]*)(?:(<{5,9})[ \t](?:SEARCH|ORIGINAL)|(-{3,}) SEARCH)>?:?[ \t]*$")
_END = {
    "<": re.compile(r"[ \t]*>{5,9}[ \t](?:REPLACE|UPDATED)[ \t]*$"),
    "-": re.compile(r"[ \t]*\+{3,} REPLACE[ \t]*$"),
}
_DIVIDER = {"<": re.compile(r"[ \t]*(={5,9})[ \t]*$"), "-": re.compile(r"[ \t]*(={3,})$")}
_ALMOST = re.compile(
    r"[ \t]*(?:(?:[<>]{3,}|[-+]{2,})[ \t]*(?:SEARCH|REPLACE|ORIGINAL|UPDATED)>?:?|[<>]{5,9}(?:[ \t]\S.*)?)[ \t]*$"
)
_ESCAPED = re.compile(r"\\(?=<{5,9} |={5,9}$|>{5,9} |-{7}|\+{7})")
_LINE_HINT = re.compile(r":(?:start|end)_line:[ \t]*\d+[ \t]*$")
_LINES_ABOVE = 4  # how far above a block its path may be
_FIX = (
    "Send all blocks again; each is <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE, with the "
    "markers on lines of their own. If a text contains such lines, use the FIND and REPLACE WITH format."
)


def is_marker_start(line: str) -> bool:
    """Return whether the line starts a block of this format."""
    return _START.match(line) is not None


def is_marker(line: str) -> bool:
    """Return whether the line is a marker of this format or of a merge conflict, or almost one."""
    return _ALMOST.match(line) is not None


def read_marker_block(
    lines: Sequence[str], start: int, *, number: int, last_end: int = -1, known: Collection[str] = ()
) -> tuple[EditBlock, int]:
    """Return the block that starts at this line, and the number of the line after it.

    `last_end` is the last line of the block before: its path is searched for below it.

    Raises:
        Refusal: (malformed) a marker is missing or duplicated.
    """
    opening = _START.match(lines[start])
    if opening is None:
        raise _malformed(start, number, "there is no SEARCH marker")
    dialect = "<" if opening[2] else "-"
    end = _end(lines, start, dialect, number)
    find_from = _skip_line_hint(lines, start + 1)
    dividers = _dividers(lines, find_from, end, dialect, len(opening[2] or ""))
    stop = end
    if len(dividers) == 2 and dividers[1] == end - 1:
        dividers.pop()  # duplicated, with nothing after it
        stop = end - 1
    if len(dividers) != 1:
        what = "no ======= line" if not dividers else f"{len(dividers)} ======= lines, so it cannot be split"
        raise _malformed(start, number, f"the block has {what}")
    block = EditBlock(
        number=number,
        find=_unescaped(lines[find_from : dividers[0]]),
        replace=_unescaped(lines[dividers[0] + 1 : stop]),
        path=_path_above(lines, start, last_end, known),
        path_is_sure=False,
        lead=opening[1],
        format="search_replace",
        reply_line=start + 1,
    )
    return block, end + 1


def _end(lines: Sequence[str], start: int, dialect: str, block: int) -> int:
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if not line or line[0] not in "<>-+ \t":
            continue
        if _END[dialect].match(line):
            return number
        if (again := _START.match(line)) and bool(again[2]) == (dialect == "<"):
            raise _malformed(start, block, f"the block is not closed before the next one on line {number + 1}")
    raise _malformed(start, block, "the block is never closed by a REPLACE marker")


def _dividers(lines: Sequence[str], first: int, end: int, dialect: str, signs: int) -> list[int]:
    """Return the divider lines: those as long as the SEARCH marker, or if there is none, of other lengths."""
    found = [
        (number, match[1])
        for number in range(first, end)
        if lines[number][:1] in {"=", " ", "\t"} and (match := _DIVIDER[dialect].match(lines[number]))
    ]
    same = [number for number, written in found if len(written) == signs and not lines[number].startswith((" ", "\t"))]
    return same or [number for number, _ in found]


def _skip_line_hint(lines: Sequence[str], number: int) -> int:
    first = number
    while number < len(lines) and _LINE_HINT.match(lines[number]):
        number += 1
    if number > first and number < len(lines) and lines[number].rstrip() == "-------":
        number += 1
    return number


def _unescaped(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line[1:] if line.startswith("\\") and _ESCAPED.match(line) else line for line in lines)


def _path_above(lines: Sequence[str], start: int, last_end: int, known: Collection[str]) -> str | None:
    """Return the nearest line above that has text, or the path in the info string of the fence."""
    for number in range(start - 1, max(last_end, start - 1 - _LINES_ABOVE), -1):
        line = lines[number].strip()
        fence = fence_of(line)
        if fence is not None:
            if path := path_in_info(fence[1], known):
                return path
        elif line and any(character.isalnum() for character in line):
            return line
    return None


def _malformed(number: int, block: int, what: str) -> Refusal:
    return Refusal(
        EditIssue(
            code="malformed",
            message=f"Block {block}, line {number + 1} of the reply: {what}.",
            fix=_FIX,
            edits=(block,),
            reply_line=number + 1,
        )
    )
