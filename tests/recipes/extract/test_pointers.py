"""JSON Pointers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.recipes.extract.pointers import ABSENT, part_at, parts_matching, scalars, without_part

NAMES = st.text(max_size=4)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)


@given(value=VALUES)
def test_every_scalar_is_found_at_its_pointer(value: Any) -> None:
    for pointer, part in scalars(value):
        assert part == part_at(value, pointer)


STARS: list[tuple[str, list[tuple[str, Any]]]] = [
    ("/items/*/n", [("/items/0/n", 1), ("/items/2/n", 3)]),
    ("/items/1", [("/items/1", {})]),
    ("", [("", {"items": [{"n": 1}, {}, {"n": 3}]})]),
    ("/none/*", []),
]


@pytest.mark.parametrize(("pattern", "expected"), STARS)
def test_a_star_stands_for_every_element(pattern: str, expected: list[Any]) -> None:
    assert expected == list(parts_matching({"items": [{"n": 1}, {}, {"n": 3}]}, pattern))


def test_a_removed_part_is_absent() -> None:
    assert {"a": [1, 3]} == without_part({"a": [1, 2, 3]}, "/a/1")
    assert {} == without_part({"a": 1}, "/a")
    assert ABSENT is part_at({"a": 1}, "/b/c")
