"""Finds the place of a FIND in a file: exact lines first, then loose match kinds that each tolerate one kind of error.

Each kind only applies if there is a single place. More than one is ambiguous, even if a later kind has only one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.edits.fragment import at_token_borders
from retouch.edits.indent import indentation, map_indentation, shifted_by
from retouch.edits.lineindex import filled, plain
from retouch.edits.style import Unmappable
from retouch.edits.values import is_blank, visible_characters

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.edits.filelines import FileLines
    from retouch.edits.indent import Indentation
    from retouch.edits.lineindex import LineIndex
    from retouch.edits.values import Lines, MatchKind

_LEAST_VISIBLE = 6  # a loose match needs this many visible characters; for example, a brace is not enough
_COMMON = 64  # a line that occurs in more places than this is not conclusive
_WORD = re.compile(r"\w")
_OPENS = re.compile(r"(?:[:{(\[,=\\|+]|&&|->|\bthen|\bdo)\s*$")  # the line after such a line is indented deeper
_GOES_ON = re.compile(r"\s*[.)\]}+*/&|?:=,-]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """The only place of a FIND: whole lines, or from a column of the first to a column of the last line."""

    start: int  # first line, from 0
    stop: int  # the line after the last
    tier: MatchKind
    columns: tuple[int, int] | None = None  # start in the first line, end in the last line
    lead: str = ""  # the indentation for the first line of REPLACE if it has none
    indent: Indentation | None = None
    typography: frozenset[str] = frozenset()  # characters of FIND that are plain ones in the file


@dataclass(frozen=True, kw_only=True, slots=True)
class Ambiguous:
    """Several places, by their first lines (from 0)."""

    starts: list[int]
    size: int


Found = Match | Ambiguous | None
Search = "Callable[[LineIndex, Lines, Lines], Found]"


def match_exact(index: LineIndex, find: Lines) -> Found:
    """Return the exact place of the lines."""
    starts = index.exact_places(find)
    return _single(starts, find, lambda start: Match(start=start, stop=start + len(find), tier="exact"))


def match_loose(index: LineIndex, find: Lines, replace: Lines) -> Found:
    """Return the place by the first match kind that applies."""
    searches: tuple[Callable[[LineIndex, Lines, Lines], Found], ...] = (
        (_whole_line, _inside_line) if len(find) == 1 else (_first_line_stripped, _across_lines)
    )
    for search in (*searches, _trailing_blanks, _indented, _typographic):
        found = search(index, find, replace)
        if isinstance(found, Match) and found.columns is None and _another_is_nearer(index, find, found.start):
            return None
        if found is not None:
            return found
    return None


def _single(starts: list[int], find: Lines, build: Callable[[int], Match | None]) -> Found:
    if len(starts) > 1:
        return Ambiguous(starts=starts, size=len(find))
    return build(starts[0]) if starts else None


def _whole_line(index: LineIndex, find: Lines, replace: Lines) -> Found:
    """Match one line without its indentation. A multi-line REPLACE is only accepted if all of it is flush left."""
    line = find[0]
    if line != line.strip() or not _WORD.search(line):
        return None
    bodies = index.lines.bodies
    starts = [start for start in index.loose_places(find) if bodies[start].strip() == line]

    def build(start: int) -> Match | None:
        lead = indentation(bodies[start])
        if replace and indentation(replace[0]):
            return Match(start=start, stop=start + 1, tier="indent") if replace[0].startswith(lead) else None
        return _one_filled_line(start, find, lead, replace)

    return _single(starts, find, build)


def _one_filled_line(start: int, find: Lines, lead: str, replace: Lines) -> Match:
    """Return the match of one line without its indentation: did all lines of REPLACE lose it, or only the first?

    If REPLACE is flush left, all did. If the other lines fit the file as they are, only the first did.
    """
    stop = start + len(find)
    further = filled(replace[1:])
    if not lead or not any(indentation(line) for line in further):
        return Match(start=start, stop=stop, tier="indent", indent=shifted_by(lead))
    moved_down = lead + find[0].strip() in further
    if moved_down or (all(map(indentation, further)) and _fits_below(replace[0], lead, further[0])):
        return Match(start=start, stop=stop, tier="first_line", lead=lead)
    raise Unmappable("FIND lacks its indentation, and it is unclear whether the other new lines lack it, too")


def _fits_below(first: str, lead: str, second: str) -> bool:
    """Return whether the second line fits inside or next to the first one, after its indentation is restored."""
    below = indentation(second)
    if _OPENS.search(first):
        return len(below) > len(lead)
    return below == lead and not _GOES_ON.match(second)


def _inside_line(index: LineIndex, find: Lines, replace: Lines) -> Found:  # noqa: ARG001 - one shape for all tiers
    line = find[0]
    if line != line.rstrip() or not _WORD.search(line):
        return None
    found = _substring(index, line, find)
    return None if isinstance(found, Ambiguous) and line[0].isspace() else found


@dataclass(frozen=True, kw_only=True, slots=True)
class TextSpan:
    """One place of a text: its offsets, its lines (from 1), and whether it cuts no word and has whole lines."""

    start: int
    stop: int
    lines: tuple[int, int]
    at_borders: bool
    is_whole_lines: bool


def every_span(lines: FileLines, find: Lines) -> list[TextSpan]:
    """Return all places of a text in order, also inside of lines. They do not overlap."""
    text, wanted = lines.text, lines.eol.join(find)
    found: list[TextSpan] = []
    offset = text.find(wanted) if wanted else -1
    while offset >= 0:
        end = offset + len(wanted)
        first = bisect_right(lines.starts, offset) - 1
        last = first + len(find) - 1
        starts_line = offset == lines.starts[first]
        ends_line = end == len(text) or text.startswith(("\n", "\r"), end)
        found.append(
            TextSpan(
                start=offset,
                stop=end,
                lines=(first + 1, last + 1),
                at_borders=at_token_borders(text, offset, end),
                is_whole_lines=starts_line and ends_line,
            )
        )
        offset = text.find(wanted, end)
    return found


def _across_lines(index: LineIndex, find: Lines, replace: Lines) -> Found:  # noqa: ARG001 - one shape for all tiers
    """Match a fragment that starts in the middle of a line and ends in a later one."""
    inner = [line for line in find[1:-1] if line]
    if index.lines.endings is not None or any(line not in index.positions for line in inner):
        return None
    if find[0] != find[0].rstrip() or not _WORD.search(find[0]) or find[-1] != find[-1].rstrip():
        return None
    if not find[-1]:
        return None
    found = _substring(index, index.lines.eol.join(find), find)
    if isinstance(found, Match) and found.columns and found.columns[0]:
        return None if is_blank(index.lines.bodies[found.start][: found.columns[0]]) else found
    return found


def _substring(index: LineIndex, wanted: str, find: Lines) -> Found:
    text = index.lines.text
    offsets: list[int] = []
    offset = text.find(wanted)
    while offset >= 0:
        if at_token_borders(text, offset, offset + len(wanted)) and _at_line_start(index, text, offset, wanted):
            offsets.append(offset)
        offset = text.find(wanted, offset + 1)
    if not offsets:
        return None
    starts = _line_numbers(text, offsets, index.lines.eol)
    if len(starts) > 1:
        return Ambiguous(starts=starts, size=len(find))
    from_column = offsets[0] - index.lines.starts[starts[0]]
    last = starts[0] + len(find) - 1
    to_column = offsets[0] + len(wanted) - index.lines.starts[last]
    bodies = index.lines.bodies
    if is_blank(bodies[starts[0]][:from_column]) and is_blank(bodies[last][to_column:]):
        return None  # whole lines, except for whitespace: the other kinds decide
    return Match(start=starts[0], stop=last + 1, tier="inline", columns=(from_column, to_column))


def _at_line_start(index: LineIndex, text: str, offset: int, wanted: str) -> bool:
    """Return whether a string with leading whitespace starts a line. Any other text may start inside one."""
    return not wanted[0].isspace() or offset == index.lines.first_offset or text[offset - 1] == index.lines.eol[-1]


def _line_numbers(text: str, offsets: list[int], eol: str) -> list[int]:
    numbers: list[int] = []
    line = done = 0
    for offset in offsets:
        line += text.count(eol[-1], done, offset)
        done = offset
        numbers.append(line)
    return numbers


def _first_line_stripped(index: LineIndex, find: Lines, replace: Lines) -> Found:
    """Match lines that are exact, except for the indentation of the first and whitespace after the last."""
    if indentation(find[0]) or is_blank(find[0]) or visible_characters(find) < _LEAST_VISIBLE:
        return None
    bodies, size = index.lines.bodies, len(find)
    starts = [
        start
        for start in index.loose_places(find)
        if indentation(bodies[start])
        and bodies[start].lstrip() == find[0]
        and tuple(bodies[start + 1 : start + size - 1]) == find[1:-1]
        and bodies[start + size - 1].rstrip() == find[-1].rstrip()
    ]

    def build(start: int) -> Match | None:
        lead = indentation(bodies[start])
        if replace and indentation(replace[0]) and not replace[0].startswith(lead):
            return None
        if len(filled(find)) == 1:
            return _one_filled_line(start, find, lead, replace)
        return Match(start=start, stop=start + size, tier="first_line", lead=lead)

    return _single(starts, find, build)


def _trailing_blanks(index: LineIndex, find: Lines, replace: Lines) -> Found:  # noqa: ARG001 - one shape for all tiers
    if visible_characters(find) < _LEAST_VISIBLE:
        return None
    bodies = index.lines.bodies
    stripped = [line.rstrip() for line in find]
    starts = [
        start
        for start in index.loose_places(find)
        if [body.rstrip() for body in bodies[start : start + len(find)]] == stripped
    ]
    return _single(starts, find, lambda start: Match(start=start, stop=start + len(find), tier="trailing_ws"))


def _indented(index: LineIndex, find: Lines, replace: Lines) -> Found:  # noqa: ARG001 - one shape for all tiers
    if visible_characters(find) < _LEAST_VISIBLE:
        return None
    bodies = index.lines.bodies
    stripped = [line.strip() for line in find]
    rules: dict[int, tuple[Indentation, bool]] = {}
    for start in index.loose_places(find):
        actual = bodies[start : start + len(find)]
        if [body.strip() for body in actual] != stripped:
            continue
        pairs = [
            (indentation(line), indentation(body)) for line, body in zip(find, actual, strict=True) if line.strip()
        ]
        rule = map_indentation(pairs, index.unit)
        if rule is not None:
            rules[start] = rule

    def build(start: int) -> Match | None:
        rule, is_small = rules[start]
        if not is_small or (rule.is_shift and _occurs_with_indentation(index, find)):
            return None
        return Match(start=start, stop=start + len(find), tier="indent", indent=rule)

    return _single(list(rules), find, build)


def _occurs_with_indentation(index: LineIndex, find: Lines) -> bool:
    """Return whether half of an indented FIND occurs in the file with that indentation. Then it is not an error."""
    lines = filled(find)
    if any(line[0] not in " \t" for line in lines):
        return False
    return sum(line in index.positions for line in lines) * 2 >= len(lines)


def _typographic(index: LineIndex, find: Lines, replace: Lines) -> Found:  # noqa: ARG001 - one shape for all tiers
    if visible_characters(find) < _LEAST_VISIBLE:
        return None
    bodies = index.lines.bodies
    plain_find = [plain(line).rstrip() for line in find]
    starts = [
        start
        for start in index.loose_places(find)
        if [plain(body).rstrip() for body in bodies[start : start + len(find)]] == plain_find
    ]

    def build(start: int) -> Match:
        turned = {
            quoted_character
            for line, body in zip(find, bodies[start : start + len(find)], strict=True)
            for quoted_character, there in zip(line, body, strict=False)
            if quoted_character != there and not quoted_character.isascii()
        }
        return Match(start=start, stop=start + len(find), tier="quotes", typography=frozenset(turned))

    return _single(starts, find, build)


def _another_is_nearer(index: LineIndex, find: Lines, start: int) -> bool:
    """Return whether most lines of FIND occur exactly at another place. Then the loose match may be a look-alike."""
    votes: Counter[int] = Counter()
    asked = 0
    for offset, line in enumerate(find):
        if is_blank(line):
            continue
        asked += 1
        where = index.positions.get(line, ())
        if len(where) <= _COMMON:
            votes.update(place - offset for place in where)
    votes.pop(start, None)
    best = max(votes.values(), default=0)
    return best >= 2 and best * 2 > asked
