"""What each dialect allows and forbids, and what is written in it."""

from __future__ import annotations

import pytest

from retouch.edits import EditBlock, EditResult, apply_reply, changes_between, render_blocks, text_sha256, unified_diff
from tests.edits.blocks import change, markers

ONE = {"a.py": "a\n"}


def outcome(reply: str, files: dict[str, str] = ONE) -> str | None:
    return apply_reply(reply, files).error


def patch(*lines: str) -> str:
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))


@pytest.mark.parametrize(
    "reply",
    [
        "### CHANGE 1: x\n\nREPLACE WITH:\n```\nb\n```\n",
        change(("a\n", "b\n")) + "\nREPLACE WITH:\n```\nc\n```\n",
        "### CHANGE 1: x\nFIND:\n",
        "### CHANGE 1: x\nFIND:\n```\na\n",
        "### CHANGE 1: x\nFIND:\n```\na\n```\n\nREPLACE WITH:\n",
        "### CHANGE 1: x\nFIND:\n```\na\n```\n\nREPLACE WITH:\n```\nb\n",
        ">>>>>>> REPLACE\n",
        "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n",
    ],
)
def test_a_part_that_is_missing_or_doubled_is_malformed(reply: str):
    assert "malformed" == outcome(reply)


def test_blocks_of_two_formats_in_one_reply_are_all_applied():
    mixed = change(("a\n", "b\n")) + "\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n"
    assert {"a.py": "b\nd\n"} == dict(apply_reply(mixed, {"a.py": "a\nc\n"}).files)
    other = markers("c\n", "d\n") + "\n" + change(("a\n", "b\n"))
    assert {"a.py": "b\nd\n"} == dict(apply_reply(other, {"a.py": "a\nc\n"}).files)


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("*** Update File: a.py",),
        ("*** Update File: a.py", "@@"),
        ("*** Update File: a.py", "@@", "-a", "+b", "what is this"),
        ("*** Rename File: a.py",),
    ],
)
def test_a_patch_that_breaks_its_grammar_is_malformed(lines: tuple[str, ...]):
    assert "malformed" == outcome(patch(*lines))


@pytest.mark.parametrize(
    ("wanted", "lines"),
    [
        ("b\n", ("*** Update File: a.py", "@@", "-a", "+b")),
        ("b\n", ("*** Update File: a.py", "-a", "+b")),
        ("b\n", ("*** Update File: a.py", "@@ -1,1 +1,1 @@", "-a", "+b")),
        ("a\n\nb\n", ("*** Update File: a.py", "@@", " a", "+", "+b", "")),
    ],
)
def test_hunks_are_read_with_and_without_their_header(wanted: str, lines: tuple[str, ...]):
    assert {"a.py": wanted} == dict(apply_reply(patch(*lines), ONE).files)


def test_an_empty_line_in_a_hunk_is_a_context_line():
    result = apply_reply(patch("*** Update File: a.py", "@@", " a", "", "-b", "+c"), {"a.py": "a\n\nb\n"})
    assert {"a.py": "a\n\nc\n"} == dict(result.files)


def test_a_hunk_without_old_lines_is_an_empty_find():
    assert "empty_find" == outcome(patch("*** Update File: a.py", "@@", "+b"))


def test_a_hunk_that_writes_the_whole_file_anew_is_refused_but_one_line_may_change():
    assert "malformed" == outcome(patch("*** Update File: a.py", "@@", "-a", "+b", "+c"))
    assert None is outcome(patch("*** Update File: a.py", "@@", "-a", "+b"))
    anew = patch("*** Delete File: a.py", "*** Add File: a.py", "+b", "+c")
    assert {"a.py": "b\nc\n"} == dict(apply_reply(anew, ONE).files)


def test_an_anchor_that_leaves_several_places_is_ambiguous():
    text = "def f():\n    pass\n    pass\n"
    assert "ambiguous" == outcome(patch("*** Update File: a.py", "@@ def f():", "-    pass", "+    x"), {"a.py": text})


def test_a_move_to_a_path_outside_is_refused():
    assert "path" == outcome(patch("*** Update File: a.py", "*** Move to: ../b.py", "@@", "-a", "+b"))


def test_a_file_line_above_the_headers_holds_for_all_that_follow():
    reply = "FILE: b.py\n\n" + change(("x\n", "y\n"), ("z\n", "w\n"))
    assert {"b.py": "y\nw\n"} == dict(apply_reply(reply, {**ONE, "b.py": "x\nz\n"}).files)


def test_a_file_line_in_one_change_does_not_hold_for_the_next():
    reply = change(("a\n", "b\n"), path="a.py") + "\n### CHANGE 2: more\n" + change(("x\n", "y\n")).split("\n", 1)[1]
    assert "no_target" == outcome(reply, {**ONE, "b.py": "x\n"})


@pytest.mark.parametrize("written", ["`a.py`", "**a.py**", '"a.py"', "./a.py", "a.py:", "### a.py", "File: a.py"])
def test_a_path_is_read_without_its_decoration(written: str):
    reply = f"{written}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    assert {"a.py": "b\n"} == dict(apply_reply(reply, {**ONE, "b.py": "a\n"}).files)


def test_a_path_behind_the_language_of_a_fence_is_read():
    reply = "```python:a.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n"
    assert {"a.py": "b\n"} == dict(apply_reply(reply, {**ONE, "b.py": "a\n"}).files)


@pytest.mark.parametrize("header", ["**FIND:**", "FIND:  ", "## FIND:"])
def test_keywords_may_be_bold_or_headings(header: str):
    assert None is outcome(change(("a\n", "b\n")).replace("FIND:", header))


def test_tildes_are_fences_too():
    assert None is outcome(change(("a\n", "b\n")).replace("```", "~~~"))


def test_search_blocks_are_written_and_read_back():
    reply = render_blocks(changes_between("a\nb\nc\n", "a\nB\nc\n", path="a.py"), style="search_replace")
    assert {"a.py": "a\nB\nc\n"} == dict(apply_reply(reply, {"a.py": "a\nb\nc\n"}).files)


def test_what_a_style_cannot_say_is_an_error():
    deleted = EditBlock(number=1, find=(), replace=(), path="a.py", kind="delete")
    moved = EditBlock(number=1, find=("a",), replace=("b",), path="a.py", move_to="b.py")
    marked = EditBlock(number=1, find=("=======",), replace=("b",))
    assert None is outcome(render_blocks([deleted]))
    for block in (deleted, moved, marked):
        with pytest.raises(ValueError, match="edit 1"):
            render_blocks([block], style="search_replace")
    with pytest.raises(ValueError, match="moves a file"):
        render_blocks([moved])


def test_a_text_that_is_empty_is_created():
    assert [EditBlock(number=1, find=(), replace=("a", "b"), path="n")] == changes_between("", "a\nb\n", path="n")


def test_repetitive_texts_get_finds_that_stand_once():
    before = "x\n" * 400
    after = "x\n" * 200 + "y\n" + "x\n" * 199
    result: EditResult = apply_reply(render_blocks(changes_between(before, after)), {"f": before})
    assert after == result.files["f"]


def test_a_hash_is_of_the_bytes_that_stand_for_the_text():
    assert text_sha256("a\udcff") != text_sha256("a")
    assert 64 == len(text_sha256("\ud800"))


def test_a_diff_reads_like_those_of_other_tools():
    before = "".join(f"{n}\n" for n in range(1, 21))
    after = before.replace("\n5\n", "\nfive\n").replace("20\n", "20")
    lines = list(unified_diff("n.txt", before, after))
    assert ["--- a/n.txt", "+++ b/n.txt", "@@ -2,7 +2,7 @@"] == lines[:3]
    assert ["-20", "+20", "\\ No newline at end of file"] == lines[-3:]
    assert ["--- /dev/null", "+++ b/n", "@@ -0,0 +1,1 @@", "+a"] == list(unified_diff("n", None, "a\n"))
    assert "+++ /dev/null" in list(unified_diff("n", "a\n", None))


def test_new_lines_in_blanks_are_turned_where_the_file_is_all_in_tabs():
    text = "all:\n" + "\tstep\n" * 60 + "last:\n"
    result = apply_reply(change(("last:\n", "more:\n    do it\n        again\nlast:\n")), {"Makefile": text})
    assert str(result.files["Makefile"]).endswith("more:\n\tdo it\n\t\tagain\nlast:\n")


def test_new_lines_of_both_styles_are_meant_as_they_are():
    text = "def a():\n" + "    x = 1\n" * 60 + "last()\n"
    new = "make = '''\nall:\n\tstep\n'''\nif a:\n    b()\nlast()\n"
    assert str(apply_reply(change(("last()\n", new)), {"m.py": text}).files["m.py"]).endswith(new)


def test_a_line_that_comes_twice_and_differs_in_blanks_is_refused():
    text = "@data  \nclass One:\n    pass\n"
    reply = change(("@data\nclass One:\n", "@data\nclass Zero:\n    pass\n\n@data\nclass One:\n"))
    assert "occurs more often than in FIND" in apply_reply(reply, {"m.py": text}).issues[0].message


def test_one_line_that_lost_its_indentation_needs_a_replace_that_lost_it_too():
    text = "    if a(b):\n"
    flush = apply_reply(change(("if a(b):\n", "if a(c):\n")), {"m.py": text})
    whole = apply_reply(change(("if a(b):\n", "    if a(c):\n        d()\n")), {"m.py": text})
    assert {"m.py": "    if a(c):\n"} == dict(flush.files)
    assert {"m.py": "    if a(c):\n        d()\n"} == dict(whole.files)
    for unclear in ("if a(c):\n    d()\n", "if a(c):\n        d()\nelse:\n    e()\n", "a(c)\n    .d()\n"):
        assert "not_found" == outcome(change(("if a(b):\n", unclear)), {"m.py": text})
    moved = apply_reply(change(("if a(b):\n", "e()\n    if a(b):\n")), {"m.py": text})
    assert {"m.py": "    e()\n    if a(b):\n"} == dict(moved.files)
    beside = apply_reply(change(("if a(b):\n", "e()\n    f()\n")), {"m.py": text})
    assert {"m.py": "    e()\n    f()\n"} == dict(beside.files)
    inside = apply_reply(change(("if a(b):\n", "if a(c):\n        f()\n")), {"m.py": text})
    assert {"m.py": "    if a(c):\n        f()\n"} == dict(inside.files)


def test_an_indented_find_that_stands_elsewhere_as_quoted_is_no_slip():
    text = "        pass\n    other:\n        real()\n            pass\n        other:\n"
    assert "not_found" == outcome(change(("    pass_on()\n        other:\n", "x\n")), {"m.py": text})
    lines = "class A:\n    alpha()\n    else:\n\nif x:\n        other()\n        else:\n"
    assert "not_found" == outcome(change(("        alpha()\n        else:\n", "        b()\n")), {"m.py": lines})


def test_as_few_blank_edges_as_possible_are_left_out():
    text = "import a\n\n\nimport bcdef\n"
    reply = change(("\n\n\nimport bcdef\n", "\n\nimport bcdef\n"))
    assert {"m.py": "import a\n\nimport bcdef\n"} == dict(apply_reply(reply, {"m.py": text}).files)


def test_a_blank_edge_that_could_be_either_is_not_guessed():
    text = "x\nabcdef = 1\n\ny\n\nabcdef = 1\nz\n"
    assert "not_found" == outcome(change(("\nabcdef = 1\n\n", "\nabcdef = 2\n\n")), {"m.py": text})


def test_lines_of_blanks_do_not_move_with_the_others():
    text = "class A:\n    alpha(one)\n"
    reply = change(("alpha(one)\n", "alpha(one)\n  \nbeta(two)\n"))
    assert {"m.py": "class A:\n    alpha(one)\n  \n    beta(two)\n"} == dict(apply_reply(reply, {"m.py": text}).files)
