"""Guesses the layouts that sample paths may have, each with the length of the description that uses it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Slot
from retouch.recipes.rule.detecting.cost import column_cost, shared_tokens, spelled_out
from retouch.recipes.rule.detecting.groups import form_of, groups_of
from retouch.recipes.rule.detecting.head import going_on, imagined, is_of_own_form
from retouch.recipes.rule.detecting.later import of_any_kind, opened_for_later
from retouch.recipes.rule.detecting.later_names import LEAST, are_free_text
from retouch.recipes.rule.detecting.layout import below_a_directory, by_a_directory, by_their_ends
from retouch.recipes.rule.globs.matching import glob_test
from retouch.recipes.rule.globs.parsing import parse_glob

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.rule.detecting.columns import Column, Piece
    from retouch.recipes.rule.detecting.layout import Layout

PEER = 150.0
MINORITY = 150.0
USUAL_NOISE = 0.25


@dataclass(frozen=True, kw_only=True)
class Guess:
    """A layout, the costs of each path if it is matched and if it is not, and the estimated cost of all."""

    layout: Layout
    group: Sequence[Sequence[str]]
    spelled: Sequence[float]
    bits: float

    def row_of(self, path: str) -> int | None:
        """Return the number of a path in the group, or None."""
        row = path[1:].split("/")
        return next((number for number, one in enumerate(self.group) if list(one) == row), None)


def guesses_of(
    rows: Sequence[Sequence[str]], *, absolute: bool, head: bool, names: bool = False, last: bool = True
) -> list[Guess]:
    """Return each layout once, the cheapest first, as if it extracted every field from the paths that its glob matches.

    If the rows are the `head` of a sorted list, the layouts also fit what may come later; with `names`, files of other
    names too. They are the `last` lines in order, or later ones are of another shape.
    """
    return sorted(_guesses(rows, absolute=absolute, head=head, names=names, last=last), key=lambda one: one.bits)


def _guesses(rows: Sequence[Sequence[str]], *, absolute: bool, head: bool, names: bool, last: bool) -> Iterator[Guess]:
    paths = ["/".join(row) for row in rows]
    known = shared_tokens(paths)
    spelled = [spelled_out(path, known) for path in paths]
    seen: set[tuple[str, tuple[Column, ...]]] = set()
    first = imagined(rows, absolute=absolute, names=names, last=last) if head else []
    opened = len(paths) >= LEAST and paths == sorted(paths)
    text = bool(first) and are_free_text([row[-1] for row in rows])
    for group in groups_of(going_on(rows) if first else rows, neighbours=bool(first), text=text):
        own = head and len(group) >= LEAST and is_of_own_form(group, rows)
        more = imagined(group, absolute=absolute, names=names, last=last) if own else first
        for found in _layouts_of(group, more, rows, absolute=absolute, opened=opened):
            taken = matched(found.glob, paths)
            layout, whole = _closed(found, group, rows, taken, more, absolute=absolute, opened=opened)
            layout = _of_real_paths(layout, len(whole)) if more else layout
            if (layout.glob, layout.columns) in seen:
                continue
            seen.add((layout.glob, layout.columns))
            bits = bits_of(layout, rows, taken, spelled)
            if not more and sum(taken) > len(whole):
                others = [row for row, one in zip(rows, taken, strict=True) if one]
                bits += PEER * _unread(layout, others) + _cost_above(layout, others)
            yield Guess(layout=layout, group=whole, spelled=spelled, bits=bits)


def _layouts_of(
    rows: Sequence[Sequence[str]],
    more: Sequence[Sequence[str]],
    every: Sequence[Sequence[str]],
    *,
    absolute: bool,
    opened: bool,
) -> Iterator[Layout]:
    """Yield the layouts of a group of paths; the globs of lines in order are open for what may come after them."""
    for found in layouts_of([*rows, *more], absolute=absolute):
        yield of_any_kind(opened_for_later(found), rows, every) if opened else found


def _unread(layout: Layout, rows: Sequence[Sequence[str]]) -> int:
    """Return in how many paths that a glob takes a pattern of the file name finds nothing."""
    texts = [one.pattern for one in layout.columns if one.source == "filename" and one.pattern]
    patterns = [re.compile(one, re.DOTALL) for one in texts]
    return sum(any(not one.search(row[-1]) for one in patterns) for row in rows)


def _cost_above(layout: Layout, rows: Sequence[Sequence[str]]) -> float:
    """Return the cost of the directories above those of a glob, which its group shares but other paths do not."""
    if not layout.glob.startswith("**/") or "/**/" in layout.glob[2:]:
        return 0.0
    return column_cost(["/".join(row[: -layout.glob.count("/")]) for row in rows])


def matched(glob: str, paths: Sequence[str]) -> list[bool]:
    """Return for each relative path whether a glob matches it."""
    fits = glob_test(parse_glob(glob))
    return [fits(path, f"/{path}") for path in paths]


def _closed(
    layout: Layout,
    group: Sequence[Sequence[str]],
    rows: Sequence[Sequence[str]],
    taken: Sequence[bool],
    more: Sequence[Sequence[str]],
    *,
    absolute: bool,
    opened: bool,
) -> tuple[Layout, Sequence[Sequence[str]]]:
    """Return the layout of the same glob for all paths that it matches, with these; of the group, if there is none.

    A group that shares a directory by chance shows fewer values than the paths that its glob matches.
    """
    whole = [row for row, one in zip(rows, taken, strict=True) if one]
    if len(whole) <= len(group):
        return layout, group
    again = _layouts_of(whole, more, rows, absolute=absolute, opened=opened)
    same = next((one for one in again if one.glob == layout.glob), None)
    return (layout, group) if same is None else (same, whole)


def _of_real_paths(layout: Layout, count: int) -> Layout:
    """Return a layout whose columns only have the values of the first `count` paths."""
    columns = tuple(
        replace(column, values=column.values[:count], pieces=tuple(_real_piece(one, count) for one in column.pieces))
        for column in layout.columns
    )
    return replace(layout, columns=columns)


def _real_piece(piece: Piece, count: int) -> Piece:
    return replace(piece, values=piece.values[:count]) if isinstance(piece, Slot) else piece


def bits_of(layout: Layout, rows: Sequence[Sequence[str]], taken: Sequence[bool], spelled: Sequence[float]) -> float:
    """Return the cost of all paths.

    To leave out a path costs more if it is like a matched one in its form, and if many are left out.
    """
    forms = {form_of(row) for row, one in zip(rows, taken, strict=True) if one}
    rest = zip(rows, taken, spelled, strict=True)
    bits = sum(layout.bits if one else cost + (PEER if form_of(row) in forms else 0) for row, one, cost in rest)
    return bits + MINORITY * max(taken.count(False) - USUAL_NOISE * len(rows), 0)


def cost_of_left(left: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> float:
    """Return the cost of the rows that a rule leaves out, as in `bits_of`."""
    known = shared_tokens(["/".join(row) for row in rows])
    forms = {form_of(row) for row in rows if row not in left}
    bits = sum(spelled_out("/".join(row), known) + (PEER if form_of(row) in forms else 0) for row in left)
    return bits + MINORITY * max(len(left) - USUAL_NOISE * len(rows), 0)


def layouts_of(rows: Sequence[Sequence[str]], *, absolute: bool) -> Iterator[Layout]:
    """Yield the layouts of a group of paths."""
    ends, coarse = (by_their_ends(rows, absolute=absolute, finely=finely) for finely in (True, False))
    yield from (one for one in (ends, below_a_directory(rows), by_a_directory(rows), coarse) if one is not None)
