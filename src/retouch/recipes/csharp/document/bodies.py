"""The request and response bodies of operations: status, media type and schema."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.errors import UnknownName
from retouch.recipes.csharp.document.document import UnresolvedRef
from retouch.recipes.csharp.document.nodes import DocumentNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.document.operations import Operation

_JSON = re.compile(r"(?:application|text)/json|[\w.-]+/[\w.-]+\+json")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_NOT_OF_SCHEMA = frozenset({"name", "in", "required", "collectionFormat", "allowEmptyValue"})
_ANYTHING = frozenset({"*/*", "application/*"})
_NOT_JSON = (4, 0)


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
        node = responses[code]
        if document.is_swagger_2:
            content = _swagger(document, operation, code, document.follow(node), media_type, "produces")
        else:
            content = _media(document, node, code, media_type)
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

    In Swagger 2.0 a body may be a form: then it is an object with the fields of the form (`formData`).

    Raises:
        UnresolvedRef: the body is a reference that cannot be resolved.
    """
    if not document.is_swagger_2:
        return _media(document, document.under(operation.node, "requestBody"), "", media_type)
    parameters = parameters_of(document, operation)
    body = next((one for one in parameters if one.child("in").value == "body"), None)
    if body is not None:
        return _swagger(document, operation, "", body, media_type, "consumes")
    fields = [one for one in parameters if one.child("in").value == "formData"]
    if not fields:
        return Content(status="", media_type="", schema=None)
    listed = [name for name in _listed_types(document, operation, "consumes") if _kind(name) in _FORMS]
    types = listed or [_FORMS[1] if any(one.child("type").value == "file" for one in fields) else _FORMS[0]]
    usable = [name for name in types if not media_type or _kind(name) == _kind(media_type)]
    schema = _form_schema(operation, fields) if usable else None
    return Content(status="", media_type=usable[0] if usable else "", schema=schema, others=tuple(types))


def parameters_of(document: Document, operation: Operation) -> list[DocumentNode]:
    """Return the parameters of an operation, and those of its path that it does not replace."""
    path = operation.node.pointer.rpartition("/")[0]
    own = document.under(operation.node, "parameters")
    shared = document.under(document.target(operation.node, f"#{path}"), "parameters")
    found: dict[tuple[str, str], DocumentNode] = {}
    for node in map(document.follow, [*own.elements(), *shared.elements()]):
        found.setdefault((str(node.child("in").value), str(node.child("name").value)), node)
    return list(found.values())


def schema_of_parameter(document: Document, parameter: DocumentNode) -> DocumentNode | None:
    """Return the schema of a parameter or a header, None if it has none.

    In Swagger 2.0 its keywords are those of the parameter itself.
    """
    if document.is_swagger_2:
        value = parameter.value
        own = _without_place(value) if isinstance(value, dict) else None
        return None if own is None else DocumentNode(file=parameter.file, pointer=parameter.pointer, value=own)
    schema = parameter.child("schema")
    if schema.value is None:
        schema = next((one.child("schema") for one in parameter.child("content").members()), schema)
    return schema if schema.value is not None else None


def _without_place(parameter: dict[str, JSON]) -> dict[str, JSON]:
    """Return the keywords of the schema of a parameter in Swagger 2.0."""
    return {key: value for key, value in parameter.items() if key not in _NOT_OF_SCHEMA}


def _form_schema(operation: Operation, fields: Iterable[DocumentNode]) -> DocumentNode:
    """Return an object schema with the fields of a form. It is not in the document, so its pointer is of its own."""
    properties: dict[str, JSON] = {}
    required: list[JSON] = []
    for field in fields:
        name, content = field.child("name").value, field.value
        if not isinstance(name, str) or not isinstance(content, dict):
            continue
        schema = _without_place(content)
        properties[name] = {**schema, "type": "string", "format": "binary"} if schema.get("type") == "file" else schema
        required += [name] if content.get("required") is True else []
    value: dict[str, JSON] = {"type": "object", "properties": properties, "required": required}
    return DocumentNode(file=operation.node.file, pointer=f"{operation.node.pointer}/parameters (form)", value=value)


def _media(document: Document, body: DocumentNode, status: str, wanted: str | None) -> Content:
    """Return the body with the schema of the wanted media type, else of the plainest JSON type."""
    types = dict(document.under(body, "content").entries())
    if wanted:
        usable = [name for name in types if _kind(name) == _kind(wanted)]
    else:
        usable = sorted((name for name in types if _plainness(name) < _NOT_JSON), key=_plainness)
    chosen = usable[0] if usable else None
    schema = document.follow(types[chosen]).child("schema") if chosen is not None else None
    if schema is not None and schema.value is None:
        schema = None
    return Content(status=status, media_type=chosen or "", schema=schema, others=tuple(types))


def _kind(media_type: str) -> str:
    return media_type.split(";", maxsplit=1)[0].strip().lower()


def _plainness(media_type: str) -> tuple[int, int]:
    """Return the rank of a media type, lowest first: JSON, its subtypes, problems, anything; then `_NOT_JSON`."""
    kind = _kind(media_type)
    if _JSON.fullmatch(kind):
        return (0 if kind == "application/json" else 1 if kind != "application/problem+json" else 2), len(media_type)
    return (3, len(media_type)) if kind in _ANYTHING else _NOT_JSON


def _swagger(
    document: Document, operation: Operation, status: str, node: DocumentNode, wanted: str | None, keyword: str
) -> Content:
    types = _listed_types(document, operation, keyword) or ["application/json"]
    usable = [name for name in types if (_kind(name) == _kind(wanted) if wanted else _plainness(name) < _NOT_JSON)]
    schema = node.child("schema")
    if not usable or schema.value is None:
        return Content(status=status, media_type="", schema=None, others=tuple(types))
    return Content(status=status, media_type=usable[0], schema=schema, others=tuple(types))


def _listed_types(document: Document, operation: Operation, keyword: str) -> list[str]:
    """Return the media types that the operation, or else the document, `consumes` or `produces`."""
    listed = document.under(operation.node, keyword).value
    listed = listed if isinstance(listed, list) else document.root.child(keyword).value
    return [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []


def payloads_beside(document: Document, schema: DocumentNode) -> Iterator[DocumentNode]:
    """Yield the examples next to a schema: those of its media type, or of its response in Swagger 2.0."""
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
