"""The root class of an endpoint's response."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.errors import UnknownName
from retouch.recipes.csharp.document.document import UnresolvedRef
from retouch.recipes.csharp.document.nodes import DocumentNode
from retouch.recipes.csharp.naming.places import given_name, is_named, path_name
from retouch.recipes.csharp.shapes.merging import one_of
from retouch.recipes.csharp.shapes.shape import Body, Expr, Shape

if TYPE_CHECKING:
    from retouch.recipes.csharp.shapes.schemas import Schemas

_VALUE = "value"


@dataclass(frozen=True, kw_only=True)
class Root:
    """The body of the root class, the C# name of the object without its suffix, and notes on how it was found."""

    body: Body
    name: str
    notes: tuple[str, ...] = ()


def root_of(schemas: Schemas, schema: DocumentNode, *, path: str, unwrap: str | None) -> Root:
    """Return the class for a response's schema: an array's item, or the content of the envelope that `unwrap` names.

    If the response is not an object, it is wrapped in a class: a map in one with any property, anything else in one
    with the property `value`. A schema without a name gets one from the path.

    Raises:
        UnknownName: the envelope has no property `unwrap`.
        UnresolvedRef: the schema is a list of itself.
    """
    expr: Expr = schema
    notes: list[str] = []
    for step in unwrap.split(".") if unwrap else ():
        expr = _inside(schemas, expr, step)
        notes.append(f"unwrapped from {step!r}")
    shape = schemas.of(expr)
    is_item = False
    lists: set[str] = set()
    while (item := _item(schemas, shape)) is not None:
        is_item = True
        if shape.body.home.place in lists:
            raise UnresolvedRef(f"{shape.body.home.place!r} is a list of itself", hint="Break the circle of $refs.")
        lists.add(shape.body.home.place)
        expr = shape.body.item or expr
        shape = item
    if is_item:
        notes.append("the endpoint returns an array of these")
    body = shape.body
    name = given_name(body.home) if is_named(body.home) else path_name(path, single=is_item)
    if body.kind == "object":
        return Root(body=body, name=name, notes=tuple(notes))
    wrapped, note = _wrapped(expr, shape)
    return Root(body=wrapped, name=name, notes=(*notes, note))


def _inside(schemas: Schemas, expr: Expr, step: str) -> Expr:
    body = schemas.of(expr).body
    while body.kind == "array" and body.item is not None:
        body = schemas.of(body.item).body
    if step not in body.members:
        known = ", ".join(map(repr, list(body.members)[:12])) or "no properties"
        raise UnknownName(f"nothing to unwrap at {step!r}", hint=f"The response has {known}.")
    return body.members[step]


def _item(schemas: Schemas, shape: Shape) -> Shape | None:
    """Return the shape of an array's elements. In a union, arrays are replaced by their elements."""
    body = shape.body
    if body.kind == "array" and body.item is not None:
        return schemas.of(body.item)
    if not any(variant.body.kind == "array" for variant in body.variants):
        return None
    items = [variant if variant.body.item is None else schemas.of(variant.body.item) for variant in body.variants]
    union = one_of(body.home, items, schemas.key)
    return union if union.body.kind == "object" else None


def _wrapped(content: Expr, shape: Shape) -> tuple[Body, str]:
    """Return a class around a value that is not an object. Its home is not in the document, so no other type has it."""
    body = shape.body
    inner = content if isinstance(content, DocumentNode) else content.home
    home = DocumentNode(file=inner.file, pointer=f"{inner.pointer} (wrapped)", value=None)
    base = Body(kind="object", home=home, description=shape.description or body.description)
    if body.kind == "map":
        extra = body.item or DocumentNode(file=home.file, pointer=home.pointer, value=True)
        return replace(base, extra=extra), "the endpoint returns a map: its entries are the further properties"
    note = f"the endpoint returns a plain {body.kind}: it is the property {_VALUE!r} of a class made for it"
    return replace(base, members={_VALUE: content}, required=frozenset({_VALUE})), note
