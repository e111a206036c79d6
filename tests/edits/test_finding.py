"""Where a FIND is looked for, and when it counts as found."""

from __future__ import annotations

import pytest

from retouch.edits import apply_reply
from tests.edits.blocks import applied, change, refused, tiers


def test_lines_are_matched_whole_before_parts_of_lines():
    assert "x = 1 + 1\nx = 2\n" == applied(change(("x = 1\n", "x = 2\n")), "x = 1 + 1\nx = 1\n")


def test_a_part_of_a_line_is_matched_only_between_tokens():
    assert "f(new, b)\n" == applied(change(("a\n", "new\n")), "f(a, b)\n")
    assert "not_found" == refused(change(("return 1\n", "return 2\n")), "return 10\n").error
    assert "ambiguous" == refused(change(("a\n", "b\n")), "f(a, a)\n").error


def test_a_fragment_over_two_lines_keeps_what_stands_around_it():
    reply = change(("second)\nthird(x\n", "2)\n3(x\n"))
    assert "first(2)\n3(x, y)\n" == applied(reply, "first(second)\nthird(x, y)\n")


@pytest.mark.parametrize(
    ("find", "text", "tier"),
    [
        ("    call(one)\n    call(two)\n", "    call(one)\n    call(two)\n", "exact"),
        ("one\n", "    call(one)\n", "inline"),
        ("call(one)\n    call(two)\n", "    call(one)\n    call(two)\n", "first_line"),
        ("    call(one)  \n    call(two)\n", "    call(one)\n    call(two)\t\n", "trailing_ws"),
        ("call(one)\ncall(two)\n", "    call(one)\n    call(two)\n", "indent"),
        ("        call(one)\n        call(two)\n", "    call(one)\n    call(two)\n", "indent"),
        ("    call(“one”)\n", '    call("one")\n', "quotes"),
        ("\n    call(one)\n\n", "    call(one)\n", "edge_blank"),
        ("1 | call(one)\n2 | call(two)\n", "call(one)\ncall(two)\n", "line_numbers"),
    ],
)
def test_the_tiers_are_tried_in_order_and_named(find: str, text: str, tier: str):
    assert [tier] == tiers(change((find, find.replace("“one”", "1").replace("one", "1"))), text)


def test_nothing_is_matched_by_likeness():
    text = "def area(width):\n    size = width\n    return size\n"
    reply = change(("def area(width):\n    value = width\n    return size\n", "pass\n"))
    assert "not_found" == refused(reply, text).error


def test_a_loose_match_needs_six_visible_characters():
    text = "f() {\n  if (x) {\n    a;\n  }\n  b;\n"
    assert "not_found" == refused(change(("      }\n", "      c;\n      }\n")), text).error
    assert "not_found" == refused(change(("a;\n  }\n", "c;\n  }\n")), text).error
    assert ["indent"] == tiers(change(("        if (x) {\n", "        if (y) {\n")), "f() {\n    if (x) {\n    }\n")


def test_ambiguity_is_refused_with_all_places():
    result = refused(change(("aa\naa\n", "bb\n")), "aa\naa\naa\n")
    assert "ambiguous" == result.error
    assert ((1, 2), (2, 3)) == result.issues[0].lines
    assert "lines 1-2, 2-3" in result.issues[0].message


def test_the_list_of_places_is_capped_and_gives_the_total():
    result = refused(change(("x\n", "y\n")), "x\n" * 300)
    assert 20 == len(result.issues[0].lines)
    assert "300 places" in result.issues[0].message
    assert "and 280 more" in result.issues[0].message


def test_every_find_is_looked_up_in_the_original():
    assert "y = 2\ny = 3\n" == applied(change(("x = 1\n", "y = 2\n"), ("y = 2\n", "y = 3\n")), "x = 1\ny = 2\n")


def test_a_find_that_quotes_an_earlier_replace_is_applied_to_it():
    reply = change(("v = 1\n", "v = 2\nw = 2\n"), ("w = 2\nend\n", "w = 3\nend\n"))
    assert "v = 2\nw = 3\nend\n" == applied(reply, "v = 1\nend\n")
    assert ["exact", "chained"] == tiers(reply, "v = 1\nend\n")


def test_a_find_that_quotes_a_later_replace_is_not_found():
    assert "not_found" == refused(change(("v = 2\n", "v = 3\n"), ("v = 1\n", "v = 2\n")), "v = 1\n").error


def test_overlapping_edits_are_a_conflict_that_names_both():
    result = refused(change(("a\nb\n", "A\nB\n"), ("b\nc\n", "b\nC\n")), "a\nb\nc\n")
    assert "conflict" == result.error
    assert (1, 2) == result.issues[0].edits
    assert "overlaps edit 1" in result.issues[0].message


def test_the_order_of_edits_does_not_matter():
    reply = change(("c\n", "C\n"), ("a\n", "1\n2\n"))
    assert "1\n2\nb\nC\n" == applied(reply, "a\nb\nc\n")


def test_one_failed_edit_in_one_file_leaves_all_files():
    reply = change(("x = 1\n", "x = 2\n"), path="a.py") + change(("gone\n", "y\n"), path="b.py")
    result = apply_reply(reply, {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    assert ("refused", "not_found", {}) == (result.outcome, result.error, dict(result.files))
