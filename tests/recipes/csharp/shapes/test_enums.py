"""Enums: their values, the names of their members, and schemas that are not enums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.recipes.csharp.read_documents import read, read_properties, read_property, spec

if TYPE_CHECKING:
    from pathlib import Path


def test_an_enum_holds_its_values_in_order_without_null(tmp_path: Path) -> None:
    fields = read_properties(tmp_path, {"size": {"type": "string", "enum": ["b", None, "a", "b"]}}, required=["size"])
    assert fields["size"].nullable
    endpoint = read(tmp_path, spec({"type": "object", "properties": {"size": {"enum": ["b", None, "a", "b"]}}}))
    assert ("enum", False) == (endpoint.types[1].kind, endpoint.types[1].integer)
    assert [("b", "B"), ("a", "A")] == [(value.value, value.name) for value in endpoint.types[1].values]


def enum_names(folder: Path, schema: Any) -> dict[str | int, str]:
    endpoint = read(folder, spec({"type": "object", "properties": {"it": schema}}))
    return {value.value: value.name for value in endpoint.types[1].values}


def test_odd_values_have_valid_names(tmp_path: Path) -> None:
    values = ["", "+1", "-1", "*", "1st", "a,b", "in progress", "IN_REVIEW", "None", "none", "class"]
    names = [
        "Empty",
        "Plus1",
        "Minus1",
        "Star",
        "Value1st",
        "AB",
        "InProgress",
        "InReview",
        "NoneUpper",
        "None",
        "Class",
    ]
    assert dict(zip(values, names, strict=True)) == enum_names(tmp_path, {"type": "string", "enum": values})


@pytest.mark.parametrize("keyword", ["x-enumNames", "x-enum-varnames", "x-enum-names"])
def test_proposed_names_are_honoured(tmp_path: Path, keyword: str) -> None:
    schema = {"type": "integer", "enum": [10, 20], keyword: ["first", "second-one"]}
    assert {10: "First", 20: "SecondOne"} == enum_names(tmp_path, schema)


def test_proposed_names_may_leave_null_out(tmp_path: Path) -> None:
    schema = {"type": "string", "nullable": True, "enum": [None, "a", "b"], "x-enum-varnames": ["First", "Second"]}
    assert {"a": "First", "b": "Second"} == enum_names(tmp_path, schema)


def test_names_of_a_microsoft_enum_are_honoured(tmp_path: Path) -> None:
    rows = [{"value": 2, "name": "Two"}, {"value": 1, "name": "One"}]
    assert {1: "One", 2: "Two"} == enum_names(
        tmp_path, {"type": "integer", "enum": [1, 2], "x-ms-enum": {"values": rows}}
    )


def test_a_union_of_constants_is_an_enum_named_by_their_titles(tmp_path: Path) -> None:
    schema = {"oneOf": [{"const": "a", "title": "Alpha"}, {"const": "b", "title": "Beta"}]}
    assert {"a": "Alpha", "b": "Beta"} == enum_names(tmp_path, schema)


def test_integer_enums_are_marked(tmp_path: Path) -> None:
    endpoint = read(tmp_path, spec({"type": "object", "properties": {"it": {"type": "integer", "enum": [1, -2]}}}))
    assert (True, "enum", [1, -2]) == (
        endpoint.types[1].integer,
        endpoint.types[1].kind,
        [v.value for v in endpoint.types[1].values],
    )


@pytest.mark.parametrize(
    ("schema", "type_text", "note"),
    [
        ({"type": "boolean", "enum": [True]}, "bool", "always True"),
        ({"type": "boolean", "enum": [True, False]}, "bool", None),
        ({"const": "x"}, "string", "always 'x'"),
        ({"type": "string", "enum": ["x"]}, "string", "always 'x'"),
        ({"const": 5}, "long", "always 5"),
        ({"enum": ["a", 1]}, "JsonElement", "a value may be string or integer"),
        ({"type": "number", "enum": [0.5, 1]}, "double", None),
    ],
)
def test_what_is_no_enum_in_csharp_stays_plain(tmp_path: Path, schema: Any, type_text: str, note: str | None) -> None:
    field = read_property(tmp_path, schema)
    assert (type_text, [note] if note else []) == (field.type, list(field.notes))


def test_values_that_do_not_fit_the_type_leave_it_plain_and_null_counts(tmp_path: Path) -> None:
    field = read_property(tmp_path, {"type": "integer", "enum": [1, "x", None]})
    assert ("long", True, ("enum values of another type: 'x'",)) == (field.type, field.nullable, field.notes)


def test_numbers_in_a_text_enum_become_text(tmp_path: Path) -> None:
    assert {"1": "Value1", "true": "True"} == enum_names(tmp_path, {"type": "string", "enum": [1, True]})
