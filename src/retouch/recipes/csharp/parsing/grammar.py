"""The C# grammar of tree-sitter, loaded on first use."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_NAME_REQUIRED = re.compile(rb"\brequired(?=\s*[)\].,;=+])")  # the grammar parses the name as the keyword


@lru_cache(maxsize=1)
def _parser() -> Parser:
    import tree_sitter_c_sharp
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_c_sharp.language()))


def parse(data: bytes) -> Node:
    """Return the root of the syntax tree of `data`.

    The grammar rejects a name spelled `required` in an expression, which is legal in C#. If that is the only error, the
    tree is that of the text with the name respelled in the same length.
    """
    root = _parser().parse(data).root_node
    if root.has_error and _NAME_REQUIRED.search(data):
        other = _parser().parse(_NAME_REQUIRED.sub(b"Required", data)).root_node
        return root if other.has_error else other
    return root


def text_of(node: Node, data: bytes) -> str:
    """Return the text of `node`, a node of the tree of `data`."""
    return data[node.start_byte : node.end_byte].decode()
