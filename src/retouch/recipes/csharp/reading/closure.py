"""The types that a schema uses, directly and indirectly, in a stable order."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from retouch.recipes.csharp.shapes.schemas import Schemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.shapes.shape import Body, Expr


class TypeClosure:
    """The types that each type of a document mentions, computed once per type."""

    def __init__(self, document: Document) -> None:
        self._schemas = document.once(Schemas)
        self._mentioned: dict[str, tuple[Body, ...]] = {}

    def closure(self, *roots: Body, mentioned: Callable[[Body], Iterable[Body]] | None = None) -> list[Body]:
        """Return the roots and every class and enum that they use, each once, breadth first in document order.

        `mentioned` returns those that one type mentions, by default its members' types.
        """
        found: dict[str, Body] = {}
        for root in roots:
            found[root.home.place] = root
        waiting = deque(found.values())
        while waiting:
            for body in (mentioned or self.mentioned)(waiting.popleft()):
                if body.home.place not in found:
                    found[body.home.place] = body
                    waiting.append(body)
        return list(found.values())

    def mentioned(self, body: Body, *, is_changed: bool = False) -> tuple[Body, ...]:
        """Return the classes and enums that a type's members mention, in order.

        The result is cached by the place of the body's schema. Pass `is_changed` for a body with other members.
        """
        place = body.home.place
        if is_changed or place not in self._mentioned:
            exprs = list(body.members.values()) or [body.item]
            found = tuple({one.home.place: one for expr in exprs if (one := self.type_of(expr))}.values())
            if is_changed:
                return found
            self._mentioned[place] = found
        return self._mentioned[place]

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
