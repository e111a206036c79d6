"""Documents in many files: found, named, limited, and never fetched from elsewhere without permission."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from retouch.errors import BadInput
from retouch.recipes.csharp.document.document import load_document
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint
from tests.recipes.csharp.read_documents import fields_of, read, read_property, saved, spec, types_of

PET = {"type": "object", "properties": {"name": {"type": "string"}}}


def multi_file(folder: Path) -> Path:
    """A document over four files: YAML and JSON, directories, a file that refers back, and a file that is a schema."""
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
    endpoint = read_endpoint(load_document(multi_file(tmp_path)), "GET /pets/{id}", ReadingOptions(style="connector"))
    types = types_of(endpoint)
    assert ["PetModelDataObject", "Owner", "Shared"] == list(types)
    assert ["Owner", "Shared", "PetModelDataObject"] == [field.type for field in endpoint.root.fields]
    assert "PetModelDataObject" == fields_of(types["Owner"])["pet"].type


def test_a_schema_of_another_path_is_named_after_that_path(tmp_path: Path) -> None:
    value = spec({"type": "object", "properties": {"it": {"$ref": "#/paths/~1big-pets/get/x-schema"}}})
    value["paths"]["/big-pets"] = {"get": {"x-schema": {"type": "object", "properties": {"toy": PET}}}}
    endpoint = read_endpoint(saved(tmp_path, value), "GET /things/{id}", ReadingOptions(style="connector"))
    assert ["ThingDataObject", "BigPets", "BigPetsToy"] == list(types_of(endpoint))


@pytest.mark.parametrize(
    ("ref", "names"),
    [
        ("common.json#/schemas/Cat", ["CatDataObject", "CatToy"]),
        ("common.json#/Cow", ["CowDataObject", "CowToy"]),
        ("common.json#/definitions/Dog", ["DogDataObject", "DogToy"]),
        ("common.json#/components/schemas/Eel", ["EelDataObject", "EelToy"]),
        ("common.json#/get/responses/200/content/application~1json/schema", ["ThingDataObject", "ThingToy"]),
    ],
)
def test_types_of_other_files_are_named_by_the_last_name_on_the_way(tmp_path: Path, ref: str, names: list[str]) -> None:
    owner = {"type": "object", "properties": {"toy": PET}}
    media = {"application/json": {"schema": owner}}
    common = {
        "openapi": "3.0.3",
        "schemas": {"Cat": owner},
        "Cow": owner,
        "definitions": {"Dog": owner},
        "components": {"schemas": {"Eel": owner}},
        "get": {"responses": {"200": {"content": media}}},
    }
    saved(tmp_path, common, "common.json")
    assert names == list(
        types_of(
            read_endpoint(saved(tmp_path, spec({"$ref": ref})), "GET /things/{id}", ReadingOptions(style="connector"))
        )
    )


def test_types_inside_a_file_are_named_after_the_file(tmp_path: Path) -> None:
    document = saved(tmp_path, spec({"$ref": "models/pet.json"}))
    saved(tmp_path, {"openapi": "3.0.3", "properties": {"toy": PET, "tags": {"items": PET}}}, "models/pet.json")
    assert ["PetDataObject", "PetToy", "PetTag"] == list(
        types_of(read_endpoint(document, "GET /things/{id}", ReadingOptions(style="connector")))
    )


def test_nothing_in_the_source_tells_where_the_files_lie(tmp_path: Path) -> None:
    endpoint = read_endpoint(load_document(multi_file(tmp_path)), "GET /pets/{id}", ReadingOptions(style="connector"))
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
    endpoint = read_endpoint(load_document(path, max_bytes=4000), "GET /pets/{id}", ReadingOptions(style="connector"))
    assert any("larger than the limit" in note for note in fields_of(endpoint.root)["owner"].notes)


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
        endpoint = read_endpoint(
            load_document(path, allow_remote=True), "GET /things/{id}", ReadingOptions(style="connector")
        )
        server.shutdown()
    assert ("PetDataObject", ["name"]) == (endpoint.root.name, list(fields_of(endpoint.root)))


def test_remote_references_are_refused_with_the_way_to_allow_them(tmp_path: Path) -> None:
    value = spec({"type": "object"})
    value["paths"]["/things/{id}"]["get"]["responses"]["200"] = {"$ref": "http://example.com/r.yaml"}
    with pytest.raises(BadInput, match="another machine") as caught:
        read(tmp_path, value)
    assert "Allow remote references" in caught.value.hint


def test_an_address_is_to_be_downloaded_first() -> None:
    with pytest.raises(BadInput, match="Download the document"):
        load_document(Path("https://example.com/api.yaml"))
