"""Merges shapes: the shape that satisfies all of several schemas, and the one that satisfies any of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from retouch.recipes.csharp.document.nodes import DocumentNode
from retouch.recipes.csharp.shapes.shape import Body, Expr, Kind, Mix, ProposedValue, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch._lib.json_text import JSON


def all_of(home: DocumentNode, here: Sequence[Shape], members: Sequence[Shape], key: Callable[[Expr], object]) -> Shape:
    """Return the shape that satisfies every given shape: `here` are the schema's keywords and unions, `members` its
    `allOf`.

    `key` is equal for two member schemas that are the same. If a schema adds nothing to a single other one, the result
    is that type. Otherwise it is a new type with `home` as its place.
    """
    shapes = [*here, *members]
    solid = _informative(list(dict.fromkeys(shape.body for shape in shapes if shape.body.kind != "any")))
    required = frozenset[str]().union(*(shape.body.required for shape in shapes))
    description = next((shape.description for shape in (*here, *members) if shape.description), "")
    notes = list(dict.fromkeys(note for shape in shapes for note in shape.notes))
    if not solid:
        body = _loose(home, shapes, required)
    elif len(solid) == 1 and not solid[0].partial and required <= solid[0].required | _unknown(solid[0], required):
        body = solid[0]
    else:
        body = _all_bodies(home, solid, required, key)
    own = here[0]
    if body.home.place == home.place and own.description and not body.description:
        body = replace(body, description=own.description)
    return Shape(
        body=body,
        nullable=_nullable(here, members),
        description=description,
        deprecated=own.deprecated,
        read_only=any(shape.read_only for shape in shapes),
        write_only=any(shape.write_only for shape in shapes),
        notes=tuple(notes),
    )


def _loose(home: DocumentNode, shapes: Sequence[Shape], required: frozenset[str]) -> Body:
    unions = [shape.body for shape in shapes if shape.body.variants]
    base = unions[0] if unions else next((shape.body for shape in shapes if shape.body.notes), shapes[0].body)
    return replace(base, home=home, required=required, partial=False)


def _unknown(body: Body, required: frozenset[str]) -> frozenset[str]:
    """Return the required names that the body does not have, which have no effect."""
    return required - body.members.keys() if body.kind == "object" else required


def _nullable(here: Sequence[Shape], members: Sequence[Shape]) -> bool:
    """Return whether null is allowed: by the schema itself, by a member without other content, or by every member."""
    if any(shape.nullable for shape in here) or any(shape.nullable and shape.body.kind == "any" for shape in members):
        return True
    solid = [shape for shape in members if shape.body.kind != "any"]
    return bool(solid) and here[0].body.kind == "any" and all(shape.nullable for shape in solid)


def _informative(bodies: list[Body]) -> list[Body]:
    """Return the bodies without those that only repeat another's kind, for example `type: object` next to `allOf`."""
    informative = [body for body in bodies if body.members or body.values or body.format or body.limits or body.item]
    kinds = {"map" if body.kind == "object" else body.kind for body in informative}
    rest = [body for body in bodies if body not in informative and body.kind not in kinds]
    return [body for body in bodies if body in informative or body in rest]


def _all_bodies(
    home: DocumentNode, bodies: Sequence[Body], required: frozenset[str], key: Callable[[Expr], object]
) -> Body:
    kinds = {body.kind for body in bodies}
    if kinds <= {"object", "map"}:
        return _all_objects(home, bodies, required, key)
    if kinds == {"integer", "number"}:
        bodies = [body for body in bodies if body.kind == "integer"] + [
            replace(body, kind="integer", format="") for body in bodies if body.kind == "number"
        ]
    elif len(kinds) > 1:
        note = f"its parts contradict each other: {', '.join(sorted(kinds))}"
        return Body(kind="any", home=home, notes=(note,))
    limits: dict[str, JSON] = {}
    for body in bodies:
        limits.update(body.limits)
    return replace(
        bodies[0],
        home=home,
        description="",
        format=next((body.format for body in bodies if body.format), ""),
        values=_common_values([body.values for body in bodies if body.values]),
        item=_mixed(home.child("items"), "all", [body.item for body in bodies if body.item], key),
        limits=limits,
        examples=tuple(example for body in bodies for example in body.examples),
        partial=False,
    )


def _common_values(lists: Sequence[tuple[ProposedValue, ...]]) -> tuple[ProposedValue, ...]:
    if not lists:
        return ()
    allowed = [[value.value for value in values] for values in lists[1:]]
    return tuple(value for value in lists[0] if all(value.value in others for others in allowed))


def _all_objects(
    home: DocumentNode, bodies: Sequence[Body], required: frozenset[str], key: Callable[[Expr], object]
) -> Body:
    return _object(home, "all", bodies, required, _further(bodies), key)


def _further(bodies: Sequence[Body]) -> list[Expr]:
    return [expr for body in bodies for expr in (body.extra, body.item) if expr is not None]


def _object(
    home: DocumentNode,
    how: Literal["all", "one"],
    bodies: Sequence[Body],
    required: frozenset[str],
    further: Sequence[Expr],
    key: Callable[[Expr], object],
) -> Body:
    """Return the class with the members of all bodies, or a map if there are none. `further` describes other
    properties.
    """
    parts: dict[str, list[Expr]] = {}
    for body in bodies:
        for name, expr in body.members.items():
            parts.setdefault(name, []).append(expr)
    members = _members(home, how, parts, key)
    rest = _mixed(home.child("additionalProperties"), how, further, key)
    return Body(
        kind="object" if members else "map",
        home=home,
        members=members,
        required=required,
        item=None if members else rest,
        extra=rest if members else None,
        closed=all(body.closed for body in bodies),
        notes=tuple(dict.fromkeys(note for body in bodies for note in body.notes)),
    )


def _members(
    home: DocumentNode, how: Literal["all", "one"], parts: Mapping[str, list[Expr]], key: Callable[[Expr], object]
) -> dict[str, Expr]:
    found: dict[str, Expr] = {}
    for name, exprs in parts.items():
        mixed = exprs[0] if len(exprs) == 1 else _mixed(home.child("properties", name), how, exprs, key)
        if mixed is not None:
            found[name] = mixed
    return found


def _mixed(
    home: DocumentNode, how: Literal["all", "one"], exprs: Sequence[Expr], key: Callable[[Expr], object]
) -> Expr | None:
    distinct: dict[object, Expr] = {}
    for expr in exprs:
        distinct.setdefault(key(expr), expr)
    kept: list[Expr] = []
    for expr in distinct.values():
        if not any(_equal(expr, other) for other in kept):
            kept.append(expr)
    return Mix(home=home, how=how, parts=tuple(kept)) if len(kept) > 1 else kept[0] if kept else None


def _equal(one: Expr, other: Expr) -> bool:
    return (
        isinstance(one, DocumentNode)
        and isinstance(other, DocumentNode)
        and one.file == other.file
        and one.value == other.value
    )


def one_of(home: DocumentNode, variants: Sequence[Shape], key: Callable[[Expr], object]) -> Shape:
    """Return the shape that satisfies one of the shapes. If one of them allows null, the result is nullable.

    Objects become one class in which a property is required only if every variant requires it. Variants of different
    kinds have no common type: any value is allowed, and `variants` keeps them.
    """
    real = [shape for shape in variants if shape.body.kind != "null"]
    nullable = len(real) < len(variants) or any(shape.nullable or shape.body.is_empty for shape in real)
    bodies = list(dict.fromkeys(shape.body for shape in real))
    if not bodies:
        return variants[0] if variants else Shape(body=Body(kind="any", home=home))
    if len(bodies) == 1:
        only = real[0]
        body = only.body if not only.body.partial else replace(only.body, home=home, partial=False)
        return replace(only, body=body, nullable=nullable)
    marks = [shape for shape in real if shape.notes]
    return Shape(
        body=_one_body(home, bodies, real, key),
        nullable=nullable,
        deprecated=all(shape.deprecated for shape in real),
        notes=marks[0].notes if len(marks) == len(real) and len({shape.notes for shape in marks}) == 1 else (),
    )


def _one_body(
    home: DocumentNode, bodies: Sequence[Body], variants: Sequence[Shape], key: Callable[[Expr], object]
) -> Body:
    kinds = {_kind_among(body, bodies) for body in bodies}
    if kinds == {"any"}:
        required = frozenset[str].intersection(*(body.required for body in bodies))
        notes = tuple(dict.fromkeys(note for body in bodies for note in body.notes))
        return Body(kind="any", home=home, required=required, notes=notes, variants=_flat(variants))
    if kinds <= {"object", "map"}:
        return _one_object(home, bodies, key)
    if kinds == {"integer", "number"}:
        return Body(kind="number", home=home, examples=tuple(example for body in bodies for example in body.examples))
    if len(kinds) == 1:
        return _one_scalar(home, bodies, key)
    names = " or ".join(dict.fromkeys(body.kind for body in bodies))
    notes = (f"a value may be {names}", *(note for body in bodies if body.kind == "any" for note in body.notes))
    return Body(kind="any", home=home, notes=notes, variants=_flat(variants))


def _kind_among(body: Body, bodies: Sequence[Body]) -> Kind:
    """Return the body's kind. Among objects, an empty schema or one with only `required` counts as an object."""
    is_loose = body.kind == "any" and not (body.notes or body.variants or body.examples)
    return "object" if is_loose and any(other.kind == "object" for other in bodies) else body.kind


def _flat(variants: Sequence[Shape]) -> tuple[Shape, ...]:
    return tuple(inner for shape in variants for inner in (shape.body.variants or (shape,)))


def _one_object(home: DocumentNode, bodies: Sequence[Body], key: Callable[[Expr], object]) -> Body:
    required = frozenset[str].intersection(*(body.required for body in bodies))
    further = _further(bodies)
    free = any(body.item is None and body.kind != "object" and not body.required for body in bodies)
    if free:
        anything = DocumentNode(file=home.file, pointer=home.pointer + "/additionalProperties", value=True)
        further = [anything] if any(body.members for body in bodies) else []
    return _object(home, "one", bodies, required, further, key)


def _one_scalar(home: DocumentNode, bodies: Sequence[Body], key: Callable[[Expr], object]) -> Body:
    first = bodies[0]
    values: dict[tuple[type, JSON], ProposedValue] = {}
    for value in (value for body in bodies for value in body.values):
        values.setdefault((type(value.value), value.value), value)
    listed = all(body.values for body in bodies)
    known = ", ".join(repr(value.value) for value in list(values.values())[:12])
    items = [body.item for body in bodies if body.item is not None]
    return Body(
        kind=first.kind,
        home=home,
        format=first.format if all(body.format == first.format for body in bodies) else "",
        values=tuple(values.values()) if listed else (),
        item=_mixed(home.child("items"), "one", items, key) if len(items) == len(bodies) else None,
        limits={
            name: limit
            for name, limit in first.limits.items()
            if all(body.limits.get(name) == limit for body in bodies)
        },
        examples=tuple(example for body in bodies for example in body.examples),
        notes=(f"known values: {known}",) if values and not listed else (),
    )
