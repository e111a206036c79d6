"""Operations: which are listed, how one is found, which body is selected, and the directory's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.errors import BadInput, UnknownName
from retouch.recipes.csharp.document.labels import endpoint_labels, plain_label
from retouch.recipes.csharp.reading.catalogue import find_endpoint, list_endpoints
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint
from tests.recipes.csharp.read_documents import saved, spec, swagger

if TYPE_CHECKING:
    from pathlib import Path

PET: Any = {"type": "object", "properties": {"name": {"type": "string"}}}
TOY: Any = {"type": "object", "properties": {"size": {"type": "integer"}, "pet": {"$ref": "#/components/schemas/Pet"}}}


def bodies(**by_status: Any) -> Any:
    """A document whose operation has responses `s200={media type: schema}`."""
    value = spec(PET, {"Pet": PET, "Toy": TOY}, path="/pets")
    responses = {
        status.removeprefix("s"): {"content": {media: {"schema": schema} for media, schema in content.items()}}
        for status, content in by_status.items()
    }
    value["paths"]["/pets"]["get"]["responses"] = responses
    return value


JSON_PET = {"application/json": {"$ref": "#/components/schemas/Pet"}}
JSON_TOY = {"application/json": {"$ref": "#/components/schemas/Toy"}}


@pytest.mark.parametrize(
    ("responses", "status", "media_type", "json", "root", "types"),
    [
        ({"s200": JSON_PET}, "200", "application/json", True, "PetDataObject", 1),
        ({"s404": JSON_TOY, "s201": JSON_PET, "s200": JSON_TOY}, "200", "application/json", True, "ToyDataObject", 2),
        ({"s2XX": JSON_PET}, "2XX", "application/json", True, "PetDataObject", 1),
        ({"s204": {}, "s202": JSON_PET}, "202", "application/json", True, "PetDataObject", 1),
        ({"s200": {"text/csv": {}}, "s202": JSON_PET}, "202", "application/json", False, "PetDataObject", 1),
        ({"s200": {"text/csv": PET}}, "200", "", False, "", 0),
        ({"s404": JSON_PET}, "", "", False, "", 0),
        ({"sdefault": JSON_PET}, "default", "application/json", False, "PetDataObject", 1),
        ({"s200": {"a/hal+json": PET, "text/csv": PET}}, "200", "a/hal+json", True, "PetsDataObject", 1),
        ({"s200": {"application/vnd.x+json": PET, "application/json; charset=utf-8": PET}}, "200",
         "application/json; charset=utf-8", True, "PetsDataObject", 1),
        ({"s200": {"*/*": PET}}, "200", "*/*", True, "PetsDataObject", 1),
    ],
)  # fmt: skip
def test_the_lowest_status_of_success_with_json_is_listed(
    tmp_path: Path, responses: Any, status: str, media_type: str, json: bool, root: str, types: int
) -> None:
    [info] = list_endpoints(saved(tmp_path, bodies(**responses)), style="connector")
    assert ("GET", "/pets") == (info.method, info.path)
    assert (status, media_type, json, root, types) == (info.status, info.media_type, info.json, info.root, info.types)


def test_a_body_without_schema_is_no_json_body(tmp_path: Path) -> None:
    value = bodies(s200={})
    value["paths"]["/pets"]["get"]["responses"]["200"]["content"] = {"application/json": {"example": {}}}
    assert [False] == [info.json for info in list_endpoints(saved(tmp_path, value), style="connector")]


def test_a_response_that_leads_nowhere_is_listed_without_json(tmp_path: Path) -> None:
    value = bodies(s200=JSON_PET)
    value["paths"]["/pets"]["get"]["responses"]["200"] = {"$ref": "#/nowhere"}
    assert [("200", False)] == [
        (info.status, info.json) for info in list_endpoints(saved(tmp_path, value), style="connector")
    ]


def test_every_method_is_listed_and_nothing_else(tmp_path: Path) -> None:
    value = bodies(s200=JSON_PET)
    item = value["paths"]["/pets"]
    item |= {"post": item["get"], "summary": "x", "parameters": [], "x-get": item["get"]}
    value["paths"]["x-internal"] = {"get": item["get"]}
    assert ["GET", "POST"] == [info.method for info in list_endpoints(saved(tmp_path, value), style="connector")]


@pytest.mark.parametrize(
    ("produces", "json"),
    [(None, True), (["application/json"], True), (["text/xml", "application/x+json"], True), (["text/xml"], False)],
)
def test_swagger_2_says_its_media_types_with_produces(tmp_path: Path, produces: Any, json: bool) -> None:
    value = swagger(PET)
    if produces:
        value["produces"] = produces
    assert [json] == [info.json for info in list_endpoints(saved(tmp_path, value), style="connector")]


def test_another_status_and_media_type_can_be_chosen(tmp_path: Path) -> None:
    document = saved(tmp_path, bodies(s200=JSON_PET, s404=JSON_TOY, s206={"text/json": TOY}))
    assert (
        "ToyDataObject"
        == read_endpoint(document, "GET /pets", ReadingOptions(style="connector", status="404")).root.name
    )
    other = read_endpoint(document, "GET /pets", ReadingOptions(style="connector", media_type="text/json"))
    assert ("206", "text/json") == (other.status, other.media_type)


@pytest.mark.parametrize(
    ("options", "seen", "hint"),
    [
        (ReadingOptions(style="connector", status="500"), "has no response '500'", "It has 200, 404"),
        (ReadingOptions(style="connector", media_type="text/xml"), "has no text/xml body", "text/csv"),
        (
            ReadingOptions(style="connector", request=True),
            "the request of GET /pets has no JSON body",
            "Choose another status",
        ),
    ],
)
def test_a_body_that_is_not_there_is_a_clear_error(
    tmp_path: Path, options: ReadingOptions, seen: str, hint: str
) -> None:
    document = saved(tmp_path, bodies(s200={**JSON_PET, "text/csv": PET}, s404=JSON_TOY))
    with pytest.raises(BadInput) as caught:
        read_endpoint(document, "GET /pets", options)
    assert seen in caught.value.message
    assert hint in caught.value.hint


def test_request_bodies_are_read_on_demand(tmp_path: Path) -> None:
    value = bodies(s204={})
    value["paths"]["/pets"]["post"] = {
        "requestBody": {"content": {"application/json": {"schema": TOY}}},
        "responses": {},
    }
    endpoint = read_endpoint(saved(tmp_path, value), "POST /pets", ReadingOptions(style="connector", request=True))
    assert ("POST_pets_request", "", "PetsDataObject") == (endpoint.label, endpoint.status, endpoint.root.name)


def test_request_bodies_of_swagger_2_are_parameters(tmp_path: Path) -> None:
    value = swagger(PET)
    value["parameters"] = {"Body": {"in": "body", "schema": PET}}
    value["paths"]["/things"]["post"] = {
        "parameters": [{"in": "query"}, {"$ref": "#/parameters/Body"}],
        "responses": {},
    }
    endpoint = read_endpoint(saved(tmp_path, value), "POST /things", ReadingOptions(style="connector", request=True))
    assert ["name"] == [field.json_name for field in endpoint.root.fields]


def test_what_a_request_may_not_send_is_not_required_of_it(tmp_path: Path) -> None:
    value = bodies(s204={})
    schema = {
        "required": ["id", "secret"],
        "properties": {"id": {"type": "string", "readOnly": True}, "secret": {"type": "string", "writeOnly": True}},
    }
    value["paths"]["/pets"]["post"] = {
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {},
    }
    endpoint = read_endpoint(saved(tmp_path, value), "POST /pets", ReadingOptions(style="connector", request=True))
    assert [("id", False), ("secret", True)] == [(field.json_name, field.required) for field in endpoint.root.fields]


def many(folder: Path) -> Any:
    value = bodies(s200=JSON_PET)
    operation = value["paths"]["/pets"]["get"]
    for path in ("/pets/{petId}", "/pets/{petId}/toys", "/Owners", "/owners/{id}/toys"):
        value["paths"][path] = {"get": operation}
    value["paths"]["/pets/{petId}"]["delete"] = operation
    return saved(folder, value)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("GET /pets", "GET /pets"),
        ("get /pets", "GET /pets"),
        ("  GET   /pets/ ", "GET /pets"),
        ("GET pets", "GET /pets"),
        ("GET /pets/{id}", "GET /pets/{petId}"),
        ("GET /pets/{}/toys", "GET /pets/{petId}/toys"),
        ("GET /owners", "GET /Owners"),
        ("/pets", "GET /pets"),
    ],
)
def test_an_endpoint_is_found_by_what_a_user_would_write(tmp_path: Path, words: str, name: str) -> None:
    assert name == find_endpoint(many(tmp_path), words).name


@pytest.mark.parametrize(
    ("words", "seen", "hint"),
    [
        ("GET /pet", "no operation 'GET /pet' among 6 of api.json", "GET /pets"),
        ("POST /pets", "no operation 'POST /pets'", "GET /pets"),
        ("/pets/{petId}", "matches 2 operations", "DELETE /pets/{petId}"),
        ("", "no operation ''", "GET /pets"),
    ],
)
def test_an_unknown_endpoint_is_answered_with_the_nearest_names(
    tmp_path: Path, words: str, seen: str, hint: str
) -> None:
    with pytest.raises(UnknownName) as caught:
        find_endpoint(many(tmp_path), words)
    assert seen in caught.value.message
    assert hint in caught.value.hint


def test_thousands_of_names_are_never_listed(tmp_path: Path) -> None:
    value = bodies(s200=JSON_PET)
    value["paths"] |= {f"/pets/{number}": value["paths"]["/pets"] for number in range(3000)}
    with pytest.raises(UnknownName) as caught:
        find_endpoint(saved(tmp_path, value), "GET /pets/x")
    assert 200 > len(caught.value.hint)


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("/rest/v1.1/projects", "GET_rest_v1.1_projects"),
        ("/repos/{owner}/{repo}", "GET_repos_owner_repo"),
        ("/", "GET"),
        ("/../../etc/passwd", "GET_etc_passwd"),
        ("/a\\b/c:d", "GET_a_b_c_d"),
        ("/x/.hidden/..", "GET_x_hidden"),
        ("/é", "GET"),
    ],
)
def test_labels_are_safe_as_directory_names(path: str, label: str) -> None:
    assert label == plain_label("GET", path)


@given(st.lists(st.text(alphabet="aA/_-.{}%é\\ ", max_size=8), min_size=1, max_size=8, unique=True))
@settings(max_examples=100, deadline=None)
def test_two_endpoints_of_a_document_never_share_a_label(
    tmp_path_factory: pytest.TempPathFactory, paths: list[str]
) -> None:
    methods: dict[str, Any] = {"get": {}, "post": {}}
    value = {"openapi": "3.0.3", "paths": {f"/{path}": methods for path in paths}}
    labels = endpoint_labels(saved(tmp_path_factory.mktemp("labels"), value))
    assert 2 * len({f"/{path}" for path in paths}) == len({label.lower() for label in labels.values()})
    assert all(label[0].isalnum() and not {"/", "\\", ".."} & {label, *label} for label in labels.values())


def test_very_long_paths_have_short_labels() -> None:
    labels = {plain_label("GET", "/x" * 300), plain_label("GET", "/x" * 301)}
    assert 2 == len(labels)
    assert all(120 >= len(label) for label in labels)
