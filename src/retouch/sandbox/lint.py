"""Checks code before it is run, for early and precise messages. It is not a security boundary. The sandbox is.

These checks can be bypassed. Their purpose is to tell a model, before a run is paid for, that paths are only text here,
and to show users which resources the code uses.
"""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from retouch._lib.python_source import parse_python
from retouch.sandbox.answers import plain_line
from retouch.sandbox.values import CodeFinding

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_CHARACTERS = 64 << 10
_USEFUL_TEXT = (
    "__future__ abc base64 binascii bisect calendar collections copy dataclasses datetime decimal enum fnmatch "
    "fractions functools hashlib heapq itertools json math operator os.path pathlib re statistics string textwrap "
    "types typing unicodedata urllib.parse uuid"
)
_CALLS_TEXT = (
    "open eval exec compile __import__ input breakpoint globals locals vars getattr setattr delattr memoryview"
)
_FILE_METHODS_TEXT = (
    "read_text read_bytes write_text write_bytes unlink rmdir mkdir touch iterdir glob rglob exists is_file is_dir "
    "stat lstat resolve open chmod symlink_to hardlink_to expanduser samefile readlink"
)
USEFUL, _CALLS, _FILE_METHODS = (set(text.split()) for text in (_USEFUL_TEXT, _CALLS_TEXT, _FILE_METHODS_TEXT))
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_HARMLESS = (
    *_DEFINITIONS,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.If,
    ast.Try,
    ast.Pass,
    ast.Assert,
)


def lint(code: str, function: str = "extract") -> list[CodeFinding]:
    """Return the findings in `code`, by line: its form, its imports and calls, and the signature of `function`.

    Codes: PYTHON_SYNTAX_ERROR (then the only one), MISSING_EXTRACT, BAD_SIGNATURE, FORBIDDEN_IMPORT, FORBIDDEN_CALL,
    TOP_LEVEL_SIDE_EFFECT.
    """
    if len(code) > MOST_CHARACTERS:
        return [
            _finding("PYTHON_SYNTAX_ERROR", f"the code has {len(code):,} characters, more than {MOST_CHARACTERS:,}")
        ]
    try:
        tree = parse_python(code)
        found = [*_imports(tree), *_calls(tree), *_effects(tree), *_function(tree, function)]
    except SyntaxError as error:
        return [_finding("PYTHON_SYNTAX_ERROR", error.msg, error.lineno)]
    except (ValueError, RecursionError, MemoryError) as error:
        return [_finding("PYTHON_SYNTAX_ERROR", f"Python cannot parse it: {error or 'it is nested too deeply'}")]
    return sorted(found, key=lambda finding: finding.line or 0)


def _finding(code: str, message: str, line: int | None = None) -> CodeFinding:
    return CodeFinding(code=code, message=plain_line(message), line=line)


def _imports(tree: ast.Module) -> Iterator[CodeFinding]:
    for node in ast.walk(tree):
        for name in _imported(node):
            if not _is_useful(name):
                what = (
                    f"import of {name!r}: only modules that compute can be used, for example re, datetime, "
                    "pathlib, json"
                )
                yield _finding("FORBIDDEN_IMPORT", what, getattr(node, "lineno", None))


def _imported(node: ast.AST) -> Iterator[str]:
    """Yield the modules that a statement imports, also those imported by `from` another module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        if module == "os":
            yield from (f"os.{alias.name}" for alias in node.names)
            return
        yield module
        yield from (f"{alias.name} from {module}" for alias in node.names if _is_hidden(alias.name))


def _is_hidden(name: str) -> bool:
    """Return whether a name imported from another module is a module that does more than compute."""
    return name in sys.stdlib_module_names and name not in USEFUL


def _is_useful(name: str) -> bool:
    """Return whether a module or its parent only computes. For `os` itself, the attributes decide."""
    return name == "os" or any(name == useful or name.startswith(f"{useful}.") for useful in USEFUL)


def _calls(tree: ast.Module) -> Iterator[CodeFinding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
            what = (
                f"call of {node.func.id}(): the function gets a path as text, returns a dict, and cannot use "
                "anything else"
            )
            yield _finding("FORBIDDEN_CALL", what, node.lineno)
        elif isinstance(node, ast.Attribute):
            yield from _attribute(node)


def _attribute(node: ast.Attribute) -> Iterator[CodeFinding]:
    of_os = isinstance(node.value, ast.Name) and node.value.id == "os"
    if of_os and node.attr not in {"path", "sep", "fspath", "PathLike", "extsep", "altsep"}:
        yield _finding("FORBIDDEN_CALL", f"os.{node.attr}: only os.path can be used", node.lineno)
    elif node.attr in _FILE_METHODS and not _is_regex_like(node):
        what = f".{node.attr} accesses the file system, but the path is only text and the file does not exist here"
        yield _finding("FORBIDDEN_CALL", what, node.lineno)
    elif node.attr.startswith("__") and node.attr.endswith("__") and node.attr not in {"__name__", "__doc__"}:
        yield _finding("FORBIDDEN_CALL", f".{node.attr} accesses interpreter internals", node.lineno)


def _is_regex_like(node: ast.Attribute) -> bool:
    """Return whether the name belongs to a module of text functions, such as `fnmatch` or `os.path`."""
    return node.attr == "glob" and isinstance(node.value, ast.Name) and node.value.id == "glob"


def _effects(tree: ast.Module) -> Iterator[CodeFinding]:
    for node in tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_text and not isinstance(node, _HARMLESS):
            what = "a statement that runs when the code is loaded; only definitions and constants are allowed here"
            yield _finding("TOP_LEVEL_SIDE_EFFECT", what, node.lineno)


def _function(tree: ast.Module, name: str) -> Iterator[CodeFinding]:
    named = [node for node in tree.body if isinstance(node, _DEFINITIONS) and node.name == name]
    if not named:
        assigned = (target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets)
        if not any(isinstance(target, ast.Name) and target.id == name for target in assigned):
            yield _finding("MISSING_EXTRACT", f"the code defines no function {name!r} at its top level")
        return
    last = named[-1]
    if problem := _signature(last, name):
        yield _finding("BAD_SIGNATURE", problem, last.lineno)


def _signature(node: ast.AST, name: str) -> str | None:
    if not isinstance(node, ast.FunctionDef):
        return f"{name!r} must be a plain function: def {name}(path)"
    if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in _own(node)):
        return f"{name!r} is a generator; it must return one dict"
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    required = len(positional) - len(arguments.defaults)
    needs_more = any(default is None for default in arguments.kw_defaults)
    if required > 1 or needs_more or not (positional or arguments.vararg):
        return f"{name!r} must have exactly one required argument, the path, but it has {required}"
    return None


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without those of nested functions."""
    left: list[ast.AST] = list(function.body)
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, (*_DEFINITIONS, ast.Lambda)):
            left += ast.iter_child_nodes(node)
