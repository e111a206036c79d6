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

    def types_below(self, expr: Expr) -> list[Body]:
        """Return every class and enum that a schema uses, itself included."""
        first = self._type_of(expr)
        return self.closure(first) if first is not None else []

    def mentioned(self, body: Body) -> tuple[Body, ...]:
        """Return the classes and enums that a type's members mention, in order."""
        place = body.home.place
        if place not in self._mentioned:
            exprs = list(body.members.values()) or [body.item]
            bodies = [self._type_of(expr) for expr in exprs]
            self._mentioned[place] = tuple({found.home.place: found for found in bodies if found}.values())
        return self._mentioned[place]

    def _type_of(self, expr: Expr | None) -> Body | None:
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
