"""Swagger 2.0 forms: the fields of `formData` are read as one object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint
from tests.recipes.csharp.read_documents import fields_of, saved

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.csharp.ir import Endpoint

PHOTO = {"name": "photo", "in": "formData", "type": "file", "required": True, "description": "The photo."}
STATE = {"name": "state", "in": "formData", "type": "string", "enum": ["open", "shut"]}
TAGS = {"name": "tags", "in": "formData", "type": "array", "collectionFormat": "multi", "items": {"type": "integer"}}
TOKEN = {"name": "token", "in": "formData", "type": "string", "maxLength": 5, "required": True}


def form(folder: Path, parameters: list[Any], shared: list[Any] | None = None, **more: Any) -> Endpoint:
    """The request of an operation with these parameters."""
    options = ReadingOptions(style="connector", request=True, media_type=more.pop("media_type", None))
    operation = {"parameters": parameters, "responses": {"200": {"description": "ok"}}, **more}
    parcels = {"parameters": shared or [], "post": operation}
    shares = {"parameters": {"Token": TOKEN}}
    return read_endpoint(
        saved(folder, {"swagger": "2.0", "paths": {"/parcels": parcels}, **shares}), "POST /parcels", options
    )


def test_the_fields_of_a_form_are_an_object(tmp_path: Path) -> None:
    endpoint = form(tmp_path, [PHOTO, STATE, TAGS, {"name": "id", "in": "query", "type": "string"}])
    fields = fields_of(endpoint.root)
    assert ["photo", "state", "tags"] == [*fields]
    assert [True, False, False] == [one.required for one in fields.values()]
    assert ("string", "long[]") == (fields["photo"].type, fields["tags"].type)
    assert "The photo." == fields["photo"].description
    assert ["open", "shut"] == [one.value for type_ in endpoint.types for one in type_.values]


@pytest.mark.parametrize(
    ("parameters", "consumes", "found"),
    [
        ([STATE], [], "application/x-www-form-urlencoded"),
        ([PHOTO], [], "multipart/form-data"),
        ([STATE], ["application/json", "multipart/form-data"], "multipart/form-data"),
        ([PHOTO], ["application/json"], "multipart/form-data"),
    ],
)
def test_the_media_type_is_that_of_a_form(
    tmp_path: Path, parameters: list[Any], consumes: list[str], found: str
) -> None:
    assert found == form(tmp_path, parameters, consumes=consumes).media_type


def test_fields_of_the_path_and_references_count_unless_the_operation_replaces_them(tmp_path: Path) -> None:
    other = {**STATE, "type": "integer", "enum": [1]}
    endpoint = form(tmp_path, [STATE], [other, {"$ref": "#/parameters/Token"}])
    fields = fields_of(endpoint.root)
    assert ["state", "token"] == [*fields]
    assert fields["token"].required
    assert "MaxLength(5)" in fields["token"].attributes
    assert ["open", "shut"] == [one.value for type_ in endpoint.types for one in type_.values]


def test_a_body_of_the_path_is_a_body_of_the_operation(tmp_path: Path) -> None:
    body = {"name": "b", "in": "body", "schema": {"type": "object", "properties": {"id": {"type": "string"}}}}
    assert ["id"] == [*fields_of(form(tmp_path, [], [body]).root)]


@pytest.mark.parametrize("parameters", [[], [{"name": "id", "in": "query", "type": "string"}]])
def test_an_operation_without_a_form_has_no_body(tmp_path: Path, parameters: list[Any]) -> None:
    with pytest.raises(BadInput, match="has no JSON body"):
        form(tmp_path, parameters)


def test_a_form_is_not_read_as_a_media_type_that_it_is_not(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        form(tmp_path, [STATE], media_type="application/json")
    assert caught.value.hint is not None
    assert "application/x-www-form-urlencoded" in caught.value.hint
