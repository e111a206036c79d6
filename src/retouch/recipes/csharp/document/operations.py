"""The operations of a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.csharp.document.document import Document, UnresolvedRef

if TYPE_CHECKING:
    from retouch.recipes.csharp.document.nodes import DocumentNode

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One method of one path. `node` is the operation object."""

    method: str
    path: str
    node: DocumentNode

    @property
    def name(self) -> str:
        """The operation as a user writes it, such as `GET /pets/{id}`."""
        return f"{self.method} {self.path}"


def operations_of(document: Document) -> dict[tuple[str, str], Operation]:
    """Return the document's operations by method (upper case) and path, in document order.

    A skipped path is a warning of the document. `document.once(operations_of)` computes them once.
    """
    found: dict[tuple[str, str], Operation] = {}
    for path, item in document.root.child("paths").entries():
        if path.startswith("x-"):
            continue
        try:
            methods = document.follow(item)
        except UnresolvedRef as problem:
            document.warnings.append(f"{path!r} is skipped: {problem.message}")
            continue
        for key, node in methods.entries():
            if key.lower() in _METHODS and isinstance(node.value, dict):
                method = key.upper()
                found[method, path] = Operation(method=method, path=path, node=node)
    return found
