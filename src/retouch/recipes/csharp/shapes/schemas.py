"""The shapes of a document's schemas: references followed, combinations merged, cycles broken."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from retouch.recipes.csharp.document.document import Document, UnresolvedRef
from retouch.recipes.csharp.document.nodes import DocumentNode
from retouch.recipes.csharp.shapes.keywords import own_shape
from retouch.recipes.csharp.shapes.merging import all_of, one_of
from retouch.recipes.csharp.shapes.shape import Body, Expr, Mix, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON

_COMBINING = frozenset({"allOf", "oneOf", "anyOf", "discriminator"})
_REFERRING = ("$ref", "$recursiveRef", "$dynamicRef")
_NEVER = 1 << 30
_JSON_TYPES = {"map": "object", "integer": "number"}  # kinds of values that JSON cannot tell from another kind
_MOST_ALTERNATIVES = 4


@dataclass(eq=False)
class Schemas:
    """Computes the shape of every requested schema once.

    A schema can lead back to itself: a base class lists its variants, and each variant has the base in its `allOf`. The
    inner visit then sees only the schema's own keywords, and results that depend on it are not cached.
    """

    document: Document
    _known: dict[tuple[str, bool], Shape] = field(init=False, default_factory=dict["tuple[str, bool]", Shape])
    _mixed: dict[Mix, Shape] = field(init=False, default_factory=dict[Mix, Shape])
    _alternatives: dict[Body, tuple[Shape, ...]] = field(init=False, default_factory=dict[Body, "tuple[Shape, ...]"])
    _path: dict[str, int] = field(init=False, default_factory=dict[str, int])
    _parents: list[bool] = field(init=False, default_factory=list[bool])
    _reaches_down_to: int = field(init=False, default=_NEVER)

    def of(self, expr: Expr) -> Shape:
        """Return the shape of a schema, or of a mix of schemas."""
        if isinstance(expr, DocumentNode):
            return self._of_node(expr, is_parent=False)
        if expr not in self._mixed:
            parts = [self.of(part) for part in expr.parts]
            nothing = Shape(body=Body(kind="any", home=expr.home))
            one = expr.how == "one"
            shape = one_of(expr.home, parts, self.key) if one else all_of(expr.home, [nothing], parts, self.key)
            self._mixed[expr] = shape
        return self._mixed[expr]

    def alternatives(self, body: Body) -> tuple[Shape, ...]:
        """Return one shape for each JSON type of a union whose variants have no common type, at most four.

        There is none if a variant allows anything. Variants of one JSON type are joined.
        """
        if body not in self._alternatives:
            groups: dict[str, list[Shape]] = {}
            for shape in body.variants:
                groups.setdefault(_JSON_TYPES.get(shape.body.kind, shape.body.kind), []).append(shape)
            homes = {kind: replace(body.home, pointer=f"{body.home.pointer} ({kind})", value=None) for kind in groups}
            found = tuple(one_of(homes[kind], shapes, self.key) for kind, shapes in groups.items())
            is_known = 2 <= len(found) <= _MOST_ALTERNATIVES and all(one.body.kind != "any" for one in found)
            self._alternatives[body] = found if is_known else ()
        return self._alternatives[body]

    def variants(self, node: DocumentNode) -> list[DocumentNode]:
        """Return the alternatives of a union, or the schemas that inherit from a schema with a discriminator."""
        listed = [variant for keyword in ("oneOf", "anyOf") for variant in node.child(keyword).elements()]
        return listed or self._heirs(node, node.child("discriminator").value)

    def without_variants(self, node: DocumentNode) -> Shape:
        """Return the shape of a union's own keywords and its `allOf`."""
        members = [self._of_node(member, is_parent=True) for member in node.child("allOf").elements()]
        own = own_shape(node)
        return all_of(node, [own], members, self.key) if members else own

    def key(self, expr: Expr) -> object:
        """Return the place of a schema. If the schema is only a reference, return the place of its target."""
        if not isinstance(expr, DocumentNode):
            return expr
        if isinstance(expr.value, dict) and len(expr.value) == 1 and "$ref" in expr.value:
            try:
                return self.document.follow(expr).place
            except UnresolvedRef:
                return expr.place
        return expr.place

    def _of_node(self, node: DocumentNode, *, is_parent: bool) -> Shape:
        """Return the shape of a schema. `is_parent` is True if it is part of a schema that inherits from it."""
        place = node.place
        known = self._known.get((place, is_parent))
        if known is not None:
            return known
        if place in self._path:
            self._reaches_down_to = min(self._reaches_down_to, self._path[place])
            return self._opened(node)
        depth = len(self._parents)
        outer, self._reaches_down_to = self._reaches_down_to, _NEVER
        self._path[place] = depth
        self._parents.append(is_parent)
        value = node.value if isinstance(node.value, dict) else {}
        keyword = next((key for key in _REFERRING if isinstance(value.get(key), str)), "")
        try:
            if keyword:
                shape = self._referred(node, value, keyword, str(value[keyword]), is_parent=is_parent)
            elif _COMBINING.isdisjoint(value):
                shape = own_shape(node)
            else:
                shape = self._combined(node, value, is_parent=is_parent)
        finally:
            self._parents.pop()
            del self._path[place]
            reached, self._reaches_down_to = self._reaches_down_to, min(outer, self._reaches_down_to)
        if reached >= depth:
            self._reaches_down_to = outer
            self._known[place, is_parent] = shape
        return shape

    @staticmethod
    def _opened(node: DocumentNode) -> Shape:
        """Return the shape of a schema's own keywords, for an inner visit."""
        shape = own_shape(node)
        note: tuple[str, ...] = ()
        if isinstance(node.value, dict) and isinstance(node.value.get("$ref"), str):
            note = ("unresolved: the reference leads in a circle",)
        return replace(shape, body=replace(shape.body, partial=True), notes=shape.notes + note)

    def _referred(
        self, node: DocumentNode, value: dict[str, JSON], keyword: str, ref: str, *, is_parent: bool
    ) -> Shape:
        try:
            target = self._recursive(node) if keyword == "$recursiveRef" else self.document.target(node, ref)
        except UnresolvedRef as problem:
            body = Body(kind="any", home=node, notes=(f"unresolved: {problem.message}",))
            return Shape(body=body)
        shape = self._of_node(target, is_parent=is_parent)
        if len(value) == 1:
            return shape
        siblings = DocumentNode(
            file=node.file, pointer=node.pointer, value={k: v for k, v in value.items() if k != keyword}
        )
        own = (
            self._combined(siblings, siblings.value, is_parent=is_parent) if isinstance(siblings.value, dict) else shape
        )
        return all_of(node, [own], [shape], self.key)

    def _recursive(self, node: DocumentNode) -> DocumentNode:
        """Return the nearest enclosing schema with `$recursiveAnchor` (JSON Schema 2019-09)."""
        pointer = node.pointer
        while pointer:
            pointer = pointer.rpartition("/")[0]
            around = self.document.target(node, f"#{pointer}")
            if isinstance(around.value, dict) and around.value.get("$recursiveAnchor") is True:
                return around
        raise UnresolvedRef("the $recursiveRef has no $recursiveAnchor around it")

    def _combined(self, node: DocumentNode, value: dict[str, JSON], *, is_parent: bool) -> Shape:
        named = value.get("discriminator")
        unions = [list(node.child(keyword).elements()) for keyword in ("oneOf", "anyOf")]
        heirs = self._heirs(node, named) if named and not any(unions) else []
        computed = [self._union(node, variants) for variants in unions if variants]
        computed += [None if is_parent else self._inherited(node, heirs, named)] if heirs else []
        here = [own_shape(node), *(union for union in computed if union)]
        members = [self._of_node(member, is_parent=True) for member in node.child("allOf").elements()]
        shape = all_of(node, here, members, self.key) if len(here) + len(members) > 1 else here[0]
        if None in computed:
            shape = replace(shape, body=replace(shape.body, partial=True))
        return _with_discriminator(shape, node, named) if named else shape

    def _union(self, node: DocumentNode, variants: Sequence[DocumentNode]) -> Shape | None:
        """Return the union, or None if it only lists schemas that inherit from this one and are being computed."""
        shapes: list[Shape] = []
        for variant in variants:
            at = self._visited(variant)
            if at is None:
                shapes.append(self._of_node(variant, is_parent=False))
            else:
                self._reaches_down_to = min(self._reaches_down_to, at)
                if any(self._parents[at + 1 :]):
                    return None
        return one_of(node, shapes, self.key) if shapes else None

    def _inherited(self, node: DocumentNode, heirs: Sequence[DocumentNode], named: JSON) -> Shape | None:
        """Return the union of a schema's heirs. Without a mapping, a value may also be of the schema itself."""
        union = self._union(node, heirs)
        if union is None or (isinstance(named, dict) and named.get("mapping")):
            return union
        return replace(union, body=replace(union.body, home=node, required=frozenset()))

    def _visited(self, variant: DocumentNode) -> int | None:
        place = self.key(variant)
        return self._path.get(place) if isinstance(place, str) else None

    def _heirs(self, node: DocumentNode, named: JSON) -> list[DocumentNode]:
        """Return the schemas that a discriminator without a union selects from: its mapping, or all subtypes."""
        mapping = named.get("mapping") if isinstance(named, dict) else None
        if not isinstance(mapping, dict):
            return self.document.once(_heirs_by_base).get(node.place, [])
        components = dict(component_schemas(self.document).entries())
        heirs: dict[str, DocumentNode] = {}
        for ref in mapping.values():
            if isinstance(ref, str):
                heir = components.get(ref) or self._heir(node, ref)
                heirs |= {heir.place: heir} if heir else {}
        heirs.pop(node.place, None)
        return list(heirs.values())

    def _heir(self, node: DocumentNode, ref: str) -> DocumentNode | None:
        try:
            return self.document.target(node, ref)
        except UnresolvedRef:
            return None


def component_schemas(document: Document) -> DocumentNode:
    """Return the node of the document's named schemas."""
    return document.root.child("definitions") if document.is_swagger_2 else document.root.child("components", "schemas")


def _heirs_by_base(document: Document) -> dict[str, list[DocumentNode]]:
    """Return the schemas that inherit from each schema, directly or not."""
    heirs: dict[str, list[DocumentNode]] = {}
    for schema in component_schemas(document).members():
        for part in schema.child("allOf").elements():
            ref = part.value.get("$ref") if isinstance(part.value, dict) else None
            if isinstance(ref, str):
                try:
                    heirs.setdefault(document.target(part, ref).place, []).append(schema)
                except UnresolvedRef:
                    continue
    return {base: _with_their_heirs(base, heirs) for base in heirs}


def _with_their_heirs(base: str, heirs: Mapping[str, list[DocumentNode]]) -> list[DocumentNode]:
    found: dict[str, DocumentNode] = {}
    waiting = [base]
    while waiting:
        new = {heir.place: heir for heir in heirs.get(waiting.pop(0), []) if heir.place not in {base, *found}}
        found |= new
        waiting += new
    return list(found.values())


def _with_discriminator(shape: Shape, node: DocumentNode, named: JSON) -> Shape:
    """Return the shape with the discriminator property, if no variant declares it."""
    name = named.get("propertyName") if isinstance(named, dict) else named
    body = shape.body
    if not isinstance(name, str) or body.kind != "object" or name in body.members:
        return shape
    member = node.child("properties", name)
    discriminator = DocumentNode(
        file=node.file, pointer=member.pointer, value={"type": "string", "description": "Tells variants apart."}
    )
    return replace(shape, body=replace(body, home=node, members={name: discriminator, **body.members}))
