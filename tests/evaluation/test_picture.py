"""The picture is well-formed, follows the colour scheme, and shows no difference that the intervals do not show."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from retouch.evaluation.picture import picture
from tests.evaluation.conftest import Evaluation, priced, right, wrong

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Reply, Request
    from retouch.evaluation import EvaluationResult

SVG = "{http://www.w3.org/2000/svg}"


def dear(request: Request) -> Reply:
    return priced(request, right(request).text, cost=0.05)


def drawn(result: EvaluationResult) -> tuple[ET.Element, list[str]]:
    """The parsed picture, and its texts."""
    root = ET.fromstring(picture(result))
    return root, ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]


def marks(root: ET.Element, kind: str) -> int:
    return sum(one.get("class") == kind for one in root.iter())


def test_a_dominated_model_is_hollow_and_its_difference_is_shown(evaluation: Evaluation) -> None:
    evaluation.scripts = {"b": dear}
    root, texts = drawn(evaluation.run("a", "b"))
    assert (1, 1) == (marks(root, "worse"), marks(root, "shown"))
    assert {"A: a", "B: b", "US dollars per unit", "units verified"} <= set(texts)
    assert "cost, A minus B" in texts
    assert any(text.startswith("-$0.04000") for text in texts)


def test_equal_models_are_filled_and_no_difference_is_shown(evaluation: Evaluation) -> None:
    root, _ = drawn(evaluation.run("a", "b"))
    assert (0, 0, 2) == (marks(root, "worse"), marks(root, "shown"), marks(root, "bar"))


def test_too_few_groups_are_named_instead_of_an_interval(tmp_path: Path) -> None:
    evaluation = Evaluation(tmp_path / "evaluation", units=2)
    evaluation.scripts = {"b": dear}
    root, texts = drawn(evaluation.run("a", "b"))
    assert (0, 0) == (marks(root, "shown"), marks(root, "bar"))
    assert "too few groups (2) to show a difference" in texts


def test_units_without_errors_are_drawn_if_none_is_verified(evaluation: Evaluation) -> None:
    evaluation.scripts = dict.fromkeys("ab", wrong)
    _, texts = drawn(evaluation.run("a", "b"))
    assert "units without errors (none is verified)" in texts


@pytest.mark.parametrize("price", [None, 0.0])
def test_tokens_take_the_place_of_prices_that_are_unknown_or_zero(evaluation: Evaluation, price: float | None) -> None:
    evaluation.scripts = {"a": lambda request: priced(request, right(request).text, cost=price)}
    if price is not None:
        evaluation.scripts["b"] = evaluation.scripts["a"]
    _, texts = drawn(evaluation.run("a", "b"))
    assert "tokens per unit (no prices to compare)" in texts


def test_one_model_and_a_name_with_markup_are_drawn(evaluation: Evaluation) -> None:
    root, texts = drawn(evaluation.run("<a>&"))
    assert "A: <a>&" in texts
    assert (1, 0) == (marks(root, "mark"), marks(root, "bar"))


def test_the_picture_has_a_dark_scheme_and_loads_nothing(evaluation: Evaluation) -> None:
    text = picture(evaluation.run("a"))
    assert "prefers-color-scheme: dark" in text
    assert ["href" in text, "<script" in text, "url(" in text] == [False] * 3


def test_a_model_without_results_is_no_point_of_the_picture(evaluation: Evaluation) -> None:
    evaluation.run("a")
    evaluation.is_stopping = True
    root, texts = drawn(evaluation.run("a", "b"))
    assert (1, True, False) == (marks(root, "mark"), "A: a" in texts, "B: b" in texts)
    assert "US dollars per unit" in texts
