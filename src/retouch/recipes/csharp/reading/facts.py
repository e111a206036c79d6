"""Collects what the document states about the values of each type: formats, patterns, limits, and every example."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retouch.recipes.csharp.document.bodies import payloads_beside
from retouch.recipes.csharp.ir import MemberFacts, TypeFacts
from retouch.recipes.csharp.naming.identifiers import pascal
from retouch.recipes.csharp.naming.places import is_named
from retouch.recipes.csharp.shapes.schemas import Schemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.document.nodes import DocumentNode
    from retouch.recipes.csharp.ir import Endpoint
    from retouch.recipes.csharp.reading.hierarchies import ChosenHierarchies, Hierarchy
    from retouch.recipes.csharp.shapes.shape import Body, Expr, Shape

_LONGEST = 500  # characters of an example; a longer one is cut, and is then no JSON
_MOST = 400  # different examples of one property


def with_facts(
    endpoint: Endpoint,
    document: Document,
    names: Mapping[str, str],
    bodies: Iterable[Body],
    schemas: Sequence[DocumentNode],
    hierarchies: ChosenHierarchies | None = None,
) -> Endpoint:
    """Return the endpoint with the facts of its types, for prompts about the meaning.

    `bodies` are its types, `names` their C# names by place. `schemas` are the schemas of its requests or responses;
    their examples are included. `hierarchies` are the unions that are written as base classes: an example of a union is
    one of the variant that it selects, and what a variant states about a property is true of the base class's property
    too.
    """
    found = {body.home.place: body for body in bodies}
    examples = MemberExamples(document.once(Schemas), hierarchies)
    for schema in schemas:
        for payload in payloads_beside(document, schema):
            examples.spread(payload.value, schema)
    for body in found.values():
        for payload in body.examples if body.is_class else ():
            examples.of_class(payload, body)
    facts = {
        names[place]: TypeFacts(
            name=names[place],
            named=is_named(body.home) or _has_title(body.home.value, names[place]),
            members=tuple(_members(body, examples)),
        )
        for place, body in found.items()
    }
    for place, hierarchy in hierarchies.by_base.items() if hierarchies is not None else ():
        variants = [facts[names[body.home.place]] for body in hierarchy.variants.values() if body.home.place in found]
        if place in found:
            facts[names[place]] = with_members_of(facts[names[place]], variants)
    kept = tuple(facts[type_.name] for type_ in endpoint.types if type_.name in facts)
    return replace(endpoint, ask="meaning", facts=kept)


def with_members_of(facts: TypeFacts, others: Sequence[TypeFacts]) -> TypeFacts:
    """Return the facts of a type whose properties are also properties of `others`: all statements about them."""
    members = {one.member: one for one in facts.members}
    for one in (member for other in others for member in other.members):
        members[one.member] = _joined(members[one.member], one) if one.member in members else one
    return replace(facts, members=tuple(members.values()))


def _joined(one: MemberFacts, other: MemberFacts) -> MemberFacts:
    """Return both facts about one property: values have the patterns and limits of both."""
    patterns = list(dict.fromkeys(filter(None, (one.pattern, other.pattern))))
    longest = [length for length in (one.max_length, other.max_length) if length]
    return MemberFacts(
        member=one.member,
        format=one.format or other.format,
        pattern=patterns[0] if len(patterns) == 1 else "".join(f"(?=[\\s\\S]*(?:{each}))" for each in patterns),
        min_length=max(one.min_length, other.min_length),
        max_length=min(longest, default=0),
        examples=tuple(dict.fromkeys((*one.examples, *other.examples)))[:_MOST],
    )


def _has_title(schema: JSON, name: str) -> bool:
    title = schema.get("title") if isinstance(schema, dict) else None
    return isinstance(title, str) and bool(title.strip()) and pascal(title) == name


class MemberExamples:
    """The examples of each property, as JSON, by the place of its type and its JSON name."""

    def __init__(self, schemas: Schemas, hierarchies: ChosenHierarchies | None) -> None:
        self.schemas = schemas
        self._hierarchies: Mapping[str, Hierarchy] = hierarchies.by_base if hierarchies is not None else {}
        self.found: dict[tuple[str, str], dict[str, None]] = {}

    def spread(self, payload: JSON, expr: Expr) -> None:
        """Add the values in a payload to the properties that they are values of."""
        body = self.schemas.of(expr).body
        if isinstance(payload, list) and body.kind == "array" and body.item is not None:
            for one in payload:
                self.spread(one, body.item)
        elif isinstance(payload, dict) and body.kind == "map" and body.item is not None:
            for one in payload.values():
                self.spread(one, body.item)
        elif body.is_class:
            self.of_class(payload, body)

    def of_class(self, payload: JSON, body: Body) -> None:
        """Add the values in an example of a class, and of the variant that its discriminator selects."""
        hierarchy = self._hierarchies.get(body.home.place)
        if hierarchy is not None and isinstance(payload, dict):
            value = payload.get(hierarchy.discriminator)
            variant = hierarchy.variants.get(value) if isinstance(value, str) else None
            if variant is not None:
                self.of_class(payload, variant)
        for name, value in payload.items() if isinstance(payload, dict) else ():
            if name in body.members:
                self.add(body, name, value)
                self.spread(value, body.members[name])

    def add(self, body: Body, name: str, value: JSON) -> None:
        """Add one example."""
        self.found.setdefault((body.home.place, name), {})[_as_json(value)] = None


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:_LONGEST]


def _members(body: Body, examples: MemberExamples) -> Iterator[MemberFacts]:
    for name, expr in body.members.items() if body.is_class else ():
        shape = examples.schemas.of(expr)
        for value in shape.body.examples:
            examples.add(body, name, value)
        facts = _facts(name, shape, tuple(examples.found.get((body.home.place, name), ()))[:_MOST])
        if facts != MemberFacts(member=name):
            yield facts


def _facts(name: str, shape: Shape, examples: tuple[str, ...]) -> MemberFacts:
    if shape.body.is_class or shape.body.is_enum:
        return MemberFacts(member=name)
    limits = shape.body.limits
    pattern, lengths = limits.get("pattern"), [limits.get(key) for key in ("minLength", "maxLength")]
    least, most = (one if isinstance(one, int) and not isinstance(one, bool) else 0 for one in lengths)
    return MemberFacts(
        member=name,
        format=shape.body.format,
        pattern=pattern if isinstance(pattern, str) else "",
        min_length=least,
        max_length=most,
        examples=examples if shape.body.kind in {"string", "number", "integer"} else (),
    )
