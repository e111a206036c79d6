"""The parser for Scala, the language of Chisel: by its grammar, or by braces if the grammar is not installed."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from retouch.locate.languages.front import Definition, Front, Mark, Parsed

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query

    from retouch.locate.languages.front import Role
    from retouch.locate.values import SpanKind

_KINDS: tuple[SpanKind, ...] = ("class", "object", "trait", "enum", "package_object")
_ROLES: tuple[Role, ...] = ("parents", "defines", "makes")
_QUERY = """
(class_definition) @class
(object_definition) @object
(trait_definition) @trait
(enum_definition) @enum
(package_object) @package_object
(extends_clause (_) @parents) ; arguments too, which name no type
(instance_expression . (_) @makes)
(val_definition pattern: (_) @defines)
(var_definition pattern: (_) @defines)
(val_declaration (identifier) @defines)
(var_declaration (identifier) @defines)
(function_definition name: (_) @defines)
(function_declaration name: (_) @defines)
(class_parameter name: (_) @defines)
(comment) @comment
(block_comment) @comment
"""
_BAD = "(ERROR) @error (MISSING) @error"
_GIVEN = re.compile(r"(?<![\w$.])[a-z_$][\w$]*")  # in a pattern; a capitalised name is an extractor and defines nothing
_TYPE = re.compile(r"[\w$.]*")
_WORD = re.compile(r"[\w$]+")
_SCALA_PATTERNS = ("*.scala",)
_NO_SOURCES = (".git", "target", "out")
_TESTS = ("src/test",)
_REFERS = re.compile(rb"(?<![\w$\x80-\xff])[A-Z][\w$\x80-\xff]*")


def scala() -> Front:
    """Return the front for Scala: with the grammar if the extra `chisel` is installed, otherwise by braces."""
    return _by_grammar() if find_spec("tree_sitter_scala") else by_braces()


@cache
def _by_grammar() -> Front:
    label = f"1, tree-sitter-scala {version('tree-sitter-scala')}"
    return _front(version=label, parse=_parse)


@cache
def by_braces() -> Front:
    """Return the front for Scala without grammar. It is less exact."""
    from retouch.locate.languages.braces import parse_by_braces

    note = "Scala is parsed by its braces only. To install its grammar: pip install 'retouch[chisel]'"
    return _front(version="1, braces", parse=parse_by_braces, note=note)


def _front(**own: Any) -> Front:
    known = {"patterns": _SCALA_PATTERNS, "skip": _NO_SOURCES, "tests": _TESTS, "refers": _REFERS}
    return Front(name="scala", **known, **own)


@cache
def _grammar() -> tuple[Language, Query, Query]:
    from tree_sitter import Language, Query
    from tree_sitter_scala import language

    grammar = Language(language())
    return grammar, Query(grammar, _QUERY), Query(grammar, _BAD)


def _parse(data: bytes) -> Parsed:
    from tree_sitter import Parser, QueryCursor

    grammar, query, bad = _grammar()
    root = Parser(grammar).parse(data).root_node
    found = QueryCursor(query).captures(root)
    definitions = [one for kind in _KINDS for node in found.get(kind, ()) if (one := _definition(node, kind))]
    marks = [mark for role in _ROLES for node in found.get(role, ()) for mark in _marks(node, role)]
    errors = len(QueryCursor(bad).captures(root).get("error", ())) if root.has_error else 0
    comments = [(node.start_byte, node.end_byte) for node in found.get("comment", ())]
    return Parsed(definitions=definitions, marks=marks, comments=comments, errors=errors)


def _definition(node: Node, kind: SpanKind) -> Definition | None:
    name = node.child_by_field_name("name")
    if name is None or not (text := _text(name)):
        return None
    return Definition(node.start_byte, _end(node, name), kind, text, name.start_byte)


def _end(node: Node, name: Node) -> int:
    """Return the end of a definition. The grammar omits parameters that start on the line after the name."""
    following = node.next_named_sibling if node.end_byte == name.end_byte else None
    return following.end_byte if following and (following.text or b"").startswith(b"(") else node.end_byte


def _marks(node: Node, role: Role) -> list[Mark]:
    return [Mark(node.start_byte, role, name) for name in _names(node, role)]


def _names(node: Node, role: Role) -> list[str]:
    text = _text(node)
    if role == "defines":
        if node.type == "identifier":
            return [text]
        return (_WORD if node.type == "identifiers" else _GIVEN).findall(text)
    whole = _TYPE.match(text)
    last = whole[0].rpartition(".")[2] if whole else ""
    return [last] if _WORD.fullmatch(last) else []


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace").strip("`")
