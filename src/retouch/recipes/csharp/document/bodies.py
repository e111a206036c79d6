"""The request and response bodies of operations: status, media type and schema."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.errors import BadInput, UnknownName
from retouch.recipes.csharp.document.document import UnresolvedRef

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.document.nodes import DocumentNode
    from retouch.recipes.csharp.document.operations import Operation

_JSON = re.compile(r"(?:application|text)/json|[\w.-]+/[\w.-]+\+json")
_ANYTHING = frozenset({"*/*", "application/*"})


@dataclass(frozen=True, kw_only=True)
class Content:
    """A request or response body. `schema` is None if it has no schema in a usable media type.

    `status` is "" for a request body.
    """

    status: str
    media_type: str
    schema: DocumentNode | None
    others: tuple[str, ...] = ()


def response_content(
    document: Document, operation: Operation, *, status: str | None = None, media_type: str | None = None
) -> Content:
    """Return the response with the given status, else the one with the lowest 2xx status that has a JSON body.

    If no successful response has a JSON body, return the lowest one without a schema. `default` is used if there is no
    2xx.

    Raises:
        UnknownName: no such status.
        UnresolvedRef: the response is a reference that cannot be resolved.
    """
    responses = dict(document.under(operation.node, "responses").entries())
    codes = successful_statuses(document, operation)
    if status is not None:
        if status not in responses:
            raise UnknownName(f"{operation.name} has no response {status!r}", hint=f"It has {', '.join(responses)}.")
        codes = [status]
    lowest: Content | None = None
    for code in codes:
        content = _content(document, operation, code, responses[code], media_type)
        if content.schema is not None:
            return content
        lowest = lowest or content
    return lowest or Content(status="", media_type="", schema=None)


def successful_statuses(document: Document, operation: Operation) -> list[str]:
    """Return the 2xx statuses of the operation, lowest first, or `default` if it has none.

    Raises:
        UnresolvedRef: the operation is a reference that cannot be resolved.
    """
    codes = [code for code, _ in document.under(operation.node, "responses").entries()]
    return sorted((code for code in codes if code[:1] == "2"), key=str.upper) or [c for c in codes if c == "default"]


def request_content(document: Document, operation: Operation, *, media_type: str | None = None) -> Content:
    """Return the request body of the operation, as JSON unless a media type is given.

    Raises:
        UnresolvedRef: the body is a reference that cannot be resolved.
    """
    if not document.is_swagger_2:
        return _media(document, document.under(operation.node, "requestBody"), "", media_type)
    for parameter in document.under(operation.node, "parameters").elements():
        found = document.follow(parameter)
        if found.child("in").value == "body":
            return _swagger(document, operation, "", found, media_type, "consumes")
    return Content(status="", media_type="", schema=None)


def _content(
    document: Document, operation: Operation, status: str, node: DocumentNode, media_type: str | None
) -> Content:
    if document.is_swagger_2:
        return _swagger(document, operation, status, document.follow(node), media_type, "produces")
    return _media(document, node, status, media_type)


def _media(document: Document, body: DocumentNode, status: str, wanted: str | None) -> Content:
    """Return the body with the schema of the wanted media type, else of the plainest JSON type."""
    types = dict(document.under(body, "content").entries())
    chosen = next((name for name in types if _kind(name) == _kind(wanted)), None) if wanted else _plainest(types)
    schema = document.follow(types[chosen]).child("schema") if chosen is not None else None
    if schema is not None and schema.value is None:
        schema = None
    return Content(status=status, media_type=chosen or "", schema=schema, others=tuple(types))


def _kind(media_type: str) -> str:
    return media_type.split(";", maxsplit=1)[0].strip().lower()


def _plainest(types: dict[str, DocumentNode]) -> str | None:
    def rank(name: str) -> tuple[int, int]:
        kind = _kind(name)
        if _JSON.fullmatch(kind):
            return (0 if kind == "application/json" else 1 if kind != "application/problem+json" else 2), len(name)
        return 3, len(name)

    usable = [name for name in types if _is_json(name)]
    return min(usable, key=rank) if usable else None


def _is_json(media_type: str) -> bool:
    """Return whether a media type is JSON, or allows anything."""
    kind = _kind(media_type)
    return _JSON.fullmatch(kind) is not None or kind in _ANYTHING


def _swagger(
    document: Document, operation: Operation, status: str, node: DocumentNode, wanted: str | None, keyword: str
) -> Content:
    listed = document.under(operation.node, keyword).value
    listed = listed if isinstance(listed, list) else document.root.child(keyword).value
    types = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    types = types or ["application/json"]
    usable = [name for name in types if (_kind(name) == _kind(wanted) if wanted else _is_json(name))]
    schema = node.child("schema")
    if not usable or schema.value is None:
        return Content(status=status, media_type="", schema=None, others=tuple(types))
    return Content(status=status, media_type=usable[0], schema=schema, others=tuple(types))


def require_schema(content: Content, owner: str, *, media_type: str | None) -> DocumentNode:
    """Return the schema of a body. `owner` names the body in messages.

    Raises:
        BadInput: there is none; the hint lists the available media types.
    """
    if content.schema is None:
        seen = ", ".join(content.others)
        hint = f"It has {seen}. Choose one with --media-type." if seen else "Choose another status, or --request-body."
        raise BadInput(f"{owner} has no {media_type or 'JSON'} body", hint=hint)
    return content.schema


def payloads_beside(document: Document, schema: DocumentNode) -> Iterator[DocumentNode]:
    """Yield the examples beside a schema: those of its media type, or of its response in Swagger 2.0."""
    try:
        parent = document.target(schema, f"#{schema.pointer.rpartition('/')[0]}")
    except UnresolvedRef:
        return
    if not schema.pointer.endswith("/schema") or not isinstance(parent.value, dict):
        return
    if "example" in parent.value:
        yield parent.child("example")
    for one in parent.child("examples").members():
        try:
            found = document.follow(one)
        except UnresolvedRef:
            continue
        if not isinstance(found.value, dict) or "externalValue" not in found.value:
            yield found.child("value") if isinstance(found.value, dict) and "value" in found.value else found
