"""What the answers of one type become: its code in one piece, and where each line of it came from."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Where a run of lines of the stitched text came from: from line `first` on, lines of `page` from `line` on."""

    first: int
    page: int
    line: int


@dataclass(frozen=True, kw_only=True)
class CsCode:
    """One type's stitched code, without markers, namespace and usings, and the pages that its lines came from.

    `pieces` are ordered by `first`, which begins at 1. All numbers count from 1.
    """

    text: str
    pieces: tuple[Piece, ...]

    def page_at(self, line: int) -> tuple[int, int]:
        """Return the page, and the line in that page's own text, that line `line` of the stitched text came from."""
        index = max(0, bisect_right(self.pieces, line, key=lambda piece: piece.first) - 1)
        piece = self.pieces[index]
        return piece.page, piece.line + max(0, line - piece.first)
