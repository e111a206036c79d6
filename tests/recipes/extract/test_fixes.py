"""Automatic fixes of values: they cost no call, and guess nothing."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.recipes.extract.fixes import fixed
from retouch.recipes.extract.schemas import AnswerShape
from tests.recipes.extract.scenes import SCHEMA

SHAPE = AnswerShape(SCHEMA)
GOOD: dict[str, Any] = {"customer": "Ada", "total": 4.5, "state": "open"}


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ({"total": "4.50"}, {"total": 4.5}),
        ({"total": " 12 "}, {"total": 12}),
        ({"customer": 17}, {"customer": "17"}),
        ({"state": "Open"}, {"state": "open"}),
        ({"state": "in_transit"}, {"state": "in transit"}),
        ({"state": " IN-TRANSIT"}, {"state": "in transit"}),
        ({"state": "inTransit"}, {"state": "in transit"}),
        ({"due": "2024-3-5"}, {"due": "2024-03-05"}),
        ({"due": "5 March 2024"}, {"due": "2024-03-05"}),
        ({"due": "Mar. 5, 2024"}, {"due": "2024-03-05"}),
        ({"items": [{"name": "tea", "amount": "1e3"}]}, {"items": [{"name": "tea", "amount": 1000.0}]}),
    ],
)
def test_another_spelling_of_the_same_value_is_fixed(wrong: dict[str, Any], right: dict[str, Any]) -> None:
    assert {**GOOD, **right} == fixed({**GOOD, **wrong}, SHAPE)


@pytest.mark.parametrize(
    "value",
    [
        {**GOOD, "due": "03/04/2024"},
        {**GOOD, "due": "2024-02-30"},
        {**GOOD, "state": "done"},
        {**GOOD, "total": "about 4"},
        {**GOOD, "total": None},
        {"customer": "Ada", "total": 4.5},
        {**GOOD, "customer": ""},
        "Ada",
    ],
)
def test_what_would_be_a_guess_is_left_alone(value: Any) -> None:
    assert value == fixed(value, SHAPE)


def test_a_null_in_an_optional_property_is_removed() -> None:
    assert GOOD == fixed({**GOOD, "due": None}, SHAPE)


def test_a_property_with_another_spelling_is_renamed_and_an_unknown_one_removed() -> None:
    assert GOOD == fixed({"Customer": "Ada", "total": 4.5, "state": "open", "note": "?"}, SHAPE)


def test_two_spellings_of_a_property_are_ambiguous() -> None:
    value: Any = {"Customer": "Ada", "CUSTOMER": "Bob", "total": 4.5, "state": "open"}
    after: Any = fixed(value, SHAPE)
    assert "customer" not in after


def test_a_value_that_satisfies_the_schema_is_the_same_object() -> None:
    assert GOOD is fixed(GOOD, SHAPE)


@given(
    value=st.fixed_dictionaries(
        {},
        optional={
            "customer": st.text(max_size=5) | st.integers() | st.none(),
            "total": st.integers() | st.floats(allow_nan=False, allow_infinity=False).map(str) | st.text(max_size=5),
            "state": st.sampled_from(["open", "OPEN", "In-Transit", "lost", 7]),
            "due": st.dates().map(str) | st.sampled_from(["1.2.2024", "Feb 30, 2024", "7 May 2021"]),
            "other": st.text(max_size=3),
        },
    )
)
def test_fixes_never_add_violations_and_never_touch_valid_parts(value: dict[str, Any]) -> None:
    judge: Any = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())
    after: Any = fixed(value, SHAPE)
    assert len(list(judge.iter_errors(after))) <= len(list(judge.iter_errors(value)))
    for name, part in value.items():
        if name in SCHEMA["properties"] and SHAPE.is_valid({**GOOD, name: part}):
            assert part == after[name]
