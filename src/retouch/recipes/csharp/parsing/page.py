"""Parses one page with tree-sitter into an outline; each text once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.csharp.parsing.grammar import parse
from retouch.recipes.csharp.parsing.outline import (
    BEGIN_FIELDS,
    END_FIELDS,
    Attribute,
    EnumMember,
    Form,
    Outline,
    Property,
    Stray,
    TypeOutline,
    TypeText,
)
from retouch.recipes.csharp.parsing.spelling import attribute_name, read_arguments, read_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_WRAPPERS = {"type": ("", "\n"), "members": ("class _ {", "\n}"), "values": ("enum _ {", "\n}")}
_BODIES = ("declaration_list", "enum_member_declaration_list")
_CONDITIONAL = ("preproc_if", "preproc_elif", "preproc_else")
_MARKS = (BEGIN_FIELDS, END_FIELDS)


def normalised(text: str) -> str:
    """Return a page's text without byte order mark and with LF line ends: what is parsed, stitched and counted in."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=2048)
def outline(text: str, form: Form) -> Outline:
    """Return the outline of a page: a `type`, or a fragment of `members` (properties) or `values` (of an enum).

    A fragment is parsed inside a declaration made for it; lines and offsets are those of `text`, which must be
    normalised.
    """
    source = _source(text, form)
    root = parse(source.data)
    types: list[TypeOutline] = []
    stray: list[Stray] = []
    for node in root.children:
        found = source.stray(node)
        if found.declares_type:
            types.append(_declaration(source, node))
        elif node.type != "comment":
            stray.append(found)
    if form != "type" and types and types[0].body_end < source.length:  # not closed by the brace made for it
        stray.append(source.brace(types[0].body_end))
    fault = _fault(source, root) if root.has_error else None
    if fault is not None and fault.start >= source.length and stray:
        fault = stray[-1]  # the brace made for it is one too many, because of this one
    return Outline(
        form=form,
        data=text.encode(errors="replace"),
        fault=fault,
        types=tuple(types),
        stray=tuple(stray),
        marks=tuple(source.marks),
    )


def comments(text: str, form: Form) -> list[Stray]:
    """Return all comments of a page, in order."""
    source = _source(text, form)
    return [source.stray(node) for node in _descendants(parse(source.data)) if node.type == "comment"]


@dataclass(frozen=True, kw_only=True)
class _Source:
    """The text that is parsed: a page, wrapped when it is a fragment; `shift` is the length of what stands before."""

    data: bytes
    shift: int
    length: int
    marks: list[Stray] = field(default_factory=list[Stray])

    def text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode()

    def stray(self, node: Node) -> Stray:
        kind = "missing" if node.is_missing else node.type
        text = node.type if node.is_missing else self.text(node).split("\n", 1)[0].strip()[:80]
        start, end = (min(self.length, max(0, at - self.shift)) for at in (node.start_byte, node.end_byte))
        return Stray(kind=kind, line=node.start_point[0] + 1, text=text, start=start, end=end)

    def brace(self, offset: int) -> Stray:
        line = self.data.count(b"\n", 0, offset + self.shift) + 1
        return Stray(kind="}", line=line, text="}", start=offset, end=offset + 1)


def _source(text: str, form: Form) -> _Source:
    before, after = _WRAPPERS[form]
    page = text.encode(errors="replace")
    return _Source(data=before.encode() + page + after.encode(), shift=len(before), length=len(page))


def _descendants(root: Node) -> Iterator[Node]:
    nodes = [root]
    while nodes:
        node = nodes.pop()
        yield node
        nodes += reversed(node.children)


def _fault(source: _Source, root: Node) -> Stray:
    broken = (node for node in _descendants(root) if node.is_missing or node.type == "ERROR")
    return source.stray(next(broken, root))


def _declaration(source: _Source, node: Node) -> TypeOutline:
    attributes: list[Attribute] = []
    modifiers: list[str] = []
    name = bases = parameters = ""
    positional: list[Property] = []
    body: Node | None = None
    for child in node.children:
        kind = child.type
        if kind == "attribute_list":
            attributes += _attributes(source, child)
        elif kind == "modifier":
            modifiers.append(source.text(child))
        elif kind == "identifier":
            name = source.text(child)
        elif kind == "base_list":
            bases = source.text(child).removeprefix(":").strip()
        elif kind == "parameter_list" and node.type == "record_declaration":
            positional = [_positional(source, each) for each in child.named_children if each.type == "parameter"]
        elif kind in ("type_parameter_list", "parameter_list"):
            parameters = source.text(child)[:80]
        elif kind in _BODIES:
            body = child
    found = _members(source, body) if body else _Members()
    inside = (body.start_byte + 1, body.end_byte - 1) if body else (node.end_byte, node.end_byte)
    return TypeOutline(
        kind=node.type.removesuffix("_declaration"),
        name=name,
        modifiers=tuple(modifiers),
        attributes=tuple(attributes),
        bases=bases,
        parameters=parameters,
        properties=(*positional, *found.properties),
        members=tuple(found.values),
        others=tuple(found.others),
        line=node.start_point[0] + 1,
        start=node.start_byte - source.shift,
        end=node.end_byte - source.shift,
        body_start=inside[0] - source.shift,
        body_end=inside[1] - source.shift,
    )


@dataclass(frozen=True, kw_only=True)
class _Members:
    properties: list[Property] = field(default_factory=list[Property])
    values: list[EnumMember] = field(default_factory=list[EnumMember])
    others: list[Stray] = field(default_factory=list[Stray])


def _members(source: _Source, body: Node) -> _Members:
    found = _Members()
    children = body.children
    for index, node in enumerate(children):
        kind = node.type
        if kind == "property_declaration":
            found.properties.append(_property(source, node))
        elif kind == "enum_member_declaration":
            comma = any(child.type == "," for child in children[index + 1 : index + 2])
            found.values.append(_enum_member(source, node, comma=comma))
        elif kind == "comment":
            if source.text(node).rstrip() in _MARKS:
                source.marks.append(source.stray(node))
        elif node.is_named:
            found.others.append(source.stray(node))
            if kind in _CONDITIONAL:  # what stands under a condition is judged as if it were there
                inner = _members(source, node)
                found.properties.extend(inner.properties)
                found.values.extend(inner.values)
                found.others.extend(other for other in inner.others if other.kind.startswith("preproc_"))
    return found


def _attributes(source: _Source, node: Node) -> Iterator[Attribute]:
    nodes = [child for child in node.children if child.type == "attribute"]
    for attribute in nodes:
        name, *rest = (child for child in attribute.named_children if child.type != "comment")
        yield Attribute(
            name=attribute_name(source.text(name)),
            arguments=read_arguments(rest[0], source.data) if rest else (),
            line=attribute.start_point[0] + 1,
            start=attribute.start_byte - source.shift,
            end=attribute.end_byte - source.shift,
            list_start=node.start_byte - source.shift,
            list_end=node.end_byte - source.shift,
            alone=len(nodes) == 1,
        )


def _property(source: _Source, node: Node) -> Property:
    attributes: list[Attribute] = []
    modifiers: list[str] = []
    type_ = name = accessors = node
    initialiser = ""
    for child in node.named_children:
        kind = child.type
        if kind == "attribute_list":
            attributes += _attributes(source, child)
        elif kind == "modifier":
            modifiers.append(source.text(child))
        elif child.is_extra:
            continue
        elif type_ is node:
            type_ = child
        elif name is node and kind == "identifier":
            name = child
        elif kind in ("accessor_list", "arrow_expression_clause"):
            accessors = child
        elif kind != "explicit_interface_specifier":
            initialiser = source.text(child)
    return Property(
        name=source.text(name),
        type=read_type(source.text(type_)) if type_ is not node else TypeText(canonical="", nullable=False, names=()),
        modifiers=tuple(modifiers),
        attributes=tuple(attributes),
        accessors=_accessors(source, accessors),
        initialiser=initialiser,
        arrow=accessors.type == "arrow_expression_clause",
        line=name.start_point[0] + 1,
        start=node.start_byte - source.shift,
        end=node.end_byte - source.shift,
        type_end=type_.end_byte - source.shift,
        accessors_start=accessors.start_byte - source.shift,
        accessors_end=accessors.end_byte - source.shift,
    )


def _positional(source: _Source, node: Node) -> Property:
    """Return a parameter of a record as the property that it makes: public, and required unless it has a default."""
    found = _property(source, node)
    modifiers = ("public",) if found.initialiser else ("public", "required")
    return replace(found, modifiers=modifiers, accessors=("get", "init"))


def _accessors(source: _Source, node: Node) -> tuple[str, ...]:
    text = source.text(node)
    if text == "{ get; init; }":  # nearly always
        return ("get", "init")
    return tuple(_accessor(source, child) for child in node.named_children if child.type == "accessor_declaration")


def _accessor(source: _Source, node: Node) -> str:
    bodies = [child for child in node.children if child.type in ("block", "arrow_expression_clause")]
    words = [child for child in node.children if child not in bodies and child.type != ";" and not child.is_extra]
    return " ".join(map(source.text, words)) + ("{}" if bodies else "")


def _enum_member(source: _Source, node: Node, *, comma: bool) -> EnumMember:
    attributes: list[Attribute] = []
    name = number = ""
    for child in node.named_children:
        if child.type == "attribute_list":
            attributes += _attributes(source, child)
        elif child.type == "identifier" and not name:
            name = source.text(child)
        elif child.type != "comment":
            number = source.text(child)
    return EnumMember(
        name=name,
        number=number,
        attributes=tuple(attributes),
        comma=comma,
        line=node.start_point[0] + 1,
        start=node.start_byte - source.shift,
        end=node.end_byte - source.shift,
    )
