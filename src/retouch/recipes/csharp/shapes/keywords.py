"""The shape of a schema's own keywords, without references and combinations."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, cast

from retouch.recipes.csharp.document.nodes import DocumentNode
from retouch.recipes.csharp.shapes.enums import NAME_LISTS, values_of
from retouch.recipes.csharp.shapes.shape import Body, Expr, Kind, Mix, Shape

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

_LIMITS = frozenset({
    "minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minItems", "maxItems", "uniqueItems",
})  # fmt: skip
_KINDS: dict[str, Kind] = {
    "object": "object",
    "array": "array",
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "any": "any",
    "file": "string",
}
_KIND_KEYWORDS: tuple[tuple[frozenset[str], Kind], ...] = (
    (frozenset({"properties", "additionalProperties", "patternProperties", "minProperties"}), "object"),
    (frozenset({"items", "prefixItems", "minItems", "maxItems", "uniqueItems"}), "array"),
    (frozenset({"pattern", "minLength", "maxLength"}), "string"),
)
_FURTHER = ("additionalProperties", "unevaluatedProperties")
_TEXT_FORMATS = frozenset({
    "date-time", "date", "time", "uuid", "uri", "email", "hostname", "ipv4", "ipv6", "byte", "binary",
    "password",
})  # fmt: skip
_MARKS = frozenset({
    "nullable", "x-nullable", "readOnly", "writeOnly", "deprecated", "default", "if",
    "dependentSchemas", "not", "$dynamicRef",
})  # fmt: skip


def own_shape(node: DocumentNode) -> Shape:
    """Return the shape of a schema's own keywords. A schema that is not a mapping allows any value."""
    value = node.value
    if not isinstance(value, dict):
        note = "the schema allows nothing" if value is False else "the schema is not a mapping"
        return Shape(body=Body(kind="any", home=node), notes=() if value is True else (note,))
    types = value.get("type")
    listed = [types.lower()] if isinstance(types, str) else types if isinstance(types, list) else []
    kinds: list[Kind] = [_KINDS.get(name, "any") for name in listed if isinstance(name, str)]
    nullable = "null" in kinds
    kinds = [kind for kind in kinds if kind != "null"] or kinds
    values, null_among, value_notes = values_of(value, kinds)
    if not kinds:
        kinds = _inferred_kinds(value, [item.value for item in values])
    description = next(
        (text for key in ("description", "title") if isinstance(text := value.get(key), str) and text), ""
    )
    body = _body(node, value, kinds, description)
    if body.kind != "any":
        body = replace(body, values=values, notes=body.notes + value_notes) if values or value_notes else body
    elif null_among and not values:
        body = replace(body, kind="null")
    shape = Shape(body=body, nullable=nullable or null_among, description=description)
    return shape if _MARKS.isdisjoint(value) else _marked(shape, value)


def _inferred_kinds(value: dict[str, JSON], values: list[JSON]) -> list[Kind]:
    """Return the kind of a schema without `type`, inferred from its other keywords and its values."""
    for keywords, kind in _KIND_KEYWORDS:
        if not keywords.isdisjoint(value):
            return [kind]
    form = value.get("format")
    if isinstance(form, str) and form in _TEXT_FORMATS:
        return ["string"]
    return list(dict.fromkeys(_kind_of(item) for item in values))


def _kind_of(value: JSON) -> Kind:
    if isinstance(value, bool):
        return "boolean"
    kinds: dict[type, Kind] = {str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return kinds.get(type(value), "any")


def _body(node: DocumentNode, value: dict[str, JSON], kinds: list[Kind], description: str) -> Body:
    if len(kinds) != 1:
        if set(kinds) == {"integer", "number"}:
            kinds = ["number"]
        else:
            notes = (f"a value may be {' or '.join(kinds)}",) if kinds else ()
            return Body(
                kind="any",
                home=node,
                description=description,
                required=_required(value),
                variants=tuple(_of_kind(node, value, kind) for kind in kinds),
                notes=notes,
            )
    kind = kinds[0]
    if kind == "object":
        return _object(node, value, description)
    if kind == "any":
        return Body(kind=kind, home=node, description=description, required=_required(value))
    form = value.get("format")
    listed = value.get("examples")
    listed = listed if isinstance(listed, list) else []
    return Body(
        kind=kind,
        home=node,
        description=description,
        format="binary" if value.get("type") == "file" else form.lower() if isinstance(form, str) else "",
        item=_elements(node, value) if kind == "array" else None,
        limits={name: value[name] for name in _LIMITS & value.keys()},
        examples=(*(value[name] for name in ("example", "default") if name in value), *listed),
    )


def _of_kind(node: DocumentNode, value: dict[str, JSON], kind: Kind) -> Shape:
    """Return the shape of a schema with several types as if it had only one. Its place is not in the document.

    Of enum values it has those of its type, if there are some: the number 1 is no value of the strings.
    """
    own = dict(value)
    listed = value.get("enum")
    of_kind = [one for one in listed if one is None or _is_of(one, kind)] if isinstance(listed, list) else []
    if isinstance(listed, list) and any(one is not None for one in of_kind) and len(of_kind) < len(listed):
        own = {name: one for name, one in own.items() if name not in NAME_LISTS}  # they are by index
        own["enum"] = of_kind
    only = DocumentNode(file=node.file, pointer=f"{node.pointer} ({kind})", value={**own, "type": kind})
    return own_shape(only)


def _is_of(value: JSON, kind: Kind) -> bool:
    found = _kind_of(value)
    return found == kind or (found == "integer" and kind == "number")


def _required(value: dict[str, JSON]) -> frozenset[str]:
    required = value.get("required")
    return frozenset(name for name in required if isinstance(name, str)) if isinstance(required, list) else frozenset()


def _object(node: DocumentNode, value: dict[str, JSON], description: str) -> Body:
    members: dict[str, Expr] = dict(node.child("properties").entries()) if "properties" in value else {}
    found: list[Expr] = list(node.child("patternProperties").members()) if "patternProperties" in value else []
    others = (key for key in _FURTHER if isinstance(value.get(key), dict) or value.get(key) is True)
    found += map(node.child, islice(others, 1))
    further = found[0] if found else None  # the schema of properties that `properties` does not name
    if len(found) > 1:
        further = Mix(home=node.child("additionalProperties"), how="one", parts=tuple(found))
    closed = False in (value.get("additionalProperties"), value.get("unevaluatedProperties"))
    return Body(
        kind="object" if members else "map",
        home=node,
        description=description,
        members=members,
        required=_required(value),
        item=None if members else further,
        extra=further if members else None,
        closed=closed,
        notes=("the schema allows no property",) if closed and not members and further is None else (),
    )


def _elements(node: DocumentNode, value: dict[str, JSON]) -> Expr | None:
    keyword = "items" if "items" in value else "prefixItems"
    below = node.child(keyword)
    if isinstance(below.value, list):
        parts = cast("tuple[Expr, ...]", tuple(node.child("prefixItems").elements()) + tuple(below.elements()))
        return Mix(home=below, how="one", parts=parts) if parts else None
    return None if below.value is None else below


def _marked(shape: Shape, value: dict[str, JSON]) -> Shape:
    notes = list(shape.notes)
    if "default" in value:
        notes.append(f"default {_short(value['default'])}")
    unread = [keyword for keyword in ("if", "dependentSchemas", "not") if keyword in value]
    if unread:
        notes.append(f"not read: {', '.join(unread)}")
    return replace(
        shape,
        nullable=shape.nullable or value.get("nullable") is True or value.get("x-nullable") is True,
        deprecated=value.get("deprecated") is True,
        read_only=value.get("readOnly") is True,
        write_only=value.get("writeOnly") is True,
        notes=tuple(notes),
    )


def _short(value: JSON) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"
