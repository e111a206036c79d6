"""The shapes of schemas: combinations, nulls, enums, maps, cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.recipes.csharp.read_documents import fields_of, read, read_properties, read_property, spec, swagger, types_of

if TYPE_CHECKING:
    from pathlib import Path

TEXT: Any = {"type": "string"}
CAT: Any = {"type": "object", "required": ["kind", "lives"], "properties": {"kind": TEXT, "lives": {"type": "integer"}}}
DOG: Any = {"type": "object", "required": ["kind"], "properties": {"kind": TEXT, "bark": {"type": "boolean"}}}
PETS: Any = {"Cat": CAT, "Dog": DOG}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


# null


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "nullable": True},
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"oneOf": [{"type": "null"}, {"type": "string"}]},
        {"anyOf": [{"type": "string"}, {"enum": [None]}]},
        {"anyOf": [{"type": "string"}, {"const": None}]},
        {"type": "string", "x-nullable": True},
        {"allOf": [{"type": "string"}], "nullable": True},
        {"allOf": [{"type": "string"}, {"nullable": True}]},
    ],
)
def test_every_way_to_say_nullable_text_is_nullable_text(tmp_path: Path, schema: Any) -> None:
    field = read_property(tmp_path, schema)
    assert ("string", True, True) == (field.type, field.nullable, field.required)


@pytest.mark.parametrize(
    "schema", [{"type": "null"}, {"type": ["null"]}, {"const": None}, {"anyOf": [{"type": "null"}]}, {"enum": [None]}]
)
def test_nothing_but_null_is_any_nullable_value(tmp_path: Path, schema: Any) -> None:
    field = read_property(tmp_path, schema)
    assert ("JsonElement", True) == (field.type, field.nullable)


def test_a_property_that_may_be_absent_is_nullable(tmp_path: Path) -> None:
    fields = read_properties(tmp_path, {"a": TEXT, "b": TEXT}, required=["b"])
    assert (False, True) == (fields["a"].required, fields["a"].nullable)
    assert (True, False) == (fields["b"].required, fields["b"].nullable)


def test_null_beside_a_named_schema_keeps_the_name(tmp_path: Path) -> None:
    field = read_property(tmp_path, {"anyOf": [ref("Cat"), {"type": "null"}]}, PETS)
    assert ("Cat", True) == (field.type, field.nullable)


def test_a_nullable_reference_by_all_of_keeps_the_name(tmp_path: Path) -> None:
    field = read_property(tmp_path, {"nullable": True, "allOf": [ref("Cat")]}, PETS)
    assert ("Cat", True) == (field.type, field.nullable)


def test_a_nullable_component_stays_nullable_where_a_description_is_added(tmp_path: Path) -> None:
    schemas = {"Cat": {**CAT, "nullable": True}}
    field = read_property(tmp_path, {"allOf": [ref("Cat"), {"description": "Mine."}]}, schemas)
    assert ("Cat", True, "Mine.") == (field.type, field.nullable, field.description)


def test_one_nullable_variant_makes_the_union_nullable(tmp_path: Path) -> None:
    field = read_property(tmp_path, {"oneOf": [ref("Dog"), {**CAT, "nullable": True}]}, PETS)
    assert ("ThingIt", True) == (field.type, field.nullable)


def test_null_in_a_list_stays_with_the_elements(tmp_path: Path) -> None:
    field = read_property(tmp_path, {"type": "array", "items": {"type": ["integer", "null"]}})
    assert ("long?[]", False) == (field.type, field.nullable)


# allOf


def test_all_of_is_one_class_with_the_members_of_all(tmp_path: Path) -> None:
    both = {"allOf": [ref("Cat"), {"type": "object", "required": ["age"], "properties": {"age": {"type": "integer"}}}]}
    fields = fields_of(read(tmp_path, spec(ref("Old"), {**PETS, "Old": both})).root)
    assert {"kind": True, "lives": True, "age": True} == {name: field.required for name, field in fields.items()}


def test_what_the_parent_requires_applies_to_fields_of_its_members(tmp_path: Path) -> None:
    endpoint = read(tmp_path, spec(ref("Strict"), {**PETS, "Strict": {"allOf": [ref("Dog")], "required": ["bark"]}}))
    assert "StrictDataObject" == endpoint.root.name
    assert fields_of(endpoint.root)["bark"].required


def test_all_of_around_one_reference_is_that_type(tmp_path: Path) -> None:
    schemas = {**PETS, "Alias": {"allOf": [ref("Dog")], "required": ["kind"], "type": "object"}}
    assert "Dog" == read_property(tmp_path, ref("Alias"), schemas).type


def test_a_property_in_two_members_satisfies_both(tmp_path: Path) -> None:
    one = {"type": "object", "properties": {"x": {"type": "object", "properties": {"a": TEXT}}}}
    two = {"type": "object", "properties": {"x": {"type": "object", "required": ["b"], "properties": {"b": TEXT}}}}
    endpoint = read(tmp_path, spec({"$ref": "#/components/schemas/It"}, {"It": {"allOf": [one, two]}}))
    assert ["a", "b"] == [field.json_name for field in types_of(endpoint)["ItX"].fields]


def test_parts_that_contradict_each_other_are_noted(tmp_path: Path) -> None:
    field = read_property(tmp_path, {"allOf": [TEXT, {"type": "object", "properties": {"a": TEXT}}]})
    assert "JsonElement" == field.type
    assert ("its parts contradict each other: object, string",) == field.notes


# oneOf, anyOf, discriminator


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_a_union_of_objects_is_one_class_where_only_common_fields_are_required(tmp_path: Path, keyword: str) -> None:
    fields = fields_of(read(tmp_path, spec(ref("Pet"), {**PETS, "Pet": {keyword: [ref("Cat"), ref("Dog")]}})).root)
    assert {"kind": True, "lives": False, "bark": False} == {name: field.required for name, field in fields.items()}
    assert {"kind": False, "lives": True, "bark": True} == {name: field.nullable for name, field in fields.items()}


def test_a_property_that_differs_between_variants_allows_what_each_allows(tmp_path: Path) -> None:
    one = {"type": "object", "properties": {"x": {"enum": ["a"]}, "y": TEXT, "z": {"type": "array", "items": TEXT}}}
    two = {
        "type": "object",
        "properties": {
            "x": {"enum": ["b"]},
            "y": {"type": "integer"},
            "z": {"type": "array", "items": {"type": "integer"}},
        },
    }
    endpoint = read(tmp_path, spec(ref("It"), {"It": {"oneOf": [one, two]}}))
    fields = fields_of(endpoint.root)
    assert ["a", "b"] == [value.value for value in types_of(endpoint)[fields["x"].type].values]
    assert ("JsonElement", "JsonElement[]") == (fields["y"].type, fields["z"].type)


def test_properties_of_the_schema_itself_join_its_union(tmp_path: Path) -> None:
    schema = {"type": "object", "required": ["id"], "properties": {"id": TEXT}, "oneOf": [ref("Cat"), ref("Dog")]}
    fields = fields_of(read(tmp_path, spec(ref("Pet"), {**PETS, "Pet": schema})).root)
    assert ["id", "kind", "lives", "bark"] == list(fields)
    assert fields["id"].required


def test_variants_that_only_say_what_is_required_change_no_field(tmp_path: Path) -> None:
    schema = {**DOG, "anyOf": [{"required": ["bark"]}, {"required": ["kind"]}]}
    fields = fields_of(read(tmp_path, spec(ref("It"), {"It": schema})).root)
    assert {"kind": True, "bark": False} == {name: field.required for name, field in fields.items()}


def test_a_union_with_one_variant_is_that_variant(tmp_path: Path) -> None:
    assert "Cat" == read_property(tmp_path, {"oneOf": [ref("Cat")]}, PETS).type


def test_the_empty_schema_beside_objects_makes_everything_optional(tmp_path: Path) -> None:
    fields = fields_of(read(tmp_path, spec(ref("It"), {**PETS, "It": {"anyOf": [ref("Dog"), {}]}})).root)
    assert ["kind", "bark", "additionalProperties"] == list(fields)
    assert not fields["kind"].required


def test_a_map_beside_an_object_leaves_room_for_any_property(tmp_path: Path) -> None:
    fields = fields_of(
        read(tmp_path, spec(ref("It"), {**PETS, "It": {"oneOf": [ref("Dog"), {"type": "object"}]}})).root
    )
    assert ["kind", "bark", "additionalProperties"] == list(fields)


def test_an_unresolved_variant_is_noted(tmp_path: Path) -> None:
    field = read_property(tmp_path, {"oneOf": [ref("Cat"), ref("Nobody")]}, PETS)
    assert "JsonElement" == field.type
    assert any(note.startswith("unresolved") for note in field.notes)


@pytest.mark.parametrize(
    ("variants", "type_text"),
    [
        ([{"type": "string"}, {"type": "integer"}], "JsonElement"),
        ([{"type": "integer"}, {"type": "number"}], "double"),
        ([{"type": "string", "format": "date-time"}, {"type": "string"}], "string"),
        ([{"type": "boolean"}, {"type": "boolean"}], "bool"),
        ([{"type": "object"}, {"type": "object", "additionalProperties": TEXT}], "Dictionary<string, object>"),
    ],
)
def test_unions_of_plain_values_never_become_classes(tmp_path: Path, variants: Any, type_text: str) -> None:
    assert type_text == read_property(tmp_path, {"oneOf": variants}).type


def test_several_types_at_once_are_any_value_and_noted(tmp_path: Path) -> None:
    field = read_property(tmp_path, {"type": ["string", "integer", "null"]})
    assert ("JsonElement", True) == (field.type, field.nullable)
    assert ("a value may be string or integer",) == field.notes


def test_known_values_beside_free_text_are_noted(tmp_path: Path) -> None:
    field = read_property(tmp_path, {"anyOf": [TEXT, {"type": "string", "enum": ["a", "b"]}]})
    assert ("string", ("known values: 'a', 'b'",)) == (field.type, field.notes)


def heirs(discriminator: Any) -> dict[str, Any]:
    base = {"type": "object", "required": ["kind"], "discriminator": discriminator, "properties": {"kind": TEXT}}
    cat = {
        "allOf": [ref("Base"), {"type": "object", "required": ["lives"], "properties": {"lives": {"type": "integer"}}}]
    }
    return {"Base": base, "Cat": cat, "Dog": {"allOf": [ref("Base"), {"properties": {"bark": {"type": "boolean"}}}]}}


@pytest.mark.parametrize(
    "discriminator",
    [
        {"propertyName": "kind", "mapping": {"c": "#/components/schemas/Cat", "d": "#/components/schemas/Dog"}},
        {"propertyName": "kind", "mapping": {"c": "Cat", "d": "Dog", "e": "Dog", "f": "Nobody"}},
        {"propertyName": "kind"},
    ],
)
def test_a_discriminated_base_holds_the_fields_of_all_heirs(tmp_path: Path, discriminator: Any) -> None:
    fields = fields_of(read(tmp_path, spec(ref("Base"), heirs(discriminator))).root)
    assert {"kind": True, "lives": False, "bark": False} == {name: field.required for name, field in fields.items()}


def test_an_heir_holds_no_field_of_another_heir(tmp_path: Path) -> None:
    fields = fields_of(read(tmp_path, spec(ref("Cat"), heirs({"propertyName": "kind"}))).root)
    assert ["kind", "lives"] == list(fields)


def test_an_heir_that_adds_nothing_is_not_mistaken_for_its_base(tmp_path: Path) -> None:
    schemas = {**heirs({"propertyName": "kind"}), "Plain": {"allOf": [ref("Base")]}}
    both = {"type": "object", "properties": {"plain": ref("Plain"), "base": ref("Base")}}
    types = types_of(read(tmp_path, spec(both, schemas)))
    assert ["kind"] == list(fields_of(types["Plain"]))
    assert ["kind", "lives", "bark"] == list(fields_of(types["Base"]))


def test_a_base_that_lists_its_heirs_and_they_inherit_from_it(tmp_path: Path) -> None:
    schemas = heirs({"propertyName": "kind"})
    schemas["Base"]["oneOf"] = [ref("Cat"), ref("Dog")]
    both = {"type": "object", "properties": {"base": ref("Base"), "cat": ref("Cat")}}
    types = types_of(read(tmp_path, spec(both, schemas)))
    assert ["kind", "lives", "bark"] == list(fields_of(types["Base"]))
    assert ["kind", "lives"] == list(fields_of(types["Cat"]))


def test_a_discriminator_that_no_variant_declares_is_kept_as_text(tmp_path: Path) -> None:
    union = {"oneOf": [ref("Cat"), ref("Dog")], "discriminator": {"propertyName": "species"}}
    field = fields_of(read(tmp_path, spec(ref("Pet"), {**PETS, "Pet": union})).root)["species"]
    assert ("string", True) == (field.type, field.nullable)


def test_a_discriminator_over_values_that_are_no_objects_changes_nothing(tmp_path: Path) -> None:
    field = read_property(tmp_path, {"oneOf": [TEXT, ref("Cat")], "discriminator": {"propertyName": "kind"}}, PETS)
    assert ("JsonElement", ()) == (field.type, field.types)


def test_the_discriminator_of_swagger_2_is_a_name(tmp_path: Path) -> None:
    base: Any = {"type": "object", "discriminator": "kind", "properties": {"kind": TEXT}}
    definitions = {"Base": base, "Cat": {"allOf": [{"$ref": "#/definitions/Base"}, {"properties": {"lives": TEXT}}]}}
    endpoint = read(tmp_path, swagger({"$ref": "#/definitions/Base"}, definitions))
    assert ["kind", "lives"] == list(fields_of(endpoint.root))


# notes


def test_defaults_deprecation_and_what_is_not_read_are_noted(tmp_path: Path) -> None:
    schema = {"type": "string", "default": "x", "deprecated": True, "not": {"const": "y"}}
    assert ("deprecated", 'default "x"', "not read: not") == read_property(tmp_path, schema).notes


def test_required_names_without_a_schema_are_noted_on_the_type(tmp_path: Path) -> None:
    root = read(tmp_path, spec({"type": "object", "required": ["ghost"], "properties": {"a": TEXT}})).root
    assert "required but not described: 'ghost'" in root.notes
