"""The part of JSON Schema that schemas of tools use."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.policy.deciding.json_schema import plain_items, violations

FITS: list[tuple[Any, Any]] = [
    ({}, None),
    (True, 1),
    ({"type": "integer"}, 2.0),
    ({"type": ["string", "null"]}, None),
    ({"enum": [1, "a"]}, 1.0),
    ({"type": "object", "properties": {"a": {"type": "string"}}}, {"b": 1}),
    ({"patternProperties": {"^x": {"type": "number"}}, "additionalProperties": False}, {"x1": 1}),
    ({"prefixItems": [{"type": "string"}], "items": {"type": "number"}}, ["a", 1]),
    ({"anyOf": [{"type": "string"}, {"minimum": 3}]}, 3),
    ({"oneOf": [{"type": "string"}, {"type": "number"}]}, 3),
    ({"not": {"type": "string"}}, 3),
    ({"$defs": {"a/b": {"const": 1}}, "$ref": "#/$defs/a~1b"}, 1),
    ({"pattern": "^\\p{L}$"}, "a"),
    ({"format": "uri"}, "x"),
    ({"pattern": "^[$a]\\$$"}, "$$"),
    ({"pattern": "^(?<name>a)(?<!b)$"}, "a"),
    ({"multipleOf": 0.01}, 0.07),
    ({"uniqueItems": True}, [1, True, "1", [1], {"a": 1}, None]),
    ({"propertyNames": {"pattern": "^[a-z]+$"}, "maxProperties": 1}, {"a": 1}),
    ({"items": [{"type": "string"}]}, ["a", 1]),
    ({"contains": {"const": "a"}}, ["b", "a"]),
    ({"if": {"type": "string"}, "then": {"maxLength": 1}}, 5),
    ({"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False}, {"a": 1}),
    ({"exclusiveMinimum": 1, "maximum": 2, "multipleOf": 2}, 2),
]
BREAKS: list[tuple[Any, Any]] = [
    (False, 1),
    ({"type": "integer"}, 2.5),
    ({"type": "number"}, True),
    ({"type": "boolean"}, 1),
    ({"enum": [1, "a"]}, True),
    ({"const": "a"}, "b"),
    ({"required": ["a"]}, {}),
    ({"properties": {"a": {"type": "string"}}}, {"a": 1}),
    ({"additionalProperties": False}, {"a": 1}),
    ({"additionalProperties": {"type": "string"}}, {"a": 1}),
    ({"items": {"type": "number"}}, [1, "a"]),
    ({"minItems": 2}, [1]),
    ({"maxItems": 0}, [1]),
    ({"uniqueItems": True}, [1, 1.0]),
    ({"minLength": 2}, "a"),
    ({"maxLength": 0}, "a"),
    ({"pattern": "^b"}, "ab"),
    ({"minimum": 3}, 2),
    ({"maximum": 3}, 4),
    ({"minimum": 3, "exclusiveMinimum": True}, 3),
    ({"exclusiveMaximum": 3}, 3),
    ({"multipleOf": 2}, 3),
    ({"allOf": [{"minimum": 3}]}, 2),
    ({"anyOf": [{"type": "string"}, {"minimum": 3}]}, 2),
    ({"oneOf": [{"type": "number"}, {"minimum": 3}]}, 3),
    ({"not": {}}, 3),
    ({"$ref": "#/$defs/missing"}, 1),
    ({"$ref": "#/$defs/a", "maxLength": 1, "$defs": {"a": {"type": "string"}}}, "ab"),
    ({"pattern": "^[a-z]+$"}, "main\n"),
    ({"pattern": "^\\d+$"}, "\u0661"),
    ({"pattern": "^(?<name>a)$"}, "b"),
    ({"multipleOf": 0.5}, 0.3),
    ({"minProperties": 1}, {}),
    ({"maxProperties": 1}, {"a": 1, "b": 2}),
    ({"propertyNames": {"pattern": "^[a-z]+$"}}, {"/etc/shadow": 1}),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}),
    ({"dependencies": {"a": ["b"]}}, {"a": 1}),
    ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"b": 1}),
    ({"contains": {"const": "a"}}, ["b"]),
    ({"items": [{"type": "string"}, {"type": "integer"}]}, ["a", "b"]),
    ({"items": [{"type": "string"}], "additionalItems": False}, ["a", "b"]),
    ({"uniqueItems": True}, [{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]),
    ({"if": {"type": "string"}, "then": {"maxLength": 1}}, "ab"),
    ({"if": {"type": "string"}, "else": False}, 1),
    ({"$ref": "https://elsewhere.example/schema"}, 1),
]


@pytest.mark.parametrize(("schema", "value"), FITS)
def test_a_value_that_fits_has_nothing_wrong(schema: Any, value: Any):
    assert [] == violations(schema, value)


@pytest.mark.parametrize(("schema", "value"), BREAKS)
def test_a_value_that_does_not_fit_has_something_wrong(schema: Any, value: Any):
    assert violations(schema, value)


def test_what_is_wrong_is_said_with_its_place():
    schema: Any = {"properties": {"a": {"items": {"required": ["b"]}}}}
    assert ["$.a[1]: 'b' is missing"] == violations(schema, {"a": [{"b": 1}, {}]})


def test_a_schema_that_refers_to_itself_ends():
    schema: Any = {"properties": {"a": {"$ref": "#"}}, "required": ["b"]}
    value: Any = {"b": 1}
    for _ in range(30):
        value = {"b": 1, "a": value}
    assert [] == violations(schema, value)
    assert violations({"$ref": "#"}, 1) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(value=JSON)
def test_every_value_fits_the_schema_that_names_it_alone(value: Any):
    assert [] == violations({"const": value}, value)
    assert [] == violations({"enum": [value]}, value)
    assert violations({"not": {"const": value}}, value)


GUESTS: Any = {"items": {"type": "object", "properties": {"email": {}, "optional": {}, "name": {}}}}


@pytest.mark.parametrize(
    ("plain", "value"),
    [
        (["a@a.example", "b@b.example"], [{"email": "a@a.example"}, {"email": "b@b.example", "optional": True}]),
        ([{"email": "a@a.example", "name": "Ada"}], [{"email": "a@a.example", "name": "Ada"}]),
        ([{"e@a.example": "a@a.example"}], [{"e@a.example": "a@a.example"}]),
        ([{"email": ["a@a.example"]}], [{"email": ["a@a.example"]}]),
        (["a@a.example"], ["a@a.example"]),
        ({"email": "a@a.example"}, {"email": "a@a.example"}),
        ([], []),
    ],
)
def test_objects_of_a_list_are_texts_if_each_has_only_one_in_a_declared_property(plain: Any, value: Any):
    assert plain == plain_items(value, GUESTS)
