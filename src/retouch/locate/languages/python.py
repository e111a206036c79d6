"""The parser for Python, by the running Python's own `ast`: exact, and without a dependency."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from functools import cache
from keyword import kwlist
from typing import TYPE_CHECKING, TypeAlias

from retouch._lib.python_source import parse_python
from retouch.locate.languages.front import Definition, Front, Mark, Parsed

if TYPE_CHECKING:
    from collections.abc import Iterator

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_Named: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_QUIET = re.compile(
    rb"""(?s)(\#[^\n]*)|\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.VERBOSE,
)
_CALLED = re.compile(rb"\b(?!(?:" + "|".join(kwlist).encode() + rb")\b)([A-Za-z_]\w*)\s*\(")


@cache
def python() -> Front:
    """Return the front for Python: classes and functions.

    Docstrings are part of the code, because they describe a definition with words that messages use.
    """
    return Front(
        name="python",
        version=f"1, Python {sys.version_info.major}.{sys.version_info.minor}",
        patterns=("*.py",),
        parse=_parse,
        refers=_CALLED,
        skip=(".git", ".venv", "venv", "node_modules", "build", "dist", "__pycache__", ".tox"),
        tests=("tests", "test"),
    )


def _parse(data: bytes) -> Parsed:
    comments = [found.span() for found in _QUIET.finditer(data) if found[1]]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings of the compiler about the source are irrelevant here
            tree = parse_python(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Parsed(definitions=[], comments=comments, errors=1)
    source = _Source(data)
    definitions: list[Definition] = []
    marks: list[Mark] = []
    for node in ast.walk(tree):
        if isinstance(node, _Named):
            definitions.append(source.definition(node))
        marks += source.marks(node)
    return Parsed(definitions=definitions, marks=marks, comments=comments)


class _Source:
    """Converts positions of syntax tree nodes to byte offsets in the file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts = [0, *(found.end() for found in re.finditer(rb"\r\n|\r|\n", data))]

    def at(self, line: int, column: int) -> int:
        return min(self._starts[min(line, len(self._starts)) - 1] + column, len(self._data))

    def definition(self, node: _Named) -> Definition:
        keyword = self.at(node.lineno, node.col_offset)
        first = node.decorator_list[0] if node.decorator_list else None
        start = self.at(first.lineno, first.col_offset) if first else keyword
        end = self.at(node.end_lineno or node.lineno, node.end_col_offset or 0)
        name_at = self._data.find(node.name.encode(), keyword + len("def"), end)
        kind = "class" if isinstance(node, ast.ClassDef) else "function"
        return Definition(start, end, kind, node.name, max(name_at, keyword))

    def marks(self, node: ast.AST) -> Iterator[Mark]:
        match node:
            case ast.ClassDef(bases=bases, body=[first, *_]):
                inside = self.at(first.lineno, first.col_offset)
                yield from (Mark(inside, "parents", name) for base in bases if (name := _last(base)))
            case ast.Call(func=called) if (name := _last(called)) and name[:1].isupper():
                yield Mark(self.at(node.lineno, node.col_offset), "makes", name)
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield Mark(self.at(node.lineno, node.col_offset), "defines", name)
            case _:
                pass


def _last(node: ast.expr) -> str:
    while isinstance(node, (ast.Subscript, ast.Call)):
        node = node.value if isinstance(node, ast.Subscript) else node.func
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
