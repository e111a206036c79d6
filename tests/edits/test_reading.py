"""How replies are read: one test or more for each promise of the formats."""

from __future__ import annotations

import pytest

from retouch.edits import fence_for, render_blocks
from retouch.edits.values import EditBlock
from tests.edits.blocks import applied, change, markers, refused


def test_the_default_format_uses_a_fence_longer_than_any_inside():
    block = EditBlock(number=1, find=("````", "old"), replace=("````", "new"))
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


@pytest.mark.parametrize("start", ["<<<< SEARCH", "<<<<<<<<<< SEARCH", "<<<<<<<SEARCH", "-- SEARCH"])
def test_markers_of_another_length_are_malformed(start: str):
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
