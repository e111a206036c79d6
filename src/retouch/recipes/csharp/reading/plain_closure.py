"""The types that some types use in the plain style."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.csharp.reading.closure import TypeClosure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.reading.hierarchies import ChosenHierarchies
    from retouch.recipes.csharp.shapes.shape import Body


def plain_closure(document: Document, roots: Sequence[Body]) -> tuple[list[Body], ChosenHierarchies | None]:
    """Return the types that some types use in the plain style, and the unions among them that are base classes."""
    types = document.once(TypeClosure).closure(*roots)
    for body in types:
        if isinstance(body.home.value, dict) and "discriminator" in body.home.value:
            from retouch.recipes.csharp.reading.hierarchies import PlainClosure

            found = PlainClosure(document, roots)
            return found.types, found.hierarchies
    return types, None
