"""What is refused or warned of, and never guessed."""

from __future__ import annotations

import pytest

from retouch.edits import apply_reply, parse_diff_response, text_sha256
from tests.edits.blocks import NAME, applied, change, markers, refused


def test_find_equal_to_replace_is_a_warning_and_refused_only_alone():
    assert "no_change" == refused(change(("a\n", "a\n")), "a\nb\n").error
    result = apply_reply(change(("a\n", "a\n"), ("b\n", "B\n")), {NAME: "a\nb\n"})
    assert "a\nB\n" == result.files[NAME]
    assert [("no_change", "warning")] == [(issue.code, issue.severity) for issue in result.issues]


def test_a_repeated_block_is_taken_once_with_a_warning():
    result = apply_reply(change(("a\n", "b\n"), ("a\n", "b\n")), {NAME: "a\nx\n"})
    assert "b\nx\n" == result.files[NAME]
    assert ["repeated"] == [issue.code for issue in result.issues]


def test_the_same_find_with_another_replace_is_a_conflict():
    assert "conflict" == refused(change(("a\n", "b\n"), ("a\n", "c\n")), "a\nx\n").error


def test_an_empty_find_creates_a_file_that_is_absent_or_empty():
    assert "new\n" == applied(change(("", "new\n")), "")
    result = apply_reply(change(("", "new\n"), path="sub/new.py"), {NAME: "x\n"})
    assert {"sub/new.py": "new\n"} == dict(result.files)
    assert "empty_find" == refused(change(("", "new\n")), "x\n").error


def test_an_edit_that_is_already_made_is_said_so():
    result = refused(change(("total = one(a)\n", "total = two(a)\n")), "head\ntotal = two(a)\n")
    assert "not_found" == result.error
    assert "The REPLACE text is already at lines 2." in result.issues[0].message


def test_a_short_edit_that_is_already_made_is_said_so_when_its_text_stands_once():
    once = refused(change(("x = 1\n", "x = 2\n")), "x = 2\n")
    twice = refused(change(("x = 1\n", "}\n")), "}\n}\n")
    assert "already at lines 1" in once.issues[0].message
    assert "already" not in twice.issues[0].message


def test_a_loose_tier_is_not_tried_when_the_replace_text_stands_elsewhere():
    result = refused(change(("call(one)\n", "call(two)\n")), "    call(one)\ncall(two)\n")
    assert "The REPLACE text is already at lines 2." in result.issues[0].message


def test_an_indentation_that_is_two_levels_off_is_refused():
    reply = change(("            one(here)\n            two(here)\n", "            1(here)\n"))
    assert "not_found" == refused(reply, "if a:\n    one(here)\n    two(here)\n").error


def test_a_loose_tier_never_inserts_what_is_there_already():
    text = "    first(step)\n    second(step)\n    third(step)\n"
    reply = change(("first(step)\n", "first(step)\nsecond(step)\n"))
    assert "not_found" == refused(reply, text).error


def test_an_exact_edit_that_repeats_its_text_is_applied_with_a_warning():
    result = apply_reply(change(("a\n", "a\nb\n")), {NAME: "a\nb\n"})
    assert "a\nb\nb\n" == result.files[NAME]
    assert ["repeated"] == [issue.code for issue in result.issues]


def test_the_wrong_file_is_refused_and_the_right_one_named():
    result = apply_reply(change(("y = 1\n", "y = 2\n"), path="a.py"), {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    assert "not_found" == result.error
    assert "would match in 'b.py'" in result.issues[0].message


def test_a_block_without_a_path_needs_a_single_file():
    assert "no_target" == apply_reply(change(("a\n", "b\n")), {"a.py": "a\n", "b.py": "a\n"}).error
    assert {"a.py": "b\n"} == dict(apply_reply(change(("a\n", "b\n")), {"a.py": "a\n"}).files)


@pytest.mark.parametrize("path", ["../b.py", "/etc/motd", "a/../../b.py", "C:\\b.py", "~/b.py"])
@pytest.mark.parametrize("form", ["change", "markers"])
def test_paths_outside_the_root_are_refused(path: str, form: str):
    reply = change(("", "x\n"), path=path) if form == "change" else markers("", "x\n", path=path)
    assert "path" == apply_reply(reply, {"a.py": "a\n"}).error


def test_a_path_that_is_unknown_is_named_with_those_that_are():
    result = apply_reply(change(("a\n", "b\n"), path="c.py"), {"a.py": "a\n"})
    assert "no_target" == result.error
    assert "'c.py'. Existing files: 'a.py'" in result.issues[0].message


@pytest.mark.parametrize(
    "line",
    ["# ... rest of the code unchanged ...", "// ... existing code ...", "    ...", "/* rest of the code */ ..."],
)
def test_a_placeholder_that_stands_only_in_replace_is_refused(line: str):
    result = refused(change(("one()\ntwo()\nthree()\n", f"one(1)\n{line}\nthree()\n")), "one()\ntwo()\nthree()\n")
    assert "elision" == result.error


def test_dots_that_are_code_or_stand_in_both_texts_are_taken():
    stub = change(("def f(): pass\n", "def f() -> int:\n    ...\n"))
    assert "def f() -> int:\n    ...\n" == applied(stub, "def f(): pass\n")
    spread = change(("f({a})\n", "f({\n  a,\n  ...rest\n})\n"))
    assert "f({\n  a,\n  ...rest\n})\n" == applied(spread, "f({a})\n")
    both = change(("# ... rest unchanged ...\na\n", "# ... rest unchanged ...\nb\n"))
    assert "# ... rest unchanged ...\nb\n" == applied(both, "# ... rest unchanged ...\na\n")


def test_a_find_that_leaves_lines_out_is_refused_as_elision():
    text = "one()\ntwo()\nthree()\n"
    assert "elision" == refused(change(("one()\n...\nthree()\n", "one()\n3()\n")), text).error
    assert "elision" == refused(change(("one()\n...\nfour()\n", "one()\n...\n4()\n")), text).error
    assert "elision" == refused(change(("three()\n...\none()\n", "3()\n...\n1()\n")), text).error
    assert "elision" == refused(change(("one()\n...\nthree()\n", "1()\n...\n3()\n")), text + "three()\n").error


def test_line_numbers_are_taken_off_only_when_they_count_up_and_fit_the_place():
    text = "zero\none(a)\ntwo(b)\n"
    assert "zero\none(a)\n2(b)\n" == applied(change(("2 | one(a)\n3 | two(b)\n", "2 | one(a)\n3 | 2(b)\n")), text)
    assert "not_found" == refused(change(("2 | one(a)\n4 | two(b)\n", "x\n")), text).error
    assert "not_found" == refused(change(("2 | one(a)\ntwo(b)\n", "x\n")), text).error
    assert "not_found" == refused(change(("7 | one(a)\n8 | two(b)\n", "x\n")), text).error
    assert "not_found" == refused(change(("2 | one(a)\n3 | two(b)\n", "2 | one(a)\nx\n")), text).error


@pytest.mark.parametrize("text", ["a.*b\n", r"a\1$&b" + "\n", "if a &lt; b &amp;&amp; c:\n"])
def test_everything_is_literal(text: str):
    assert f"{text}x\n" == applied(change(("old\n", text)), "old\nx\n")
    assert "new\n" == applied(change((text, "new\n")), text)


def test_a_changed_file_takes_exact_matches_only():
    text = "    call(one)\n    call(two)\n"
    loose, exact = change(("call(one)\ncall(two)\n", "x\n")), change(("    call(one)\n", "    call(1)\n"))
    shown = {NAME: text_sha256(text + "more\n")}
    assert "applied" == apply_reply(loose, {NAME: text}, shown_sha256={NAME: text_sha256(text)}).outcome
    assert "not_found" == apply_reply(loose, {NAME: text}, shown_sha256=shown).error
    assert "not_found" == apply_reply(loose, {NAME: text}, shown_sha256={}).error
    assert "applied" == apply_reply(exact, {NAME: text}, shown_sha256=shown).outcome


def test_the_failure_names_every_failed_edit_at_once():
    result = refused(change(("gone()\n", "x\n"), ("a\n", "b\n"), ("lost()\n", "y\n")), "a\n")
    assert [(1,), (3,)] == [issue.edits for issue in result.issues]


def test_nul_bytes_are_refused_in_the_file_and_in_the_reply():
    assert "no_target" == refused(change(("c\n", "d\n")), "a\0b\nc\n").error
    assert "malformed" == refused(change(("c\n", "d\0\n")), "c\n").error


def test_undecodable_bytes_and_odd_separators_stay_as_they_are():
    text = "a\udcff\u2028\x0c\x85b\nold\n"
    assert "a\udcff\u2028\x0c\x85b\nnew\n" == applied(change(("old\n", "new\n")), text)


def test_a_file_can_be_deleted_in_the_default_format():
    result = apply_reply("### CHANGE 1: drop it\nDELETE FILE: a.py\n", {"a.py": "a\n", "b.py": "b\n"})
    assert {"a.py": None} == dict(result.files)
    assert "no_target" == apply_reply("### CHANGE 1: x\nDELETE FILE: c.py\n", {"a.py": "a\n"}).error


def test_a_file_that_is_deleted_and_changed_is_a_conflict():
    reply = "### CHANGE 1: drop it\nDELETE FILE: a.py\n" + change(("a\n", "b\n"), path="a.py")
    assert "conflict" == apply_reply(reply, {"a.py": "a\n"}).error


def test_markers_inside_fences_are_plain_text():
    text = "a\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n"
    assert "a\nours\n" == applied(change((text[2:], "ours\n")), text)
    assert "malformed" == refused(markers(text[2:], "ours\n"), text).error


def test_escaped_markers_are_read():
    reply = "<<<<<<< SEARCH\n\\<<<<<<< HEAD\n\\=======\n=======\nx\n>>>>>>> REPLACE\n"
    assert "x\n" == applied(reply, "<<<<<<< HEAD\n=======\n")


def test_a_fence_that_could_close_in_two_places_is_malformed_not_guessed():
    reply = "### CHANGE 1: x\nFIND:\n```\na\n```\nREPLACE WITH:\n```\nb\n```\nc\n```\nd\n```\n"
    assert "malformed" == refused(reply, "a\n").error
    assert not parse_diff_response(reply)["success"]
