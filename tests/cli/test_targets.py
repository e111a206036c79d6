"""What `--type` and `--page` mean."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.cli.targets import chosen_pages, unit_called
from retouch.errors import BadInput, RetouchError, UnknownName

UNITS = {"PetDataObject": 5, "Flag": 1, "Owner": 3, "flag2": 2}


@pytest.mark.parametrize(
    ("types", "pages", "meant"),
    [
        (["Flag"], [], {"Flag": ()}),
        (["PetDataObject:2,3"], [], {"PetDataObject": (2, 3)}),
        (["PetDataObject:2-4"], [], {"PetDataObject": (2, 3, 4)}),
        (["PetDataObject:1,3-4,3"], [], {"PetDataObject": (1, 3, 4)}),
        (["Pet:2", "Pet:5", "Owner"], [], {"PetDataObject": (2, 5), "Owner": ()}),
        (["Pet:2", "Pet"], [], {"PetDataObject": ()}),
        (["Pet", "Pet:2"], [], {"PetDataObject": ()}),
        (["pet"], [3, 4], {"PetDataObject": (3, 4)}),
        (["FlagDataObject"], [], {"Flag": ()}),
        ([], [], {}),
    ],
)
def test_types_and_pages_mean(types: list[str], pages: list[int], meant: dict[str, tuple[int, ...]]) -> None:
    assert meant == chosen_pages(types, pages, UNITS)


@pytest.mark.parametrize(
    ("types", "pages", "said"),
    [
        (["Flagg"], [], "no type 'Flagg'; it has Flag"),
        (["Pet:6"], [], "'PetDataObject' has no page 6; it has 5 pages"),
        (["Flag:2"], [], "'Flag' has no page 2; it has one page"),
        (["Pet:0"], [], "has no page 0"),
        (["Pet:x"], [], "'x' are no pages"),
        (["Pet:4-2"], [], "runs backwards"),
        (["Pet:1-99999999999"], [], "has no page 6"),
        ([], [2], "--page 2 does not say of which type"),
        (["Pet", "Owner"], [2], "ambiguous"),
        (["Flag"], [2], "has no page 2"),
    ],
)
def test_what_is_not_there_or_not_clear_is_said(types: list[str], pages: list[int], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        chosen_pages(types, pages, UNITS)
    assert said in caught.value.message
    assert caught.value.hint


def test_a_name_in_two_cases_is_not_guessed() -> None:
    with pytest.raises(UnknownName) as caught:
        unit_called("class", {"Class": 1, "CLASS": 1})
    assert "may mean any of Class, CLASS" in caught.value.message
    assert "Class" == unit_called("Class", {"Class": 1, "CLASS": 1})


def test_a_unit_with_a_colon_in_its_name_can_be_named_whole() -> None:
    assert {"a:2": ()} == chosen_pages(["a:2"], [], {"a:2": 1, "a": 3})


def test_a_name_among_thousands_gets_a_few_near_ones_and_not_thousands_of_lines() -> None:
    with pytest.raises(UnknownName) as caught:
        unit_called("Nothing", {f"Type{number}": 1 for number in range(5_000)})
    assert len(caught.value.message) < 300


@given(st.lists(st.text(max_size=12), max_size=4), st.lists(st.integers(1, 9), max_size=3))
@settings(max_examples=60)
def test_any_words_give_known_units_and_pages_or_an_error_of_ours(types: list[str], pages: list[int]) -> None:
    try:
        meant = chosen_pages(types, pages, UNITS)
    except RetouchError:
        return
    assert meant.keys() <= UNITS.keys()
    assert all(1 <= page <= UNITS[unit] for unit, numbers in meant.items() for page in numbers)
