"""References: followed everywhere, ignored in data, and reported if they cannot be resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.csharp.document.document import UnresolvedRef
from retouch.recipes.csharp.document.nodes import escaped, tokens_of
from retouch.recipes.csharp.reading.catalogue import list_endpoints
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint
from tests.recipes.csharp.read_documents import fields_of, read, read_properties, read_property, saved, spec

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
    endpoint = read_endpoint(saved(tmp_path, value), "GET /pets", ReadingOptions(style="connector"))
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
    assert ["name"] == list(fields_of(read_endpoint(document, "GET /pets", ReadingOptions(style="connector")).root))
    with pytest.raises(UnresolvedRef, match="has no 'nowhere'"):
        read_endpoint(document, "POST /pets", ReadingOptions(style="connector"))


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
    assert "ThingDataObject" == read_endpoint(document, "GET /things/{id}", ReadingOptions(style="connector")).root.name
    assert any("'/lost' is skipped" in warning for warning in document.warnings)


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


def test_keywords_next_to_a_reference_count(tmp_path: Path) -> None:
    field = read_property(
        tmp_path, {"$ref": "#/components/schemas/Pet", "description": "The pet.", "nullable": True}, {"Pet": PET}
    )
    assert ("Pet", "The pet.", True) == (field.type, field.description, field.nullable)


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ({"$ref": "#/components/schemas/Nobody"}, "leads nowhere"),
        ({"$ref": "#/components/schemas/Ring"}, "leads in a circle"),
        ({"$ref": "https://example.com/pet.json"}, "leads to another machine"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Nobody"}}, "leads nowhere"),
    ],
)
def test_a_root_that_cannot_be_resolved_is_an_error_and_not_an_empty_class(
    tmp_path: Path, response: Any, said: str
) -> None:
    ring = {"Ring": {"$ref": "#/components/schemas/Back"}, "Back": {"$ref": "#/components/schemas/Ring"}}
    with pytest.raises(UnresolvedRef, match=said) as caught:
        read(tmp_path, spec(response, ring))
    assert caught.value.hint


def test_a_list_of_itself_is_an_error_and_not_a_search_without_end(tmp_path: Path) -> None:
    tree = {"Tree": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}
    value = spec({"$ref": "#/components/schemas/Tree"}, tree)
    with pytest.raises(UnresolvedRef, match="is a list of itself"):
        read(tmp_path, value)
    assert ["GET"] == [info.method for info in list_endpoints(saved(tmp_path, value))]
