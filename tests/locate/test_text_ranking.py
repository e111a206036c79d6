"""Functions of a Python project are ranked for a text: a traceback, a failing test, an issue, a commit message."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.locate import SpanIndex, files_of_text, rank_text
from retouch.locate.languages.python import python
from retouch.locate.prose import read_text_evidence

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "shop/prices.py": """
def bulk_discount(pieces):
    return 10 if pieces > 48 else 0


def total(lines):
    return sum(line.cents * (100 - bulk_discount(line.pieces)) for line in lines)
""",
    "shop/stock.py": """
class Shelf:
    def take(self, code, pieces):
        code = plain_code(code)
        if self.stock[code] < pieces:
            raise KeyError(code)


def plain_code(code):
    return code.upper()
""",
    "tests/test_prices.py": """
from shop.prices import total


def test_a_pallet_is_cheaper():
    assert total([Line(48)]) == 1
""",
}


@pytest.fixture
def index(tmp_path: Path) -> SpanIndex:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = SpanIndex(tmp_path, front=python())
    found.build(tests=True)
    return found


def ids(text: str, index: SpanIndex) -> list[str]:
    return [one.module_id for one in rank_text(text, index)]


def test_a_commit_message_finds_the_function_by_its_words(index: SpanIndex) -> None:
    assert "shop/prices.py::bulk_discount" == ids("Fix the bulk discount for 48 pieces", index)[0]


def test_a_traceback_finds_its_innermost_function_in_the_repository(index: SpanIndex) -> None:
    frames = '  File "/elsewhere/shop/stock.py", line 4, in take\n  File "/usr/lib/python3/json.py", line 9, in x\n'
    text = f"Traceback:\n{frames}"
    assert "shop/stock.py::Shelf.take" == ids(text, index)[0]


def test_a_failing_test_leads_to_what_its_code_calls_and_never_to_itself(index: SpanIndex) -> None:
    found = ids("FAILED tests/test_prices.py::test_a_pallet_is_cheaper - assert 0 == 1", index)
    assert {"shop/prices.py::total", "shop/prices.py::bulk_discount"} == set(found[:2])
    assert not any(one.startswith("tests/") for one in found)


def test_a_function_that_is_named_in_backticks_comes_first(index: SpanIndex) -> None:
    assert "shop/stock.py::plain_code" == ids("`plain_code()` keeps blanks around a discount", index)[0]


def test_a_text_without_a_known_word_finds_nothing(index: SpanIndex) -> None:
    assert [] == ids("zzz qqq", index)
    assert [] == ids("", index)


def test_the_files_of_the_best_functions_are_chosen(index: SpanIndex) -> None:
    found = rank_text("bulk_discount is wrong for 48 pieces, see total()", index)
    assert ["shop/prices.py"] == files_of_text(found, 1)
    assert "shop/prices.py" == files_of_text(found, 5)[0]


def test_scores_are_between_0_and_1_and_have_reasons(index: SpanIndex) -> None:
    for one in rank_text("Shelf.take raises KeyError for plain codes", index):
        assert 0 < one.fused_score <= 1
        assert all(0 < score <= 1 for score in one.scores.values()), one.scores
        assert one.probability is None


def test_places_files_and_tests_are_read_from_the_output_of_pytest() -> None:
    body = "____ test_x[a-1] ____\n\n>   assert f(1)\n\nsrc/a.py:12: ValueError\n"
    text = f"{body}FAILED tests/test_a.py::TestA::test_y - x\n"
    found = read_text_evidence(text)
    assert (("src/a.py", 12),) == found.frames
    assert ("src/a.py", "tests/test_a.py") == found.files
    assert {"test_x", "test_y"} == set(found.tests)
