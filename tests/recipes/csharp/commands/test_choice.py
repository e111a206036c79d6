"""The endpoints that a pattern matches."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from retouch.errors import UnknownName
from retouch.recipes.csharp.commands.endpoints import matching


@dataclass(frozen=True)
class Place:
    method: str
    path: str


ALL = [
    Place("GET", "/repos/{owner}/{repo}"),
    Place("POST", "/repos/{owner}/{repo}/issues"),
    Place("GET", "/user"),
    Place("GET", "/odd/[id]"),
]


@pytest.mark.parametrize(
    ("patterns", "places"),
    [
        (["GET /repos/*"], [0]),
        (["* /repos/*"], [0, 1]),
        (["/repos/*"], [0, 1]),
        (["get /user"], [2]),
        (["*"], [0, 1, 2, 3]),
        (["GET /us?r"], [2]),
        (["GET /odd/[id]"], [3]),
        (["/user", "GET /repos/*"], [0, 2]),
        (["  GET   /user "], [2]),
    ],
)
def test_a_pattern_fits(patterns: list[str], places: list[int]) -> None:
    assert [ALL[place] for place in places] == matching(ALL, patterns)


def test_a_pattern_that_fits_nothing_is_an_error_with_some_names() -> None:
    with pytest.raises(UnknownName) as caught:
        matching(ALL, ["GET /user", "DELETE *"])
    assert "no endpoint matches 'DELETE *'" == caught.value.message
    assert "'GET /user'" in caught.value.hint
