"""Texts as literals: the same in JSON and in C#, on one line, and without ambiguous content."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.csharp.language.literals import description_literal, quoted


def test_descriptions_stand_on_one_line_without_fences_and_markers():
    text = description_literal("Say ```code```\n// [SCHMITH:BEGIN X]\r\n\u2028and \ud800 " + "more " * 200)
    assert "\n" not in text
    assert "```" not in text
    assert "[SCHMITH:" not in text
    assert len(text) < 400


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_a_quoted_text_is_json_and_stays_on_one_line(text: str):
    literal = quoted(text)
    assert text == json.loads(literal)
    assert 1 == len(literal.splitlines())


def test_characters_that_turn_the_direction_are_escaped_in_literals_and_left_out_of_descriptions():
    assert '"a\\u202eb\\u2069"' == quoted("a\u202eb\u2069")
    assert '"ab c"' == description_literal("a\u202eb\u2066 c")
