"""Finds the members that a class of several variants requires, and a valid example of the document does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from retouch.recipes.csharp.document.bodies import payloads_beside
from retouch.recipes.csharp.reading.contradictions import Reader

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.document.nodes import DocumentNode
    from retouch.recipes.csharp.shapes.schemas import Schemas
    from retouch.recipes.csharp.shapes.shape import Body, Expr


def members_absent_from_examples(
    schemas: Schemas, bodies: Iterable[Body], read: Iterable[DocumentNode]
) -> frozenset[tuple[str, str]]:
    """Return the place of the class, and the JSON name, of each required member that a valid example lacks.

    A class with the properties of all variants of a union defines a property as the variants that name it do. By
    the schema, a value of another variant may have anything there, also an object without what is required. Only the
    content of such a class is examined. The examples are those of the `bodies`, and those next to the schemas
    in `read`.
    """
    walk = _Walk(schemas)
    for schema in read:
        for payload in payloads_beside(schemas.document, schema):
            walk.over(payload.value, schema)
    for body in bodies:
        for value in body.examples if body.is_class else ():
            walk.over(value, body.home)
    return frozenset(walk.found)


class _Walk:
    """Goes through examples, and collects the required members that they lack without a contradiction."""

    def __init__(self, schemas: Schemas) -> None:
        self.found: set[tuple[str, str]] = set()
        self._schemas = schemas
        self._reader = Reader(document=cast("dict[str, JSON]", schemas.document.root.value), described=False)

    def over(self, example: JSON, schema: DocumentNode) -> None:
        lacking = self._lacking(example, schema, "", is_inside=False)
        if not lacking:
            return
        wrong = self._reader.contradictions(schema.value, example)
        places = tuple(f"{place}/" for place in wrong)
        self.found |= {member for member, pointer in lacking if not f"{pointer}/".startswith(places)}

    def _lacking(self, value: JSON, expr: Expr, path: str, *, is_inside: bool) -> list[tuple[tuple[str, str], str]]:
        """Return the required members that are absent inside of classes of variants, each with its JSON pointer."""
        body = self._schemas.of(expr).body
        below: list[tuple[JSON, Expr, str]] = []
        found: list[tuple[tuple[str, str], str]] = []
        if isinstance(value, list) and body.kind == "array" and body.item is not None:
            below = [(one, body.item, f"{path}/{index}") for index, one in enumerate(value)]
        elif isinstance(value, dict) and body.kind == "map" and body.item is not None:
            below = [(one, body.item, f"{path}/{name}") for name, one in value.items()]
        elif isinstance(value, dict) and body.is_class:
            is_inside = is_inside or body.is_of_variants
            below = [(value[name], one, f"{path}/{name}") for name, one in body.members.items() if name in value]
            lacking = body.required - value.keys() if is_inside else frozenset[str]()
            found = [((body.home.place, name), f"{path}/{name}") for name in lacking]
        return [*found, *(each for one in below for each in self._lacking(*one, is_inside=is_inside))]
