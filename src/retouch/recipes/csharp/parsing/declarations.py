"""Converts the syntax tree of a declaration: its members, their attributes, and everything else in it."""

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
    from tree_sitter import Node

    from retouch.recipes.csharp.parsing.source import Source

_BODIES = ("declaration_list", "enum_member_declaration_list")
_CONDITIONAL = ("preproc_if", "preproc_elif", "preproc_else")
_MARKS = (BEGIN_FIELDS, END_FIELDS)


def declaration(source: Source, node: Node) -> TypeOutline:
    """Return the outline of a type's declaration."""
    name = bases = parameters = ""
    positional: list[Property] = []
    body: Node | None = None
    for child in node.children:
        kind = child.type
        if kind == "identifier":
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
    return TypeOutline(
        kind=node.type.removesuffix("_declaration"),
        name=name,
        modifiers=_modifiers(source, node),
        attributes=_attributes(source, node),
        bases=bases,
        parameters=parameters,
        properties=(*positional, *found.properties),
        members=tuple(found.values),
        others=tuple(found.others),
        line=line_of(node),
        start=source.start(node),
        end=source.end(node),
        body_start=source.start(body) + 1 if body else source.end(node),
        body_end=source.end(body) - 1 if body else source.end(node),
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
            if kind in _CONDITIONAL:  # members under a condition are checked like all other members
                inner = _members(source, node)
                found.properties.extend(inner.properties)
                found.values.extend(inner.values)
                found.others.extend(other for other in inner.others if other.kind.startswith("preproc_"))
    return found


def _modifiers(source: Source, node: Node) -> tuple[str, ...]:
    return tuple(source.text(child) for child in node.children if child.type == "modifier")


def _attributes(source: Source, node: Node) -> tuple[Attribute, ...]:
    found: list[Attribute] = []
    for brackets in node.children:
        if brackets.type == "attribute_list":
            nodes = [child for child in brackets.named_children if child.type == "attribute"]
            target = _foreign_target(source, node, brackets)
            found += [_attribute(source, brackets, each, target, alone=len(nodes) == 1) for each in nodes]
    return tuple(found)


def _foreign_target(source: Source, node: Node, brackets: Node) -> str:
    """Return the target of attributes that is not the declaration, such as `field:` of a property, or ""."""
    given = next((child for child in brackets.children if child.type == "attribute_target_specifier"), None)
    target = "" if given is None else "".join(source.text(given).split())
    own = {"property:", "type:", "field:"} if node.type == "enum_member_declaration" else {"property:", "type:"}
    return "" if target in own else target


def _attribute(source: Source, brackets: Node, node: Node, target: str, *, alone: bool) -> Attribute:
    name, *rest = (child for child in node.named_children if child.type != "comment")
    return Attribute(
        name=target + attribute_name(source.text(name)),
        arguments=read_arguments(rest[0], source.data) if rest else (),
        line=line_of(node),
        start=source.start(node),
        end=source.end(node),
        list_start=source.start(brackets),
        list_end=source.end(brackets),
        alone=alone,
    )


def _property(source: Source, node: Node) -> Property:
    type_ = name = accessors = node
    initialiser = interface = ""
    for child in node.named_children:
        kind = child.type
        if kind in ("attribute_list", "modifier") or child.is_extra:
            continue
        if type_ is node:
            type_ = child
        elif name is node and kind == "identifier":
            name = child
        elif kind in ("accessor_list", "arrow_expression_clause"):
            accessors = child
        elif kind == "explicit_interface_specifier":
            interface = source.text(child)
        else:
            initialiser = source.text(child)
    return Property(
        name=interface + source.text(name),
        type=read_type(source.text(type_)) if type_ is not node else TypeText(canonical="", nullable=False, names=()),
        modifiers=_modifiers(source, node),
        attributes=_attributes(source, node),
        accessors=_accessors(source, accessors),
        initialiser=initialiser,
        arrow=accessors.type == "arrow_expression_clause",
        line=line_of(name),
        start=source.start(node),
        end=source.end(node),
        type_end=source.end(type_),
        accessors_start=source.start(accessors),
        accessors_end=source.end(accessors),
        type_start=source.start(type_),
    )


def _positional(source: Source, node: Node) -> Property:
    """Return a parameter of a record as its property: public, and required unless it has a default."""
    found = _property(source, node)
    modifiers = ("public",) if found.initialiser else ("public", "required")
    return replace(found, modifiers=modifiers, accessors=("get", "init"))


def _accessors(source: Source, node: Node) -> tuple[str, ...]:
    text = source.text(node)
    if text == "{ get; init; }":  # the usual form
        return ("get", "init")
    return tuple(_accessor(source, child) for child in node.named_children if child.type == "accessor_declaration")


def _accessor(source: Source, node: Node) -> str:
    bodies = [child for child in node.children if child.type in ("block", "arrow_expression_clause")]
    modifiers = [child for child in node.children if child not in bodies and child.type != ";" and not child.is_extra]
    return " ".join(map(source.text, modifiers)) + ("{}" if bodies else "")


def _enum_member(source: Source, node: Node, *, comma: bool) -> EnumMember:
    name = number = ""
    for child in node.named_children:
        if child.type == "identifier" and not name:
            name = source.text(child)
        elif child.type not in ("attribute_list", "comment"):
            number = source.text(child)
    return EnumMember(
        name=name,
        number=number,
        attributes=_attributes(source, node),
        comma=comma,
        line=line_of(node),
        start=source.start(node),
        end=source.end(node),
    )
