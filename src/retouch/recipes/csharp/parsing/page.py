"""Parses a page with tree-sitter into an outline. Outlines are cached by text."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.csharp.parsing.declarations import declaration
from retouch.recipes.csharp.parsing.grammar import parse
from retouch.recipes.csharp.parsing.outline import Form, Outline, Stray, TypeOutline
from retouch.recipes.csharp.parsing.source import Source, source_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_MEMBERS = ("property_declaration", "enum_member_declaration")


def normalised(text: str) -> str:
    """Return a page's text without byte order mark and with LF line ends. All positions refer to this text."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=2048)
def outline(text: str, form: Form) -> Outline:
    """Return the outline of a page: a `type`, or a fragment of `members` (properties) or `values` (of an enum).

    A fragment is parsed inside of an added declaration. Lines and offsets are those of `text`, which must be
    normalised.
    """
    source = source_of(text, form)
    root = parse(source.data)
    types: list[TypeOutline] = []
    stray: list[Stray] = []
    for node in root.children:
        found = source.stray(node)
        if found.declares_type:
            types.append(declaration(source, node))
        elif node.type != "comment":
            stray.append(found)
    if form != "type" and types and types[0].body_end < source.length:  # not closed by the added brace
        stray.append(source.brace(types[0].body_end))
    fault = _fault(source, root) if root.has_error else None
    if fault is not None and fault.start >= source.length and stray:
        fault = stray[-1]  # because of this one, the added brace is one too many
    return Outline(
        form=form,
        data=text.encode(errors="replace"),
        fault=fault,
        types=tuple(types),
        stray=tuple(stray),
        marks=tuple(source.marks),
    )


def comments(text: str, form: Form) -> list[Stray]:
    """Return all comments of a page, in order."""
    source = source_of(text, form)
    return [source.stray(node) for node in _descendants(parse(source.data)) if node.type == "comment"]


def _descendants(root: Node) -> Iterator[Node]:
    nodes = [root]
    while nodes:
        node = nodes.pop()
        yield node
        nodes += reversed(node.children)


def _fault(source: Source, root: Node) -> Stray:
    broken = [node for node in _descendants(root) if node.is_missing or node.type == "ERROR"]
    first = next((node for node in broken if node.start_byte >= source.shift), None)
    if first is None and broken:  # the error starts in the declaration that was added around a fragment
        first = _after_last_member(source, broken[0])
    if first is None or first.start_byte < source.shift:
        whole = [node for node in _descendants(root) if node.type in _MEMBERS and not node.has_error]
        end = max((node.end_byte for node in whole), default=source.shift)
        leaves = (node for node in _descendants(root) if not node.children and node.type != "comment")
        first = next((node for node in leaves if node.start_byte >= end and node.end_byte > end), first)
    return source.stray(first or root)


def _after_last_member(source: Source, error: Node) -> Node:
    """Return the first node of the page after its last whole member, so that no issue quotes the added declaration."""
    inside = [node for node in error.children if node.start_byte >= source.shift and node.type != "comment"]
    whole = [index for index, node in enumerate(inside) if node.type in _MEMBERS]
    rest = inside[whole[-1] + 1 :] if whole else inside
    return next(iter(rest or reversed(inside)), error)
