"""Joins the pages of one type into one block, using the syntax tree of each page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.csharp.parsing.page import normalised, outline
from retouch.recipes.csharp.writing.code import CsCode, Piece

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.csharp.parsing.outline import Form, Outline


def stitch(pages: Sequence[Outline], *, name: str = "") -> CsCode:
    """Return the code of a type whose first page declares it and whose further pages are fragments of its body.

    Every page must be free of syntax errors. `name` selects the declaration if the first page has several; without it,
    the last one is used.
    """
    first = pages[0]
    declared = first.declaration(name)
    text = first.data.decode()
    code = _Code()
    if declared is None or len(pages) == 1:
        code.add(text, page=1, line=1)
        return code.done()
    code.add(first.data[: declared.body_end].decode().rstrip(), page=1, line=1)
    empty = not first.data[declared.body_start : declared.body_end].strip()
    for number, page in enumerate(pages[1:], 2):
        start, end = _inside_marks(page)
        line = page.data.count(b"\n", 0, start) + 1
        code.add(page.data[start:end].decode(), page=number, line=line, gap=not empty)
        empty = False
    line = first.data.count(b"\n", 0, declared.body_end) + 1
    code.add(first.data[declared.body_end :].decode(), page=1, line=line)
    return code.done()


def stitch_type_pages(pages: Sequence[str]) -> str:
    """Return the pages of one type as one block.

    Raises:
        ValueError: a page is not valid C#, or the first one declares no type.
    """
    texts = [normalised(page) for page in pages]
    outlines: list[Outline] = []
    form: Form = "type"
    for number, text in enumerate(texts, 1):
        page = outline(text, form)
        if page.fault is not None:
            raise ValueError(f"page {number} cannot be parsed: line {page.fault.line}, near {page.fault.text!r}")
        if number == 1 and page.types:
            form = "values" if page.types[-1].kind == "enum" else "members"
        outlines.append(page)
    if not outlines or not outlines[0].types:
        raise ValueError("the first page declares no type")
    return stitch(outlines).text


def _inside_marks(page: Outline) -> tuple[int, int]:
    """Return the offsets of the text between the marks of a fragment, or of the whole text if a mark is missing."""
    if len(page.marks) < 2:
        return 0, len(page.data)
    return page.marks[0].end, page.marks[-1].start


class _Code:
    """Collects the lines of a block and their origin."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.pieces: list[Piece] = []

    def add(self, text: str, *, page: int, line: int, gap: bool = False) -> None:
        """Add a piece of `page` that starts at its line `line`, without surrounding blank lines."""
        lines = text.split("\n")
        written = [index for index, each in enumerate(lines) if each.strip()]
        if not written:
            return
        blank = written[0]
        kept = lines[blank : written[-1] + 1]
        if gap:
            self.lines.append("")
        self.pieces.append(Piece(first=len(self.lines) + 1, page=page, line=line + blank))
        self.lines += kept

    def done(self) -> CsCode:
        """Return the collected code."""
        return CsCode(text="\n".join(self.lines), pieces=tuple(self.pieces))
