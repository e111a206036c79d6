"""Collects the examples of a document for the run time check: each with the C# type that it is an example of."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from retouch.recipes.csharp.document.bodies import payloads_beside
from retouch.recipes.csharp.document.nodes import DocumentNode
from retouch.recipes.csharp.ir import TypeExample
from retouch.recipes.csharp.reading.contradictions import Reader
from retouch.recipes.csharp.reading.facts import with_facts
from retouch.recipes.csharp.shapes.schemas import Schemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.ir import Ask, Endpoint
    from retouch.recipes.csharp.reading.hierarchies import ChosenHierarchies, Hierarchy
    from retouch.recipes.csharp.shapes.shape import Body, Expr

_JOINED = 3  # payloads that join the examples of single properties


def with_facts_and_examples(
    endpoint: Endpoint,
    document: Document,
    names: Mapping[str, str],
    bodies: Sequence[Body],
    schemas: Sequence[DocumentNode],
    hierarchies: ChosenHierarchies | None,
    asked: tuple[Ask, bool],
) -> Endpoint:
    """Return the endpoint with the facts of its types to ask for the meaning, and with examples to execute them."""
    ask, runtime = asked
    if runtime:
        endpoint = with_examples(endpoint, document, names, bodies, schemas, hierarchies)
    if ask == "transcript":
        return endpoint
    return with_facts(endpoint, document, names, bodies, schemas, hierarchies)


def with_examples(
    endpoint: Endpoint,
    document: Document,
    names: Mapping[str, str],
    bodies: Iterable[Body],
    schemas: Sequence[DocumentNode],
    hierarchies: ChosenHierarchies | None = None,
) -> Endpoint:
    """Return the endpoint with the document's examples of its types, and with tier 4 declared.

    The parameters are those of `with_facts`. Examples are next to the `schemas`, in the schemas of the types, and in
    the schemas of their properties.
    """
    collector = _Collector(document, names, hierarchies, is_plain=endpoint.style == "plain")
    for schema in schemas:
        for payload in payloads_beside(document, schema):
            bad = collector.reader.contradictions(schema.value, payload.value)
            collector.spread(payload.value, schema, payload.place, "", bad)
    for body in bodies:
        if body.home.place in names and (body.is_class or body.is_enum):
            collector.of_schema(body)
    known = {type_.name for type_ in endpoint.types}
    found = tuple(one for one in collector.found.values() if one.type in known)
    return replace(endpoint, runtime=True, examples=found)


class _Collector:
    """The examples so far, by type and JSON."""

    def __init__(
        self, document: Document, names: Mapping[str, str], hierarchies: ChosenHierarchies | None, *, is_plain: bool
    ) -> None:
        self.found: dict[tuple[str, str], TypeExample] = {}
        self.reader = Reader(
            document=cast("dict[str, JSON]", document.root.value), described=not is_plain, rfc_3339=True
        )
        self._schemas = document.once(Schemas)
        self._names = names
        self._by_variant: Mapping[str, Hierarchy] = hierarchies.by_variant if hierarchies is not None else {}

    def of_schema(self, body: Body) -> None:
        """Add the examples in the schema of a type, and those of its properties."""
        schema = body.home.value
        for index, value in enumerate(body.examples):
            bad = self.reader.contradictions(schema, value)
            self.add(body, value, f"{body.home.place}/example{index or ''}", bad)
        own = {name: self._schemas.of(expr).body.examples for name, expr in body.members.items()}
        own = {name: values for name, values in own.items() if values}
        for index in range(min(_JOINED, max(map(len, own.values()), default=0))):
            joined = {name: values[min(index, len(values) - 1)] for name, values in own.items()}
            bad = {
                f"/{name}{place}"
                for name, value in joined.items()
                for place in self._of_member(body.members[name], value)
            }
            self.add(body, joined, f"{body.home.place}/properties", bad, partial=True)

    def _of_member(self, expr: Expr, value: JSON) -> Iterable[str]:
        return self.reader.contradictions(expr.value, value) if isinstance(expr, DocumentNode) else ()

    def spread(self, value: JSON, expr: Expr, where: str, path: str, bad: Iterable[str], depth: int = 0) -> None:
        """Add the values that an example of a schema has for the first types inside of it."""
        body = self._schemas.of(expr).body
        if body.home.place in self._names and (body.is_class or body.is_enum):
            if value is not None:
                self.add(body, value, f"{where}{path}", _below(bad, path))
        elif isinstance(value, list) and body.kind == "array" and body.item is not None:
            for index, one in enumerate(value):
                self.spread(one, body.item, where, f"{path}/{index}", bad, depth)
        elif isinstance(value, dict) and depth < _JOINED:  # a map, or an envelope that is no type
            for name, one in value.items():
                inner = body.members.get(name, body.item if body.kind == "map" else None)
                if inner is not None:
                    self.spread(one, inner, where, f"{path}/{name}", bad, depth + 1)

    def add(self, body: Body, value: JSON, where: str, bad: Iterable[str], *, partial: bool = False) -> None:
        """Add one example. One of a variant is one of its base class, which reads the discriminator."""
        hierarchy = self._by_variant.get(body.home.place)
        if hierarchy is not None and isinstance(value, dict) and hierarchy.discriminator in value and not partial:
            body = hierarchy.base
        if hierarchy is not None and partial and isinstance(value, dict):
            value = {name: one for name, one in value.items() if name != hierarchy.discriminator}
        name, text = self._names.get(body.home.place, ""), _as_json(value)
        one = TypeExample(type=name, where=where, json=text, partial=partial, contradicts=tuple(sorted(bad)))
        self.found.setdefault((name, text), one)


def _below(bad: Iterable[str], path: str) -> list[str]:
    """Return the places inside of `path`, relative to it. A place around it is "": all of it is invalid."""
    inside = [place[len(path) :] for place in bad if place == path or place.startswith(f"{path}/")]
    around = [""] if any(path.startswith(f"{place}/") for place in bad) else []
    return [*inside, *around]


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
