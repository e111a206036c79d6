"""Lists the endpoints of a document, and finds one by the user's input."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.errors import UnknownName
from retouch.recipes.csharp.document.bodies import Content, response_content, successful_statuses
from retouch.recipes.csharp.document.document import UnresolvedRef
from retouch.recipes.csharp.document.operations import Operation, operations_of
from retouch.recipes.csharp.naming.places import root_class_name
from retouch.recipes.csharp.reading.closure import TypeClosure
from retouch.recipes.csharp.reading.root import root_of
from retouch.recipes.csharp.reading.style_closure import closure_of
from retouch.recipes.csharp.shapes.schemas import Schemas

if TYPE_CHECKING:
    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.document.nodes import DocumentNode
    from retouch.recipes.csharp.ir import Style

_PARAMETER = re.compile(r"\{[^}]*\}")


@dataclass(frozen=True, kw_only=True)
class EndpointInfo:
    """One operation and its response.

    `json` is True if the lowest 2xx response has a JSON body schema. `root` is the C# name of its root class and
    `types` the number of types that it needs; they are "" and 0 without a JSON body.
    """

    method: str
    path: str
    status: str
    media_type: str
    json: bool
    root: str
    types: int


def list_endpoints(document: Document, *, style: Style = "plain") -> list[EndpointInfo]:
    """Return every operation of the document, in document order. The names of root classes are those of `style`."""
    return [_info(document, operation, style) for operation in document.once(operations_of).values()]


def _info(document: Document, operation: Operation, style: Style) -> EndpointInfo:
    lowest = ""
    try:
        lowest = next(iter(successful_statuses(document, operation)), "")
        content = response_content(document, operation)
    except UnresolvedRef:
        content = Content(status=lowest, media_type="", schema=None)
    root, types = ("", 0) if content.schema is None else _root(document, operation, content.schema, style)
    return EndpointInfo(
        method=operation.method,
        path=operation.path,
        status=content.status,
        media_type=content.media_type,
        json=content.schema is not None and content.status == lowest and lowest != "default",
        root=root,
        types=types,
    )


def _root(document: Document, operation: Operation, schema: DocumentNode, style: Style) -> tuple[str, int]:
    """Return the name of the root class and the number of types, or "" and 0 if the root cannot be resolved."""
    try:
        found = root_of(document.once(Schemas), schema, path=operation.path, unwrap=None)
    except UnresolvedRef:
        return "", 0
    name = found.name if style == "plain" else root_class_name(found.name)
    if style == "plain":
        return name, len(closure_of(document, [found.body])[0])
    return name, len(document.once(TypeClosure).closure(found.body))


def find_endpoint(document: Document, name: str) -> Operation:
    """Return the operation that `GET /path` names. Parameter names, case and a trailing slash may differ.

    Raises:
        UnknownName: there is no such operation, or several match; the hint lists the closest names.
    """
    known = document.once(operations_of)
    parts = name.split(maxsplit=1)
    method = parts[0].upper() if len(parts) > 1 else ""
    path = parts[-1].strip() if parts else ""
    if (method, path) in known:
        return known[method, path]
    matching = [operation for operation in known.values() if _matches(operation, method, path)]
    if len(matching) == 1:
        return matching[0]
    names = [operation.name for operation in matching or known.values()]
    near = names[:6] if matching else difflib.get_close_matches(name, names, n=5, cutoff=0.3) or names[:5]
    problem = f"{name!r} matches {len(matching)} operations" if matching else f"no operation {name!r}"
    hint = f"Nearest: {', '.join(near)}." if near else "The document has no operations. Try --schema instead."
    raise UnknownName(f"{problem} among {len(known)} of {document.path.name}", hint=hint)


def _matches(operation: Operation, method: str, path: str) -> bool:
    return (not method or operation.method == method) and _folded(operation.path) == _folded(path)


def _folded(path: str) -> str:
    return "/" + _PARAMETER.sub("{}", path).strip("/").lower()
