"""References: followed everywhere, harmless where they are data, and said plainly where they lead nowhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.errors import BadInput
from retouch.recipes.csharp.document import UnresolvedRef, escaped, load_document, tokens_of
from retouch.recipes.csharp.operations import list_endpoints
from retouch.recipes.csharp.reading import read_endpoint

from .read_documents import fields_of, read, read_properties, read_property, saved, spec, types_of

if TYPE_CHECKING:
    from pathlib import Path

PET = {"type": "object", "properties": {"name": {"type": "string"}}}


def test_path_items_responses_bodies_and_schemas_can_be_references(tmp_path: Path) -> None:
    value: Any = {
        "openapi": "3.0.3",
        "paths": {"/pets": {"$ref": "#/x-items/pets"}},
        "x-items": {"pets": {"get": {"responses": {"200": {"$ref": "#/components/responses/Pets"}}}}},
        "components": {
            "responses": {"Pets": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}},
            "schemas": {"Pet": PET},
        },
    }
    endpoint = read_endpoint(saved(tmp_path, value), "GET /pets")
    assert "PetDataObject" == endpoint.root.name
    assert "#/components/schemas/Pet" == endpoint.root.origin


def test_references_are_followed_where_the_standard_has_none(tmp_path: Path) -> None:
    value: Any = {
        "openapi": "3.0.3",
        "paths": {"/pets": {"get": {"$ref": "#/x/operation"}, "post": {"$ref": "#/x/nowhere"}}},
        "x": {
            "operation": {"responses": {"$ref": "#/x/responses"}},
            "responses": {"200": {"content": {"$ref": "#/x/content"}}},
            "content": {"application/json": {"$ref": "#/x/media"}},
            "media": {"schema": PET},
        },
    }
    document = saved(tmp_path, value)
    assert [("GET", True), ("POST", False)] == [(info.method, info.json) for info in list_endpoints(document)]
    assert ["name"] == list(fields_of(read_endpoint(document, "GET /pets").root))
    with pytest.raises(UnresolvedRef, match="has no 'nowhere'"):
        read_endpoint(document, "POST /pets")


@pytest.mark.parametrize(
    ("name", "ref"),
    [
        ("a/b", "#/components/schemas/a~1b"),
        ("a~b", "#/components/schemas/a~0b"),
        ("a b", "#/components/schemas/a%20b"),
        ("a%b", "#/components/schemas/a%25b"),
    ],
)
def test_escapes_in_pointers_are_undone(tmp_path: Path, name: str, ref: str) -> None:
    assert "AB" == read_property(tmp_path, {"$ref": ref}, {name: PET}).type


@given(st.lists(st.text(max_size=5), max_size=5))
@settings(max_examples=60, deadline=None)
def test_a_pointer_of_any_keys_comes_back_as_these_keys(keys: list[str]) -> None:
    assert keys == tokens_of("".join(map(escaped, keys)))


def test_a_reference_may_lead_into_the_middle_of_a_schema(tmp_path: Path) -> None:
    schemas = {"Owner": {"type": "object", "properties": {"pet": PET}}}
    field = read_property(tmp_path, {"$ref": "#/components/schemas/Owner/properties/pet"}, schemas)
    assert "OwnerPet" == field.type


def test_a_pointer_passes_through_a_reference_on_its_way(tmp_path: Path) -> None:
    schemas = {"Alias": {"$ref": "#/components/schemas/Owner"}, "Owner": {"type": "object", "properties": {"pet": PET}}}
    field = read_property(tmp_path, {"$ref": "#/components/schemas/Alias/properties/pet"}, schemas)
    assert "OwnerPet" == field.type


def test_a_property_called_ref_is_a_property(tmp_path: Path) -> None:
    field = read_properties(tmp_path, {"$ref": {"type": "string"}, "other": {"type": "integer"}})["$ref"]
    assert ("Ref", "string") == (field.name, field.type)


@pytest.mark.parametrize("keyword", ["example", "default", "enum", "const"])
def test_a_reference_inside_data_is_data(tmp_path: Path, keyword: str) -> None:
    data: Any = {"$ref": "#/nowhere"}
    field = read_property(tmp_path, {"type": "object", keyword: [data] if keyword == "enum" else data})
    assert "Dictionary<string, object>" == field.type
    assert not any("unresolved" in note for note in field.notes)


def test_a_reference_that_leads_nowhere_leaves_the_rest_readable(tmp_path: Path) -> None:
    fields = read_properties(tmp_path, {"lost": {"$ref": "#/components/schemas/Nobody"}, "kept": {"type": "string"}})
    assert ("JsonElement", "string") == (fields["lost"].type, fields["kept"].type)
    said = "the reference '#/components/schemas/Nobody' leads nowhere: '#/components/schemas' has no 'Nobody'"
    assert (f"unresolved: {said}",) == fields["lost"].notes


def test_a_circle_of_references_is_noted_on_the_field(tmp_path: Path) -> None:
    schemas = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}
    field = read_property(tmp_path, {"$ref": "#/components/schemas/A"}, schemas)
    assert "JsonElement" == field.type
    assert any("leads in a circle" in note for note in field.notes)


def test_a_pointer_that_passes_through_itself_is_noted_on_the_field(tmp_path: Path) -> None:
    schemas = {"A": {"$ref": "#/components/schemas/A/x"}}
    assert any(
        "leads in a circle" in note
        for note in read_property(tmp_path, {"$ref": "#/components/schemas/A"}, schemas).notes
    )


def test_a_circle_of_responses_is_a_clear_error(tmp_path: Path) -> None:
    value = spec({"type": "object"})
    value["paths"]["/things/{id}"]["get"]["responses"]["200"] = {"$ref": "#/components/responses/A"}
    value["components"]["responses"] = {"A": {"$ref": "#/components/responses/A"}}
    with pytest.raises(UnresolvedRef, match="leads in a circle"):
        read(tmp_path, value)


def test_an_unresolvable_response_is_a_clear_error(tmp_path: Path) -> None:
    value = spec({"type": "object"})
    value["paths"]["/things/{id}"]["get"]["responses"]["200"] = {"$ref": "#/components/responses/None"}
    with pytest.raises(UnresolvedRef, match="has no 'responses'"):
        read(tmp_path, value)


def test_an_unresolvable_path_item_leaves_the_other_paths(tmp_path: Path) -> None:
    value = spec(PET)
    value["paths"]["/lost"] = {"$ref": "paths/lost.yaml"}
    document = saved(tmp_path, value)
    assert "ThingDataObject" == read_endpoint(document, "GET /things/{id}").root.name
    assert any("'/lost' is left out" in warning for warning in document.warnings)


def multi_file(folder: Path) -> Path:
    """A document over four files: YAML and JSON, folders, a file that refers back, and a file that is a schema."""
    files: dict[str, Any] = {
        "api.json": {
            "openapi": "3.0.3",
            "paths": {"/pets/{id}": {"$ref": "paths/pets.yaml"}},
            "components": {"schemas": {"Shared": {"type": "object", "properties": {"x": {"type": "integer"}}}}},
        },
        "paths/pets.yaml": {
            "get": {
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "../models/pet%20model.json"}}}}
                }
            }
        },
        "models/pet model.json": {
            "type": "object",
            "properties": {
                "owner": {"$ref": "all.yaml#/Owner"},
                "shared": {"$ref": "../api.json#/components/schemas/Shared"},
                "self": {"$ref": "#"},
            },
        },
        "models/all.yaml": {"Owner": {"type": "object", "properties": {"pet": {"$ref": "./pet%20model.json"}}}},
    }
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value))
    return folder / "api.json"


def test_a_document_may_lie_in_many_files(tmp_path: Path) -> None:
    endpoint = read_endpoint(load_document(multi_file(tmp_path)), "GET /pets/{id}")
    types = types_of(endpoint)
    assert ["PetModelDataObject", "Owner", "Shared"] == list(types)
    assert ["Owner", "Shared", "PetModelDataObject"] == [field.type for field in endpoint.root.fields]
    assert "PetModelDataObject" == fields_of(types["Owner"])["pet"].type


def test_a_schema_of_another_path_is_named_after_that_path(tmp_path: Path) -> None:
    value = spec({"type": "object", "properties": {"it": {"$ref": "#/paths/~1big-pets/get/x-schema"}}})
    value["paths"]["/big-pets"] = {"get": {"x-schema": {"type": "object", "properties": {"toy": PET}}}}
    endpoint = read_endpoint(saved(tmp_path, value), "GET /things/{id}")
    assert ["ThingDataObject", "BigPets", "BigPetsToy"] == list(types_of(endpoint))


def test_types_inside_a_file_are_named_after_the_file(tmp_path: Path) -> None:
    document = saved(tmp_path, spec({"$ref": "models/pet.json"}))
    saved(tmp_path, {"openapi": "3.0.3", "properties": {"toy": PET, "tags": {"items": PET}}}, "models/pet.json")
    assert ["PetDataObject", "PetToy", "PetTag"] == list(types_of(read_endpoint(document, "GET /things/{id}")))


def test_nothing_in_the_source_tells_where_the_files_lie(tmp_path: Path) -> None:
    endpoint = read_endpoint(load_document(multi_file(tmp_path)), "GET /pets/{id}")
    assert ["models/pet model.json#", "models/all.yaml#/Owner", "#/components/schemas/Shared"] == [
        cs_type.origin for cs_type in endpoint.types
    ]
    assert str(tmp_path) not in repr(endpoint)


@pytest.mark.parametrize(
    ("ref", "seen"),
    [
        ("missing.yaml#/A", "there is no file 'missing.yaml'"),
        ("https://example.com/a.yaml#/A", "leads to another machine"),
        ("/etc/hostname", "names an absolute path"),
        ("file:///etc/hostname", "leads to another machine"),
        ("folder", "'folder' is a directory"),
        ("broken.json", "line 1, column 2"),
        ("#nobody", "no $anchor 'nobody'"),
    ],
)
def test_files_that_cannot_be_read_are_noted_without_machine_paths(tmp_path: Path, ref: str, seen: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "broken.json").write_text("{x")
    field = read_property(tmp_path, {"$ref": ref})
    assert "JsonElement" == field.type
    assert seen in field.notes[0]
    assert str(tmp_path) not in field.notes[0]


def test_all_files_together_stay_under_the_limit(tmp_path: Path) -> None:
    path = multi_file(tmp_path)
    (tmp_path / "models" / "all.yaml").write_text("Owner: {}\n" + "#" * 5000)
    endpoint = read_endpoint(load_document(path, max_bytes=4000), "GET /pets/{id}")
    assert any("larger than the limit" in note for note in fields_of(endpoint.root)["owner"].notes)


def test_anchors_name_schemas(tmp_path: Path) -> None:
    schemas = {"Deep": {"type": "object", "properties": {"pet": {"$anchor": "pet", **PET}}}}
    assert "DeepPet" == read_property(tmp_path, {"$ref": "#pet"}, schemas).type


def test_a_recursive_reference_means_the_anchor_around_it(tmp_path: Path) -> None:
    tree = {
        "type": "object",
        "$recursiveAnchor": True,
        "properties": {"children": {"type": "array", "items": {"$recursiveRef": "#"}}},
    }
    endpoint = read(tmp_path, spec({"$ref": "#/components/schemas/Tree"}, {"Tree": tree}))
    assert "TreeDataObject[]" == fields_of(endpoint.root)["children"].type


def test_what_stands_beside_a_reference_counts(tmp_path: Path) -> None:
    field = read_property(
        tmp_path, {"$ref": "#/components/schemas/Pet", "description": "The pet.", "nullable": True}, {"Pet": PET}
    )
    assert ("Pet", "The pet.", True) == (field.type, field.description, field.nullable)


def test_a_remote_reference_is_fetched_when_that_is_allowed(tmp_path: Path) -> None:
    import http.server
    import threading

    class Pets(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"Pet": PET}).encode())

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pets) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}/pets.json"
        path = tmp_path / "api.json"
        path.write_text(json.dumps(spec({"$ref": f"{address}#/Pet"})))
        endpoint = read_endpoint(load_document(path, allow_remote=True), "GET /things/{id}")
        server.shutdown()
    assert ("PetDataObject", ["name"]) == (endpoint.root.name, list(fields_of(endpoint.root)))


def test_remote_references_are_refused_with_the_way_to_allow_them(tmp_path: Path) -> None:
    value = spec({"type": "object"})
    value["paths"]["/things/{id}"]["get"]["responses"]["200"] = {"$ref": "http://example.com/r.yaml"}
    with pytest.raises(BadInput, match="another machine") as caught:
        read(tmp_path, value)
    assert "Allow remote references" in caught.value.hint
