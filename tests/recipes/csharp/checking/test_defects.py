"""Defects against the rules are found on the right page, and correct code in other spellings is accepted."""

from __future__ import annotations

import pytest

from retouch.recipes.csharp.checking.answers import read
from tests.recipes.csharp.answers_zoo import ENDPOINT, Case, cases, edited, good_pages, names

DEFECTS = cases("answers_defects")
VARIANTS = cases("answers_variants")
SEEN_BY_US = [defect for defect in DEFECTS if defect.get("tier") != 3]


@pytest.mark.parametrize("defect", SEEN_BY_US, ids=names(SEEN_BY_US))
def test_a_defect_is_found_and_blamed_on_its_page(defect: Case):
    issues = read(ENDPOINT, defect["unit"], edited(defect)).issues
    found = [issue for issue in issues if issue.code == defect.get("code")]
    assert found, [f"{issue.code}: {issue.message}" for issue in issues]
    assert defect.get("page") == found[0].page
    assert defect.get("severity", "error") == found[0].severity
    assert all(issue.fix for issue in issues)


def test_at_least_95_of_100_defects_are_found():
    caught = [defect for defect in DEFECTS if read(ENDPOINT, defect["unit"], edited(defect)).issues]
    assert len(DEFECTS) >= 40
    assert len(caught) >= 0.95 * len(DEFECTS)


def test_a_defect_on_one_page_blames_no_other_page():
    for defect in SEEN_BY_US:
        if defect.get("page") is not None and defect["name"] != "the JSON name of the neighbour":
            pages = {issue.page for issue in read(ENDPOINT, defect["unit"], edited(defect)).issues}
            assert {defect.get("page")} == pages, defect["name"]


def test_the_good_answers_have_no_issue():
    for unit, pages in good_pages().items():
        assert [] == list(read(ENDPOINT, unit, pages).issues)


@pytest.mark.parametrize("variant", VARIANTS, ids=names(VARIANTS))
def test_correct_code_in_another_spelling_is_left_alone(variant: Case):
    result = read(ENDPOINT, variant["unit"], edited(variant))
    assert [] == [f"{issue.code}: {issue.message}" for issue in result.issues]
    assert result.value is not None
