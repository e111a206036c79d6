"""The types that a schema uses, directly and indirectly, in a stable order."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from retouch.recipes.csharp.shapes.schemas import Schemas

if TYPE_CHECKING:
    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.shapes.shape import Body, Expr


class TypeClosure:
    """The types that each type of a document mentions, computed once per type."""

    def __init__(self, document: Document) -> None:
        self._schemas = document.once(Schemas)
        self._mentioned: dict[str, tuple[Body, ...]] = {}

    def closure(self, *roots: Body) -> list[Body]:
        """Return the roots and every class and enum that they use, each once, breadth first in document order."""
        found: dict[str, Body] = {}
        for root in roots:
            found[root.home.place] = root
        waiting = deque(found.values())
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
        return tuple({found.home.place: found for expr in exprs if (found := self.type_of(expr))}.values())

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
