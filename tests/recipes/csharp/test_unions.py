"""Unions of different JSON types in the plain style: what is read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from retouch.recipes.csharp.runtime.payloads import payloads_of
from retouch.recipes.csharp.writing.plain import json_context
from retouch.recipes.csharp.writing.unions import union_types
from tests.recipes.csharp.read_documents import fields_of, read, read_property, record, spec, types_of

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.csharp.ir import Endpoint

PLAIN = ReadingOptions(style="plain")
TEXT = {"type": "string"}
NAMED = {"$ref": "#/components/schemas/Named"}
SCHEMAS: dict[str, Any] = {
    "Named": record("name", name=TEXT, more=TEXT),
    "Tree": {"oneOf": [TEXT, {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}]},
}
UNIONS: dict[str, Any] = {
    "id": {"type": ["string", "integer"]},
    "choice": {"anyOf": [{"type": "string", "enum": ["none", "auto"]}, NAMED, {"type": "null"}]},
    "stop": {"oneOf": [TEXT, {"type": "array", "items": TEXT}]},
    "mixed": {"type": "array", "items": {"anyOf": [{"type": "integer"}, TEXT, {"type": "boolean"}]}},
    "when": {"oneOf": [{"type": "string", "format": "date-time"}, {"type": "integer"}]},
    "level": {"oneOf": [{"type": "integer", "enum": [1, 2]}, TEXT]},
    "deep": {"additionalProperties": {"oneOf": [{"type": "number"}, TEXT, {"type": "array"}, NAMED]}},
    "tree": {"$ref": "#/components/schemas/Tree"},
    "shape": {"type": ["object", "string"], "properties": {"size": record(x=TEXT)}},
}


def thing(folder: Path, properties: Any, *required: str) -> Endpoint:
    return read(folder, spec(record(*required, **properties), SCHEMAS, version="3.1.0"), PLAIN)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("id", "JsonUnion<string, long>"),
        ("choice", "JsonUnion<ThingChoice, Named>"),
        ("stop", "JsonUnion<string, string[]>"),
        ("mixed", "JsonUnion<long, string, bool>[]"),
        ("when", "JsonUnion<DateTimeOffset, long>"),
        ("level", "JsonUnion<ThingLevel, string>"),
        ("deep", "Dictionary<string, JsonUnion<double, string, JsonElement[], Named>>"),
        ("tree", "JsonUnion<string, JsonElement[]>"),  # C# has no type that contains itself without a name
        ("shape", "JsonUnion<ThingShapeObject, string>"),
    ],
)
def test_a_union_of_different_json_types_has_a_type_for_each(tmp_path: Path, name: str, written: str) -> None:
    endpoint = thing(tmp_path, UNIONS)
    field = fields_of(endpoint.root)[name]
    assert written == field.type
    assert {*field.types} <= {*types_of(endpoint)}


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"enum": [1, "one", "two", None, True]}, {"one", "two"}),
        ({"type": ["string", "integer"], "enum": [1, "one", 2, "two"]}, {"one", "two"}),
        ({"type": ["string", "integer"], "enum": [1, "1", "2"], "x-enum-varnames": ["A", "B", "C"]}, {"1", "2"}),
    ],
)
def test_an_enum_in_a_union_has_only_the_values_of_its_own_type(
    tmp_path: Path, schema: dict[str, Any], values: set[Any]
) -> None:
    (of_texts,) = (one for one in thing(tmp_path, {"it": schema}).types if one.open)
    assert values == {one.value for one in of_texts.values}


ANYTHING: list[dict[str, Any]] = [
    {"oneOf": [TEXT, {}]},
    {"oneOf": [TEXT, {"$ref": "#/components/schemas/Nowhere"}]},
    {"anyOf": [{"oneOf": [TEXT, {"type": "integer"}]}, {"not": {}}]},
]


@pytest.mark.parametrize("schema", ANYTHING)
def test_a_union_with_a_variant_that_is_anything_stays_a_free_value(tmp_path: Path, schema: Any) -> None:
    assert "JsonElement" == fields_of(thing(tmp_path, {"it": schema}).root)["it"].type


def test_the_connector_style_keeps_a_free_value(tmp_path: Path) -> None:
    assert "JsonElement" == read_property(tmp_path, UNIONS["stop"]).type


def test_variants_of_one_json_type_are_one_type(tmp_path: Path) -> None:
    endpoint = thing(tmp_path, {"it": {"oneOf": [record(a=TEXT), record(b=TEXT), TEXT]}})
    assert "JsonUnion<ThingItObject, string>" == fields_of(endpoint.root)["it"].type
    assert ["a", "b"] == [field.json_name for field in types_of(endpoint)["ThingItObject"].fields][:2]


def test_a_schema_of_the_name_of_a_union_gets_another_name(tmp_path: Path) -> None:
    schemas = {"JsonUnion": record(a=TEXT)}
    endpoint = read(tmp_path, spec(record(it={"$ref": "#/components/schemas/JsonUnion"}), schemas), PLAIN)
    assert "JsonUnion" not in types_of(endpoint)


def test_payloads_have_a_value_of_each_type_and_one_of_none(tmp_path: Path) -> None:
    endpoint = thing(tmp_path, {"it": {"oneOf": [{"type": "boolean"}, TEXT, {"type": "integer"}]}})
    found: dict[str, Any] = {one.what: one.value for one in payloads_of(endpoint, "Thing")}
    values = [found[what]["it"] for what in ("every property", "lowest values", "highest values")]
    assert [isinstance(one, kind) for one, kind in zip(values, (bool, str, int), strict=True)] == [True] * 3
    assert [[None]] == found["unknown values"]["it"]


def test_the_context_of_the_source_generator_has_the_types_inside_of_unions(tmp_path: Path) -> None:
    context = json_context(thing(tmp_path, UNIONS))
    wanted = ("string", "long", "bool", "string[]", "DateTimeOffset", "Named", "ThingShapeObject", "JsonElement[]")
    assert [] == [name for name in wanted if 1 != context.count(f"[JsonSerializable(typeof({name}))]")]


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("string", []),
        ("JsonUnion<string, long>[]", [["string", "long"]]),
        ("Dictionary<string, JsonUnion<A?[], Dictionary<string, B>>>", [["A?[]", "Dictionary<string, B>"]]),
        ("JsonUnion<A, JsonUnion<B, C>[]>", [["A", "JsonUnion<B, C>[]"], ["B", "C"]]),
    ],
)
def test_the_types_of_each_union_are_found(text: str, types: list[list[str]]) -> None:
    assert types == [*union_types(text)]
