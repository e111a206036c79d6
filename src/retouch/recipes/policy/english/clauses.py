"""A constitution cut into its sentences, each with the line on which it begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_RULING = re.compile(r"\b(?:allow|ask|never|deny|forbid|don.t|must|not)\b", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"#{1,6}\s")
_RULER = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One sentence as it stands in the text, its white space folded; `line` is 1-based."""

    text: str
    line: int


def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return the sentences of a Markdown text in order.

    Headings, rulers and HTML comments are layout, unless a heading says something that only a sentence may say.
    Paragraphs and list items end a sentence, and so does a full stop before white space outside quotes.
    """
    lines = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text).splitlines()
    return tuple(clause for block in _blocks(lines) for clause in _sentences(block))


def _blocks(lines: list[str]) -> Iterator[list[tuple[int, str]]]:
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        heading = _HEADING.match(line) is not None
        item = _ITEM.match(line)
        if block and (heading or item or not line.strip() or _RULER.fullmatch(line)):
            yield block
            block = []
        if not line.strip() or _RULER.fullmatch(line) or (heading and not _RULING.search(line)):
            continue
        block.append((number, line[item.end() :] if item else line))
    if block:
        yield block


def _sentences(block: list[tuple[int, str]]) -> Iterator[Clause]:
    text = "\n".join(line for _, line in block)
    first = block[0][0]
    quoted = [found.span() for found in _QUOTED.finditer(text)]
    start = 0
    for stop in re.finditer(r"[.!?](?=\s|$)|$", text):
        if any(low <= stop.start() < high for low, high in quoted):
            continue
        sentence = text[start : stop.end()]
        if sentence.strip():
            blank = len(sentence) - len(sentence.lstrip())
            yield Clause(text=" ".join(sentence.split()), line=first + text.count("\n", 0, start + blank))
        start = stop.end()
