"""Every fault of the faulty model is a real defect: it changes the text, and reading or an automatic fix finds it."""

from __future__ import annotations

from random import Random

import pytest

from retouch.recipes.csharp.answering.faults import faults
from retouch.recipes.csharp.checking.answers import read
from tests.recipes.csharp.answers_zoo import ENDPOINT, good_pages

GENERAL = {"missing_field", "duplicate_field", "undeclared_type", "phantom_field", "unbalanced_brace"}


def spoiled(name: str, seed: int) -> list[tuple[str, list[str], bool]]:
    """Return each type with the fault on each of its pages in turn, and whether the text changed."""
    found: list[tuple[str, list[str], bool]] = []
    for unit, pages in good_pages().items():
        for index, page in enumerate(pages):
            text = faults[name](page, Random(seed))
            found.append((unit, [*pages[:index], text, *pages[index + 1 :]], text != page))
    return found


@pytest.mark.parametrize("name", sorted(faults))
def test_a_fault_that_changes_a_page_is_an_issue(name: str):
    changed = 0
    for seed in range(12):
        for unit, pages, differs in spoiled(name, seed):
            if differs:
                changed += 1
                assert read(ENDPOINT, unit, pages).issues, pages
    assert changed >= 12


@pytest.mark.parametrize("name", sorted(faults))
def test_a_fault_is_the_same_for_the_same_seed(name: str):
    assert spoiled(name, 3) == spoiled(name, 3)


@pytest.mark.parametrize("name", sorted(faults))
@pytest.mark.parametrize("text", ["", "```", "public class {", "// BEGIN_FIELDS\n// END_FIELDS\n", "\u00e4 } {"])
def test_a_fault_takes_any_text(name: str, text: str):
    assert isinstance(faults[name](text, Random(1)), str)


def test_the_faults_that_every_recipe_should_have_are_there():
    assert set() == GENERAL - faults.keys()
    assert {"wrong_nullability", "pasted_neighbour", "placeholder", "wrong_type", "missing_converter"} <= faults.keys()
