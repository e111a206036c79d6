"""Small documents for the tests of reading, and short ways to look at what was read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from retouch.recipes.csharp.document.document import Document, load_document
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.csharp.ir import CsField, CsType, Endpoint


def spec(
    response: Any, schemas: dict[str, Any] | None = None, *, path: str = "/things/{id}", version: str = "3.0.3"
) -> Any:
    """An OpenAPI document with one operation that returns `response`."""
    content = {"application/json": {"schema": response}}
    responses = {"200": {"description": "ok", "content": content}}
    return {
        "openapi": version,
        "info": {"title": "t", "version": "1"},
        "paths": {path: {"get": {"responses": responses}}},
        "components": {"schemas": schemas or {}},
    }


def swagger(response: Any, definitions: dict[str, Any] | None = None) -> Any:
    """A Swagger 2.0 document with one operation that returns `response`."""
    responses = {"200": {"description": "ok", "schema": response}}
    return {"swagger": "2.0", "paths": {"/things": {"get": {"responses": responses}}}, "definitions": definitions or {}}


def saved(folder: Path, value: Any, name: str = "api.json") -> Document:
    """The document of a value or a text, written to a file and loaded."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return load_document(path)


def read(folder: Path, value: Any, options: ReadingOptions | None = None) -> Endpoint:
    """The only operation of a document as an endpoint."""
    document = saved(folder, value)
    path, item = next(iter(value["paths"].items()))
    return read_endpoint(document, f"{next(iter(item)).upper()} {path}", options or ReadingOptions(style="connector"))


def read_properties(
    folder: Path, properties: Any, schemas: dict[str, Any] | None = None, **root: Any
) -> dict[str, CsField]:
    """The fields, by JSON name, of a root object with these properties."""
    thing = {"type": "object", "properties": properties, **root}
    return fields_of(
        read(folder, spec({"$ref": "#/components/schemas/Thing"}, {"Thing": thing, **(schemas or {})})).root
    )


def read_property(folder: Path, schema: Any, schemas: dict[str, Any] | None = None) -> CsField:
    """The field of a required property with this schema."""
    return read_properties(folder, {"it": schema}, schemas, required=["it"])["it"]


def record(*required: str, **properties: Any) -> Any:
    """The schema of an object: its properties, and before them the names of those that are required."""
    return {"type": "object", "required": list(required), "properties": properties}


def fields_of(cs_type: CsType) -> dict[str, CsField]:
    """The fields of a type by JSON name."""
    return {field.json_name: field for field in cs_type.fields}


def types_of(endpoint: Endpoint) -> dict[str, CsType]:
    """The types of an endpoint by C# name."""
    return {cs_type.name: cs_type for cs_type in endpoint.types}
