"""Pages of one type become one block, and the page and line of every line are known."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.checking.answers import read
from retouch.recipes.csharp.ir import CsField
from retouch.recipes.csharp.writing.code import CsCode, Piece
from retouch.recipes.csharp.writing.stitch import stitch_type_pages
from tests.recipes.csharp.answers_zoo import ENDPOINT, good_pages, one_class, prompts

HEAD = "public class A\n{\n    public int B { get; init; }\n}\n"
MORE = "// BEGIN_FIELDS\n    public int C { get; init; }\n// END_FIELDS\n"


def code(unit: str, pages: list[str]) -> CsCode:
    value = read(ENDPOINT, unit, pages).value
    assert value is not None
    return value


def assert_lines_are_known(value: CsCode, pages: list[str]):
    for number, line in enumerate(value.text.split("\n"), 1):
        page, at = value.page_at(number)
        if line.strip():
            assert line == pages[page - 1].split("\n")[at - 1]


def test_members_of_later_pages_stand_before_the_last_brace():
    wanted = "public class A\n{\n    public int B { get; init; }\n\n    public int C { get; init; }\n}"
    assert wanted == stitch_type_pages([HEAD, MORE])


def test_values_of_later_pages_stand_before_the_last_brace():
    pages = ["public enum E\n{\n    A,\n}\n", "// BEGIN_FIELDS\n    B,\n// END_FIELDS"]
    assert "public enum E\n{\n    A,\n\n    B,\n}" == stitch_type_pages(pages)


def test_braces_in_strings_comments_and_behind_the_class_do_not_mislead():
    head = '// }\n[A("}")]\npublic class A\n{\n    [B("{{{")]\n    public int B { get; init; } // }\n'
    head += "    /* } */\n}\n// }\n"
    text = stitch_type_pages([head, MORE])
    assert text.index("int B") < text.index("/* } */") < text.index("int C") < text.rindex("}\n// }")


def test_a_class_without_members_takes_those_of_the_next_page():
    assert "public class A\n{\n    public int C { get; init; }\n}" == stitch_type_pages(["public class A\n{\n}", MORE])


def test_a_last_brace_on_the_line_of_a_member_is_found():
    text = stitch_type_pages(["public class A { public int B { get; init; } }", MORE])
    assert "public class A { public int B { get; init; }\n\n    public int C { get; init; }\n}" == text


def test_other_line_ends_and_a_byte_order_mark_leave_no_trace():
    assert stitch_type_pages([HEAD, MORE]) == stitch_type_pages([f"\ufeff{HEAD}".replace("\n", "\r\n"), MORE])


def test_a_page_without_marks_is_taken_whole():
    assert stitch_type_pages([HEAD, MORE]) == stitch_type_pages([HEAD, "    public int C { get; init; }\n"])


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        ([], "the first page declares no type"),
        (["// nothing"], "the first page declares no type"),
        (["class A {", MORE], "page 1 cannot be parsed: line 1"),
        ([HEAD, "    public int C { get; init }"], "page 2 cannot be parsed: line 1"),
        ([HEAD, MORE.replace("init; }", "init; } }")], "page 2 cannot be parsed: line 2"),
    ],
)
def test_a_page_that_is_no_code_is_named(pages: list[str], message: str):
    with pytest.raises(ValueError, match=message):
        stitch_type_pages(pages)


def test_every_line_of_the_block_is_known_by_page_and_line():
    for unit, pages in good_pages().items():
        assert_lines_are_known(code(unit, pages), pages)


def test_leading_blank_lines_are_left_out_and_counted():
    pages = [f"\n\n{good_pages()['Owner'][0]}\n\n"]
    value = code("Owner", pages)
    assert (1, 3) == value.page_at(1)
    assert value.text.startswith("[Additional")
    assert value.text.endswith("}")


def test_an_adopted_type_of_several_pages_arrives_as_one():
    whole = code("PetsDataObject", good_pages()["PetsDataObject"]).text
    value = code("PetsDataObject", [whole])
    assert whole == value.text
    assert (Piece(first=1, page=1, line=1),) == value.pieces
    assert () == tuple(read(ENDPOINT, "PetsDataObject", [whole]).issues)


def test_lines_outside_of_the_block_are_pinned_to_its_ends():
    value = code("Owner", good_pages()["Owner"])
    assert (1, 1) == value.page_at(0)
    assert (1, 999) == value.page_at(999)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 9), st.integers(1, 4))
def test_any_number_of_pages_gives_the_fields_in_order(count: int, size: int):
    fields = [CsField(json_name=f"f{i}", name=f"F{i}", type="int", nullable=True) for i in range(count)]
    endpoint = one_class(*fields, fields_per_page=size)
    pages = [answer(prompt) for prompt in prompts(endpoint)]
    value = read(endpoint, "PetsDataObject", pages).value
    assert value is not None
    places = [value.text.index(f'"f{i}"') for i in range(count)]
    assert sorted(places) == places
    assert_lines_are_known(value, pages)
