"""Automatic fixes: certain, idempotent, and never worse than the answer."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.judge import badness
from retouch.recipes.csharp.answering.faults import faults
from retouch.recipes.csharp.checking.answers import read
from retouch.recipes.csharp.fixes.steps import fix_pages

if TYPE_CHECKING:
    from collections.abc import Sequence

from tests.recipes.csharp.answers_zoo import ENDPOINT, Case, cases, edited, good_pages, names

ROOT, OWNER, MOOD, SIZE = "PetsDataObject", "Owner", "Mood", "Size"

MENDED = cases("answers_mended")


def with_page(unit: str, page: int, text: str) -> list[str]:
    pages = good_pages()[unit]
    return [*pages[: page - 1], text, *pages[page:]]


@pytest.mark.parametrize("case", MENDED, ids=names(MENDED))
def test_certain_faults_are_fixed_without_a_call(case: Case):
    unit, pages = case["unit"], edited(case)
    issues = read(ENDPOINT, unit, pages).issues
    assert issues
    mended = fix_pages(ENDPOINT, unit, pages, issues)
    assert mended is not None
    assert [] == list(read(ENDPOINT, unit, mended).issues)
    assert None is fix_pages(ENDPOINT, unit, mended, [])


def badness_of(unit: str, pages: Sequence[str]) -> tuple[int, int, int]:
    return badness(read(ENDPOINT, unit, pages).issues)


def test_pages_without_issues_stay_as_they_are():
    for unit, pages in good_pages().items():
        assert None is fix_pages(ENDPOINT, unit, pages, [])


def test_other_pages_are_not_touched():
    pages = with_page(ROOT, 2, f"```csharp\n{good_pages()[ROOT][1]}```\n")
    mended = fix_pages(ENDPOINT, ROOT, pages, [])
    assert mended is not None
    assert (pages[0], pages[2]) == (mended[0], mended[2])


def test_several_pages_are_fixed_at_once():
    pages = [f"```csharp\n{page}```\n" for page in good_pages()[ROOT]]
    mended = fix_pages(ENDPOINT, ROOT, pages, [])
    assert mended is not None
    assert [] == list(read(ENDPOINT, ROOT, mended).issues)


@pytest.mark.parametrize(
    ("unit", "page", "old", "new"),
    [
        (ROOT, 1, "required long Id", "required int Id"),
        (ROOT, 1, "Mood Mood", "MoodKind Mood"),
        (ROOT, 2, '"born"', '"birthday"'),
        (SIZE, 1, "    Size2 = 2,\n", ""),
    ],
)
def test_what_needs_a_decision_is_left_to_the_model(unit: str, page: int, old: str, new: str):
    pages = with_page(unit, page, good_pages()[unit][page - 1].replace(old, new))
    assert None is fix_pages(ENDPOINT, unit, pages, [])


def test_a_truncated_class_is_not_made_whole_where_members_break_off():
    text = good_pages()[OWNER][0]
    pages = [text[: text.index("{ get; init; }") + 6]]
    assert None is fix_pages(ENDPOINT, OWNER, pages, [])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_mending_is_idempotent_and_never_makes_a_type_worse(data: st.DataObject):
    unit = data.draw(st.sampled_from(sorted(good_pages())))
    pages = good_pages()[unit]
    for _ in range(data.draw(st.integers(1, 3))):
        index = data.draw(st.integers(0, len(pages) - 1))
        fault = faults[data.draw(st.sampled_from(sorted(faults)))]
        pages[index] = fault(pages[index], Random(data.draw(st.integers(0, 999))))
    check_mended(unit, pages)


def check_mended(unit: str, pages: Sequence[str]) -> None:
    """Check that a fixed answer is better, and that a second fix changes nothing."""
    mended = fix_pages(ENDPOINT, unit, pages, [])
    if mended is not None:
        assert badness_of(unit, mended) < badness_of(unit, pages)
        assert None is fix_pages(ENDPOINT, unit, mended, [])


def test_a_page_is_fixed_although_another_page_stays_broken():
    pages = good_pages()[ROOT]
    pages[0] = faults["mutable_property"](pages[0], Random(0))
    pages[1] = faults["unbalanced_brace"](pages[1], Random(0))
    assert fix_pages(ENDPOINT, ROOT, pages, []) is not None
    check_mended(ROOT, pages)


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet=st.sampled_from('{}[]();,"`/*?<>=#@ \n\\AZaz09\u00e9_.'), max_size=80))
def test_any_text_can_be_read_and_fixed(text: str):
    for unit in (OWNER, MOOD):
        pages = [text] if unit == OWNER else [good_pages()[MOOD][0], text]
        assert read(ENDPOINT, unit, pages).issues
        fix_pages(ENDPOINT, unit, pages, [])


def test_characters_that_turn_the_direction_are_escaped_in_literals_and_refused_elsewhere():
    good = good_pages()[ROOT][0]
    pages = with_page(ROOT, 1, good.replace('"The number of the pet."', '"The \u202enumber\u2066 of the pet."'))
    issues = read(ENDPOINT, ROOT, pages).issues
    assert "The page holds the bidirectional control character U+202E." in [issue.message for issue in issues]
    mended = fix_pages(ENDPOINT, ROOT, pages, issues)
    assert mended is not None
    assert '"The \\u202enumber\\u2066 of the pet."' in mended[0]
    assert "bidirectional" not in " ".join(issue.message for issue in read(ENDPOINT, ROOT, mended).issues)
    hidden = with_page(ROOT, 1, good.replace("{\n", "{ // \u202e\n", 1))
    assert None is fix_pages(ENDPOINT, ROOT, hidden, [])
    assert ["ARTIFACT"] == [issue.code for issue in read(ENDPOINT, ROOT, hidden).issues]
