"""Maps, arrays, free values and cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.recipes.csharp.read_documents import read, read_property, spec, types_of

if TYPE_CHECKING:
    from pathlib import Path

TEXT: Any = {"type": "string"}
PETS: Any = {"Cat": {"type": "object", "properties": {"lives": {"type": "integer"}}}}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


@pytest.mark.parametrize(
    ("schema", "type_text"),
    [
        ({"type": "object", "additionalProperties": TEXT}, "Dictionary<string, string>"),
        (
            {"type": "object", "additionalProperties": {"type": "integer", "nullable": True}},
            "Dictionary<string, long?>",
        ),
        ({"type": "object", "additionalProperties": {"type": "array", "items": TEXT}}, "Dictionary<string, string[]>"),
        ({"type": "object", "additionalProperties": True}, "Dictionary<string, object>"),
        ({"type": "object", "additionalProperties": {}}, "Dictionary<string, object>"),
        ({"type": "object"}, "Dictionary<string, object>"),
        ({"type": "object", "additionalProperties": False}, "Dictionary<string, object>"),
        ({"type": "object", "patternProperties": {"^x": TEXT}}, "Dictionary<string, string>"),
        ({"additionalProperties": ref("Cat")}, "Dictionary<string, Cat>"),
        ({"type": "array", "items": {"type": "array", "items": {"type": "number"}}}, "double[][]"),
        ({"type": "array", "items": {"type": "array", "nullable": True, "items": TEXT}}, "string[]?[]"),
        ({"type": "array"}, "JsonElement[]"),
        ({"type": "array", "prefixItems": [TEXT, TEXT]}, "string[]"),
        ({"type": "array", "prefixItems": [TEXT, {"type": "integer"}]}, "JsonElement[]"),
        ({}, "JsonElement"),
        (True, "JsonElement"),
        (False, "JsonElement"),
        ("text", "JsonElement"),
    ],
)
def test_maps_and_arrays(tmp_path: Path, schema: Any, type_text: str) -> None:
    assert type_text == read_property(tmp_path, schema, PETS).type


def test_further_properties_beside_named_ones_are_kept(tmp_path: Path) -> None:
    endpoint = read(
        tmp_path, spec({"type": "object", "properties": {"additionalProperties": TEXT}, "additionalProperties": True})
    )
    field = endpoint.root.fields[-1]
    assert ("additionalProperties_", "Dictionary<string, JsonElement>") == (field.json_name, field.type)
    assert ("JsonExtensionData",) == field.attributes


@pytest.mark.parametrize("closed", [True, False])
def test_closed_says_whether_further_properties_are_forbidden(tmp_path: Path, closed: bool) -> None:
    extra = {"additionalProperties": False} if closed else {}
    assert closed == read(tmp_path, spec({"type": "object", "properties": {"a": TEXT}, **extra})).root.closed


def test_a_type_may_hold_itself_directly_in_lists_and_in_maps(tmp_path: Path) -> None:
    node = {
        "type": "object",
        "properties": {
            "parent": ref("Node"),
            "children": {"type": "array", "items": ref("Node")},
            "named": {"type": "object", "additionalProperties": ref("Node")},
        },
    }
    endpoint = read(tmp_path, spec(ref("Node"), {"Node": node}))
    assert ["NodeDataObject", "NodeDataObject[]", "Dictionary<string, NodeDataObject>"] == [
        f.type for f in endpoint.root.fields
    ]
    assert 1 == len(endpoint.types)


def test_types_may_hold_each_other(tmp_path: Path) -> None:
    schemas = {
        "A": {"type": "object", "properties": {"b": ref("B")}},
        "B": {"type": "object", "properties": {"a": ref("A")}},
    }
    assert ["ADataObject", "B"] == list(types_of(read(tmp_path, spec(ref("A"), schemas))))


@pytest.mark.parametrize("schema", [{"type": "array", "items": ref("Loop")}, {"additionalProperties": ref("Loop")}])
def test_arrays_and_maps_that_hold_only_themselves_end(tmp_path: Path, schema: Any) -> None:
    assert "JsonElement" in read_property(tmp_path, ref("Loop"), {"Loop": schema}).type.replace("object", "JsonElement")


def test_schemas_that_combine_only_each_other_end(tmp_path: Path) -> None:
    schemas = {"A": {"allOf": [ref("B")]}, "B": {"oneOf": [ref("A"), ref("C")]}, "C": {"anyOf": [ref("A")]}}
    assert "JsonElement" == read_property(tmp_path, ref("A"), schemas).type
