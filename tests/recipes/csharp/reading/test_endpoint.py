"""A whole endpoint: its root, key, names, and the page for review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput, UnknownName
from retouch.recipes.csharp.document.document import load_document
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint
from retouch.recipes.csharp.writing.schema_md import schema_markdown
from tests.recipes.csharp.read_documents import fields_of, read, record, saved, spec, types_of

if TYPE_CHECKING:
    from pathlib import Path

TEXT: Any = {"type": "string"}


# the root


def test_a_named_root_keeps_its_name_and_gets_the_suffix(tmp_path: Path) -> None:
    endpoint = read(tmp_path, spec({"$ref": "#/components/schemas/pull-request"}, {"pull-request": record(a=TEXT)}))
    assert ("PullRequestDataObject", True) == (endpoint.root.name, endpoint.root.is_root)
    assert "Connector.App.v1.PullRequest" == endpoint.namespace


def test_a_name_with_the_suffix_does_not_get_it_twice(tmp_path: Path) -> None:
    schemas = {"PetDataObject": record(a=TEXT)}
    assert "PetDataObject" == read(tmp_path, spec({"$ref": "#/components/schemas/PetDataObject"}, schemas)).root.name


@pytest.mark.parametrize(
    ("path", "name"),
    [("/movies", "Movie"), ("/series", "Series"), ("/news", "News"), ("/taxes", "Tax"), ("/analyses", "Analysis")],
)
def test_the_item_of_an_array_is_named_from_the_path_in_the_singular(tmp_path: Path, path: str, name: str) -> None:
    endpoint = read(tmp_path, spec({"type": "array", "items": record(a=TEXT)}, path=path))
    assert f"{name}DataObject" == endpoint.root.name
    assert "the endpoint returns an array of these" in endpoint.notes


def test_arrays_of_arrays_give_their_innermost_item(tmp_path: Path) -> None:
    endpoint = read(tmp_path, spec({"type": "array", "items": {"type": "array", "items": record(a=TEXT)}}))
    assert ["a"] == list(fields_of(endpoint.root))


def test_a_union_of_an_array_and_an_object_gives_what_both_hold(tmp_path: Path) -> None:
    schema = {"oneOf": [{"type": "array", "items": record("a", a=TEXT)}, record("a", a=TEXT, b=TEXT)]}
    assert {"a": True, "b": False} == {f.json_name: f.required for f in read(tmp_path, spec(schema)).root.fields}


def test_an_envelope_is_kept_unless_it_is_named(tmp_path: Path) -> None:
    envelope = record("data", data={"type": "array", "items": record("id", id=TEXT)}, total={"type": "integer"})
    endpoint = read(tmp_path, spec(envelope, path="/pets"))
    assert ("PetsDataObject", ["data", "total"]) == (endpoint.root.name, list(fields_of(endpoint.root)))
    assert ["PetsDataObject", "PetsData"] == list(types_of(endpoint))


@pytest.mark.parametrize("unwrap", ["data", "data.items"])
def test_an_envelope_that_is_named_is_taken_off(tmp_path: Path, unwrap: str) -> None:
    items = {"type": "array", "items": record("id", id=TEXT)}
    inner = items if unwrap == "data" else record(items=items)
    endpoint = read(tmp_path, spec(record(data=inner), path="/pets"), ReadingOptions(style="connector", unwrap=unwrap))
    assert ("PetDataObject", ["id"]) == (endpoint.root.name, list(fields_of(endpoint.root)))


def test_an_envelope_that_is_not_there_names_what_is(tmp_path: Path) -> None:
    with pytest.raises(UnknownName) as caught:
        read(tmp_path, spec(record(items=TEXT, total=TEXT)), ReadingOptions(style="connector", unwrap="data"))
    assert "'items', 'total'" in caught.value.hint


@pytest.mark.parametrize(
    ("schema", "type_text"),
    [
        (TEXT, "string"),
        ({"type": "array", "items": {"type": "integer"}}, "long"),
        ({"oneOf": [TEXT, {"type": "integer"}]}, "JsonElement"),
        ({}, "JsonElement"),
        ({"type": "array"}, "JsonElement[]"),
    ],
)
def test_a_root_that_is_no_object_is_wrapped_in_one(tmp_path: Path, schema: Any, type_text: str) -> None:
    root = read(tmp_path, spec(schema, path="/count")).root
    assert ["value", type_text, True] == [root.fields[0].json_name, root.fields[0].type, root.fields[0].required]
    assert "CountDataObject" == root.name


def test_an_enum_root_is_wrapped_beside_its_enum(tmp_path: Path) -> None:
    endpoint = read(tmp_path, spec({"$ref": "#/components/schemas/State"}, {"State": {"enum": ["on", "off"]}}))
    assert ["StateDataObject", "State"] == list(types_of(endpoint))
    assert "State" == endpoint.root.fields[0].type


def test_a_map_root_takes_any_property(tmp_path: Path) -> None:
    root = read(tmp_path, spec({"type": "object", "additionalProperties": TEXT}, path="/emojis")).root
    assert [("JsonExtensionData",)] == [field.attributes for field in root.fields]
    assert any("returns a map" in note for note in root.notes)


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        (ReadingOptions(style="connector", fields_per_page=0), "at least one"),
        (ReadingOptions(style="connector", values_per_page=-1), "at least one"),
        (ReadingOptions(style="connector", namespace="Connector.event"), "'event' is not a valid name"),
        (ReadingOptions(style="connector", namespace=""), "'' is not a valid name"),
        (ReadingOptions(style="connector", namespace="a..b"), "'' is not a valid name"),
        (ReadingOptions(style="connector", namespace="My.System"), "'System' would hide"),
    ],
)
def test_options_without_sense_are_refused(tmp_path: Path, options: ReadingOptions, seen: str) -> None:
    with pytest.raises(BadInput, match=seen):
        read(tmp_path, spec(record(a=TEXT)), options)


@pytest.mark.parametrize("name", ["System", "Json", "Xchange"])
def test_the_namespace_hides_no_namespace_in_use(tmp_path: Path, name: str) -> None:
    endpoint = read(tmp_path, spec({"$ref": f"#/components/schemas/{name}"}, {name: record(a=TEXT)}))
    assert f"Connector.App.v1.{name}Objects" == endpoint.namespace


def test_one_schema_can_be_read_by_name_or_pointer(tmp_path: Path) -> None:
    document = saved(tmp_path, spec(TEXT, {"Pet": record(toy=record(a=TEXT))}))
    assert "PetDataObject" == read_endpoint(document, "", ReadingOptions(style="connector", schema="Pet")).root.name
    pointer = "#/components/schemas/Pet/properties/toy"
    endpoint = read_endpoint(document, "", ReadingOptions(style="connector", schema=pointer))
    assert ("SCHEMA", "SCHEMA_PetToy", pointer) == (endpoint.method, endpoint.label, endpoint.root.origin)


@pytest.mark.parametrize(("schema", "hint"), [("Pets", "Pet"), ("#/components/schemas/Pets", "has no 'Pets'")])
def test_an_unknown_schema_is_answered_with_the_nearest_names(tmp_path: Path, schema: str, hint: str) -> None:
    document = saved(tmp_path, spec(TEXT, {"Pet": record(a=TEXT)}))
    with pytest.raises(UnknownName) as caught:
        read_endpoint(document, "", ReadingOptions(style="connector", schema=schema))
    assert hint in caught.value.hint


# names of types


def test_anonymous_types_are_named_by_their_place_not_by_their_siblings(tmp_path: Path) -> None:
    thing = record(owner=record(address=record(city=TEXT)), labels={"type": "array", "items": record(a=TEXT)})
    names = {
        "ThingDataObject": "#/components/schemas/Thing",
        "ThingOwner": "#/components/schemas/Thing/properties/owner",
        "ThingLabel": "#/components/schemas/Thing/properties/labels/items",
        "ThingOwnerAddress": "#/components/schemas/Thing/properties/owner/properties/address",
    }
    reference = {"$ref": "#/components/schemas/Thing"}
    assert names == {t.name: t.origin for t in read(tmp_path, spec(reference, {"Thing": thing})).types}
    thing["properties"] = {"another": record(a=TEXT), **thing["properties"], "more": record(b=TEXT)}
    assert names.items() <= {t.name: t.origin for t in read(tmp_path, spec(reference, {"Thing": thing})).types}.items()


def test_definitions_inside_a_schema_keep_their_names(tmp_path: Path) -> None:
    inner = {
        "$defs": {"Toy": record(maker=record(a=TEXT))},
        **record(toy={"$ref": "#/components/schemas/Pet/$defs/Toy"}),
    }
    endpoint = read(tmp_path, spec({"$ref": "#/components/schemas/Pet"}, {"Pet": inner}))
    assert ["PetDataObject", "Toy", "ToyMaker"] == list(types_of(endpoint))


def test_components_whose_names_collide_stay_apart(tmp_path: Path) -> None:
    schemas = {"foo-bar": record(a=TEXT), "foo_bar": record(b=TEXT), "FooBar": record(c=TEXT)}
    endpoint = read(
        tmp_path, spec(record(**{name: {"$ref": f"#/components/schemas/{name}"} for name in schemas}), schemas)
    )
    assert 4 == len(types_of(endpoint))
    assert "FooBar" == next(t.name for t in endpoint.types if t.origin.endswith("/FooBar"))


def test_only_what_is_reached_is_in_the_closure(tmp_path: Path) -> None:
    schemas = {"Used": record(a=TEXT), "Unused": record(b=TEXT)}
    endpoint = read(tmp_path, spec(record(used={"$ref": "#/components/schemas/Used"}), schemas))
    assert ["ThingDataObject", "Used"] == list(types_of(endpoint))


def test_the_same_document_gives_the_same_source_in_any_order_of_reading(tmp_path: Path) -> None:
    value = spec(record(a={"$ref": "#/components/schemas/A"}), {"A": record(b=record(c=TEXT))})
    value["paths"]["/other"] = {"get": value["paths"]["/things/{id}"]["get"]}
    first, second = saved(tmp_path, value), saved(tmp_path, value)
    read_endpoint(second, "GET /other", ReadingOptions(style="connector"))
    assert read_endpoint(first, "GET /things/{id}", ReadingOptions(style="connector")) == read_endpoint(
        second, "GET /things/{id}", ReadingOptions(style="connector")
    )


# review


def test_the_review_page_shows_what_needs_a_decision_first(tmp_path: Path) -> None:
    schema = record("id", id=TEXT, email=TEXT, lost={"$ref": "#/nowhere"}, state={"enum": ["a|b", "`c`", ""]})
    page = schema_markdown(read(tmp_path, spec(schema, path="/pets/{id}")))
    first, _, rest = page.partition("\n## PetDataObject")
    assert "# GET `/pets/{id}`" in first
    assert "- Primary key: `id`" in first
    assert "[PetDataObject](#petdataobject).`Email`: WriteOnly proposed" in first
    assert "[PetDataObject](#petdataobject).`Lost`: unresolved" in first
    assert "| `id` **key** | `Id` | `string` | yes |  |  |" in rest
    assert "| `state` | `State` | `PetState?` [→](#petstate) |  | yes |  |" in rest
    assert '| `"a\\|b"` | `AB` |' in rest
    assert '| ``"`c`"`` | `C` |' in rest
    assert "from `#/paths/~1pets~1{id}/get/responses/200/content/application~1json/schema`" in rest


def test_every_table_row_has_as_many_cells_as_its_head(tmp_path: Path) -> None:
    odd = {"type": "string", "description": "a | b\n|c|", "pattern": "^(a|b)`$", "default": "x|y"}
    page = schema_markdown(read(tmp_path, spec(record(**{"a|b": odd, "``": odd, "": odd}))))
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert {7} == {line.replace("\\|", "").count("|") for line in rows}


def test_the_page_reports_a_missing_key(tmp_path: Path) -> None:
    assert "- Primary key: **none**" in schema_markdown(read(tmp_path, spec(record(a=TEXT))))


def test_a_warning_about_the_document_reaches_the_notes(tmp_path: Path) -> None:
    path = tmp_path / "api.yaml"
    text = "openapi: 3.0.3\nx: &a 1\ny: &a 2\ncomponents: {schemas: {Pet: {properties: {a: {}}}}}\n"
    path.write_text(text)
    endpoint = read_endpoint(load_document(path), "", ReadingOptions(style="connector", schema="Pet"))
    assert "line 3: the anchor 'a' is used a second time" in endpoint.notes
