"""Opens the patterns of the head of a sorted list for what is beside later values, as `I1` after `R1` and `R2`."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot
from retouch.recipes.rule.detecting.patterns import anchored, pattern_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from retouch.recipes.rule.detecting.columns import Column, Piece

_WORD_BETWEEN = re.compile("[^0-9A-Za-z][A-Za-z]{2,}[^0-9A-Za-z]")
_LETTERS = re.compile("[A-Za-z]{2}")
_ONE_LETTER = re.compile("(.*[-_])([A-Z])", re.DOTALL)


def of_any_letter(pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces of which those of one letter and the number 1 or 2 are one text, because so few numbers do not
    count anything.
    """
    done = [*pieces]
    for at, (before, piece) in enumerate(pairwise(pieces), 1):
        lead = _ONE_LETTER.fullmatch(before.text) if isinstance(before, Fixed) else None
        if lead and isinstance(piece, Slot) and {*piece.values} == {"1", "2"} and not piece.optional:
            values = tuple(f"{lead[2]}{value}" for value in piece.values)
            done[at - 1 : at + 1] = [Fixed(text=lead[1]), replace(piece, values=values, glob="*")]
    return done


def read_in_later_lines(column: Column, repeated: Collection[tuple[str, ...]] = ()) -> Column:
    """Return a column whose pattern takes a code of any letter beside its value, and values that hold the mark before a
    fixed word, as `a.b.so.1`. The pattern of the number of such a code stays, so that another letter is reported.

    So may texts that no other text is beside, and those of directories, which are in `repeated`.
    """
    slot, pieces = column.slot, _with_open_texts([*_with_marks_inside(of_any_letter(column.pieces))], repeated)
    piece = pieces[column.at] if pieces else None
    if slot is None or not isinstance(piece, Slot) or piece.values != slot.values or column.pattern is None:
        return column
    if column.pattern != anchored(pattern_of(column.pieces, slot), column.source):
        return column
    pieces = _with_open_sides(pieces, column.at)
    return replace(column, pattern=anchored(pattern_of(pieces, piece), column.source))


def _with_marks_inside(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Yield pieces whose texts may hold the mark that ends them, if a fixed word between marks follows.

    The last word of a text that holds the mark before it does not.
    """
    for at, (piece, after) in enumerate(zip(pieces, (*pieces[1:], None), strict=False)):
        told = isinstance(after, Fixed) and not after.optional and _WORD_BETWEEN.fullmatch(after.text)
        told = told and not _holds_mark(pieces[:at])
        yield replace(piece, apart="") if told and isinstance(piece, Slot) and not piece.optional else piece


def _holds_mark(before: Sequence[Piece]) -> bool:
    """Return whether the pieces end with a text and a mark that the text holds too."""
    text, mark = before[-2:] if len(before) > 1 else (None, None)
    return isinstance(text, Slot) and isinstance(mark, Fixed) and any(mark.text in value for value in text.values)


def _with_open_texts(pieces: Sequence[Piece], repeated: Collection[tuple[str, ...]]) -> list[Piece]:
    """Return pieces whose texts may hold the mark that ends them, if a number or a word is between each and other texts
    of the name. Texts that repeat directories are not told apart, because those are fields too.
    """
    if any(isinstance(one, Slot) and one.optional and one.kind != "ending" for one in pieces):
        return [*pieces]
    return [
        replace(one, apart="") if isinstance(one, Slot) and _is_alone(pieces, at, repeated) else one
        for at, one in enumerate(pieces)
    ]


def _with_open_sides(pieces: Sequence[Piece], at: int) -> list[Piece]:
    """Return pieces whose texts may hold the mark that ends them, if they are all on one side of a number or a date."""
    texts = [number for number, one in enumerate(pieces) if _is_text(one)]
    if at in texts or not (all(one < at for one in texts) or all(one > at for one in texts)):
        return [*pieces]
    return [replace(one, apart="") if isinstance(one, Slot) and _is_text(one) else one for one in pieces]


def _is_alone(pieces: Sequence[Piece], at: int, repeated: Collection[tuple[str, ...]]) -> bool:
    """Return whether a piece is a text, and the next ones that are no marks on both sides are none, or repeat
    directories as it does.
    """
    again = [isinstance(one, Slot) and one.values in repeated for one in pieces]
    sides = (range(at - 1, -1, -1), range(at + 1, len(pieces)))
    beside = [next((one for one in side if not _is_mark(pieces[one])), None) for side in sides]
    texts = [one for one in beside if one is not None and _is_text(pieces[one])]
    return _is_text(pieces[at]) and all(again[at] and again[one] for one in texts)


def _is_mark(piece: Piece) -> bool:
    return isinstance(piece, Fixed) and _LETTERS.search(piece.text) is None


def _is_text(piece: Piece) -> bool:
    return isinstance(piece, Slot) and not (piece.kind or piece.form or all(map(str.isdigit, piece.values)))
