"""One test or more for each behaviour that the edits promise."""

from __future__ import annotations

import pytest

from retouch.edits import EditResult, apply_reply, fence_for, parse_diff_response, render_blocks, text_sha256
from retouch.edits.values import Block
from tests.edits.blocks import change, markers

NAME = "m.py"


def applied(reply: str, text: str) -> str | None:
    result = apply_reply(reply, {NAME: text}, target=NAME)
    assert result.outcome == "applied", result.issues
    return result.files[NAME]


def refused(reply: str, text: str, *, stop_reason: str | None = None) -> EditResult:
    result = apply_reply(reply, {NAME: text}, target=NAME, stop_reason=stop_reason)
    assert result.outcome == "refused"
    assert not result.files
    assert not result.edits
    return result


def tiers(reply: str, text: str) -> list[str]:
    return [edit.tier for edit in apply_reply(reply, {NAME: text}, target=NAME).edits]


def test_the_default_format_uses_a_fence_longer_than_any_inside():
    block = Block(number=1, find=("````", "old"), replace=("````", "new"))
    reply = render_blocks([block])
    assert fence_for("````") == "`````"
    assert "`````\n" in reply
    assert "````\nnew\n" == applied(reply, "````\nold\n")


def test_markers_are_read_without_being_told():
    assert "b\n" == applied(markers("a\n", "b\n"), "a\n")


@pytest.mark.parametrize(
    ("start", "divider", "end"),
    [
        ("<<<<<<<", "=======", ">>>>>>>"),
        ("---", "===", "+++"),
        ("-----------", "==========", "+++++++"),
    ],
)
def test_markers_of_the_two_dialects_are_taken(start: str, divider: str, end: str):
    assert "b\n" == applied(f"{start} SEARCH\na\n{divider}\nb\n{end} REPLACE\n", "a\n")


def test_an_angle_bracket_after_search_is_tolerated():
    assert "b\n" == applied("<<<<<<< SEARCH>\na\n=======\nb\n>>>>>>> REPLACE\n", "a\n")


@pytest.mark.parametrize("start", ["<<<<<< SEARCH", "<<<<<<<< SEARCH", " <<<<<<< SEARCH", "-- SEARCH"])
def test_markers_of_another_length_or_column_are_malformed(start: str):
    end = "+++++++ REPLACE" if start.startswith("-") else ">>>>>>> REPLACE"
    assert "malformed" == refused(f"{start}\na\n=======\nb\n{end}\n", "a\n").error


def test_a_fence_is_closed_by_one_of_the_same_length():
    reply = "### CHANGE 1: x\nFIND:\n`````\n```\na\n`````\n\nREPLACE WITH:\n````\n`````\n```\nb\n````\n"
    assert "`````\n```\nb\n" == applied(reply, "```\na\n")


def test_several_pairs_under_one_header_are_all_taken():
    first, second = change(("a\n", "A\n")), change(("b\n", "B\n"))
    assert "A\nB\n" == applied(first + second.split("\n", 1)[1], "a\nb\n")


def test_a_doubled_divider_at_the_end_is_tolerated_and_one_before_more_text_is_malformed():
    assert "b\n" == applied("<<<<<<< SEARCH\na\n=======\nb\n=======\n>>>>>>> REPLACE\n", "a\n")
    assert "malformed" == refused("<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n", "a\n").error


@pytest.mark.parametrize("reply", [change(("b\n", "")), markers("b\n", "")])
def test_an_empty_replace_deletes_the_lines(reply: str):
    assert "a\nc\n" == applied(reply, "a\nb\nc\n")


def test_an_unterminated_last_block_refuses_all_and_the_stop_reason_names_it():
    whole = change(("a\n", "A\n"))
    for cut in (change(("b\n", "B\n"))[:-4], "### CHANGE 2: x\nFIND:\n```\nb\n```\n"):
        assert "malformed" == refused(whole + cut, "a\nb\n", stop_reason="end_turn").error
        assert "truncated" == refused(whole + cut, "a\nb\n", stop_reason="max_tokens").error


@pytest.mark.parametrize("reason", ["max_tokens", "length", "MAX_TOKENS", "incomplete", "content_filter"])
def test_a_cut_reply_is_never_applied_even_when_its_blocks_look_whole(reason: str):
    assert "truncated" == refused(change(("a\n", "b\n")), "a\n", stop_reason=reason).error


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
    result = refused(change(("a\nb\n", "A\nb\n"), ("b\nc\n", "b\nC\n")), "a\nb\nc\n")
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
    assert "no counterpart" in refused(reply, text).issues[0].message


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
    assert "'c.py'; there is 'a.py'" in result.issues[0].message


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
    reply = change(("one()\n...\nthree()\n", "one()\n...\n3()\n"))
    assert "elision" == refused(reply, "one()\ntwo()\nthree()\n").error


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
