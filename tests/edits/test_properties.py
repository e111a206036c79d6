"""What holds for any text: blocks that are written are read back and applied exactly, and a cut reply never half."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from retouch.edits import apply_reply, changes_between, render_blocks, unified_diff
from retouch.edits.align import align, differences
from retouch.edits.filelines import FileLines
from retouch.edits.formats import read_blocks
from retouch.edits.lineindex import LineIndex, every_place
from retouch.edits.splice import Replacement, Splice
from retouch.edits.values import Refusal, lines_of, text_of

ODD = ["```", "````", "~~~", "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "FIND:", "REPLACE WITH:"]
MORE = ["### CHANGE 1: x", "*** Begin Patch", "DELETE FILE: x", "a", "b", "", "}", "    a", "\ta", "a\x0cb", "\udcff"]
LINE = st.sampled_from(ODD + MORE) | st.text(st.sampled_from("ab \t`<=>é\u2028"), max_size=5)
LINES = st.lists(LINE, min_size=1, max_size=10)


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Lines, and the lines after some of them were deleted, replaced or had others put before them."""
    old = draw(LINES.filter(lambda lines: lines != [""]))
    new: list[str] = []
    for line in old:
        step = draw(st.sampled_from(["keep", "keep", "keep", "drop", "replace", "insert"]))
        if step in {"replace", "insert"}:
            new += draw(st.lists(LINE, min_size=1, max_size=3))
        if step in {"keep", "insert"}:
            new.append(line)
    return old, new


@settings(max_examples=300, deadline=None)
@given(edited(), st.integers(0, 3), st.sampled_from(["\n", "\r\n"]))
def test_blocks_between_two_texts_turn_one_into_the_other(texts: tuple[list[str], list[str]], context: int, eol: str):
    before, after = ("".join(line + eol for line in lines) for lines in texts)
    blocks = changes_between(before, after, context=context)
    if before == after:
        assert [] == blocks
        return
    result = apply_reply(render_blocks(blocks), {"f": before}, target="f")
    assert after == result.files["f"], result.issues


@settings(max_examples=150, deadline=None)
@given(edited(), st.data())
def test_a_reply_that_is_cut_anywhere_is_refused_or_holds_only_whole_edits(
    texts: tuple[list[str], list[str]], data: st.DataObject
):
    before, after = ("".join(line + "\n" for line in lines) for lines in texts)
    blocks = changes_between(before, after, context=0)
    reply = render_blocks(blocks)
    cut = reply[: data.draw(st.integers(0, len(reply)))]
    assert "truncated" == apply_reply(cut, {"f": before}, target="f", stop_reason="max_tokens").error
    try:
        found = read_blocks(cut)
    except Refusal:
        return
    assert [(one.find, one.replace) for one in blocks[: len(found)]] == [(one.find, one.replace) for one in found]


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("#<=>`- \nFINDREPLACE WITH:SEARCH*+@x"), max_size=200))
def test_no_reply_breaks_the_reader(reply: str):
    result = apply_reply(reply, {"f": "x\n"})
    assert result.outcome in {"applied", "refused"}


@given(st.lists(st.sampled_from("ab"), max_size=30), st.lists(st.sampled_from("ab"), min_size=1, max_size=4))
def test_blocks_of_lines_are_found_wherever_they_stand(lines: list[str], find: list[str]):
    naive = [n for n in range(len(lines) - len(find) + 1) if lines[n : n + len(find)] == find]
    text = "".join(line + "\n" for line in lines)
    assert naive == every_place(lines, find)
    assert naive == LineIndex(FileLines(text), find).exact_places(find)


@given(st.lists(st.sampled_from("abcd"), max_size=25), st.lists(st.sampled_from("abcd"), max_size=25))
def test_an_alignment_repeats_lines_in_order_and_its_differences_rebuild_the_text(old: list[str], new: list[str]):
    shared = [there for there in align(old, new) if there is not None]
    assert sorted(set(shared)) == shared
    rebuilt = list(old)
    for low, high, new_low, new_high in reversed(differences(old, new)):
        rebuilt[low:high] = new[new_low:new_high]
    assert new == rebuilt


@given(st.text(st.sampled_from("abc"), min_size=1, max_size=12), st.data())
def test_rewriting_what_was_spliced_in_gives_what_replacing_twice_gives(text: str, data: st.DataObject):
    splice = Splice(text)
    for edit in range(data.draw(st.integers(0, 3))):
        start = data.draw(st.integers(0, len(text) - 1))
        stop = data.draw(st.integers(start + 1, len(text)))
        if splice.overlapping(start, stop) is None:
            splice.add(Replacement(start=start, stop=stop, text=data.draw(st.sampled_from(["", "X", "YY"])), edit=edit))
    running = splice.result()
    assume(running)
    low = data.draw(st.integers(0, len(running) - 1))
    high = data.draw(st.integers(low + 1, len(running)))
    splice.rewrite(low, high, "ZZ", 9)
    assert running[:low] + "ZZ" + running[high:] == splice.result()


@given(st.lists(st.sampled_from(["", "a", "b "]), max_size=4))
def test_the_text_of_a_block_is_read_back_as_its_lines(lines: list[str]):
    assert tuple(lines) == lines_of(text_of(tuple(lines)))


@given(st.text(st.sampled_from("ab\r\n\ufeff"), max_size=12))
def test_a_text_is_the_sum_of_its_lines(text: str):
    lines = FileLines(text)
    starts = [*lines.starts]
    assert text[starts[0] :] == "".join(text[a:b] for a, b in pairwise(starts))
    assert len(lines.bodies) + 1 == len(starts)
    assert all(text.startswith(body, start) for body, start in zip(lines.bodies, starts, strict=False))


@pytest.mark.parametrize("before", ["", "a\n", "a", "a\nb\nc\n" * 5])
@pytest.mark.parametrize("after", ["", "a\n", "b", "a\nx\nc\n" * 5])
def test_a_diff_says_nothing_exactly_when_nothing_differs(before: str, after: str):
    lines = list(unified_diff("f", before, after))
    assert (before == after) == (not lines)
