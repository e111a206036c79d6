"""What the syntax tree of a declaration says: its members, their attributes, and what else stands in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retouch.recipes.csharp.parsing.outline import (
    BEGIN_FIELDS,
    END_FIELDS,
    Attribute,
    EnumMember,
    Property,
    Stray,
    TypeOutline,
    TypeText,
)
from retouch.recipes.csharp.parsing.source import line_of
from retouch.recipes.csharp.parsing.spelling import attribute_name, read_arguments, read_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from retouch.recipes.csharp.parsing.source import Source

_BODIES = ("declaration_list", "enum_member_declaration_list")
_CONDITIONAL = ("preproc_if", "preproc_elif", "preproc_else")
_MARKS = (BEGIN_FIELDS, END_FIELDS)


def declaration(source: Source, node: Node) -> TypeOutline:
    """Return what the declaration of a type says."""
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
        line=line_of(node),
        start=source.start(node),
        end=source.end(node),
        body_start=inside[0] - source.shift,
        body_end=inside[1] - source.shift,
    )


@dataclass(frozen=True, kw_only=True)
class _Members:
    properties: list[Property] = field(default_factory=list[Property])
    values: list[EnumMember] = field(default_factory=list[EnumMember])
    others: list[Stray] = field(default_factory=list[Stray])


def _members(source: Source, body: Node) -> _Members:
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


def _attributes(source: Source, node: Node) -> Iterator[Attribute]:
    nodes = [child for child in node.children if child.type == "attribute"]
    for attribute in nodes:
        name, *rest = (child for child in attribute.named_children if child.type != "comment")
        yield Attribute(
            name=attribute_name(source.text(name)),
            arguments=read_arguments(rest[0], source.data) if rest else (),
            line=line_of(attribute),
            start=source.start(attribute),
            end=source.end(attribute),
            list_start=source.start(node),
            list_end=source.end(node),
            alone=len(nodes) == 1,
        )


def _property(source: Source, node: Node) -> Property:
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
        line=line_of(name),
        start=source.start(node),
        end=source.end(node),
        type_end=source.end(type_),
        accessors_start=source.start(accessors),
        accessors_end=source.end(accessors),
    )


def _positional(source: Source, node: Node) -> Property:
    """Return a parameter of a record as the property that it makes: public, and required unless it has a default."""
    found = _property(source, node)
    modifiers = ("public",) if found.initialiser else ("public", "required")
    return replace(found, modifiers=modifiers, accessors=("get", "init"))


def _accessors(source: Source, node: Node) -> tuple[str, ...]:
    text = source.text(node)
    if text == "{ get; init; }":  # nearly always
        return ("get", "init")
    return tuple(_accessor(source, child) for child in node.named_children if child.type == "accessor_declaration")


def _accessor(source: Source, node: Node) -> str:
    bodies = [child for child in node.children if child.type in ("block", "arrow_expression_clause")]
    words = [child for child in node.children if child not in bodies and child.type != ";" and not child.is_extra]
    return " ".join(map(source.text, words)) + ("{}" if bodies else "")


def _enum_member(source: Source, node: Node, *, comma: bool) -> EnumMember:
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
        line=line_of(node),
        start=source.start(node),
        end=source.end(node),
    )
