"""The parts of an endpoint that become types: bodies, parameters and headers, each as one schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import quote

from retouch.errors import UnknownName
from retouch.recipes.csharp.document.bodies import (
    parameters_of,
    request_content,
    response_content,
    schema_of_parameter,
)
from retouch.recipes.csharp.document.nodes import DocumentNode
from retouch.recipes.csharp.naming.identifiers import pascal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.document.bodies import Content
    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.document.operations import Operation

Included: TypeAlias = Literal["request", "responses", "parameters", "headers"]
_IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})  # OpenAPI describes them elsewhere
_OF_PARAMETER = ("description", "deprecated", "example")


@dataclass(frozen=True, kw_only=True)
class EndpointPart:
    """One part of an endpoint: its schema, and the name of a class for it if the document gives none.

    - `part`: "" for the body that is read without `--include`; `request`, `response`, `path`, `query`, `cookie`,
      `header`, or `response header`.
    - `names`: the names of further schemas by place, for the types of parameters and headers.
    """

    endpoint: str
    name: str
    schema: DocumentNode
    status: str
    media_type: str
    part: str = ""
    names: tuple[tuple[str, str], ...] = ()


def included_parts(
    document: Document, operation: Operation, own: str, include: Iterable[Included]
) -> Iterator[EndpointPart]:
    """Yield the parts of an operation that `include` adds. `own` is the beginning of their names.

    Raises:
        UnresolvedRef: a body, a parameter or a header is a reference that cannot be resolved.
    """
    wanted = frozenset[str](include)
    if "request" in wanted:
        yield from _part(operation, f"{own} Request", request_content(document, operation), "request")
    if "responses" in wanted:
        yield from _responses(document, operation, own)
    if wanted & {"parameters", "headers"}:
        yield from _parameters(document, operation, own, wanted)
    if "headers" in wanted:
        yield from _response_headers(document, operation, own)


def main_content(document: Document, operation: Operation) -> Content | None:
    """Return the response that is read without `--include`, or None if the operation has no JSON response."""
    try:
        content = response_content(document, operation)
    except UnknownName:
        return None
    return content if content.schema is not None else None


def _part(operation: Operation, name: str, content: Content, part: str) -> Iterator[EndpointPart]:
    if content.schema is not None:
        yield EndpointPart(
            endpoint=operation.name,
            name=pascal(name),
            schema=content.schema,
            status=content.status,
            media_type=content.media_type,
            part=part,
        )


def _responses(document: Document, operation: Operation, own: str) -> Iterator[EndpointPart]:
    """Yield the responses of every status except the one that is read anyway."""
    main = main_content(document, operation)
    for status, _ in document.under(operation.node, "responses").entries():
        if status.startswith("x-") or (main is not None and status == main.status):
            continue
        content = response_content(document, operation, status=status)
        yield from _part(operation, f"{own} Response {status}", content, "response")


def _parameters(document: Document, operation: Operation, own: str, wanted: frozenset[str]) -> Iterator[EndpointPart]:
    """Yield one object for the parameters of each place, because two places may have parameters of one name."""
    places = {"path": "parameters", "query": "parameters", "cookie": "parameters", "header": "headers"}
    listed = parameters_of(document, operation)
    for place, option in places.items():
        found = [(one.child("name").value, one) for one in listed if one.child("in").value == place]
        named = [(name, one) for name, one in found if isinstance(name, str)]
        if place == "header":
            named = [(name, one) for name, one in named if name.lower() not in _IGNORED_HEADERS]
        if named and option in wanted:
            word = "Request Headers" if place == "header" else f"{place} Parameters"
            yield _object(document, operation, pascal(f"{own} {word}"), named, place)


def _response_headers(document: Document, operation: Operation, own: str) -> Iterator[EndpointPart]:
    main = main_content(document, operation)
    for status, response in document.under(operation.node, "responses").entries():
        listed = document.under(response, "headers").entries()
        named = [(name, document.follow(one)) for name, one in listed if name.lower() not in _IGNORED_HEADERS]
        if named:
            middle = "" if main is not None and status == main.status else f" {status}"
            name = pascal(f"{own} Response{middle} Headers")
            yield _object(document, operation, name, named, "response header", status)


def _object(
    document: Document,
    operation: Operation,
    name: str,
    members: Iterable[tuple[str, DocumentNode]],
    part: str,
    status: str = "",
) -> EndpointPart:
    """Return an object with a property for each member. It is not in the document, so its pointer is of its own.

    A property refers to the schema of its member, so that a parameter that operations share is one type.
    """
    properties: dict[str, JSON] = {}
    required: list[JSON] = []
    names: dict[str, str] = {}
    for key, node in members:
        schema = schema_of_parameter(document, node)
        if schema is None:
            continue
        own = node.value if isinstance(node.value, dict) else {}
        if document.is_swagger_2:
            properties[key] = schema.value
        else:
            extra = {name: own[name] for name in _OF_PARAMETER if name in own}
            properties[key] = {"$ref": f"{schema.file}#{quote(schema.pointer)}", **extra}
            if schema.pointer.startswith("/paths/"):  # a shared one has a name of its own
                names[schema.place] = pascal(f"{name} {pascal(key)}")
        required += [key] if own.get("required") is True else []
    pointer = f"{operation.node.pointer}/parameters ({' '.join(filter(None, (part, status)))})"
    value: dict[str, JSON] = {"type": "object", "properties": properties, "required": required}
    return EndpointPart(
        endpoint=operation.name,
        name=name,
        schema=DocumentNode(file="", pointer=pointer, value=value),
        status=status,
        media_type="",
        part=part,
        names=tuple(names.items()),
    )
