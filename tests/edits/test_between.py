"""The edits between two texts, when applied, give the second."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.edits.between import edits_between

LINES = st.lists(st.sampled_from(["alpha", "beta", "gamma", "  delta", "", "}"]), max_size=12)


def applied(old: str, edits: tuple[tuple[str, str], ...]) -> str:
    for find, replace in edits:
        assert 1 == f"\n{old}".count(f"\n{find}")
        old = f"\n{old}".replace(f"\n{find}", f"\n{replace}", 1)[1:]
    return old


def test_equal_texts_need_no_edit() -> None:
    assert () == edits_between("a\n", "a\n")


def test_a_changed_line_is_quoted_with_one_line_around_it() -> None:
    assert (("b\nc\nd\n", "b\nC\nd\n"),) == edits_between("a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n")


def test_a_repeated_line_is_quoted_with_what_makes_it_unique() -> None:
    edits = edits_between("x\ny\nz\nx\ny\nw\n", "x\ny\nz\nx\nY\nw\n", context=0)
    assert (("x\ny\nw\n", "x\nY\nw\n"),) == edits


def test_a_change_that_no_lines_can_tell_apart_is_not_told() -> None:
    assert edits_between("x\n" * 60, "x\n" * 61) is None


def test_neighbouring_changes_become_one_edit() -> None:
    assert 1 == len(edits_between("a\nb\nc\nd\n", "A\nb\nC\nd\n") or ())


@pytest.mark.parametrize("context", [0, 1, 3])
@given(old=LINES, new=LINES)
def test_applying_the_edits_gives_the_new_text(context: int, old: list[str], new: list[str]) -> None:
    before, after = "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new)
    edits = edits_between(before, after, context=context)
    if edits is not None and len(edits) == 1:
        assert after == applied(before, edits)
