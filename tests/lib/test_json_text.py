"""Readable JSON text."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from retouch._lib.hashing import canonical_json, kept_by_identity, schema_text
from retouch._lib.json_text import json_list, rendered_json

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


def test_a_result_is_kept_for_the_same_object_and_not_for_an_equal_one() -> None:
    calls: list[object] = []

    def text(value: dict[str, int]) -> str:
        calls.append(value)
        return str(value)

    kept = kept_by_identity(text)
    first, equal = {"a": 1}, {"a": 1}
    assert ["{'a': 1}"] * 3 == [kept(first), kept(first), kept(equal)]
    assert 2 == len(calls)
    for number in range(200):
        assert str({"a": number}) == kept({"a": number})


def test_a_schema_has_the_text_of_its_canonical_form() -> None:
    for number in range(200):
        assert canonical_json({"b": number, "a": []}) == schema_text({"b": number, "a": []})
