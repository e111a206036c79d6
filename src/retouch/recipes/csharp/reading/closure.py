"""The types that a schema uses, directly and indirectly, in a stable order."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from retouch.recipes.csharp.reading.hierarchies import ChosenHierarchies, Hierarchies
from retouch.recipes.csharp.shapes.schemas import Schemas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.shapes.shape import Body, Expr


class TypeClosure:
    """The types that each type of a document mentions, computed once per type."""

    def __init__(self, document: Document) -> None:
        self._schemas = document.once(Schemas)
        self._mentioned: dict[str, tuple[Body, ...]] = {}

    def closure(self, root: Body) -> list[Body]:
        """Return the root and every class and enum that it uses, each once, breadth first in document order."""
        found: dict[str, Body] = {root.home.place: root}
        waiting = deque([root])
        while waiting:
            for body in self.mentioned(waiting.popleft()):
                if body.home.place not in found:
                    found[body.home.place] = body
                    waiting.append(body)
        return list(found.values())

    def mentioned(self, body: Body) -> tuple[Body, ...]:
        """Return the classes and enums that a type's members mention, in order."""
        place = body.home.place
        if place not in self._mentioned:
            self._mentioned[place] = self.mentioned_by(body)
        return self._mentioned[place]

    def mentioned_by(self, body: Body) -> tuple[Body, ...]:
        """Return the classes and enums that the members of a body mention, without a cache."""
        exprs = list(body.members.values()) or [body.item]
        bodies = [self.type_of(expr) for expr in exprs]
        return tuple({found.home.place: found for found in bodies if found}.values())

    def type_of(self, expr: Expr | None) -> Body | None:
        """Return the class or enum inside of a schema's arrays and maps, or None."""
        seen: set[str] = set()
        while expr is not None:
            body = self._schemas.of(expr).body
            if body.is_class or body.is_enum:
                return body
            if body.home.place in seen:
                return None  # arrays and maps that contain only themselves
            seen.add(body.home.place)
            expr = body.item if body.kind in {"array", "map"} else None
        return None


class PlainClosure:
    """The types that a set of schemas uses in the plain style: a union's base class also uses its variants."""

    def __init__(self, document: Document, roots: Sequence[Body]) -> None:
        self._every_union = document.once(TypeClosure)
        candidates = document.once(Hierarchies)
        self.hierarchies = ChosenHierarchies(by_base=candidates.by_base, by_variant={})
        self.types = self._reached(roots)
        self.hierarchies = candidates.chosen({body.home.place for body in self.types})
        while True:  # a variant may have been the only user of another union
            self.types = self._reached(roots)
            bases = {body.home.place for body in self.types} & self.hierarchies.by_base.keys()
            if len(bases) == len(self.hierarchies.by_base):
                break
            self.hierarchies = candidates.chosen(bases)

    def mentioned(self, body: Body) -> tuple[Body, ...]:
        """Return the classes and enums that a type mentions."""
        place = body.home.place
        base, above = self.hierarchies.by_base.get(place), self.hierarchies.by_variant.get(place)
        if base is not None:
            bodies = (*self._every_union.mentioned_by(base.base), *base.variants.values())
        elif above is not None:
            bodies = self._every_union.mentioned_by(above.without_discriminator(body))
        else:
            bodies = self._every_union.mentioned(body)
        return tuple({other.home.place: other for other in bodies}.values())

    def _reached(self, roots: Sequence[Body]) -> list[Body]:
        found = {root.home.place: root for root in roots}
        waiting = deque(found.values())
        while waiting:
            for body in self.mentioned(waiting.popleft()):
                if body.home.place not in found:
                    found[body.home.place] = body
                    waiting.append(body)
        return list(found.values())
