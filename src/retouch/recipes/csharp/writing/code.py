"""The result of the answers of one type: its whole code, and the origin of each line."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch.recipes.csharp.ir import MeaningProposal


@dataclass(frozen=True, kw_only=True)
class Piece:
    """The origin of a run of lines: from line `first` of the stitched text on, lines of `page` from `line` on."""

    first: int
    page: int
    line: int


@dataclass(frozen=True, kw_only=True)
class CsCode:
    """One type's stitched code, without markers, namespace and usings, and the pages that its lines came from.

    `pieces` are ordered by `first`, which starts at 1. All numbers count from 1. If the model was asked for the
    meaning, `taken` are the accepted proposals, and `text` is the code with those of this type alone. `is_edit` marks a
    manual edit, whose declared `name` may differ from the name of its unit.
    """

    text: str
    pieces: tuple[Piece, ...]
    taken: tuple[MeaningProposal, ...] = ()
    is_edit: bool = False
    name: str = ""

    def page_at(self, line: int) -> tuple[int, int]:
        """Return the page, and the line in that page, from which line `line` of the stitched text came."""
        index = max(0, bisect_right(self.pieces, line, key=lambda piece: piece.first) - 1)
        piece = self.pieces[index]
        return piece.page, piece.line + max(0, line - piece.first)
