"""Schemas of any content: reading ends with a consistent endpoint or with an error of ours."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.errors import RetouchError
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint
from retouch.recipes.csharp.writing.schema_md import schema_markdown
from tests.recipes.csharp.read_documents import saved, spec, types_of

if TYPE_CHECKING:
    import pytest

_WORD = re.compile(r"[A-Za-z]\w*")
_NAMES = st.sampled_from(["A", "B", "a", "", "$ref", "type", "items", "é"])
_REFS = st.sampled_from(["#/components/schemas/A", "#/components/schemas/B/properties/a", "#/nowhere", "x.json", "#"])
_KINDS = st.sampled_from(["object", "array", "string", "integer", "number", "boolean", "null", "what", 5])
_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.text(max_size=3), st.floats(allow_nan=False, allow_infinity=False)
)


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Schemas, mostly. Any keyword can also have an invalid value."""
    several, by_name = st.lists(inner, max_size=3), st.dictionaries(_NAMES, inner, max_size=3)
    told: dict[str, st.SearchStrategy[Any]] = {
        "type": st.one_of(_KINDS, st.lists(_KINDS, max_size=2)),
        "properties": by_name,
        "patternProperties": by_name,
        "additionalProperties": inner,
        "items": st.one_of(inner, several),
        "allOf": several,
        "oneOf": several,
        "anyOf": several,
        "required": st.one_of(st.lists(_NAMES, max_size=2), _SCALARS),
        "enum": st.lists(st.one_of(_SCALARS, inner), max_size=3),
        "const": _SCALARS,
        "format": st.sampled_from(["date-time", "uuid", "int32", "byte", 3]),
        "discriminator": st.one_of(
            _NAMES, st.fixed_dictionaries({"propertyName": _NAMES, "mapping": st.dictionaries(_NAMES, _REFS)})
        ),
        "nullable": st.booleans(),
        "maximum": _SCALARS,
        "example": _SCALARS,
        "description": st.one_of(st.text(max_size=5), _SCALARS),
        "$ref": st.one_of(_REFS, _SCALARS),
    }
    return st.one_of(
        st.fixed_dictionaries({}, optional=told).map(lambda found: dict(list(found.items())[:4])),
        st.dictionaries(st.sampled_from(list(told)), st.one_of(inner, _SCALARS), max_size=3),
    )


ANYTHING = st.recursive(
    st.one_of(_SCALARS, _REFS.map(lambda ref: {"$ref": ref}), _KINDS.map(lambda kind: {"type": kind})),
    schemas,
    max_leaves=8,
)


@given(ANYTHING, ANYTHING, ANYTHING)
@settings(max_examples=40, deadline=None)
def test_reading_any_schemas_ends_well(tmp_path_factory: pytest.TempPathFactory, response: Any, a: Any, b: Any) -> None:
    folder = tmp_path_factory.mktemp("anything")
    try:
        endpoint = read_endpoint(
            saved(folder, json.dumps(spec(response, {"A": a, "B": b}))),
            "GET /things/{id}",
            ReadingOptions(style="connector"),
        )
    except RetouchError:
        return
    types = types_of(endpoint)
    assert len(endpoint.types) == len(types)
    for cs_type in endpoint.types:
        assert cs_type.fields or cs_type.values
        assert len(cs_type.fields) == len({field.name for field in cs_type.fields} - {cs_type.name})
        assert all(set(field.types) == types.keys() & set(_WORD.findall(field.type)) for field in cs_type.fields)
    assert str(folder) not in repr(endpoint)
    assert schema_markdown(endpoint)
