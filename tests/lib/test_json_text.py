"""Readable JSON text."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from retouch._lib.hashing import canonical_json, schema_text
from retouch._lib.json_text import json_list, json_text, plain_pieces, rendered_json, row_pieces

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None), max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(value=VALUES)
def test_a_value_that_is_text_already_is_written_like_the_value(value: Any) -> None:
    plain = "".join(json_list([{"a": "b", "value": value}]))
    assert plain == "".join(json_list([{"a": "b", "value": rendered_json(value)}]))
    assert [{"a": "b", "value": value}] == json.loads(plain)


@given(value=VALUES)
def test_a_value_is_written_as_the_standard_library_writes_it(value: Any) -> None:
    odd = {"value": value, "floats": [0.1, 1e300, float("inf")], "tuple": (value, 1), "numbers": {1: value, None: True}}
    expected = json.dumps(odd, indent=1, ensure_ascii=False) + "\n"
    lone = "".join(f"\\u{ord(one):04x}" if "\ud800" <= one <= "\udfff" else one for one in expected)
    assert lone == json_text(odd)
    assert json.dumps(odd) == "".join(row_pieces(odd, 0))
    assert json.dumps(odd, ensure_ascii=False) == "".join(plain_pieces(odd, 0))


def test_a_schema_that_was_changed_has_its_new_text() -> None:
    schema: dict[str, Any] = {"properties": {"a": {"const": 1}}}
    assert '{"properties":{"a":{"const":1}}}' == schema_text(schema)
    schema["properties"]["a"]["const"] = True
    assert '{"properties":{"a":{"const":true}}}' == schema_text(schema)


def test_a_schema_of_other_mappings_has_the_text_of_its_canonical_form() -> None:
    assert '{"a":[],"b":{}}' == schema_text(OrderedDict[str, Any](b=OrderedDict[str, Any](), a=[]))


def test_a_schema_has_the_text_of_its_canonical_form() -> None:
    for number in range(200):
        assert canonical_json({"b": number, "a": []}) == schema_text({"b": number, "a": []})
