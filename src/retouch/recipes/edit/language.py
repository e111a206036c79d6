"""The syntax of a file: an issue if it no longer parses, and its tree if a parser of its language is installed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from retouch.edits.syntax import GRAMMARS, first_fault, wheel_for, why_unchecked
from retouch.engine.types import Issue, Tier

if TYPE_CHECKING:
    from tree_sitter import Node

    from retouch._lib.json_text import JSON
    from retouch.recipes.edit.source import EditFile


def syntax_issue(file: EditFile, text: str) -> list[Issue]:
    """Return one issue if `text` does not parse in its language. It is a warning if the file never did.

    If no parser of that language is installed, the issue reports that the syntax was not checked.
    """
    fault = first_fault(file.path, text)
    if fault is None:
        return _unparsed(file.path)
    broken_before = file.exists and first_fault(file.path, file.text) is not None
    return [
        Issue(
            code="SYNTAX_ERROR",
            message=f"{file.path!r} would not parse: line {fault.line}: {fault.reason}",
            tier=Tier.SCHEMA,
            unit=file.path,
            page=1,
            path=f"{file.path}:{fault.line}",
            detail={"line": fault.line},
            severity="warning" if broken_before else "error",
            fix="Make the file parse again." if not broken_before else "It did not parse before either.",
        )
    ]


def _unparsed(path: str) -> list[Issue]:
    """Return the issue of a file whose syntax cannot be checked here, none if it was."""
    why = why_unchecked(path)
    if not why:
        return []
    wheel = wheel_for(path)
    step = f"pip install {wheel}" if wheel else "Let --check compile or parse it"
    detail: dict[str, JSON] = {"not_run": f"syntax not checked: {why}", "next": step}
    message = f"the syntax of {path!r} was not checked: {why}"
    code = "SYNTAX_NOT_CHECKED"
    return [
        Issue(code=code, message=message, tier=Tier.SCHEMA, unit=path, severity="info", fix=f"{step}.", detail=detail)
    ]


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
