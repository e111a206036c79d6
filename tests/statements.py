"""The statements of a Python file: a tenth of its syntax tree, and all that the house rules look at."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCKS = (ast.stmt, ast.excepthandler, ast.match_case)


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield every statement in `node`, those in other statements included, in the order of the file."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        if isinstance(child, _BLOCKS):
            yield from statements(child)
