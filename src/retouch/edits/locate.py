"""Finds the only place of a FIND in a file, or the reason why there is none: exact, then variants, then loose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.edits.fragment import fitted
from retouch.edits.indent import indentation
from retouch.edits.lineindex import every_place, squash
from retouch.edits.listing import without_numbers
from retouch.edits.match import Ambiguous, Match, match_exact, match_loose
from retouch.edits.values import is_blank, visible_characters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.edits.lineindex import LineIndex
    from retouch.edits.match import Found
    from retouch.edits.values import EditBlock, LineRange, Lines, MatchKind

_LEAST_VISIBLE = 6
_MOST_EDGES = 8  # limit of blank lines at the edges of FIND that are removed one by one


@dataclass(frozen=True, kw_only=True, slots=True)
class LocatedBlock:
    """A match with its FIND and REPLACE texts, which a variant may have changed."""

    match: Match
    find: Lines
    replace: Lines


def locate_exact(index: LineIndex, block: EditBlock, find: Lines, new: Lines) -> LocatedBlock | Ambiguous | None:
    """Return the exact place of the lines. A hunk's anchor may select one of several places."""
    found = match_exact(index, find)
    if isinstance(found, Ambiguous):
        found = _chosen_by_hunk(index, block, found)
    return LocatedBlock(match=found, find=find, replace=new) if isinstance(found, Match) else found


def locate_loosely(index: LineIndex, find: Lines, new: Lines) -> LocatedBlock | Ambiguous | None:
    """Return the place by a loose match, with FIND and REPLACE as they are, or without blank edges or line numbers."""
    found = _loose(index, find, new)
    if found is not None:
        return found
    found = _without_blank_edges(index, find, new)
    return found if found is not None else _without_line_numbers(index, find, new)


def _loose(index: LineIndex, find: Lines, new: Lines) -> LocatedBlock | Ambiguous | None:
    """Return the place by a loose match. A part of a line may be extended to the whole line."""
    found = match_loose(index, find, new)
    if not isinstance(found, Match):
        return found
    fits = fitted(found, index.lines.bodies, find, new)
    if fits is None:
        return None
    match, new_lines = fits
    if match.columns is None and found.columns is not None:
        find = tuple(index.lines.bodies[match.start : match.stop])
    return LocatedBlock(match=match, find=find, replace=new_lines)


def wanted_lines(block: EditBlock, find: Lines, new: Lines) -> Iterator[str]:
    """Yield every line that the search for the block may need in the index."""
    yield from find
    yield from new
    yield from block.outer_anchors
    if block.anchor:
        yield block.anchor
    if block.lead:
        yield from (line.removeprefix(block.lead) for line in (*find, *new))
    numbered = without_numbers(find, new)
    if numbered:
        yield from numbered[1]


def already_there(index: LineIndex, find: Lines, new: Lines) -> LineRange | None:
    """Return the place of the REPLACE text. None if it is part of FIND, or too short to be conclusive."""
    if not visible_characters(new) or every_place(find, list(new)):
        return None
    starts = index.exact_places(new)
    is_conclusive = len(starts) == 1 or visible_characters(new) >= _LEAST_VISIBLE
    return (starts[0] + 1, starts[0] + len(new)) if starts and is_conclusive else None


def _without_blank_edges(index: LineIndex, find: Lines, new: Lines) -> LocatedBlock | Ambiguous | None:
    """Return the place of FIND after removing as few blank lines as possible at its edges, in both texts."""
    leading = next((offset for offset, line in enumerate(find) if not is_blank(line)), 0)
    trailing = next((offset for offset, line in enumerate(reversed(find)) if not is_blank(line)), 0)
    if not (leading or trailing) or visible_characters(find) < _LEAST_VISIBLE:
        return None
    for total in range(1, min(leading + trailing, _MOST_EDGES) + 1):
        found = [
            match_exact(index, find[above : len(find) - total + above])
            for above in range(max(0, total - trailing), min(total, leading) + 1)
        ]
        offsets = [offset for offset, one in enumerate(found) if one is not None]
        if len(offsets) > 1:
            return None  # ambiguous which edge to remove
        if offsets:
            above = max(0, total - trailing) + offsets[0]
            return _as_located(found[offsets[0]], find, new, above, total - above)
    lines = find[leading : len(find) - trailing]
    return _renamed(_loose(index, lines, _without_edges(new, leading, trailing)), "edge_blank")


def _as_located(found: Found, find: Lines, new: Lines, above: int, below: int) -> LocatedBlock | Ambiguous | None:
    if not isinstance(found, Match):
        return found
    return LocatedBlock(
        match=replace(found, tier="edge_blank"),
        find=find[above : len(find) - below],
        replace=_without_edges(new, above, below),
    )


def _without_line_numbers(index: LineIndex, find: Lines, new: Lines) -> LocatedBlock | Ambiguous | None:
    """Return the place of FIND without the line numbers of a listing, if they are those of the place."""
    numbered = without_numbers(find, new)
    if numbered is None:
        return None
    first, lines, new_lines = numbered
    exact = match_exact(index, lines)
    if isinstance(exact, Match):
        found = LocatedBlock(match=exact, find=lines, replace=new_lines)
    else:
        found = exact or _loose(index, lines, new_lines)
    if isinstance(found, LocatedBlock) and found.match.start != first - 1:
        return None
    return _renamed(found, "line_numbers")


def _renamed(found: LocatedBlock | Ambiguous | None, tier: MatchKind) -> LocatedBlock | Ambiguous | None:
    if not isinstance(found, LocatedBlock):
        return found
    return replace(found, match=replace(found.match, tier=tier))


def _without_edges(lines: Lines, leading: int, trailing: int) -> Lines:
    first, last = 0, len(lines)
    while first < min(leading, last) and is_blank(lines[first]):
        first += 1
    while last > first and len(lines) - last < trailing and is_blank(lines[last - 1]):
        last -= 1
    return lines[first:last]


def _chosen_by_hunk(index: LineIndex, block: EditBlock, found: Ambiguous) -> Match | Ambiguous:
    """Return the one of several places that a hunk's anchors, its position at the end, or its line number selects."""
    starts = found.starts
    if block.anchor:
        starts = _after_anchors(index, (*block.outer_anchors, block.anchor), starts) or starts
    if block.at_end:
        starts = [start for start in starts if start + found.size == len(index.lines.bodies)]
    if len(starts) != 1 and block.line_hint is not None and block.line_hint - 1 in starts:
        starts = [block.line_hint - 1]
    if len(starts) != 1:
        return found
    return Match(start=starts[0], stop=starts[0] + found.size, tier="exact")


def _after_anchors(index: LineIndex, anchors: Lines, starts: list[int]) -> list[int]:
    """Return the places below the last of the anchors, each of which is inside the one before.

    If one place is inside the block that the last anchor opens, it is the only one.
    """
    bodies = index.lines.bodies
    low, high = 0, len(bodies)
    for anchor in anchors:
        places = [at for at in index.loose_positions.get(squash(anchor), []) if low <= at < high]
        if len(places) != 1:
            return []
        low, high = places[0] + 1, _end_of_block(bodies, places[0], high)
    inside = [start for start in starts if low <= start < high]
    return inside if len(inside) == 1 else [start for start in starts if start >= low]


def _end_of_block(bodies: Sequence[str], opening: int, limit: int) -> int:
    """Return the line after the lines that are indented deeper than `opening`."""
    lead = len(indentation(bodies[opening]))
    for number in range(opening + 1, limit):
        if not is_blank(bodies[number]) and len(indentation(bodies[number])) <= lead:
            return number
    return limit
