"""Checks whether a file still parses, if a parser of its language is installed."""

from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, cast

from retouch.engine.types import Issue, Tier

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from retouch._lib.json_text import JSON
    from retouch.recipes.edit.source import EditFile

# Suffix -> tree-sitter module and its function that returns the language. Used if the module is installed.
GRAMMARS = {
    ".cs": ("tree_sitter_c_sharp", "language"),
    ".scala": ("tree_sitter_scala", "language"),
    ".sc": ("tree_sitter_scala", "language"),
    ".js": ("tree_sitter_javascript", "language"),
    ".mjs": ("tree_sitter_javascript", "language"),
    ".jsx": ("tree_sitter_javascript", "language"),
    ".ts": ("tree_sitter_typescript", "language_typescript"),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
    ".go": ("tree_sitter_go", "language"),
    ".rs": ("tree_sitter_rust", "language"),
    ".java": ("tree_sitter_java", "language"),
    ".c": ("tree_sitter_c", "language"),
    ".h": ("tree_sitter_c", "language"),
    ".cpp": ("tree_sitter_cpp", "language"),
    ".hpp": ("tree_sitter_cpp", "language"),
    ".rb": ("tree_sitter_ruby", "language"),
    ".php": ("tree_sitter_php", "language_php"),
    ".sh": ("tree_sitter_bash", "language"),
}


# Suffixes of files that have no syntax to check: any text is a right one.
PROSE = frozenset({"", ".md", ".markdown", ".rst", ".txt", ".text", ".adoc", ".log", ".csv", ".tsv", ".diff", ".patch"})
_BUILT_IN = frozenset({".py", ".pyi", ".json", ".toml", ".yaml", ".yml"})


def syntax_issue(file: EditFile, text: str) -> list[Issue]:
    """Return one issue if `text` does not parse in its language. It is a warning if the file never did.

    If no parser of that language is installed, the issue says that the syntax was not checked.
    """
    place = first_fault(file.path, text)
    if place is None:
        return _unparsed(file.path)
    line, reason = place
    broken_before = file.exists and first_fault(file.path, file.text) is not None
    return [
        Issue(
            code="SYNTAX_ERROR",
            message=f"{file.path!r} would not parse: line {line}: {reason}",
            tier=Tier.SCHEMA,
            unit=file.path,
            page=1,
            path=f"{file.path}:{line}",
            detail={"line": line},
            severity="warning" if broken_before else "error",
            fix="Make the file parse again." if not broken_before else "It did not parse before either.",
        )
    ]


def _unparsed(path: str) -> list[Issue]:
    """Return the issue of a file whose syntax cannot be checked here, none if it was."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in PROSE | _BUILT_IN or (suffix in GRAMMARS and find_spec(GRAMMARS[suffix][0]) is not None):
        return []
    known = suffix in GRAMMARS
    why = f"no parser of {suffix!r} files is {'installed' if known else 'known'}"
    step = f"pip install {GRAMMARS[suffix][0].replace('_', '-')}" if known else "Let --check compile or parse it"
    detail: dict[str, JSON] = {"not_run": f"syntax not checked: {why}", "next": step}
    message = f"the syntax of {path!r} was not checked: {why}"
    code = "SYNTAX_NOT_CHECKED"
    return [
        Issue(code=code, message=message, tier=Tier.SCHEMA, unit=path, severity="info", fix=f"{step}.", detail=detail)
    ]


def first_fault(path: str, text: str) -> tuple[int, str] | None:
    """Return line and reason of the first syntax error, or None if there is none or no parser is installed."""
    suffix = PurePosixPath(path).suffix.lower()
    own: dict[str, Callable[[str], tuple[int, str] | None]] = {
        ".py": _python,
        ".pyi": _python,
        ".json": _json,
        ".toml": _toml,
        ".yaml": _yaml,
        ".yml": _yaml,
    }
    if suffix in own:
        return own[suffix](text.removeprefix("\ufeff"))
    return _by_grammar(suffix, text)


def _python(text: str) -> tuple[int, str] | None:
    import warnings

    from retouch._lib.python_source import parse_python

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parse_python(text.encode("utf-8", "surrogateescape"))
    except SyntaxError as error:
        return error.lineno or 1, error.msg
    except (ValueError, RecursionError, MemoryError) as error:
        return 1, str(error) or type(error).__name__
    return None


def _json(text: str) -> tuple[int, str] | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno, error.msg
    except RecursionError:
        return 1, "nested too deeply"
    return None


def _toml(text: str) -> tuple[int, str] | None:
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = str(error).partition("line ")[2].partition(",")[0]
        return int(line) if line.isdigit() else 1, str(error)
    return None


def _yaml(text: str) -> tuple[int, str] | None:
    import yaml

    try:
        for _ in yaml.parse(text, Loader=yaml.CSafeLoader):
            pass
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        return line, error.problem or "not YAML"
    except yaml.YAMLError as error:
        return 1, str(error)
    return None


def syntax_tree(suffix: str, text: str) -> Node | None:
    """Return the root of the text's syntax tree, or None if no grammar for this suffix is installed."""
    if suffix not in GRAMMARS:
        return None
    module, function = GRAMMARS[suffix]
    try:
        grammar: Any = getattr(import_module(module), function)()
        from tree_sitter import Language, Parser
    except ImportError:
        return None
    return Parser(Language(cast("object", grammar))).parse(text.encode("utf-8", "replace")).root_node


def _by_grammar(suffix: str, text: str) -> tuple[int, str] | None:
    root = syntax_tree(suffix, text)
    if root is None or not root.has_error:
        return None
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.is_error or node.is_missing:
            line = text.encode("utf-8", "replace")[: node.start_byte].count(b"\n") + 1
            return line, f"{node.type} is missing" if node.is_missing else "unexpected text"
        nodes += [child for child in reversed(node.children) if child.has_error or child.is_missing or child.is_error]
    return 1, "unexpected text"
