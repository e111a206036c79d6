"""Computes the replacement for a match. Lines that FIND and REPLACE share keep the file's own bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits.align import align
from retouch.edits.indent import Indentation, indentation
from retouch.edits.style import Unmappable, foreign_indentation
from retouch.edits.values import is_blank

if TYPE_CHECKING:
    from retouch.edits.filelines import FileLines
    from retouch.edits.match import Match
    from retouch.edits.values import Lines


def rewritten(lines: FileLines, match: Match, find: Lines, replace: Lines) -> str:
    """Return the text that replaces the match, with line endings.

    Raises:
        Unmappable: the indentation or characters of a new line cannot be mapped to the file's.
    """
    if match.columns is not None:
        return lines.ending_near(match.start).join(replace)
    rule = None if match.indent else foreign_indentation(lines, find, replace)
    if match.tier == "exact" and lines.endings is None and rule is None:
        return lines.eol.join(replace) + lines.eol if replace else ""
    shared = align(find, replace)
    bodies = _bodies(lines, match, find, replace, shared, match.indent or (Indentation(rule=rule) if rule else None))
    if lines.endings is None:
        return "".join([body + lines.eol for body in bodies])
    return "".join(body + ending for body, ending in zip(bodies, _endings(lines, match, find, shared), strict=True))


def span_of(lines: FileLines, match: Match) -> tuple[int, int]:
    """Return the match as offsets in the text."""
    starts = lines.starts
    if match.columns is None:
        return starts[match.start], starts[match.stop]
    return starts[match.start] + match.columns[0], starts[match.stop - 1] + match.columns[1]


def _bodies(
    lines: FileLines,
    match: Match,
    find: Lines,
    replace: Lines,
    shared: list[int | None],
    indent: Indentation | None,
) -> list[str]:
    bodies: list[str] = []
    for number, (line, there) in enumerate(zip(replace, shared, strict=True)):
        if there is None:
            bodies.append(_new_line(match, number, line, indent))
            continue
        body = lines.bodies[match.start + there]
        if (
            body != line
            and not is_blank(line)
            and replace.count(line) > find.count(line)
            and body != _new_line(match, number, line, indent)
        ):
            raise Unmappable(
                f"its line {line.strip()!r} occurs more often than in FIND, and the file spells it differently"
            )
        bodies.append(body)
    return bodies


def _new_line(match: Match, number: int, line: str, indent: Indentation | None) -> str:
    """Return a line that is not in FIND, with the file's indentation."""
    if any(character in line for character in match.typography):
        raise Unmappable(f"its new line {line.strip()!r} has typographic characters, but the file has plain ones")
    if number == 0 and match.lead and not indentation(line) and not is_blank(line):
        return match.lead + line
    new = indent.apply(line) if indent else line
    if new is None:
        raise Unmappable(f"the indentation of its new line {line.strip()!r} does not occur in the file")
    return new


def _endings(lines: FileLines, match: Match, find: Lines, shared: list[int | None]) -> list[str]:
    """Return the ending of each line: of the shared line, of the line it replaces, or of the line above."""
    endings: list[str] = []
    there = 0  # the line of FIND that the next new line replaces
    upcoming = _next_shared(shared, len(find))
    for number, same in enumerate(shared):
        if same is not None:
            there = same
        takes_a_place = same is not None or there < upcoming[number]
        endings.append(lines.ending_near(match.start + (there if takes_a_place else max(there - 1, 0))))
        there += takes_a_place
    return endings


def _next_shared(shared: list[int | None], end: int) -> list[int]:
    upcoming = [end] * len(shared)
    for number in range(len(shared) - 1, -1, -1):
        same = shared[number]
        if same is not None:
            end = same
        upcoming[number] = end
    return upcoming
