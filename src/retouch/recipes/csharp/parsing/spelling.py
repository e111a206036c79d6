"""Decodes C# syntax that has several spellings: types, string literals, attribute names and arguments."""

from __future__ import annotations

import re
import textwrap
from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.csharp.language.vocabulary import OUR_NAMESPACES
from retouch.recipes.csharp.parsing.grammar import parse, text_of
from retouch.recipes.csharp.parsing.outline import Argument, TypeText

if TYPE_CHECKING:
    from tree_sitter import Node

_KEYWORD_OF = {
    "String": "string", "Object": "object", "Boolean": "bool", "Byte": "byte", "Char": "char", "Int16": "short",
    "Int32": "int", "Int64": "long", "UInt32": "uint", "UInt64": "ulong", "Single": "float", "Double": "double",
    "Decimal": "decimal",
}  # fmt: skip
_COLLECTIONS = """Dictionary IDictionary IReadOnlyDictionary List IList IReadOnlyList ICollection IReadOnlyCollection
    IEnumerable HashSet ISet KeyValuePair"""
_NAMESPACES = {  # of the types that are not in System
    **dict.fromkeys(_COLLECTIONS.split(), "System.Collections.Generic"),
    **dict.fromkeys(("JsonElement", "JsonDocument"), "System.Text.Json"),
    **dict.fromkeys(("JsonNode", "JsonObject", "JsonArray"), "System.Text.Json.Nodes"),
    "BigInteger": "System.Numerics",
}
_ESCAPES = {"0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LONGEST_TYPE = 1000  # a longer one is not a real type
_DEEPEST = 50  # brackets around a string
_SPACES = re.compile(r"\s+")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@lru_cache(maxsize=4096)
def read_type(text: str) -> TypeText:
    """Return a type in its canonical spelling. A type that cannot be parsed keeps its text."""
    source = f"class _ {{ {text} _ {{ get; }} }}".encode()
    root = parse(source)
    inner = None if root.has_error or len(text) > _LONGEST_TYPE else _type_of(root)
    if inner is None:
        plain = _SPACES.sub("", text)
        return TypeText(canonical=plain.removesuffix("?"), nullable=plain.endswith("?"), names=())
    names: list[str] = []
    canonical = _canonical(inner, source, names)
    return TypeText(
        canonical=canonical.removesuffix("?"), nullable=canonical.endswith("?"), names=tuple(dict.fromkeys(names))
    )


def _type_of(root: Node) -> Node | None:
    body = root.children[0].child_by_field_name("body")
    property_ = body.named_children[0] if body and body.named_children else None
    return property_.child_by_field_name("type") if property_ else None


def _canonical(node: Node, source: bytes, names: list[str]) -> str:
    kind = node.type
    if kind == "nullable_type":
        return _canonical(node.named_children[0], source, names).removesuffix("?") + "?"
    if kind == "array_type":
        rank = node.child_by_field_name("rank")
        return _canonical(node.named_children[0], source, names) + _SPACES.sub(
            "", text_of(rank, source) if rank else "[]"
        )
    if kind == "generic_name":
        return _generic(node, source, names)
    if kind in ("qualified_name", "alias_qualified_name"):
        return _qualified(node, source, names)
    text = _SPACES.sub("", text_of(node, source))
    if kind == "identifier":
        text = _KEYWORD_OF.get(text, text)
        names.append(text)
    return text


def _generic(node: Node, source: bytes, names: list[str]) -> str:
    name = text_of(node.named_children[0], source)
    arguments = [_canonical(child, source, names) for child in node.named_children[1].named_children]
    if name == "List" and len(arguments) == 1:
        return f"{arguments[0]}[]"
    if name == "Nullable" and len(arguments) == 1:
        return f"{arguments[0].removesuffix('?')}?"
    names.append(name)
    return f"{name}<{','.join(arguments)}>"


def _qualified(node: Node, source: bytes, names: list[str]) -> str:
    text = _SPACES.sub("", text_of(node, source)).removeprefix("global::")
    last = node.named_children[-1]
    name = text_of(last.named_children[0] if last.type == "generic_name" else last, source)
    namespace = _NAMESPACES.get(name, "System")
    if text == text_of(last, source) or text.startswith(f"{namespace}.{name}"):
        return _canonical(last, source, names)
    names.append(text)
    return text


@lru_cache(maxsize=1024)
def attribute_name(text: str) -> str:
    """Return an attribute's name without the suffix `Attribute`, and without an imported namespace."""
    namespace, _, name = _SPACES.sub("", text).removeprefix("global::").rpartition(".")
    short = name.removesuffix("Attribute") or name
    return short if namespace in OUR_NAMESPACES else f"{namespace}.{short}"


def read_arguments(node: Node, source: bytes) -> tuple[Argument, ...]:
    """Return the arguments of an attribute's argument list."""
    return tuple(_argument(child, source) for child in node.named_children if child.type == "attribute_argument")


def _argument(node: Node, source: bytes) -> Argument:
    children = node.children
    name = ""
    if len(children) > 1 and children[1].type in ("=", ":"):
        name = text_of(children[0], source) + children[1].type.removeprefix("=")
    value = children[-1]
    text = read_string(value, source)
    if text is not None:
        return Argument(kind="text", value=text, name=name)
    plain = _SPACES.sub("", text_of(value, source))
    if plain.startswith("nameof(") and plain.endswith(")"):
        return Argument(kind="nameof", value=plain[7:-1].rpartition(".")[2].removeprefix("@"), name=name)
    if plain.startswith("typeof(") and plain.endswith(")"):
        return Argument(kind="typeof", value=plain[7:-1], name=name)
    return Argument(kind="other", value=plain, name=name)


def read_string(node: Node, source: bytes, *, depth: int = 0) -> str | None:
    """Return the value of a string literal of any kind, or of several joined ones, or None for anything else."""
    parts: list[str | None] = []
    while node.type == "binary_expression" and node.children[1].type == "+":  # joined from the left
        parts.append(read_string(node.children[2], source, depth=depth + 1) if depth < _DEEPEST else None)
        node = node.children[0]
    parts.append(_literal(node, source, depth))
    return "".join(part or "" for part in reversed(parts)) if None not in parts else None


def _literal(node: Node, source: bytes, depth: int) -> str | None:
    kind = node.type
    if kind == "string_literal":
        return _regular(node, source)
    if kind == "verbatim_string_literal":
        return text_of(node, source)[2:-1].replace('""', '"')
    if kind == "raw_string_literal":
        return _raw(text_of(node, source))
    if kind == "parenthesized_expression" and depth < _DEEPEST:
        return read_string(node.named_children[0], source, depth=depth + 1)
    return None


def _regular(node: Node, source: bytes) -> str | None:
    parts: list[str] = []
    for child in node.named_children:
        kind = child.type
        if kind == "string_literal_content":
            parts.append(text_of(child, source))
        elif kind == "escape_sequence":
            parts.append(_unescaped(text_of(child, source)[1:]))
        else:
            return None  # an encoding suffix: not a string
    return _PAIR.sub(_joined, "".join(parts)) if len(parts) > 1 else "".join(parts)


def _unescaped(text: str) -> str:
    if text[0] in "uUx":
        return chr(int(text[1:], 16))
    return _ESCAPES.get(text[0], text[0])


def _joined(match: re.Match[str]) -> str:
    return match[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _raw(text: str) -> str:
    quotes = len(text) - len(text.lstrip('"'))
    inside = text[quotes:-quotes]
    if "\n" not in inside:
        return inside
    lines = inside.split("\n")[1:]
    indent = lines.pop()
    return textwrap.dedent("\n".join(lines)) if not indent.strip() else inside
