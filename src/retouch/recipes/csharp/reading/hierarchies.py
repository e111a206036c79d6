"""The classes of discriminators: a base class, and the derived class that each discriminator value selects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from retouch.recipes.csharp.document.document import UnresolvedRef
from retouch.recipes.csharp.document.nodes import DocumentNode, escaped, tokens_of
from retouch.recipes.csharp.reading.closure import plain_closure
from retouch.recipes.csharp.shapes.schemas import Schemas, component_schemas

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.shapes.shape import Body

_DATA = frozenset({"example", "examples", "default", "enum", "const"})  # what is inside of them is not a schema


@dataclass(frozen=True, kw_only=True, eq=False)
class Hierarchy:
    """A union whose `discriminator` property selects the variant.

    - `base`: the class with the properties that the union itself has, without the discriminator.
    - `variants`: the class of each discriminator value.
    - `own`: the discriminator value of the base class itself, if schemas inherit from it.
    """

    discriminator: str
    base: Body
    variants: Mapping[str, Body]
    own: str | None = None

    def without_discriminator(self, body: Body) -> Body:
        """Return a class without the discriminator, which is no property of a class of the hierarchy."""
        members = {name: expr for name, expr in body.members.items() if name != self.discriminator}
        return replace(body, members=members, required=body.required - {self.discriminator})


@dataclass(frozen=True, kw_only=True, eq=False)
class ChosenHierarchies:
    """The unions that are written as base classes, by the place of the base and by the places of the variants."""

    by_base: Mapping[str, Hierarchy]
    by_variant: Mapping[str, Hierarchy]


class Hierarchies:
    """All unions of a document that C# could write as a base class with derived classes, by place.

    The remaining unions stay one class with the properties of all variants. These are unions with a variant that
    several values select, or that is a union itself.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._schemas = document.once(Schemas)
        self.by_base: dict[str, Hierarchy] = {}
        nodes = _discriminated(document)
        unions = {node.place for node in nodes}
        for node in nodes:
            found = self._hierarchy(node, unions)
            if found is not None:
                self.by_base[found.base.home.place] = found

    def chosen(self, places: Collection[str]) -> ChosenHierarchies:
        """Return the unions at the given places that are written as base classes.

        C# has one base class, so the first union of a variant gets it. Unions that list their variants come first,
        then named schemas, then all other unions in the order of the document.
        """
        by_base: dict[str, Hierarchy] = {}
        by_variant: dict[str, Hierarchy] = {}
        for place, found in self.by_base.items():
            variants = {body.home.place for body in found.variants.values()}
            if place in places and variants.isdisjoint(by_variant):
                by_base[place] = found
                by_variant |= dict.fromkeys(variants, found)
        return ChosenHierarchies(by_base=by_base, by_variant=by_variant)

    def _hierarchy(self, node: DocumentNode, unions: set[str]) -> Hierarchy | None:
        named = node.child("discriminator").value
        discriminator = named.get("propertyName") if isinstance(named, dict) else named
        mapping = named.get("mapping") if isinstance(named, dict) else None
        body = self._schemas.of(node).body
        if not isinstance(discriminator, str) or not body.is_class or body.home.place != node.place:
            return None
        variants: dict[str, Body] = {}
        for variant in self._schemas.variants(node):
            found = self._schemas.of(variant).body
            if found.kind == "null":
                continue
            value = self._value(variant, found, discriminator, mapping if isinstance(mapping, dict) else {})
            taken = {node.place, *(other.home.place for other in variants.values()), *unions}
            if value is None or value in variants or not found.is_class or found.home.place in taken:
                return None
            variants[value] = found
        mapping = mapping if isinstance(mapping, dict) else {}
        own_value = self._own_value(node, mapping, variants)
        if len(variants) + (own_value is not None) < 2:
            return None
        own = self._schemas.without_variants(node).body
        notes = (*body.notes, *self._without_schema(node, mapping))
        base = replace(body, members=own.members, required=own.required, extra=None, notes=notes)
        found = Hierarchy(discriminator=discriminator, base=base, variants=variants, own=own_value)
        return replace(found, base=found.without_discriminator(base))

    def _own_value(self, node: DocumentNode, mapping: Mapping[str, JSON], variants: Mapping[str, Body]) -> str | None:
        """Return the value that selects the base class itself: by the mapping, or else by the name of its schema."""
        if not isinstance(node.value, dict) or not node.value.keys().isdisjoint(("oneOf", "anyOf")):
            return None
        mapped = [
            value for value, ref in mapping.items() if isinstance(ref, str) and self._target(node, ref) == node.place
        ]
        name = _component_name(node.place)
        found = mapped[0] if len(mapped) == 1 else name if not mapping else None
        return None if found in variants else found

    def _without_schema(self, node: DocumentNode, mapping: Mapping[str, JSON]) -> list[str]:
        lost = [value for value, ref in mapping.items() if isinstance(ref, str) and not self._target(node, ref)]
        return [f"the discriminator value {value!r} names no schema of the document" for value in lost]

    def _value(self, variant: DocumentNode, body: Body, discriminator: str, mapping: Mapping[str, JSON]) -> str | None:
        """Return the only value that selects a variant, or None if there is none, or several."""
        place = self._place(variant)
        mapped = [
            value for value, ref in mapping.items() if isinstance(ref, str) and self._target(variant, ref) == place
        ]
        member = body.members.get(discriminator)
        listed = [one.value for one in self._schemas.of(member).body.values] if member is not None else []
        if len(mapped) > 1:
            return None
        if mapped:
            return mapped[0] if len(listed) != 1 or listed == mapped else None
        if len(listed) == 1:
            return listed[0] if isinstance(listed[0], str) else None
        name = _component_name(place)
        return None if name in mapping else name

    def _place(self, node: DocumentNode) -> str:
        found = self._schemas.key(node)
        return found if isinstance(found, str) else node.place

    def _target(self, node: DocumentNode, ref: str) -> str:
        """Return the place that an entry of a mapping names: a component, or a reference."""
        component = component_schemas(self._document).child(ref)
        if component.value is not None:
            return self._place(component)
        try:
            return self._place(self._document.target(node, ref))
        except UnresolvedRef:
            return ""


def _component_name(place: str) -> str | None:
    tokens = tokens_of(place.partition("#")[2])
    return tokens[-1] if tokens[:-1] in (["components", "schemas"], ["definitions"]) else None


def _discriminated(document: Document) -> Sequence[DocumentNode]:
    """Return every schema of the document's own file that has a discriminator, in the order of choice."""
    found: list[DocumentNode] = []
    waiting: list[tuple[str, JSON]] = [("", document.root.value)]
    while waiting:
        pointer, value = waiting.pop()
        if isinstance(value, dict):
            if "discriminator" in value and not pointer.endswith("/properties"):
                found.append(DocumentNode(file="", pointer=pointer, value=value))
            hidden = frozenset[str]() if pointer.endswith("/properties") else _DATA
            below = [(f"{pointer}{escaped(key)}", inner) for key, inner in value.items() if key not in hidden]
            waiting += reversed(cast("list[tuple[str, JSON]]", below))
        elif isinstance(value, list):
            waiting += [(f"{pointer}/{index}", inner) for index, inner in reversed(list(enumerate(value)))]
    named = component_schemas(document).pointer

    def rank(node: DocumentNode) -> tuple[bool, bool]:
        listed = isinstance(node.value, dict) and not node.value.keys().isdisjoint(("oneOf", "anyOf"))
        return not listed, node.pointer.rpartition("/")[0] != named

    return sorted(found, key=rank)


class PlainClosure:
    """The types that a set of schemas uses in the plain style: a union's base class also uses its variants."""

    def __init__(self, document: Document, roots: Sequence[Body]) -> None:
        self._every_union = document.once(plain_closure)
        candidates = document.once(Hierarchies)
        self.hierarchies = ChosenHierarchies(by_base=candidates.by_base, by_variant={})
        self.types = self._every_union.closure(*roots, mentioned=self.mentioned)
        self.hierarchies = candidates.chosen({body.home.place for body in self.types})
        while True:  # a variant may have been the only user of another union
            self.types = self._every_union.closure(*roots, mentioned=self.mentioned)
            bases = {body.home.place for body in self.types} & self.hierarchies.by_base.keys()
            if len(bases) == len(self.hierarchies.by_base):
                break
            self.hierarchies = candidates.chosen(bases)

    def mentioned(self, body: Body) -> tuple[Body, ...]:
        """Return the classes and enums that a type mentions."""
        place = body.home.place
        base, above = self.hierarchies.by_base.get(place), self.hierarchies.by_variant.get(place)
        if base is not None:
            bodies = (*self._every_union.mentioned(base.base, is_changed=True), *base.variants.values())
        elif above is not None:
            bodies = self._every_union.mentioned(above.without_discriminator(body), is_changed=True)
        else:
            bodies = self._every_union.mentioned(body)
        return tuple({other.home.place: other for other in bodies}.values())
