"""What is applied although FIND is not exact, and where that is not certain enough."""

from __future__ import annotations

import json

import pytest

from retouch.edits import apply_reply
from tests.edits.blocks import NAME, applied, change, refused, tiers


@pytest.mark.parametrize(
    ("find", "replace", "line", "wanted"),
    [
        ("VERSION = 1", "VERSION = 2", "VERSION = 1.5", None),  # a number is cut
        ("5", "6", "VERSION = 1.5", None),
        ("name", "label", "full-name: x", None),
        ("world", "moon", 'print("hello world, hello")', None),  # inside of a string
        ("total = a", "total = c", "total = a + b", None),  # it may be a part, or a line that was cut
        ("total = a", "total = c + b", "total = a + b", "total = c + b"),  # REPLACE has the rest
        ("def f(a, b", "def f(a, b, c):", "def f(a, b):", "def f(a, b, c):"),
        ("def f(a", "def f(x) -> int:", "def f(a, b):", None),
        ("x = f(1)", "x = f(2);", "x = f(1);", "x = f(2);"),  # FIND lost its last character
        ("x = f(1)", "x = f(2)", "x = f(1);", "x = f(2);"),  # both lost it
        ("return x", "return y", "return x;", None),
        ("return x", "return {", "return x;", None),
        ("'a': 1", "'a': 2,", "'a': 1,", "'a': 2,"),
        ("import", "import sys", "import os", None),
        ("import", "other = 'x'", "import os", None),
        ("start", "begin", "start middle end", "begin middle end"),
        ("RATE", "VAT", "price / (1 + RATE) * n", "price / (1 + VAT) * n"),
        ("x", "f(x)", "print(x)", "print(f(x))"),
        ("def f(a)", "g = 1", "def f(a):", None),
        ("def f(a)", "", "def f(a):", None),
        (", b", "", "f(a, b, c)", "f(a, c)"),
        ("compute(a)", "result = compute(b)", "result = compute(a)", "result = compute(b)"),
        ("compute(a)", "outcome = compute(b)", "result = compute(a)", None),
        ("(1 + RATE)", "(1 + VAT)", "n = price / (1 + RATE)", "n = price / (1 + VAT)"),
    ],
)
def test_a_part_of_a_line_is_replaced_only_if_the_rest_is_certain_to_stay(
    find: str, replace: str, line: str, wanted: str | None
):
    reply = change((f"{find}\n", f"{replace}\n"))
    if wanted is None:
        refused(reply, f"{line}\nlast()\n")
    else:
        assert f"{wanted}\nlast()\n" == applied(reply, f"{line}\nlast()\n")


def test_a_find_that_is_cut_in_its_last_line_takes_the_whole_line():
    text = "class A:\n    def f(self, a, b):\n        return a\n"
    reply = change(("class A:\n    def f(self, a\n", "class A:\n    def f(self, x, b):\n"))
    assert "class A:\n    def f(self, x, b):\n        return a\n" == applied(reply, text)
    assert ["whole_line"] == tiers(reply, text)
    other = change(("class A:\n    def f(self, a\n", "class A:\n    def f(self, a, b, c):\n"))
    assert "not_found" == refused(other, text).error


PYTHON = "class A:\n    def f(self):\n        x = 1\n        return x\n\n    def g(self):\n        return 2\n"


@pytest.mark.parametrize(
    ("replace", "wanted"),
    [
        ("def f(self):\n    x = 2\n", "    def f(self):\n        x = 2\n"),  # it lost its indentation, too
        ("    def f(self):\n        x = 2\n", "    def f(self):\n        x = 2\n"),  # it is right
        ("    def h(self):\n        x = 2\n", "    def h(self):\n        x = 2\n"),
        ("def h(self):\n    x = 2\n", "    def h(self):\n        x = 2\n"),
    ],
)
def test_a_find_without_its_indentation_does_not_move_a_replace_that_is_right(replace: str, wanted: str):
    reply = change(("def f(self):\n    x = 1\n", replace))
    assert PYTHON.replace("    def f(self):\n        x = 1\n", wanted) == applied(reply, PYTHON)


def test_code_that_is_wrapped_in_a_block_moves_with_find():
    text = "def f():\n    a(1)\n    b(2)\n"
    reply = change(("a(1)\nb(2)\n", "try:\n    a(1)\n    b(2)\nfinally:\n    c()\n"))
    assert "def f():\n    try:\n        a(1)\n        b(2)\n    finally:\n        c()\n" == applied(reply, text)


def test_an_exact_match_is_doubted_if_the_rest_of_the_reply_is_indented_too_deep():
    text = "def f():\n    alpha()\n    beta()\n\n    if x:\n        gamma()\n        delta()\n"
    text += "\ndef g():\n    gamma()\n    delta()\n"
    shifted = change(
        ("        alpha()\n        beta()\n", "        alpha(1)\n        beta()\n"),
        ("        gamma()\n        delta()\n", "        gamma(1)\n        delta()\n"),
    )
    assert "ambiguous" == refused(shifted, text).error
    alone = change(("        gamma()\n        delta()\n", "        gamma(1)\n        delta()\n"))
    assert ["exact"] == tiers(alone, text)


@pytest.mark.parametrize(
    ("pairs", "wanted"),
    [
        ([("a\nb\n", "A\nb\n"), ("b\nc\n", "b\nC\n")], "A\nb\nC\nd\ne\n"),
        ([("b\nc\n", "b\nC\n"), ("a\nb\n", "A\nb\n")], "A\nb\nC\nd\ne\n"),
        ([("a\nb\n", "a\nx\nb\n"), ("b\nc\n", "b\nC\n")], "a\nx\nb\nC\nd\ne\n"),
        ([("a\nb\nc\n", "A\nb\nc\n"), ("b\nc\nd\n", "b\nc\nD\n"), ("d\ne\n", "d\nE\n")], None),
        ([("a\nb\n", "A\nb\n"), ("b\nc\nd\n", "b\nC\nd\n"), ("d\ne\n", "d\nE\n")], "A\nb\nC\nd\nE\n"),
        ([("a\nb\n", "A\nB\n"), ("b\nc\n", "b\nC\n")], None),  # one changes what the other keeps
        ([("a\nb\n", "a\nb\nx\n"), ("b\nc\n", "b\nC\n")], None),  # one inserts between lines of the other
        ([("a\nb\n", "a\nb\nx\n"), ("b\n", "b\ny\n")], None),  # both insert at one place
    ],
)
def test_edits_that_share_lines_are_merged_if_neither_changes_them(pairs: list[tuple[str, str]], wanted: str | None):
    text = "a\nb\nc\nd\ne\n"
    if wanted is None:
        assert "conflict" == refused(change(*pairs), text).error
    else:
        assert wanted == applied(change(*pairs), text)


def test_blank_lines_that_hold_spaces_are_matched_and_kept():
    text = "def f():\n    alpha()\n    \n    beta()\n"
    reply = change(("    alpha()\n\n    beta()\n", "    alpha()\n\n    gamma()\n\n    beta()\n"))
    new = applied(reply, text)
    assert new is not None
    assert ["def f():", "    alpha()", "", "    gamma()", "", "    beta()"] == [
        line.rstrip() for line in new.splitlines()
    ]
    assert "\n    \n" in new
    reply = change(("    alpha()\n    \n    beta()\n", "    alpha()\n    \n    gamma()\n"))
    assert "    alpha()\n\n    gamma()\n" == applied(reply, "    alpha()\n\n    beta()\n")


@pytest.mark.parametrize(
    "dots", ["    ...", "    # ... existing code ...", "    # rest of the function unchanged", "…"]
)
def test_lines_left_out_in_both_texts_are_kept(dots: str):
    text = "def f():\n    a = 1\n    b = 2\n    c = 3\n    return a\n"
    reply = change((f"def f():\n    a = 1\n{dots}\n    return a\n", f"def f(n):\n    a = n\n{dots}\n    return a\n"))
    assert "def f(n):\n    a = n\n    b = 2\n    c = 3\n    return a\n" == applied(reply, text)
    assert ["elided"] == tiers(reply, text)


def test_dots_that_are_in_the_file_are_no_placeholder():
    text = "def f():\n    ...\n\ndef g():\n    return 1\n"
    reply = change(("def f():\n    ...\n", "def f():\n    return 2\n"))
    assert "def f():\n    return 2\n\ndef g():\n    return 1\n" == applied(reply, text)


@pytest.mark.parametrize("mark", ["2→", "     2\t", "2 | ", "2: "])
def test_line_numbers_of_listings_are_removed(mark: str):
    reply = change((f"{mark}two(b)\n", f"{mark}2(b)\n"))
    assert "one(a)\n2(b)\n" == applied(reply, "one(a)\ntwo(b)\n")


def test_the_final_newline_changes_only_if_a_diff_says_so():
    head = "--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n a\n"
    added = head + "-b\n\\ No newline at end of file\n+b\n"
    assert "a\nb\n" == apply_reply(added, {"m.py": "a\nb"}).files["m.py"]
    removed = head + "-b\n+c\n\\ No newline at end of file\n"
    assert "a\nc" == apply_reply(removed, {"m.py": "a\nb\n"}).files["m.py"]
    same = head + "-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"
    assert "a\nc" == apply_reply(same, {"m.py": "a\nb"}).files["m.py"]


def test_whitespace_that_only_the_file_has_at_a_line_end_stays_where_it_is():
    text = "    call(one)\n    )  \nlast()\n"
    reply = change(("    call(one)\n    )\n", "    call(one)\n    )\n    more(two)\n"))
    assert "    call(one)\n    )  \n    more(two)\nlast()\n" == applied(reply, text)


def test_a_doubled_fence_line_after_replace_is_no_deletion():
    doubled = "FIND:\n```\nb\n```\nREPLACE WITH:\n```\n```\nB\n```\n\n"
    text = "a\nb\nc\n"
    other = f"{NAME}\n```python\n<<<<<<< SEARCH\nc\n=======\nC\n>>>>>>> REPLACE\n```\n"
    assert "malformed" == refused(doubled + other, text).error
    deletion = "FIND:\n```\nb\n```\nREPLACE WITH:\n```\n```\n\n"
    assert "a\nC\n" == applied(deletion + other, text)
    assert "a\nc\n" == applied(f"{deletion}Then run:\n```sh\nmake\n```\n", text)


def test_a_doubled_fence_line_after_find_is_no_line_of_the_file():
    text = "a\n```\nb\n"
    assert "malformed" == refused("FIND:\n```\n```\nb\n```\nREPLACE WITH:\n```\nB\n```\n", text).error
    assert "a\nB\n" == applied("FIND:\n````\n```\nb\n````\nREPLACE WITH:\n````\nB\n````\n", text)


def test_a_numbered_old_text_that_ends_with_a_line_end_deletes_as_it_does_without_numbers():
    for old in ("a\n", "1→a\n2→"):
        call = {"command": "str_replace", "path": NAME, "old_str": old, "new_str": ""}
        assert "\nb\n" == applied(json.dumps(call), "a\n\nb\n")
