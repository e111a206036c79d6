"""The text that a page is parsed as: itself, or a fragment inside of an added declaration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retouch.recipes.csharp.parsing.outline import Stray

if TYPE_CHECKING:
    from tree_sitter import Node

    from retouch.recipes.csharp.parsing.outline import Form

_WRAPPERS = {"type": ("", "\n"), "members": ("class _ {", "\n}"), "values": ("enum _ {", "\n}")}


@dataclass(frozen=True, kw_only=True)
class Source:
    """The parsed bytes. `shift` is the length of the added text before the page, `length` that of the page.

    `marks` collects the comments before and after a fragment's members.
    """

    data: bytes
    shift: int
    length: int
    marks: list[Stray] = field(default_factory=list[Stray])

    def text(self, node: Node) -> str:
        """Return the text of a node."""
        return self.data[node.start_byte : node.end_byte].decode()

    def start(self, node: Node) -> int:
        """Return the offset in the page at which a node starts."""
        return node.start_byte - self.shift

    def end(self, node: Node) -> int:
        """Return the offset in the page at which a node ends."""
        return node.end_byte - self.shift

    def stray(self, node: Node) -> Stray:
        """Return a node as something that does not belong there. Its offsets are limited to the page."""
        kind = "missing" if node.is_missing else node.type
        text = node.type if node.is_missing else self.text(node).split("\n", 1)[0].strip()[:80]
        start, end = (min(self.length, max(0, at)) for at in (self.start(node), self.end(node)))
        return Stray(kind=kind, line=line_of(node), text=text, start=start, end=end)

    def brace(self, offset: int) -> Stray:
        """Return the closing brace at an offset of the page as something that does not belong there."""
        line = self.data.count(b"\n", 0, offset + self.shift) + 1
        return Stray(kind="}", line=line, text="}", start=offset, end=offset + 1)


def source_of(text: str, form: Form) -> Source:
    """Return the text that a page of this form is parsed as. Line numbers stay those of the page."""
    before, after = _WRAPPERS[form]
    page = text.encode(errors="replace")
    return Source(data=before.encode() + page + after.encode(), shift=len(before), length=len(page))


def line_of(node: Node) -> int:
    """Return the line, from 1, on which a node starts."""
    return node.start_point[0] + 1
