"""Schemas in the subsets of providers: what is dropped, what is closed, and what has no such form."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retouch.models.subsets import ANTHROPIC, CORE, GOOGLE, OPENAI, Subset, rewritten
from retouch.testing.answer_schemas import expect_supported
from retouch.testing.wire import WireRefusal

SUBSETS = {"openai": OPENAI, "anthropic": ANTHROPIC, "google": GOOGLE}
TEXT = {"type": "string"}


Schema: TypeAlias = dict[str, Any]


def wrapped(dialect: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the parameter of a body with a schema."""
    if dialect == "openai":
        return {"type": "json_schema", "json_schema": {"schema": schema, "strict": True}}
    return {"schema": schema} if dialect == "anthropic" else {"responseJsonSchema": schema}


def is_documented(dialect: str, schema: dict[str, Any]) -> bool:
    jsonschema.Draft202012Validator.check_schema(schema)
    try:
        expect_supported(dialect, wrapped(dialect, schema), "documented")
    except WireRefusal:
        return False
    return True


def closed(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


leaves: st.SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("string")}, optional={"maxLength": st.integers(1, 9), "format": st.sampled_from(["date", "x"])}
    ),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["integer", "number"])}, optional={"minimum": st.integers(0, 3), "default": st.just(1)}
    ),
    st.sampled_from([{"enum": ["a", "b"]}, {"const": 3}, {"type": ["string", "null"]}, {"type": "boolean"}]),
)


def as_object(properties: Schema, count: int, extra: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": sorted(properties)[:count], **extra}


def as_array(items: Schema, extra: Schema) -> Schema:
    return {"type": "array", "items": items, **extra}


def as_options(key: str, some: list[Schema]) -> Schema:
    return {key: some}


def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    properties = st.dictionaries(st.sampled_from("abcd"), inner, min_size=1, max_size=4)
    open_or_not = [{}, {"additionalProperties": False}, {"minProperties": 1}, {"additionalProperties": True}]
    return st.one_of(
        st.builds(as_object, properties, st.integers(0, 4), st.sampled_from(open_or_not)),
        st.builds(as_array, inner, st.sampled_from([{}, {"maxItems": 3}, {"uniqueItems": True}])),
        st.builds(as_options, st.sampled_from(["anyOf", "oneOf"]), st.lists(inner, min_size=1, max_size=3)),
    )


SCHEMAS = st.recursive(leaves, grown, max_leaves=12)


@given(SCHEMAS, st.sampled_from(sorted(SUBSETS)))
def test_what_is_rewritten_is_in_the_documented_subset(schema: dict[str, Any], dialect: str):
    found = rewritten(schema, SUBSETS[dialect])
    assert found is None or is_documented(dialect, found)


@given(SCHEMAS, st.sampled_from([OPENAI, ANTHROPIC, GOOGLE, CORE]))
@example(as_object({"a": {"anyOf": [{"anyOf": [{"type": "string"}]}]}}, 0, {}), CORE)
@example(
    as_object({"a": {"anyOf": [{"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "null"}]}}, 0, {}), CORE
)
def test_a_rewritten_schema_is_left_as_it_is(schema: dict[str, Any], subset: Subset):
    found = rewritten(schema, subset)
    if found is not None:
        assert found == rewritten(found, subset)


values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.sampled_from(["a", "b", "", 1, 3, 7.5, True, None, "longer than nine"])),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("abcde"), inner, max_size=4)),
    max_leaves=8,
)
DROPPED = {"maxLength", "format", "minimum", "default", "minProperties", "maxItems", "uniqueItems"}


def bare(schema: Any) -> Any:
    """Return a schema without the constraints that may be dropped, and with `anyOf` for `oneOf`."""
    if isinstance(schema, list):
        return [bare(one) for one in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    node = cast("Schema", schema)
    return {"anyOf" if key == "oneOf" else key: bare(one) for key, one in node.items() if key not in DROPPED}


def is_valid(schema: Schema, value: Any) -> bool:
    validator: Any = jsonschema.Draft202012Validator(schema)
    return validator.is_valid(value)


@given(SCHEMAS, st.sampled_from([OPENAI, ANTHROPIC, GOOGLE, CORE]), values)
def test_no_value_is_allowed_that_breaks_more_than_a_dropped_constraint(
    schema: dict[str, Any], subset: Subset, value: Any
):
    found = rewritten(schema, subset)
    if found is not None and is_valid(found, value):
        assert is_valid(bare(schema), value)


def test_constraints_that_a_provider_does_not_know_are_dropped():
    schema = closed(["a"], a={"type": "array", "items": {**TEXT, "maxLength": 9}, "maxItems": 3, "uniqueItems": True})
    kept = {"openai": {"maxItems": 3}, "anthropic": {}, "google": {"maxItems": 3}}
    for dialect, subset in SUBSETS.items():
        found = rewritten(schema, subset)
        assert found is not None
        assert {"type": "array", "items": TEXT, **kept[dialect]} == found["properties"]["a"]


def test_an_optional_property_that_may_be_null_is_required_where_all_must_be():
    schema = closed(["a"], a=TEXT, b={"type": ["integer", "null"]})
    nullable = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert closed(["a", "b"], a=TEXT, b=nullable) == rewritten(schema, OPENAI)
    assert closed(["a"], a=TEXT, b={"type": "integer"}) == rewritten(schema, ANTHROPIC)


@pytest.mark.parametrize(
    "schema",
    [
        closed(["a"], a=TEXT, b={"type": "integer"}),
        {"type": "array", "items": TEXT},
        {"anyOf": [closed(["a"], a=TEXT), closed(["b"], b=TEXT)]},
    ],
    ids=["an optional property", "a list at the top", "alternatives at the top"],
)
def test_what_openai_forbids_has_no_strict_form(schema: dict[str, Any]):
    assert None is rewritten(schema, OPENAI)
    assert None is not rewritten(schema, ANTHROPIC)


@pytest.mark.parametrize("subset", [OPENAI, ANTHROPIC])
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "additionalProperties": TEXT},
        {"type": "object", "properties": {"a": TEXT}, "required": ["a"], "additionalProperties": True},
        {"type": "object", "patternProperties": {"^a": TEXT}},
        {"type": "array"},
        {"type": "array", "prefixItems": [TEXT]},
        {"enum": [{"a": 1}]},
        {"type": "object", "enum": ["a"]},
        {"$ref": "other.json"},
        {"$ref": "#/definitions/a", "definitions": {"a": {"$ref": "#/definitions/a"}}},
        {},
    ],
    ids=str,
)
def test_data_that_a_provider_could_not_answer_with_is_never_closed_off(schema: dict[str, Any], subset: Subset):
    assert None is rewritten(closed(["x"], x=schema), subset)


def test_a_map_stays_a_map_where_it_can():
    schema = closed(["x"], x={"type": "object", "additionalProperties": {"type": "integer"}})
    assert closed(["x"], x={"type": "object"}) == rewritten(schema, GOOGLE)


def test_definitions_may_refer_to_themselves_at_openai_only():
    tree = closed(["next"], next={"anyOf": [{"$ref": "#/definitions/tree"}, {"type": "null"}]})
    schema = {"$ref": "#/definitions/tree", "definitions": {"tree": tree}}
    found = rewritten(schema, OPENAI)
    assert found is not None
    assert ("object", ["tree"]) == (found["type"], list(found["$defs"]))
    assert (None, None) == (rewritten(schema, ANTHROPIC), rewritten(schema, GOOGLE))


def test_parts_that_must_all_match_become_one_object():
    schema = {"allOf": [closed(["a"], a=TEXT), {"$ref": "#/$defs/b"}]}
    found = rewritten({**schema, "$defs": {"b": closed(["b"], b=TEXT)}}, ANTHROPIC)
    assert closed(["a", "b"], a=TEXT, b=TEXT) == {**(found or {}), "required": sorted((found or {})["required"])}


@pytest.mark.parametrize(("optional", "unions"), [(24, 0), (0, 16)])
def test_anthropics_limits_are_kept(optional: int, unions: int):
    def with_more(more: int) -> dict[str, Any]:
        plain = {f"o{n}": TEXT for n in range(optional + more if optional else 0)}
        either = {f"u{n}": {"anyOf": [TEXT, {"type": "integer"}]} for n in range(unions + more if unions else 0)}
        return closed(list(either), **plain, **either)

    assert None is not rewritten(with_more(0), ANTHROPIC)
    assert None is rewritten(with_more(1), ANTHROPIC)


def test_a_schema_without_end_has_no_form():
    endless: dict[str, Any] = {"type": "array"}
    endless["items"] = endless
    assert None is rewritten(endless, CORE)
