"""Scala by its grammar and by its braces: both must say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retouch.locate.indexing.contents import read_contents
from retouch.locate.languages.quiet import quiet_places
from retouch.locate.languages.scala import by_braces, scala
from tests.locate.scala_samples import NAMES, SAMPLES

if TYPE_CHECKING:
    from retouch.locate import Span
    from retouch.locate.languages.front import Front

PIECES = [
    *("class A", "object B", "trait C", " extends D", "{", "}", "(", ")", "[", "]", "\n", '"', '"""', "'", "//", "/*"),
    *("*/", "${", "s", "\\", ":", "=", "val x", "x", " ", "@a", "case ", "enum E", "new F", "é", "\x00"),
]


@pytest.fixture(params=["grammar", "braces"])
def front(request: pytest.FixtureRequest) -> Front:
    return scala() if request.param == "grammar" else by_braces()


def spans(front: Front, text: str | bytes) -> dict[str, Span]:
    data = text if isinstance(text, bytes) else text.encode()
    return {f"{span.qualified}#{span.kind}": span for span in read_contents(front, "a.scala", data).spans}


@pytest.mark.parametrize("name", SAMPLES)
def test_every_definition_is_found_with_its_first_and_last_line(front: Front, name: str):
    sample = SAMPLES[name]
    found = spans(front, sample.text)
    assert sample.expected == [(key, span.start_line, span.end_line) for key, span in found.items()]


def test_a_file_may_begin_with_a_byte_order_mark_and_end_lines_with_two_bytes(front: Front):
    found = spans(front, b"\xef\xbb\xbfclass A {\r\n  val x = 1\r\n}\r\nclass B\r\n")
    assert [("A#class", 1, 3), ("B#class", 4, 4)] == [(key, one.start_line, one.end_line) for key, one in found.items()]


def test_a_span_tells_what_it_extends_defines_makes_and_mentions(front: Front):
    core = spans(front, NAMES)["Core#class"]
    assert ("Base", "HasBox") == core.parents
    expected = "width depth p io in alu mul first second idle busy low high count step deep"
    assert set(expected.split()) == set(core.defines)
    assert ("Bundle", "ALU", "Queue") == core.makes
    assert {"Base", "HasBox", "Pair", "Helper", "Lane"} <= set(core.refers)
    assert "Mentioned" not in core.refers


def test_what_is_inside_counts_for_what_is_around_but_not_its_parents(front: Front):
    found = spans(front, "class A { class B extends C { val b = new D } }")
    outer, inner = found["A#class"], found["A.B#class"]
    assert (("b",), ("D",), ()) == (outer.defines, outer.makes, outer.parents)
    assert (("b",), ("D",), ("C",)) == (inner.defines, inner.makes, inner.parents)


def test_the_line_of_a_name_is_not_the_first_line_when_annotations_come_before(front: Front):
    assert 3 == spans(front, "@a\n@b\nclass C\n")["C#class"].name_line


def test_words_in_comments_do_not_count(front: Front):
    contents = read_contents(front, "a.scala", b"class A { // stalls the pipe\n val hold = 1 }")
    (terms,) = contents.terms
    assert {"class": 1, "val": 1, "hold": 1} == dict(terms["code"])


def test_places_that_cannot_be_read_are_counted_and_the_rest_is_kept(front: Front):
    contents = read_contents(front, "a.scala", b"class A {\n  val x = ) 1\n}\nclass B\n")
    assert contents.errors > 0
    assert {"A", "B"} <= {span.name for span in contents.spans}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@example("class A@a\nclass A")
@example('s"' + "${s" + '"' * 3 + "${")
def test_no_text_makes_a_front_fail_or_leave_the_file(text: str):
    data = text.encode()
    for front in (scala(), by_braces()):
        for span in read_contents(front, "a.scala", data).spans:
            assert 1 <= span.start_line <= span.name_line <= span.end_line <= text.count("\n") + 1
    places = quiet_places(data)
    assert all(0 <= start < end <= len(data) for start, end in (*places.comments, *places.texts))


def test_deep_nesting_neither_fails_nor_takes_long():
    deep = b"class A { " * 2_000 + b's"${' * 2_000 + b"/*" * 2_000
    assert 2_000 == len(by_braces().parse(deep).definitions)
    assert scala().parse(b"{" * 5_000).errors > 0
