"""The types that a schema uses, directly and indirectly, in a stable order."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from retouch.recipes.csharp.shapes.schemas import Schemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.shapes.shape import Body, Expr


@dataclass(eq=False)
class TypeClosure:
    """The types that each type of a document mentions, computed once per type.

    `has_unions` is whether a union of different JSON types mentions the types of its alternatives, as in the plain
    style.
    """

    document: Document
    has_unions: bool = field(default=False, kw_only=True)
    _mentioned: dict[str, tuple[Body, ...]] = field(init=False, default_factory=dict[str, "tuple[Body, ...]"])

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
            found = tuple({one.home.place: one for expr in exprs for one in self.types_of(expr)}.values())
            if is_changed:
                return found
            self._mentioned[place] = found
        return self._mentioned[place]

    def types_of(self, expr: Expr | None) -> list[Body]:
        """Return the classes and enums inside of a schema's arrays, maps and unions, most often one or none."""
        found: list[Body] = []
        schemas = self.document.once(Schemas)
        waiting = [schemas.of(expr).body] if expr is not None else []
        seen: set[str] = set()  # arrays and maps may contain only themselves
        while waiting:
            body = waiting.pop(0)
            if body.is_class or body.is_enum:
                found.append(body)
            elif body.home.place not in seen:
                seen.add(body.home.place)
                if body.kind in {"array", "map"} and body.item is not None:
                    waiting.append(schemas.of(body.item).body)
                elif body.variants and self.has_unions:
                    waiting += [one.body for one in schemas.alternatives(body)]
        return found


plain_closure = partial(TypeClosure, has_unions=True)
