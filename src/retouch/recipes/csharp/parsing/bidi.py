"""Bidirectional control characters in C#: finds them, and escapes them in string literals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.csharp.parsing.grammar import parse
from retouch.recipes.csharp.parsing.source import source_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from retouch.recipes.csharp.parsing.outline import Form

_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_SPELLED = ("string_literal_content", "character_literal_content")  # kinds of literals that allow escapes


def first_bidi_control(text: str) -> tuple[int, str] | None:
    """Return the line (from 1) and the name of the first one, such as `U+202E`, or None."""
    found = _CONTROLS.search(text)
    return None if found is None else (text.count("\n", 0, found.start()) + 1, f"U+{ord(found[0]):04X}")


def with_bidi_escaped(text: str, form: Form) -> str:
    r"""Return a page in which plain string and character literals have escapes such as `\\u202e` instead of these
    characters.

    They stay in verbatim and raw literals, which have no escapes, and in comments.
    """
    if first_bidi_control(text) is None:
        return text
    source = source_of(text, form)
    data = source.data
    literals = [node for node in _descendants(parse(data)) if node.type in _SPELLED]
    for node in sorted(literals, key=lambda one: -one.start_byte):
        data = data[: node.start_byte] + _escaped(source.text(node)).encode() + data[node.end_byte :]
    end = len(data) - (len(source.data) - source.shift - source.length)
    return data[source.shift : end].decode()


def _escaped(text: str) -> str:
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _descendants(root: Node) -> Iterator[Node]:
    nodes = [root]
    while nodes:
        node = nodes.pop()
        yield node
        nodes += node.children
