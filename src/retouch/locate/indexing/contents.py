"""The contents of one file in an index: its spans, and the terms of each span by field."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from retouch.locate.indexing.words import identifiers, term_counts
from retouch.locate.values import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.locate.languages.front import Definition, Front, Mark, Parsed

FIELDS = ("code", "own", "defines")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, kw_only=True)
class Contents:
    """The spans of one file, and for each span the counts of its terms by field.

    `code`: identifiers outside comments. `own`: the same without nested definitions. `defines`: names that it defines,
    without those of nested definitions.
    """

    spans: Sequence[Span]
    terms: Sequence[Mapping[str, Mapping[str, int]]]
    errors: int = 0


def read_contents(front: Front, file: str, data: bytes) -> Contents:
    """Return the contents of the bytes of one file, parsed by `front`."""
    if data.startswith(_BOM):
        data = b"   " + data[len(_BOM) :]
    parsed = front.parse(data)
    nodes = _nested(parsed, data)
    code = _without(data, parsed.comments)
    for node, start, end in _segments(nodes, len(data)):
        node.code += identifiers(code[start:end])
        node.refers.update(dict.fromkeys(front.refers.findall(code, start, end)))
    for node in reversed(nodes):  # inner nodes come after outer ones
        node.gather()
    line_ends = _line_ends(data)
    spans = [_span(node, file, line_ends) for node in nodes]
    return Contents(spans=spans, terms=[node.terms() for node in nodes], errors=parsed.errors)


@dataclass(kw_only=True, eq=False)
class _Node:
    """One definition while a file is read: first without nested definitions, after `gather` with them."""

    definition: Definition
    qualified: str
    end: int
    inside: list[_Node] = field(default_factory=list["_Node"])
    marks: list[Mark] = field(default_factory=list["Mark"])
    code: list[bytes] = field(default_factory=list[bytes])
    refers: dict[bytes, None] = field(default_factory=dict[bytes, None])
    all_marks: list[Mark] = field(default_factory=list["Mark"])
    all_terms: Counter[str] = field(default_factory=Counter[str])
    own_terms: dict[str, int] = field(default_factory=dict[str, int])

    def gather(self) -> None:
        self.own_terms = term_counts(self.code)
        self.all_terms = Counter(self.own_terms)
        self.all_marks = list(self.marks)
        for node in self.inside:
            self.all_terms.update(node.all_terms)
            self.all_marks += node.all_marks
            self.refers.update(node.refers)

    def named(self, role: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(mark.name for mark in self.all_marks if mark.role == role))

    def parents(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(mark.name for mark in self.marks if mark.role == "parents"))

    def terms(self) -> dict[str, Mapping[str, int]]:
        defined = [mark.name.encode() for mark in self.marks if mark.role == "defines"]
        return {"code": self.all_terms, "own": self.own_terms, "defines": term_counts(defined)}


def _nested(parsed: Parsed, data: bytes) -> list[_Node]:
    """Return the definitions as nodes, outer ones first, each with its marks.

    White space at the end of a definition, which grammars of indented languages include, is removed.
    """
    nodes: list[_Node] = []
    open_nodes: list[_Node] = []
    for one in sorted(parsed.definitions, key=lambda each: (each.start, -each.end)):
        # not its start, because ends in broken code may be too late
        while open_nodes and open_nodes[-1].end <= one.name_at:
            open_nodes.pop()
        around = open_nodes[-1] if open_nodes else None
        qualified = f"{around.qualified}.{one.name}" if around else one.name
        end = one.start + len(data[one.start : min(one.end, around.end) if around else one.end].rstrip())
        node = _Node(definition=one, qualified=qualified, end=end)
        if around:
            around.inside.append(node)
        nodes.append(node)
        open_nodes.append(node)
    segments = list(_segments(nodes, max((node.end for node in nodes), default=0)))
    starts = [start for _, start, _ in segments]
    for mark in sorted(parsed.marks):
        place = bisect_right(starts, mark.at) - 1
        if place >= 0 and mark.at < segments[place][2]:
            segments[place][0].marks.append(mark)
    return nodes


def _segments(nodes: Sequence[_Node], length: int) -> Iterator[tuple[_Node, int, int]]:
    """Yield the segments of a file between definition boundaries, each with the innermost definition around it."""
    cuts = sorted({0, length, *(node.definition.start for node in nodes), *(node.end for node in nodes)})
    coming = iter(nodes)
    following = next(coming, None)
    open_nodes: list[_Node] = []
    for start, end in pairwise(cuts):
        while open_nodes and open_nodes[-1].end <= start:
            open_nodes.pop()
        while following and following.definition.start <= start:
            open_nodes.append(following)
            following = next(coming, None)
        if open_nodes:
            yield open_nodes[-1], start, end


def _without(data: bytes, comments: Sequence[tuple[int, int]]) -> bytes:
    """Return the source with comments replaced by spaces, so that offsets stay the same."""
    code = bytearray(data)
    for start, end in comments:
        code[start:end] = b" " * (end - start)
    return bytes(code)


def _line_ends(data: bytes) -> list[int]:
    ends: list[int] = []
    at = data.find(b"\n")
    while at >= 0:
        ends.append(at)
        at = data.find(b"\n", at + 1)
    return ends


def _span(node: _Node, file: str, line_ends: Sequence[int]) -> Span:
    def line(at: int) -> int:
        return bisect_right(line_ends, at - 1) + 1

    one = node.definition
    return Span(
        file=file,
        name=one.name,
        qualified=node.qualified,
        kind=one.kind,
        start_line=line(one.start),
        end_line=line(max(one.start, node.end - 1)),
        name_line=line(one.name_at),
        parents=node.parents(),
        defines=node.named("defines"),
        makes=node.named("makes"),
        refers=tuple(name.decode("utf-8", "replace") for name in node.refers),
    )
