"""The types that some types use, and which unions among them are base classes in the plain style."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.csharp.reading.closure import TypeClosure, plain_closure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.reading.hierarchies import ChosenHierarchies
    from retouch.recipes.csharp.shapes.shape import Body


def closure_of(
    document: Document, roots: Sequence[Body], *, plain: bool = True
) -> tuple[list[Body], ChosenHierarchies | None]:
    """Return the types that some types use, and the unions among them that are base classes in the plain style."""
    types = document.once(plain_closure if plain else TypeClosure).closure(*roots)
    for body in types if plain else ():
        if isinstance(body.home.value, dict) and "discriminator" in body.home.value:
            from retouch.recipes.csharp.reading.hierarchies import PlainClosure

            found = PlainClosure(document, roots)
            return found.types, found.hierarchies
    return types, None
