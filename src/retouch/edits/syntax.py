"""Checks whether a file still parses, if a parser of its language is installed.

Python, JSON, TOML and YAML are parsed by the standard library and PyYAML. Other languages need a tree-sitter wheel of
their own: `pip install "retouch[edit]"` installs all of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, cast

from retouch.edits.values import EditIssue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from retouch.edits.values import EditResult

# Suffix -> module of the wheel, and its function that returns the language
GRAMMARS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys((".sh", ".bash"), ("tree_sitter_bash", "language")),
    **dict.fromkeys((".c", ".h"), ("tree_sitter_c", "language")),
    ".cs": ("tree_sitter_c_sharp", "language"),
    **dict.fromkeys((".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx"), ("tree_sitter_cpp", "language")),
    ".css": ("tree_sitter_css", "language"),
    **dict.fromkeys((".ex", ".exs"), ("tree_sitter_elixir", "language")),
    ".go": ("tree_sitter_go", "language"),
    ".hs": ("tree_sitter_haskell", "language"),
    **dict.fromkeys((".tf", ".hcl", ".tfvars"), ("tree_sitter_hcl", "language")),
    **dict.fromkeys((".html", ".htm"), ("tree_sitter_html", "language")),
    ".java": ("tree_sitter_java", "language"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), ("tree_sitter_javascript", "language")),
    ".jl": ("tree_sitter_julia", "language"),
    **dict.fromkeys((".kt", ".kts"), ("tree_sitter_kotlin", "language")),
    ".lua": ("tree_sitter_lua", "language"),
    ".ml": ("tree_sitter_ocaml", "language_ocaml"),
    ".mli": ("tree_sitter_ocaml", "language_ocaml_interface"),
    ".php": ("tree_sitter_php", "language_php"),
    **dict.fromkeys((".rb", ".rake", ".gemspec"), ("tree_sitter_ruby", "language")),
    ".rs": ("tree_sitter_rust", "language"),
    **dict.fromkeys((".scala", ".sc"), ("tree_sitter_scala", "language")),
    ".swift": ("tree_sitter_swift", "language"),
    **dict.fromkeys((".ts", ".mts", ".cts"), ("tree_sitter_typescript", "language_typescript")),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
    **dict.fromkeys((".xml", ".xsd", ".xsl", ".svg"), ("tree_sitter_xml", "language_xml")),
    ".zig": ("tree_sitter_zig", "language"),
}
# Suffixes of files that have no syntax to check: any text is a right one.
PROSE = frozenset({"", ".md", ".markdown", ".rst", ".txt", ".text", ".adoc", ".log", ".csv", ".tsv", ".diff", ".patch"})
_BUILT_IN = frozenset({".py", ".pyi", ".json", ".toml", ".yaml", ".yml"})


@dataclass(frozen=True, kw_only=True)
class SyntaxFault:
    """The first place at which a text does not parse: its line from 1, and the parser's message."""

    line: int
    reason: str


def first_fault(path: str, text: str) -> SyntaxFault | None:
    """Return the first syntax error of a text in the language of its path. None if it has none, or no parser is here.

    `why_unchecked` distinguishes the two cases. For example:
        >>> first_fault("a.py", "x = (1")
        SyntaxFault(line=1, reason="'(' was never closed")
    """
    suffix = suffix_of(path)
    plain = text.removeprefix("\ufeff")
    if suffix in {".py", ".pyi"}:
        return _python(plain)
    if suffix == ".json":
        return _json(plain)
    if suffix == ".toml":
        return _toml(plain)
    if suffix in {".yaml", ".yml"}:
        return _yaml(plain)
    return _by_grammar(*GRAMMARS[suffix], text) if suffix in GRAMMARS else None


def why_unchecked(path: str) -> str:
    """Return why the syntax of this file is not checked, "" if it is. Prose needs no check."""
    suffix = suffix_of(path)
    if suffix in PROSE | _BUILT_IN or (suffix in GRAMMARS and find_spec(GRAMMARS[suffix][0]) is not None):
        return ""
    return f"no parser of {suffix!r} files is {'installed' if suffix in GRAMMARS else 'known'}"


def wheel_for(path: str) -> str | None:
    """Return the name of the package that parses this file's language, or None."""
    found = GRAMMARS.get(suffix_of(path))
    return None if found is None else found[0].replace("_", "-")


def suffix_of(path: str) -> str:
    """Return the suffix of a path in lower case, with its dot."""
    return PurePosixPath(path).suffix.lower()


def breaks_syntax(path: str, before: str | None, after: str) -> SyntaxFault | None:
    """Return the syntax error of the new text, if the old text had none. None is a file that did not exist."""
    fault = first_fault(path, after)
    if fault is None or (before is not None and first_fault(path, before) is not None):
        return None
    return fault


def with_syntax_checked(result: EditResult, before: Mapping[str, str]) -> EditResult:
    """Return the result, refused with the code `syntax` if a file that parsed would not parse any more.

    `before` has the content that the result was made from. A file that did not parse before, or whose parser is not
    installed, gets a warning.
    """
    if result.outcome != "applied":
        return result
    moved = {edit.path for edit in result.edits if result.files.get(edit.path, "") is None}
    found: list[EditIssue] = []
    for path, text in sorted(result.files.items()):
        if text is not None:
            old = before.get(path) if path in before or len(moved) != 1 else before.get(next(iter(moved)))
            found += _issues(path, old, text, tuple(edit.number for edit in result.edits if edit.path == path))
    issues = (*result.issues, *found)
    if any(issue.severity == "error" for issue in found):
        return replace(result, outcome="refused", error="syntax", files={}, edits=(), issues=issues)
    return replace(result, issues=issues)


def _issues(path: str, before: str | None, after: str, edits: tuple[int, ...]) -> list[EditIssue]:
    fault = first_fault(path, after)
    if fault is None:
        why = why_unchecked(path) if wheel_for(path) else ""
        if not why:
            return []
        fix = f"pip install {wheel_for(path)}"
        message = f"The syntax of {path!r} was not checked: {why}."
        return [EditIssue(code="syntax", message=message, fix=fix, severity="warning", path=path)]
    was_broken = before is not None and first_fault(path, before) is not None
    message = f"{path!r} would not parse: line {fault.line}: {fault.reason}."
    fix = "It did not parse before either." if was_broken else "Send edits after which the file parses."
    return [
        EditIssue(
            code="syntax",
            message=message,
            fix=fix,
            severity="warning" if was_broken else "error",
            edits=edits,
            path=path,
            lines=((fault.line, fault.line),),
        )
    ]


def _python(text: str) -> SyntaxFault | None:
    import warnings

    from retouch._lib.python_source import parse_python

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parse_python(text.encode("utf-8", "surrogateescape"))
    except SyntaxError as error:
        return SyntaxFault(line=error.lineno or 1, reason=error.msg)
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxFault(line=1, reason=str(error) or type(error).__name__)
    return None


def _json(text: str) -> SyntaxFault | None:
    try:
        json.loads(text, parse_int=str)  # Python makes no number of thousands of digits
    except json.JSONDecodeError as error:
        return SyntaxFault(line=error.lineno, reason=error.msg)
    except RecursionError:
        return SyntaxFault(line=1, reason="nested too deeply")
    return None


def _toml(text: str) -> SyntaxFault | None:
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = str(error).partition("line ")[2].partition(",")[0]
        return SyntaxFault(line=int(line) if line.isdigit() else 1, reason=str(error))
    return None


def _yaml(text: str) -> SyntaxFault | None:
    import yaml

    try:
        for _ in yaml.parse(text, Loader=yaml.CSafeLoader):
            pass
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        return SyntaxFault(line=line, reason=error.problem or "not YAML")
    except yaml.YAMLError as error:
        return SyntaxFault(line=1, reason=str(error))
    return None


def _by_grammar(module: str, function: str, text: str) -> SyntaxFault | None:
    parse = _parser(module, function)
    if parse is None:
        return None
    data = text.encode("utf-8", "replace")
    root = parse(data).root_node
    if not root.has_error:
        return None
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.is_error or node.is_missing:
            line = data[: node.start_byte].count(b"\n") + 1
            return SyntaxFault(line=line, reason=f"{node.type} is missing" if node.is_missing else "unexpected text")
        nodes += [child for child in reversed(node.children) if child.has_error or child.is_missing or child.is_error]
    return SyntaxFault(line=1, reason="unexpected text")


def _parser(module: str, function: str) -> Callable[[bytes], Any] | None:
    try:
        grammar: Any = getattr(import_module(module), function)()
        from tree_sitter import Language, Parser
    except ImportError:
        return None
    return Parser(Language(cast("object", grammar))).parse
