"""Source locators in all the spellings that compilers have."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.locate.diffs.locators import Locator, locators

SPELLINGS = {
    "// @[Alu.scala 12:34]": ["Alu.scala:12"],
    "// @[src/main/x/Alu.scala 12:34 56:7]": ["src/main/x/Alu.scala:12", "src/main/x/Alu.scala:56"],
    "// @[Alu.scala 12:{34,56} Rob.scala 7:8]": ["Alu.scala:12", "Rob.scala:7"],
    "// @[x/Alu.scala:12:34, :56:{7,9}]": ["x/Alu.scala:12", "x/Alu.scala:56"],
    "// @[x/Alu.scala:12:34 | x/Rob.scala:5:6]": ["x/Alu.scala:12", "x/Rob.scala:5"],
    "\t// x/y/Alu.scala:12:34, :38:17, Rob.scala:9:{1,2,3}": ["x/y/Alu.scala:12", "x/y/Alu.scala:38", "Rob.scala:9"],
    "// @[Alu.scala 12:34:@1234.4]": ["Alu.scala:12"],
    "// Alu.scala:12:34, top.fir:5:6, :7:8": ["Alu.scala:12"],
    "// rtl.sv:5:6, x/Alu.scala:1:2": ["x/Alu.scala:1"],
    "// @[C:/x/Alu.scala:3:4]": ["/x/Alu.scala:3"],
}


@pytest.mark.parametrize(("comment", "expected"), SPELLINGS.items())
def test_each_spelling_is_read(comment: str, expected: list[str]):
    assert expected == [str(one) for one in locators(comment)]


def test_columns_are_kept():
    assert (Locator(path="A.scala", line=1, columns=(2,)), Locator(path="A.scala", line=3, columns=(4, 5))) == locators(
        "// A.scala:1:2, :3:{4,5}"
    )


@pytest.mark.parametrize("comment", ["", "// at 12:34", "// see Alu.scala", "// x.sv:1:2", "// :1:2", "// @[ ]"])
def test_other_comments_hold_none(comment: str):
    assert () == locators(comment)


PATHS = st.from_regex(r"([a-z][\w-]{0,5}/){0,3}[A-Z]\w{0,6}\.scala", fullmatch=True)
PLACES = st.lists(
    st.builds(
        Locator,
        path=PATHS,
        line=st.integers(1, 9999),
        columns=st.lists(st.integers(1, 99), min_size=1, max_size=3).map(tuple),
    ),
    min_size=1,
    max_size=5,
)


def written(places: list[Locator], *, separator: str, between: str) -> str:
    parts: list[str] = []
    last = ""
    for place in places:
        columns = ",".join(map(str, place.columns))
        position = f"{place.line}:{columns if len(place.columns) == 1 else '{' + columns + '}'}"
        repeated = f":{position}" if separator == ":" else position
        parts.append(repeated if place.path == last else f"{place.path}{separator}{position}")
        last = place.path
    return between.join(parts)


@settings(max_examples=100, deadline=None)
@given(PLACES)
def test_what_either_compiler_writes_is_read_back(places: list[Locator]):
    assert tuple(places) == locators(f"// {written(places, separator=':', between=', ')}")
    assert tuple(places) == locators(f"// @[{written(places, separator=':', between=', ')}]")
    assert tuple(places) == locators(f"// @[{written(places, separator=' ', between=' ')}]")


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="aA./:,{}@[]| 12scala", max_size=60))
def test_no_comment_breaks_the_reader(text: str):
    assert all(one.path.endswith(".scala") and one.line >= 0 for one in locators(f"//{text}"))
