"""What is written in the place of a match, byte by byte."""

from __future__ import annotations

import pytest

from tests.edits.blocks import applied, change, refused


def test_shared_lines_keep_the_bytes_of_the_file():
    text = "keep(one)  \nold(two)\t\nkeep(three)\n"
    reply = change(("keep(one)\nold(two)\nkeep(three)\n", "keep(one)\nnew(two)\nkeep(three)\n"))
    assert "keep(one)  \nnew(two)\nkeep(three)\n" == applied(reply, text)


def test_an_exact_match_takes_replace_literally():
    assert "one  \ntwo\n" == applied(change(("one\ntwo\n", "one  \ntwo\n")), "one\ntwo\n")


def test_crlf_is_matched_and_new_lines_take_it():
    assert "a\r\nB\r\nnew\r\nc\r\n" == applied(change(("b\nc\n", "B\nnew\nc\n")), "a\r\nb\r\nc\r\n")
    assert "a\nB\n" == applied(change(("b\n", "B\n")).replace("\n", "\r\n"), "a\nb\n")


def test_in_mixed_endings_each_line_keeps_its_own_and_a_new_one_takes_its_neighbours():
    assert "a\r\nB\nnew\nc\r\nd\n" == applied(change(("b\nc\n", "B\nnew\nc\n")), "a\r\nb\nc\r\nd\n")


def test_cr_alone_ends_lines_where_there_is_no_other_ending():
    assert "a\rB\rc" == applied(change(("b\n", "B\n")), "a\rb\rc")


def test_a_byte_order_mark_is_set_aside_and_restored():
    assert "\ufeffusing C;\nx\n" == applied(change(("using A;\n", "using C;\n")), "\ufeffusing A;\nx\n")
    assert "\ufeffusing C;\nx\n" == applied(change(("\ufeffusing A;\n", "\ufeffusing C;\n")), "\ufeffusing A;\nx\n")


@pytest.mark.parametrize("end", ["", "\n"])
def test_the_state_of_the_final_newline_is_kept(end: str):
    assert f"a\nb\nc{end}" == applied(change(("b\n", "b\nc\n")), f"a\nb{end}")
    assert f"a{end}" == applied(change(("b\n", "")), f"a\nb{end}")


def test_tabs_and_blanks_are_mapped_and_deeper_new_lines_take_the_files_unit():
    text = "class A:\n    def f(self):\n        return 1\n"
    reply = change(("\tdef f(self):\n\t\treturn 1\n", "\tdef f(self):\n\t\tif x:\n\t\t\ty()\n\t\treturn 1\n"))
    assert text.replace("        return", "        if x:\n            y()\n        return") == applied(reply, text)


def test_new_lines_in_tabs_are_turned_where_the_file_is_all_in_blanks():
    text = "def a():\n" + "    x = 1\n" * 60 + "\n\ndef last():\n    y = 2\n"
    reply = change(("def last():\n", "def new():\n\tif a:\n\t\tb()\n\n\ndef last():\n"))
    assert "def new():\n    if a:\n        b()\n\n\ndef last():" in str(applied(reply, text))


def test_new_lines_in_tabs_are_refused_where_their_width_cannot_be_told():
    text = "object A {\n" + "  val x = 1\n" * 60 + "}\n\nobject B {\n  val y = 2\n}\n"
    result = refused(change(("object B {\n", "object B {\n\tval z = 3\n")), text)
    assert "indented with tabs" in result.issues[0].message


def test_an_indentation_without_a_counterpart_is_refused():
    text = "if a:\n    one(here)\n    two(here)\n"
    reply = change(("        one(here)\n        two(here)\n", "        one(here)\nthree(here)\n"))
    assert "does not occur in the file" in refused(reply, text).issues[0].message
