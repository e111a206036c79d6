"""Diffs as they are really written: whatever their counts say, every changed line is found at its number."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.locate.diffs.scan import scan

LINES = st.lists(st.sampled_from(["a", "b", "  c", "", "-- d", "++ e", "@ f", "\\g"]), max_size=12)


def changes(text: str) -> list[tuple[str, str, int, int, str]]:
    return [
        (file.path, line.sign, line.old, line.new, line.text)
        for file in scan(text)
        for hunk in file.hunks
        for line in hunk.lines
        if line.is_changed
    ]


def test_a_plain_diff_is_read_with_the_numbers_of_both_sides():
    text = "--- a/x/Alu.sv\n+++ b/x/Alu.sv\n@@ -10,3 +20,4 @@ module Alu(\n one\n-two\n+zwei\n+drei\n four\n"
    assert [
        ("x/Alu.sv", "-", 11, 21, "two"),
        ("x/Alu.sv", "+", 12, 21, "zwei"),
        ("x/Alu.sv", "+", 12, 22, "drei"),
    ] == changes(text)
    assert ["module Alu("] == [hunk.section for hunk in scan(text)[0].hunks]


@pytest.mark.parametrize("counts", ["-10,3 +20,4", "-10,1 +20,1", "-10 +20", "-10,0 +20,99"])
def test_the_counts_of_a_hunk_are_not_believed(counts: str):
    text = f"--- a/A.sv\n+++ b/A.sv\n@@ {counts} @@\n one\n-two\n+zwei\n three\n"
    assert [("A.sv", "-", 11, 21, "two"), ("A.sv", "+", 12, 21, "zwei")] == changes(text)


def test_blank_context_that_lost_its_space_keeps_the_numbers_right():
    assert [("A.sv", "-", 3, 3, "two")] == changes("--- a/A.sv\n+++ b/A.sv\n@@ -1,3 +1,2 @@\n one\n\n-two\n")


def test_context_that_lost_its_indentation_is_context():
    assert [("A.sv", "-", 2, 2, "two")] == changes("--- a/A.sv\n+++ b/A.sv\n@@ -1,3 +1,2 @@\none\n-two\nthree\n")


def test_several_files_are_told_apart():
    one, two = (f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-old\n+new\n" for name in ("A.sv", "B.sv"))
    git = f"diff --git a/A.sv b/A.sv\nindex 1..2 100644\n{one}diff --git a/B.sv b/B.sv\n{two}Only in b: C.sv\n"
    assert ["A.sv", "B.sv"] == [file.path for file in scan(one + two)]
    assert ["A.sv", "B.sv"] == [file.path for file in scan(git)]
    assert changes(one + two) == changes(git)


def test_names_are_taken_without_times_prefixes_and_quotes():
    for old, new in (("A.sv", "A.sv\t2024-01-01 10:00"), ("a/A.sv", "b/A.sv"), ('"a/A.sv"', '"b/A.sv"')):
        assert "A.sv" == scan(f"--- {old}\n+++ {new}\n@@ -1 +1 @@\n-x\n+y\n")[0].path
    assert "A.sv" == scan("--- a/A.sv\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")[0].path


def test_carriage_returns_and_missing_line_ends_change_nothing():
    mark = "\\ No newline at end of file\n"
    text = f"--- a/A.sv\n+++ b/A.sv\n@@ -1,2 +1,2 @@\n-x\n{mark}+y\n{mark} z\n"
    assert [("A.sv", "-", 1, 1, "x"), ("A.sv", "+", 2, 1, "y")] == changes(text)
    assert changes(text) == changes(text.replace("\n", "\r\n"))


def test_lines_that_look_like_a_header_inside_a_hunk_are_lines():
    text = "--- a/A.sv\n+++ b/A.sv\n@@ -1,3 +1,3 @@\n one\n--- x\n+++ y\n two\n"
    assert [("A.sv", "-", 2, 2, "-- x"), ("A.sv", "+", 3, 2, "++ y")] == changes(text)


def test_a_diff_without_headers_is_still_one():
    assert [("", "-", 7, 7, "x"), ("", "+", 8, 7, "y")] == changes("@@ -7 +7 @@\n-x\n+y\n")
    assert [("", "-", 1, 1, "x"), ("", "+", 2, 1, "y")] == changes("-x\n+y\n")


@pytest.mark.parametrize("text", ["", "\n", "words\n", "--- a/A.sv\n+++ b/A.sv\n@@ -1 +1 @@\n same\n", "- \n"])
def test_a_text_without_a_changed_line_has_no_file(text: str):
    assert () == scan(text)


@settings(max_examples=120, deadline=None)
@given(old=LINES, new=LINES, context=st.integers(0, 3))
def test_every_change_that_difflib_writes_is_found(old: list[str], new: list[str], context: int):
    text = "".join(f"{line}\n" for line in difflib.unified_diff(old, new, "a/A.sv", "b/A.sv", n=context, lineterm=""))
    found = changes(text)
    gone, come = list(old), list(new)
    for _, sign, before, after, line in found:
        assert line == (old[before - 1] if sign == "-" else new[after - 1])
        (gone if sign == "-" else come)[(before if sign == "-" else after) - 1] = "\0"
    assert [line for line in gone if line != "\0"] == [line for line in come if line != "\0"]


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="-+@ \\ab/.,1\n\r\t", max_size=120))
def test_no_text_breaks_the_scanner(text: str):
    for file in scan(text):
        assert any(line.is_changed for hunk in file.hunks for line in hunk.lines)
